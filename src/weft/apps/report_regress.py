"""Reports on models that predict strings by their n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.apps.regression_files import PairLayout, iter_pairs, load_regressor
from weft.apps.report_strings import StringReporter
from weft.errors import InputError
from weft.reports import Picture
from weft.reports.pictures import bar_chart

__all__ = ["RegressionReporter"]

N_GRAMS = 16


class RegressionReporter(StringReporter):
    """Report on a `StringRegressor`."""

    task = "predicts n-grams of strings by kernel regression and puts them together"

    def load(self) -> None:
        """Load the regressor and what its sequences are made of."""
        self.estimator, self.units, self.known = load_regressor(self.model)

    def read(self, file: str) -> list[Any]:
        """Inputs with their outputs."""
        layout = PairLayout.choose(file, self.file_format, self.units, self.known)
        return list(iter_pairs(file, layout, labelled=True))

    def references(self, example: Any) -> list[Any]:
        """The output."""
        return [example.output]

    def fit(self, estimator: Any, examples: list[Any]) -> Any:
        """Train on pairs."""
        return estimator.fit([each.input for each in examples], [each.output for each in examples])

    def ranked(self, estimator: Any, examples: list[Any]) -> list[tuple[Any, float | None]]:
        """The best outputs, with probabilities if the pre-image has them."""
        X = [each.input for each in examples]
        if estimator.temperature_ is None:
            return [(output, None) for output in estimator.predict(X)]
        empty: Any = "" if isinstance(examples[0].output, str) else []
        return [row[0] if row else (empty, 0.0) for row in estimator.predict_kbest(X, 1)]

    def pictures(self, examples: list[Any], errors: Sequence[int]) -> list[Picture]:
        """Predicted counts of n-grams, of one example in the middle of the errors."""
        number = int(np.argsort(errors, kind="stable")[len(errors) // 2])
        example = examples[number]
        try:
            predicted = np.asarray(self.estimator.predict_counts([example.input])[0], dtype=np.float64)
        except InputError:
            return []
        space = self.estimator.space_
        wanted = space.counts([list(example.output)]).toarray()[0]
        names = space.names()
        order = np.argsort(-np.maximum(predicted, wanted), kind="stable")[:N_GRAMS].tolist()
        items = [(names[k], float(predicted[k]), bool(wanted[k] > 0)) for k in order]
        items.sort(key=lambda item: -item[1])
        caption = (
            f"Predicted counts of n-grams for “{self.title(example, number)}”, whose reference is "
            f"“{''.join(map(str, example.output))}”, an example in the middle of the errors. Blue n-grams are in the "
            "reference, orange ones are not; those right of the dashed line are taken to be there. ^ is the boundary."
        )
        figure = bar_chart(items, "predicted counts of n-grams", 0.5, "predicted count")
        return [Picture("From n-grams to a string", caption, figure, {"grams": items, "example": number + 1})]

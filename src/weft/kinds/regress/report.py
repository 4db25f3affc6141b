"""Reports on models that predict strings by their n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.kinds.string_report import string_sections, title_of
from weft.kinds.strings import StringKind, nearest
from weft.reports import Picture
from weft.reports.pictures import bar_chart

N_GRAMS = 16


def sections(kind: StringKind, examples: list[Any], predicted: list[Any]) -> dict[str, Any]:
    """Strings with their probabilities, and from which n-grams one of them was put together."""
    regressor = kind.estimator
    if regressor.temperature_ is not None:
        ranked = regressor.predict_kbest(kind.inputs(examples), 1)
        empty: Any = "" if isinstance(examples[0].output, str) else []
        predicted = [row[0] if row else (empty, 0.0) for row in ranked]
    errors = [nearest(kind.references_of(x), guess)[0] for x, (guess, _) in zip(examples, predicted, strict=True)]
    why = "A kernel method has a coefficient for each training example, and none for features with names."
    found = string_sections(kind, examples, predicted, [], why, _pictures(regressor, examples, errors))
    n_proven = int(regressor.is_proven(kind.inputs(examples)).sum())
    found["data"].append(("shown to be the best by the search", f"{n_proven:,} of {len(examples):,} strings"))
    return found


def _pictures(regressor: Any, examples: list[Any], errors: Sequence[int]) -> list[Picture]:
    """Predicted counts of n-grams, of one example in the middle of the errors."""
    number = int(np.argsort(errors, kind="stable")[len(errors) // 2])
    example = examples[number]
    try:
        predicted = np.asarray(regressor.predict_counts([example.input])[0], dtype=np.float64)
    except InputError:
        return []
    space = regressor.space_
    wanted = space.counts([list(example.output)]).toarray()[0]
    names = space.names()
    order = np.argsort(-np.maximum(predicted, wanted), kind="stable")[:N_GRAMS].tolist()
    items = [(names[k], float(predicted[k]), bool(wanted[k] > 0)) for k in order]
    items.sort(key=lambda item: -item[1])
    caption = (
        f"Predicted counts of n-grams for “{title_of(example, number)}”, whose reference is "
        f"“{''.join(map(str, example.output))}”, an example in the middle of the errors. Blue n-grams are in the "
        "reference, orange ones are not; those right of the dashed line are taken to be there. ^ is the boundary."
    )
    figure = bar_chart(items, "predicted counts of n-grams", 0.5, "predicted count")
    return [Picture("From n-grams to a string", caption, figure, {"grams": items, "example": number + 1})]

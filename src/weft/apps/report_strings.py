"""What reports on rewriters and on string regressors share: strings against the nearest of their references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from weft.apps.report_base import Reporter, length_facts, ratio_score, share_score, worst
from weft.metrics import edit_distance
from weft.reports import Block, Case, FeatureGroup, Picture, Score
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.differences import edit_columns
from weft.reports.markup import count

__all__ = ["NOTHING", "StringReporter"]

NOTHING = "∅"
"""Stands where one side has no symbol."""


class StringReporter(Reporter):
    """What both have in common: strings against the nearest of their references."""

    one = "string"

    def references(self, example: Any) -> list[Any]:
        """What is right."""
        raise NotImplementedError

    def ranked(self, estimator: Any, examples: list[Any]) -> list[tuple[Any, float | None]]:
        """The best output of each example, and its probability."""
        raise NotImplementedError

    def predict(self, estimator: Any, examples: list[Any]) -> list[Any]:
        """The best output of each example with its probability."""
        return self.ranked(estimator, examples)

    def _nearest(self, example: Any, guess: Any) -> tuple[int, list[Any]]:
        """Fewest edits to a reference, and that reference: of equally near ones the longest."""
        return min(
            ((edit_distance(list(each), list(guess)), list(each)) for each in self.references(example)),
            key=lambda pair: (pair[0], -len(pair[1])),
        )

    def scores(self, examples: list[Any], predicted: list[Any]) -> list[Score]:
        """Strings that are right, and edits per symbol."""
        nearest = [self._nearest(each, guess) for each, (guess, _) in zip(examples, predicted, strict=True)]
        errors, lengths = [n for n, _ in nearest], [len(reference) for _, reference in nearest]
        return [
            share_score("strings right", [n == 0 for n in errors], "of strings equal a reference"),
            ratio_score("symbol error", errors, lengths, "edits for each symbol of the references", is_error=True),
        ]

    def sections(self, examples: list[Any], predicted: list[Any]) -> dict[str, Any]:
        """Confusions of symbols, probabilities, wrong strings, and what the kind has to show."""
        confusions = Counter[tuple[str, str]]()
        cases = []
        nearest = []
        for number, (example, (guess, sure)) in enumerate(zip(examples, predicted, strict=True)):
            n, reference = self._nearest(example, guess)
            nearest.append(n)
            if n == 0:
                confusions.update((str(symbol), str(symbol)) for symbol in reference)
                continue
            columns = edit_columns(reference, list(guess))
            shown = [(NOTHING if a is None else str(a), NOTHING if b is None else str(b)) for a, b in columns]
            confusions.update(shown)
            block = Block("", ("reference", "predicted"), [((a, b), "wrong" if a != b else "") for a, b in shown])
            verdict = f"{count(n, 'edit')} away from the reference"
            cases.append(Case(self.title(example, number), verdict, sure, n * (1.0 if sure is None else sure), [block]))
        confidences = [sure for _, sure in predicted if sure is not None]
        calibration = None
        missing = {}
        if len(confidences) == len(predicted):
            calibration = calibration_of(confidences, [n == 0 for n in nearest], "whole strings")
        else:
            missing["calibration"] = "This kind of pre-image ranks no strings, so it has no probabilities."
        features, why = self.features()
        if not features:
            missing["features"] = why
        order = "by the number of edits times the confidence" if not missing.get("calibration") else "by the edits"
        return {
            "data": length_facts("symbols", [len(self.references(each)[0]) for each in examples]),
            "confusion": confusion_of(confusions, "symbols"),
            "calibrations": [] if calibration is None else [calibration],
            "cases": worst(cases),
            "cases_note": f"Ordered {order}. References and predictions are aligned by the fewest edits; {NOTHING} "
            "stands where one has no symbol.",
            "features": features,
            "pictures": self.pictures(examples, nearest),
            "missing": missing,
        }

    def title(self, example: Any, number: int) -> str:
        """What a string is called: its input, if that is text."""
        given = example.input
        if isinstance(given, str):
            return given
        return " ".join(given) if isinstance(given, list) else f"string {number + 1}"

    def features(self) -> tuple[list[FeatureGroup], str]:
        """Weights by name, or why there are none."""
        return [], "A kernel method has a coefficient for each training example, and none for features with names."

    def pictures(self, examples: list[Any], errors: Sequence[int]) -> list[Picture]:
        """What the structure looks like."""
        return []

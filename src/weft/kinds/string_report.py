"""What reports on rewriters and on string regressors share: strings against the nearest of their references."""

from __future__ import annotations

from collections import Counter
from typing import Any

from weft.kinds.reporting import length_facts, worst
from weft.kinds.strings import StringKind, nearest
from weft.reports import Block, Case, FeatureGroup, Picture
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.differences import edit_columns
from weft.reports.numbers import count

NOTHING = "∅"
"""Stands where one side has no symbol."""


def string_sections(
    kind: StringKind,
    examples: list[Any],
    predicted: list[Any],
    features: list[FeatureGroup],
    why: str,
    pictures: list[Picture],
) -> dict[str, Any]:
    """Confusions of symbols, probabilities, wrong strings; beside them what the kind has to show.

    Parameters
    ----------
    kind : StringKind
    examples : list
    predicted : list of (output, probability or None)
    features : list of FeatureGroup
    why : str
        There are no features, if so.
    pictures : list of Picture
    """
    confusions = Counter[tuple[str, str]]()
    cases = []
    distances = []
    for number, (example, (guess, sure)) in enumerate(zip(examples, predicted, strict=True)):
        n, reference = nearest(kind.references_of(example), guess)
        distances.append(n)
        if n == 0:
            confusions.update((str(symbol), str(symbol)) for symbol in reference)
            continue
        columns = edit_columns(reference, list(guess))
        shown = [(NOTHING if a is None else str(a), NOTHING if b is None else str(b)) for a, b in columns]
        confusions.update(shown)
        block = Block("", ("reference", "predicted"), [((a, b), "wrong" if a != b else "") for a, b in shown])
        verdict = f"{count(n, 'edit')} away from the reference"
        cases.append(Case(title_of(example, number), verdict, sure, n * (1.0 if sure is None else sure), [block]))
    confidences = [sure for _, sure in predicted if sure is not None]
    calibration = None
    missing = {}
    if len(confidences) == len(predicted):
        calibration = calibration_of(confidences, [n == 0 for n in distances], "whole strings")
    else:
        missing["calibration"] = "This kind of pre-image ranks no strings, so it has no probabilities."
    if not features:
        missing["features"] = why
    order = "by the number of edits times the confidence" if not missing.get("calibration") else "by the edits"
    return {
        "data": length_facts("symbols", [len(kind.references_of(each)[0]) for each in examples]),
        "confusion": confusion_of(confusions, "symbols"),
        "calibrations": [] if calibration is None else [calibration],
        "cases": worst(cases),
        "cases_note": f"Ordered {order}. References and predictions are aligned by the fewest edits; {NOTHING} "
        "stands where one has no symbol.",
        "features": features,
        "pictures": pictures,
        "missing": missing,
    }


def title_of(example: Any, number: int) -> str:
    """What a string is called: its input, if that is text."""
    given = example.input
    if isinstance(given, str):
        return given
    return " ".join(given) if isinstance(given, list) else f"string {number + 1}"

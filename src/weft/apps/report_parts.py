"""What reports on folds and on parses share: answers that are sets of parts, base pairs or brackets."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from weft.apps.report_base import ratio_score, share_score, strongest
from weft.reports import FeatureGroup, Score

__all__ = ["f1_of_each", "part_scores", "rule_groups"]

Sets = Sequence[AbstractSet[Any]]


def part_scores(wanted: Sets, found: Sets, part: str, plural: str, whole: str, recall: str = "recall") -> list[Score]:
    """F1, recall and precision of parts, and answers without an error.

    Examples
    --------
    >>> scores = part_scores([{1, 2}, {3}], [{1}, {3}], "pair", "pairs", "folds")
    >>> [(score.name, round(score.value, 2)) for score in scores]
    [('pair F1', 0.8), ('recall', 0.67), ('precision', 1.0), ('folds all right', 0.5)]
    """
    right = [len(a & b) for a, b in zip(wanted, found, strict=True)]
    n_wanted, n_found = ([len(each) for each in side] for side in (wanted, found))
    both = [a + b for a, b in zip(n_wanted, n_found, strict=True)]
    same = [a == b for a, b in zip(wanted, found, strict=True)]
    return [
        ratio_score(f"{part} F1", [2 * n for n in right], both, "harmonic mean of the next two"),
        ratio_score(recall, right, n_wanted, f"of reference {plural} are found"),
        ratio_score("precision", right, n_found, f"of predicted {plural} are in the reference"),
        share_score(f"{whole} all right", same, f"of {whole} have all {plural}, and no others"),
    ]


def f1_of_each(wanted: Sets, found: Sets) -> list[float]:
    """F1 of the parts of each answer.

    Examples
    --------
    >>> f1_of_each([{1, 2}, set()], [{2, 3}, set()])
    [0.5, 1.0]
    """
    return [2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0 for a, b in zip(wanted, found, strict=True)]


def rule_groups(estimator: Any, kind: str = "") -> list[FeatureGroup]:
    """Features of the largest and of the smallest weights."""
    named = list(zip(map(str, estimator.feature_names_), estimator.weights_.tolist(), strict=True))
    groups = [strongest(f"Preferred{kind}", named, 12, 0), strongest(f"Avoided{kind}", named, 0, 12)]
    return [group for group in groups if group.items]

"""What reports on folds and on parses share: answers that are sets of parts, base pairs or brackets."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from weft.kinds.reporting import strongest
from weft.reports import FeatureGroup

Sets = Sequence[AbstractSet[Any]]


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

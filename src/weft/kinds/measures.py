"""A score as every command shows it: one value, one interval, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.reports import Score

METHODS = {
    "bootstrap": "by bootstrap over examples",
    "wilson": "by Wilson's method (shares of whole examples; scores of 0 or 100 %)",
}


@dataclass(frozen=True)
class Measure:
    """Sum over sum, one of each an example; one where there is nothing to find.

    `weft.metrics.ratio_interval` decides on the interval, which is worked out when somebody looks at it.

    Attributes
    ----------
    title : str
    numerators, denominators : sequence of numbers
    meaning : str
        What it is a share of.
    is_error : bool
        Whether lower is better.
    fixed, drawn : float and callable, optional
        Value of a score that is no ratio of sums, and what finds its interval.

    Examples
    --------
    >>> measure = Measure("accuracy", [2, 2], [2, 2], "of tokens")
    >>> measure.value, [round(end, 2) for end in measure.interval]
    (1.0, [0.34, 1.0])
    """

    title: str
    numerators: Sequence[float]
    denominators: Sequence[float]
    meaning: str = ""
    is_error: bool = False
    fixed: float | None = None
    drawn: Callable[[], tuple[float, float]] | None = None

    @cached_property
    def value(self) -> float:
        """The score."""
        if self.fixed is not None:
            return self.fixed
        total = sum(self.denominators)
        return float(sum(self.numerators) / total) if total else 1.0

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        from weft.metrics.intervals import ratio_interval

        if self.drawn is not None:
            return self.drawn()
        return ratio_interval(self.numerators, self.denominators) if sum(self.denominators) else (0.0, 1.0)

    def as_json(self) -> dict[str, Any]:
        """Value and interval."""
        return {"value": self.value, "interval": self.interval}

    def as_text(self) -> str:
        """Value and interval in percent.

        Examples
        --------
        >>> Measure("accuracy", [1], [1]).as_text()
        '100.00 %  (95 % interval 20.65 - 100.00)'
        """
        low, high = self.interval
        return f"{100 * self.value:6.2f} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})"

    def score(self) -> Score:
        """The same for a report, which says how the interval was found."""
        from weft.metrics.intervals import interval_method
        from weft.reports import Score

        method = "bootstrap" if self.drawn is not None else interval_method(self.numerators, self.denominators)
        return Score(self.title, self.value, *self.interval, METHODS[method], self.is_error, self.meaning)


def share(title: str, right: Sequence[Any], meaning: str, is_error: bool = False) -> Measure:
    """Share of examples.

    Examples
    --------
    >>> share("accuracy", [True, False], "of texts").value
    0.5
    """
    return Measure(title, [int(each) for each in right], [1] * len(right), meaning, is_error)


def f1_measures(
    wanted: Sequence[AbstractSet[Any]],
    found: Sequence[AbstractSet[Any]],
    part: str,
    plural: str,
    whole: str,
    recall: str = "recall",
) -> dict[str, Measure]:
    """F1, recall and precision of parts such as base pairs, and answers without an error.

    Examples
    --------
    >>> scores = f1_measures([{1, 2}, {3}], [{1}, {3}], "pair", "pairs", "folds")
    >>> [(score.title, round(score.value, 2)) for score in scores.values()]
    [('pair F1', 0.8), ('recall', 0.67), ('precision', 1.0), ('folds all right', 0.5)]
    """
    right = [len(a & b) for a, b in zip(wanted, found, strict=True)]
    n_wanted, n_found = ([len(each) for each in side] for side in (wanted, found))
    same = [a == b for a, b in zip(wanted, found, strict=True)]
    # F1 = 2 right / (wanted + found): a ratio of sums over examples.
    both = [a + b for a, b in zip(n_wanted, n_found, strict=True)]
    return {
        "f1": Measure(f"{part} F1", [2 * n for n in right], both, "harmonic mean of the next two"),
        recall: Measure(recall, right, n_wanted, f"of reference {plural} are found"),
        "precision": Measure("precision", right, n_found, f"of predicted {plural} are in the reference"),
        "accuracy": share(f"{whole} all right", same, f"of {whole} have all {plural}, and no others"),
    }

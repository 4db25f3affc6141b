"""What training and evaluation report: JSON for machines, a few lines for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.apps.terminal import print_facts, print_json

__all__ = ["print_ratios", "print_summary", "ratio"]


def print_summary(summary: Mapping[str, Any], as_json: bool) -> None:
    """Facts about a new model.

    Examples
    --------
    >>> print_summary({"pairs": 1200, "model_bytes": 4210, "objective": None}, as_json=False)
    pairs       1,200
    model size  4.2 kB
    """
    if as_json:
        print_json(summary)
    else:
        print_facts(_readable(name, value) for name, value in summary.items() if value is not None)


def _readable(name: str, value: Any) -> tuple[str, str]:
    if name == "model_bytes":
        return "model size", f"{value / 1e6:,.1f} MB" if value >= 1e5 else f"{value / 1e3:,.1f} kB"
    if isinstance(value, dict):
        shown = ", ".join(f"{key} {number:,}" for key, number in value.items()) or "none"
    elif isinstance(value, int):
        shown = f"{value:,}"
    else:
        shown = f"{value:,.2f}" if isinstance(value, float) else str(value)
    return name.replace("_", " "), shown


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> dict[str, Any]:
    """Sum over sum, with its 95 % interval by bootstrap over sequences; one where there is nothing to find.

    Examples
    --------
    >>> ratio([1, 1], [2, 2])
    {'value': 0.5, 'interval': (0.5, 0.5)}
    """
    from weft.metrics import ratio_interval

    total = sum(denominators)
    if not total:
        return {"value": 1.0, "interval": (1.0, 1.0)}
    return {"value": sum(numerators) / total, "interval": ratio_interval(numerators, denominators)}


def print_ratios(head: str, scores: Mapping[str, Mapping[str, Any]]) -> None:
    """Percentages with their intervals, below a headline.

    Examples
    --------
    >>> print_ratios("a.fa: 1 pair", {"columns right": {"value": 0.5, "interval": (0.25, 0.75)}})
    a.fa: 1 pair
    <BLANKLINE>
    columns right   50.00 %  (95 % interval 25.00 - 75.00)
    """
    print(f"{head}\n")
    width = max(map(len, scores))
    for title, score in scores.items():
        low, high = score["interval"]
        print(f"{title:<{width}}  {100 * score['value']:6.2f} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})")

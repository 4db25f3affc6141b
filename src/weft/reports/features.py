"""The weights that say most, by name."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.facts import FeatureGroup
from weft.reports.markup import Markup, decimal, tag

__all__ = ["feature_cards"]

LONGEST_NAME = 80


def feature_cards(groups: Sequence[FeatureGroup]) -> Markup:
    """A list of bars for each group; all bars have one scale.

    Examples
    --------
    >>> "−1.50" in feature_cards([FeatureGroup("N", [("cat", 2.0), ("the", -1.5)])])
    True
    """
    largest = max((abs(weight) for group in groups for _, weight in group.items), default=1.0) or 1.0
    return tag("div", *(_card(group, largest) for group in groups), class_="grid")


def _card(group: FeatureGroup, largest: float) -> Markup:
    rows = []
    for name, weight in group.items:
        shown = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        width = max(1.0, 100 * abs(weight) / largest)
        bar = tag("span", class_="bar minus" if weight < 0 else "bar", style=f"width:{width:.0f}%", aria_hidden="true")
        rows.append(
            tag(
                "li", tag("code", shown), bar, tag("span", decimal(weight, 2 if largest >= 1.0 else 3), class_="weight")
            )
        )
    return tag("div", tag("h3", group.title), tag("ul", *rows, class_="bars"), class_="card")

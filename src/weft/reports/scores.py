"""Scores with their intervals, and a table of each label's."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.facts import ClassScore, Score
from weft.reports.markup import Markup, join, percent, tag

__all__ = ["class_table", "score_tiles"]


def score_tiles(scores: Sequence[Score]) -> Markup:
    """A tile for each score: the value, and its interval on a line from nothing to all.

    Examples
    --------
    >>> "95 % interval 40.0 – 60.0" in score_tiles([Score("accuracy", 0.5, 0.4, 0.6, "bootstrap")])
    True
    """
    return tag("div", *map(_tile, scores), class_="tiles")


def _tile(score: Score) -> Markup:
    # Rates above one (more edits than symbols) end at the right.
    low, value, high = (100 * min(max(each, 0.0), 1.0) for each in (score.low, score.value, score.high))
    return tag(
        "div",
        tag("span", score.name, class_="name"),
        tag("b", percent(score.value), tag("small", "%")),
        tag(
            "div",
            tag("i", style=f"left:{low:.2f}%;width:{high - low:.2f}%"),
            tag("u", style=f"left:{value:.2f}%"),
            class_="range",
            aria_hidden="true",
        ),
        tag("span", f"95 % interval {percent(score.low)} – {percent(score.high)}", class_="note"),
        tag("span", score.meaning + ("; lower is better" if score.is_error else ""), class_="note"),
        class_="card tile",
    )


def class_table(classes: Sequence[ClassScore], name: str) -> Markup:
    """Precision, recall and F1 of each label.

    Examples
    --------
    >>> class_table([ClassScore("NP", 0.5, 1.0, 0.67, 0.6, 0.7, 3)], "chunk").count("<tr>")
    2
    """
    titles = ("precision", "recall", "F1", "interval", "support")
    head = tag("tr", tag("th", name, scope="col"), *(tag("th", title, scope="col") for title in titles))
    body = join(
        tag(
            "tr",
            tag("th", each.name, scope="row"),
            *(tag("td", percent(value)) for value in (each.precision, each.recall, each.f1)),
            tag("td", f"{percent(each.low)}–{percent(each.high)}"),
            tag("td", f"{each.support:,}"),
        )
        for each in classes
    )
    table = tag("table", tag("thead", head), tag("tbody", body), class_="plain")
    note = f"Each {name}, with the 95 % interval of its F1; support is how often the references have it."
    return join(
        [
            tag("h3", f"Scores of each {name}"),
            tag("p", note, class_="note"),
            tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=f"scores of each {name}"),
        ]
    )

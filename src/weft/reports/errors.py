"""The worst errors: reference and prediction below each other, differences marked."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.facts import Block, Case
from weft.reports.markup import Markup, join, percent, tag

__all__ = ["error_list"]

MOST_COLUMNS = 300
"""Columns of one block; the rest is left out, and said so."""

FEW_COLUMNS = 20
LONGEST_SYMBOL = 60


def error_list(cases: Sequence[Case]) -> Markup:
    """Each case as an article.

    Examples
    --------
    >>> block = Block("", ("token", "reference", "predicted"), [(("<i>", "N", "V"), "wrong")])
    >>> shown = error_list([Case("sequence 3", "1 of 1 wrong", 0.9, 0.9, [block])])
    >>> "&lt;i&gt;" in shown and "confidence 90.0 %" in shown
    True
    """
    return join(map(_case, cases))


def _case(case: Case) -> Markup:
    meta = [tag("span", case.verdict)]
    if case.confidence is not None:
        meta.append(tag("span", f"confidence {percent(case.confidence)} %"))
    return tag(
        "article",
        tag("h3", _cut(case.title, 120)),
        tag("div", *meta, class_="meta"),
        *(_told(block) if block.strong else _block(block) for block in case.blocks),
        case.figure,
        class_="card",
    )


def _cut(text: str, most: int = LONGEST_SYMBOL) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _block(block: Block) -> Markup:
    """Columns that wrap where the page ends, each as tall as there are rows."""
    shown = block.columns[:MOST_COLUMNS]
    # Letters of long sequences stand close, words apart.
    is_tight = len(shown) > FEW_COLUMNS and all(len(symbol) <= 1 for symbols, _ in shown for symbol in symbols)
    names = tag("span", *(tag("span", name) for name in block.row_names), class_="names")
    columns = [
        tag(
            "span",
            *(tag("span", _cut(symbol) or "\N{NO-BREAK SPACE}") for symbol in symbols),
            class_=mark or None,
        )
        for symbols, mark in shown
    ]
    left_out = len(block.columns) - len(shown)
    return tag(
        "div",
        tag("p", block.caption, class_="note") if block.caption else None,
        tag("div", names, *columns, class_="columns tight" if is_tight else "columns"),
        tag("p", f"… and {left_out:,} more columns.", class_="note") if left_out else None,
        class_="block",
    )


def _told(block: Block) -> Markup:
    """Running text, shaded by how strongly each symbol speaks for a class (or, dotted, against it)."""
    shown = block.columns[: 5 * MOST_COLUMNS]
    parts: list[Markup | str] = []
    for (symbol,), mark in shown:
        level = int(mark or 0)
        if level:
            parts.append(
                tag("mark", symbol, class_="for" if level > 0 else "against", style=f"--much:{0.15 * abs(level):.2f}")
            )
        else:
            parts.append(symbol)
    if len(shown) < len(block.columns):
        parts.append("…")
    return tag(
        "div",
        tag("p", block.caption, class_="note") if block.caption else None,
        tag("p", *parts, class_="told"),
        class_="block",
    )

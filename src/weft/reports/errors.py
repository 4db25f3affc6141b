"""The worst errors: reference and prediction below each other, differences marked."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.facts import Block, Case
from weft.reports.rendering import Markup, render

MOST_COLUMNS = 300
"""Columns of one block; the rest is left out, and said so."""

FEW_COLUMNS = 20


def error_list(cases: Sequence[Case]) -> Markup:
    """Each case as an article.

    Examples
    --------
    >>> block = Block("", ("token", "reference", "predicted"), [(("<i>", "N", "V"), "wrong")])
    >>> shown = error_list([Case("sequence 3", "1 of 1 wrong", 0.9, 0.9, [block])])
    >>> "&lt;i&gt;" in shown and "confidence 90.0 %" in shown
    True
    """
    return render("errors.html", cases=cases, most=MOST_COLUMNS, is_tight=_is_tight)


def _is_tight(block: Block) -> bool:
    """Letters of long sequences stand close, words apart."""
    shown = block.columns[:MOST_COLUMNS]
    return len(shown) > FEW_COLUMNS and all(len(symbol) <= 1 for symbols, _ in shown for symbol in symbols)

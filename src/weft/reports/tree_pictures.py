"""A parse tree, drawn."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from weft.reports.rendering import Markup, cut, drawing, shape

LINE = 38.0
LETTER = 8.0


def tree_drawing(tree: tuple[Any, ...], right: Collection[tuple[str, int, int]] | None, text: str) -> Markup:
    """Leaves in a row, each node in the middle above its children; nodes that are not right are orange and struck.

    Parameters
    ----------
    tree : nested tuples
        Label, and after it tokens and trees.
    right : collection of (str, int, int), optional
        Label, first and last token of the nodes that are right; None marks nothing.
    text : str
        What it shows, for those who do not see it.

    Examples
    --------
    >>> tree_drawing(("S", ("A", "the"), ("B", "cat")), {("S", 0, 1)}, "a tree").count("<text")
    5
    """
    parts = []
    # Where each finished node is: its place across, its level above the leaves, its first and last token.
    finished: list[tuple[float, int, int, int]] = []
    x, n_leaves = 10.0, 0
    placed: list[tuple[str, float, int, bool, list[tuple[float, int]]]] = []
    stack: list[tuple[Any, bool]] = [(tree, False)]
    while stack:
        item, is_open = stack.pop()
        if not isinstance(item, tuple):
            word = cut(str(item), 16)
            width = max(len(word), 2) * LETTER + 14
            finished.append((x + width / 2, 0, n_leaves, n_leaves))
            placed.append((word, x + width / 2, 0, False, []))
            x, n_leaves = x + width, n_leaves + 1
        elif not is_open:
            stack.append((item, True))
            stack += [(part, False) for part in reversed(item[1:])]
        else:
            children = finished[len(finished) - len(item) + 1 :]
            del finished[len(finished) - len(item) + 1 :]
            across = (children[0][0] + children[-1][0]) / 2
            level = 1 + max(child[1] for child in children)
            first, last = children[0][2], children[-1][3]
            is_bracket = any(isinstance(part, tuple) for part in item[1:])
            wrong = right is not None and is_bracket and (str(item[0]), first, last) not in right
            finished.append((across, level, first, last))
            placed.append((cut(str(item[0]), 16), across, level, wrong, [(c[0], c[1]) for c in children]))
    height = LINE * (finished[0][1] + 1)
    for _, across, level, _, below in placed:
        y = height - LINE * level - 12
        for place, depth in below:
            parts.append(
                shape("line", class_="axis", x1=f"{across:.1f}", y1=f"{y + 5:.1f}", x2=f"{place:.1f}",
                    y2=f"{height - LINE * depth - 25:.1f}")
            )  # fmt: skip
    for name, across, level, wrong, below in placed:
        y = height - LINE * level - 12
        style = "fill:var(--wrong-ink);font-weight:700;text-decoration:underline" if wrong else None
        parts.append(
            shape("text", name, class_=None if below else "mono soft", x=f"{across:.1f}", y=f"{y:.1f}",
                text_anchor="middle", style=style)
        )  # fmt: skip
    return drawing(parts, round(x + 10), round(height), text)

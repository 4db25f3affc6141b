"""Drawings of what was learned: matrices, spectra, n-grams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weft.reports.axes import Frame, nice_ticks
from weft.reports.numbers import decimal
from weft.reports.rendering import Markup, Shape, cut, drawing, shape

NUMBERS_UP_TO = 26
STRONG = 0.6


def heat_map(
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    text: str,
    corner: str = "",
    digits: int = 1,
) -> Markup:
    """A matrix of signed numbers: blue above zero, orange below, the stronger the farther from it.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        NaN cells stay empty.
    rows, columns : sequences of str
    text : str
        What it shows, for those who do not see it.
    corner : str
        What rows and columns are.
    digits : int
        After the point.

    Examples
    --------
    >>> shown = heat_map(np.array([[1.0, -0.5]]), ["A"], ["A", "C"], "scores")
    >>> shown.count("<rect"), "−0.5" in shown
    (2, True)
    """
    n_rows, n_columns = values.shape
    has_numbers = n_rows <= NUMBERS_UP_TO and n_columns <= 2 * NUMBERS_UP_TO
    size = (32 if n_columns <= NUMBERS_UP_TO else 25) if has_numbers else 14
    letters = max([len(name) for name in rows] or [1])
    left = 14 + 7.4 * min(letters, 14)
    tall = max([len(name) for name in columns] or [1])
    turned = tall > 3
    top = 14 + (7.4 * min(tall, 14) if turned else 14)
    if corner:
        top += 16
    reach = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    parts: list[Shape] = [shape("text", corner, class_="soft", x=4, y=14)] if corner else []
    for i, name in enumerate(rows):
        parts.append(
            shape("text", cut(name, 14), class_="mono", x=left - 6, y=top + (i + 0.5) * size + 4, text_anchor="end")
        )
    for j, name in enumerate(columns):
        x = left + (j + 0.5) * size
        if turned:
            turn = f"rotate(-90 {x + 4:g} {top - 6:g})"
            parts.append(shape("text", cut(name, 14), class_="mono", x=f"{x + 4:g}", y=f"{top - 6:g}", transform=turn))
        else:
            parts.append(shape("text", name, class_="mono", x=f"{x:g}", y=f"{top - 6:g}", text_anchor="middle"))
    for i, j in np.ndindex(n_rows, n_columns):
        value = float(values[i, j])
        if np.isnan(value):
            continue
        share = abs(value) / reach
        colour = f"rgb(var(--{'right' if value >= 0 else 'wrong'}) / {share:.2f})"
        x, y = left + j * size, top + i * size
        box = shape(
            "rect", x=f"{x:g}", y=f"{y:g}", width=size - 1, height=size - 1, rx=2, fill=colour, stroke="var(--line)",
            stroke_width=0.5,
        )  # fmt: skip
        parts.append(box)
        if has_numbers:
            shown = decimal(value, digits if reach < 99.5 else 0)
            ink = "fill:var(--on-heat);" if share > STRONG else ""
            parts.append(
                shape(
                    "text", shown, x=f"{x + size / 2 - 0.5:g}", y=f"{y + size / 2 + 3:g}", text_anchor="middle",
                    style=f"{ink}font-size:9.5px",
                )
            )  # fmt: skip
    width, height = left + n_columns * size + 8, top + n_rows * size + 8
    return drawing(parts, width, height, text)


def spectrum_chart(values: Sequence[float], rank: int, text: str) -> Markup:
    """Singular values from largest to smallest; those that count as states are blue.

    Examples
    --------
    >>> spectrum_chart([3.0, 1.0, 0.0], 2, "two states").count("<rect")
    3
    """
    highest = max(max(values, default=0.0), 1e-12)
    n = max(len(values), 1)
    frame = Frame((0.5, n + 0.5), (0.0, 1.05 * highest), 520.0, 280.0, left=58.0)
    ticks = [tick for tick in nice_ticks(1, n, 10) if tick == int(tick) and tick >= 1] or [1]
    parts = frame.axes(ticks, nice_ticks(0.0, highest), "number", "singular value")
    for k, value in enumerate(values, start=1):
        x0, y0 = frame.at(k - 0.36, value)
        x1, y1 = frame.at(k + 0.36, 0.0)
        colour = "rgb(var(--right))" if k <= rank else "var(--line)"
        parts.append(
            shape("rect", x=x0, y=y0, width=f"{max(x1 - x0, 0.8):.1f}", height=f"{max(y1 - y0, 1.0):.1f}", fill=colour)
        )
    return frame.drawing(parts, text)


def bar_chart(
    items: Sequence[tuple[str, float, bool]], text: str, threshold: float | None = None, axis: str = ""
) -> Markup:
    """Horizontal bars with names; blue where marked, else orange; a dashed line at the threshold.

    Examples
    --------
    >>> "<rect" in bar_chart([("ab", 0.9, True), ("bc", 0.2, False)], "counts", 0.5)
    True
    """
    low = min([0.0, *(value for _, value, _ in items)])
    high = max([threshold or 0.0, *(value for _, value, _ in items), 1e-9])
    letters = min(max([len(name) for name, _, _ in items] or [1]), 14)
    left, line = 20 + 7.4 * letters, 20.0
    frame = Frame((low, 1.05 * high), (0.0, 1.0), 360.0, 16 + line * len(items) + 44, left=left, top=8.0)
    parts = []
    bottom = frame.height - frame.bottom
    for tick in nice_ticks(low, 1.05 * high, 5):
        x, _ = frame.at(tick, 0.0)
        parts.append(shape("line", class_="axis", x1=x, x2=x, y1=8, y2=bottom))
        parts.append(shape("text", f"{tick:g}", class_="soft", x=x, y=bottom + 17, text_anchor="middle"))
    parts.append(shape("text", axis, x=frame.at((low + high) / 2, 0)[0], y=frame.height - 6, text_anchor="middle"))
    zero, _ = frame.at(0.0, 0.0)
    for k, (name, value, marked) in enumerate(items):
        x, _ = frame.at(value, 0.0)
        y = 10 + k * line
        colour = f"rgb(var(--{'right' if marked else 'wrong'}))"
        parts.append(
            shape(
                "rect",
                x=min(x, zero),
                y=y + 3,
                width=f"{max(abs(x - zero), 1):.1f}",
                height=line - 6,
                fill=colour,
                rx=2,
            )
        )
        parts.append(shape("text", cut(name, 14), class_="mono", x=left - 6, y=y + line - 6, text_anchor="end"))
    if threshold is not None:
        x, _ = frame.at(threshold, 0.0)
        parts.append(shape("line", x1=x, x2=x, y1=4, y2=bottom, stroke="var(--ink)", stroke_dasharray="4 4"))
    return frame.drawing(parts, text)

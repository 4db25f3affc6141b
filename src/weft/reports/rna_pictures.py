"""An RNA structure as a drawing, and the probabilities of its base pairs as a dot plot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft.plotting.rna_layout import rna_layout
from weft.reports.axes import nice_ticks
from weft.reports.rendering import Markup, drawing, shape
from weft.sequences.formats.dotbracket import base_pairs

STEP = 22.0
"""Distance between neighbouring bases."""

LETTERS_UP_TO = 200
BASES = {"A": "a", "C": "c", "G": "g", "U": "u", "T": "u"}


def rna_drawing(
    sequence: str, predicted: str, reference: str, text: str, probabilities: NDArray[np.float64] | None = None
) -> Markup:
    """The predicted structure: pairs that the reference has as blue bars, others as dashed orange ones.

    With `probabilities` of pairs, bars are the fainter and thinner the less probable they are.

    Examples
    --------
    >>> shown = rna_drawing("GGGAAACCC", "(((...)))", "((.....))", "a hairpin")
    >>> shown.count("stroke-dasharray")
    1
    """
    places = rna_layout(predicted) * STEP
    if not len(places):
        return drawing([], 10, 10, text)
    places -= places.min(axis=0) - 1.4 * STEP
    places[:, 1] = places[:, 1].max() + 1.4 * STEP - places[:, 1]
    width, height = (places.max(axis=0) + 1.4 * STEP).tolist()
    wanted = base_pairs(reference)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places.tolist())
    parts = [shape("polyline", points=points, fill="none", stroke="var(--soft)", stroke_width=1.5, opacity=0.6)]
    for i, j in sorted(base_pairs(predicted)):
        is_right = (i, j) in wanted
        share = 1.0 if probabilities is None else min(float(probabilities[i, j]), 1.0)
        (x1, y1), (x2, y2) = places[i].round(1).tolist(), places[j].round(1).tolist()
        parts.append(
            shape(
                "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=f"rgb(var(--{'right' if is_right else 'wrong'}))",
                stroke_width=f"{1.5 + 2.5 * share:.3g}", stroke_dasharray=None if is_right else "3 2",
                opacity=None if probabilities is None else f"{0.25 + 0.75 * share:.2f}",
            )
        )  # fmt: skip
    has_letters = len(sequence) <= LETTERS_UP_TO
    for k, (base, (x, y)) in enumerate(zip(sequence, places.tolist(), strict=True)):
        known = BASES.get(base.upper())
        colour = f"var(--base-{known})" if known else "var(--line)"
        parts.append(shape("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=8 if has_letters else 6, fill=colour))
        if has_letters:
            style = "fill:var(--base-ink);font-size:10px"
            parts.append(shape("text", base, x=f"{x:.1f}", y=f"{y + 3.6:.1f}", text_anchor="middle", style=style))
        if (k + 1) % 10 == 0:
            x0, y0 = _beside(places, k)
            number = shape("text", k + 1, class_="soft", x=x0, y=y0, text_anchor="middle", style="font-size:10px")
            parts.append(number)
    return drawing(parts, round(width), round(height), text, f"max-width:{min(width, 480):.0f}px")


def _beside(places: NDArray[np.float64], k: int) -> tuple[float, float]:
    """A place for a number, away from the middle of the bases nearby."""
    near = np.linalg.norm(places - places[k], axis=1) < 3.0 * STEP
    away = places[k] - places[near].mean(axis=0)
    length = float(np.linalg.norm(away))
    offset = away / length if length > 1e-9 else np.array([0.0, -1.0])
    x, y = (places[k] + 0.9 * STEP * offset).tolist()
    return round(x, 1), round(y + 3.5, 1)


def dot_plot(probabilities: NDArray[np.float64], reference: str, text: str) -> Markup:
    """Base pairs: what the model thinks above the diagonal, what the reference has below it.

    Examples
    --------
    >>> shown = dot_plot(np.array([[0.0, 0.9], [0.9, 0.0]]), "()", "pairs")
    >>> shown.count("<rect")  # the frame, a probability and a pair of the reference
    3
    """
    n = len(reference)
    size, left, top = 320.0, 34.0, 12.0
    step = size / max(n, 1)
    # Squares of one pixel cannot be seen.
    dot = max(step, 2.2)
    parts = [
        shape("rect", x=left, y=top, width=size, height=size, fill="none", stroke="var(--line)"),
        shape("line", class_="axis", x1=left, y1=top, x2=left + size, y2=top + size),
    ]
    for i, j in np.argwhere(np.triu(probabilities, 1) > 0.02).tolist():
        side = dot * float(np.sqrt(min(probabilities[i, j], 1.0)))
        x, y = left + (j + 0.5) * step - side / 2, top + (i + 0.5) * step - side / 2
        parts.append(
            shape(
                "rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{side:.1f}", height=f"{side:.1f}", fill="rgb(var(--right))"
            )
        )
    for i, j in sorted(base_pairs(reference)):
        x, y = left + (i + 0.5) * step - dot / 2, top + (j + 0.5) * step - dot / 2
        parts.append(
            shape("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{dot:.1f}", height=f"{dot:.1f}", fill="var(--ink)")
        )
    for tick in nice_ticks(1, max(n, 2), 6):
        place = (tick - 0.5) * step
        parts.append(shape("text", f"{tick:g}", class_="soft", x=left + place, y=top + size + 17, text_anchor="middle"))
        parts.append(shape("text", f"{tick:g}", class_="soft", x=left - 6, y=top + place + 4, text_anchor="end"))
    return drawing(parts, 366, 358, text)

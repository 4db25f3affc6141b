"""A weighted automaton as a picture: states from left to right, arcs as thick as they weigh."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from weft.reports.rendering import Markup, cut, drawing, shape

ACROSS, DOWN, RADIUS = 110.0, 54.0, 10.0
MOST_ARCS = 400
"""A picture of more is a grey field."""

ArcFacts = tuple[int, Any, int, float]


def lattice_drawing(arcs: Sequence[ArcFacts], start: int, final: Collection[int], text: str) -> Markup:
    """States as circles, double ones at ends; arcs with their labels, as thick as they weigh.

    Parameters
    ----------
    arcs : sequence of (source, label, target, weight)
    start : int
    final : collection of int
    text : str
        What it shows, for those who do not see it.

    Examples
    --------
    >>> shown = lattice_drawing([(0, "a", 1, 0.5), (0, "b", 1, 0.5), (1, "c", 2, 1.0)], 0, [2], "a lattice")
    >>> shown.count("<circle"), shown.count("<path")
    (4, 3)
    """
    arcs = list(arcs)[:MOST_ARCS]
    places, width, height = _places(arcs, start, final)
    largest = max((abs(weight) for *_, weight in arcs), default=1.0) or 1.0
    between: dict[tuple[int, int], int] = {}
    lines, labels = [], []
    for source, label, target, weight in arcs:
        (x0, y0), (x1, y1) = places[source], places[target]
        number = between[source, target] = between.get((source, target), -1) + 1
        bend = (number + 1) // 2 * 34.0 * (-1 if number % 2 else 1)
        if source == target:  # a loop above its state
            curve = (
                f"M{x0 - 6:.0f},{y0 - 8:.0f} C{x0 - 26:.0f},{y0 - 44:.0f} {x0 + 26:.0f},{y0 - 44:.0f} "
                f"{x0 + 6:.0f},{y0 - 8:.0f}"
            )
            x, y = x0, y0 - 36
        else:
            bend += -30.0 if x1 <= x0 else 0.0
            middle = (x0 + x1) / 2
            curve = (
                f"M{x0 + RADIUS:.0f},{y0:.0f} C{middle:.0f},{y0 + bend:.0f} {middle:.0f},{y1 + bend:.0f} "
                f"{x1 - RADIUS - 2:.0f},{y1:.0f}"
            )
            x, y = middle, (y0 + y1) / 2 + 0.75 * bend - 4
        thickness = f"{1 + 3 * abs(weight) / largest:.1f}"
        lines.append(shape("path", d=curve, fill="none", stroke="rgb(var(--right) / .55)", stroke_width=thickness))
        shown = f"{'ε' if label is None else cut(str(label), 12)} {weight:.3g}"
        labels.append(shape("text", shown, class_="mono halo", x=f"{x:.0f}", y=f"{y:.0f}", text_anchor="middle"))
    circles = []
    for state, (x, y) in places.items():
        circles.append(
            shape("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=RADIUS, fill="var(--paper)", stroke="var(--ink)")
        )
        if state in final:
            circles.append(
                shape("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=RADIUS - 3, fill="none", stroke="var(--ink)")
            )
    return drawing([*lines, *labels, *circles], round(width), round(height), text)


def _places(
    arcs: list[ArcFacts], start: int, final: Collection[int]
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """Columns by the longest way from the start; where arcs go round in circles, by the shortest one."""
    states = sorted({start, *final, *(s for s, *_ in arcs), *(t for _, _, t, _ in arcs)})
    column = {start: 0}
    frontier = [start]
    while frontier:  # the shortest ways
        following = []
        for source, _, target, _ in arcs:
            if source in frontier and target not in column:
                column[target] = column[source] + 1
                following.append(target)
        frontier = following
    for state in states:
        column.setdefault(state, 0)
    longest = dict(column)
    for _ in range(len(states)):  # longer ones, unless there is no end of them
        changed = False
        for source, _, target, _ in arcs:
            if longest[target] < longest[source] + 1:
                longest[target] = longest[source] + 1
                changed = True
        if not changed:
            column = longest
            break
    rows: dict[int, list[int]] = {}
    for state in states:
        rows.setdefault(column[state], []).append(state)
    height = DOWN * max(map(len, rows.values())) + 70
    places = {}
    for number, members in rows.items():
        step = height / len(members)
        for k, state in enumerate(members):
            places[state] = (28 + ACROSS * number, step * (k + 0.5))
    return places, 56 + ACROSS * max(rows), height

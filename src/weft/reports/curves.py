"""How learning went: the objective along the iterations, scores along the size of the data."""

from __future__ import annotations

from itertools import pairwise

from weft.reports.axes import Frame, nice_ticks
from weft.reports.facts import Curve, Picture
from weft.reports.numbers import decimal, percent
from weft.reports.rendering import shape

DOTS_UP_TO = 25
MOST_POINTS = 300


def history_curves(history: list[dict[str, float]], score_name: str = "held-out score") -> list[Curve]:
    """Objective and held-out score of each iteration, as far as a model has kept them.

    Examples
    --------
    >>> history = [{"iteration": 1, "objective": 3.0}, {"iteration": 2, "objective": 2.0}]
    >>> [curve.title for curve in history_curves(history)]
    ['Objective']
    """
    curves = []
    for key, title, name in (("objective", "Objective", "objective"), ("score", "Held-out score", score_name)):
        found = [entry for entry in history if isinstance(entry.get(key), int | float)]
        if len(found) < 2:
            continue
        found = found[:: max(1, -(-len(found) // MOST_POINTS))]
        x = [float(entry.get("iteration", number)) for number, entry in enumerate(found, start=1)]
        if any(b <= a for a, b in pairwise(x)):  # several fits, one after the other
            x = [float(number) for number in range(1, len(found) + 1)]
        y = [float(entry[key]) for entry in found]
        curves.append(Curve(title, "iteration", name, x, y, is_share=key == "score"))
    return curves


def curve_chart(curve: Curve) -> Picture:
    """One chart.

    Examples
    --------
    >>> chart = curve_chart(Curve("Objective", "iteration", "objective", [1.0, 2.0], [3.0, 2.0]))
    >>> "from 3.00 to 2.00" in chart.caption
    True
    """
    lows, highs = zip(*curve.intervals, strict=True) if curve.intervals else (curve.y, curve.y)
    low, high = min(lows), max(highs)
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    low, high = low - margin, high + margin
    if curve.is_share:
        low, high = max(low, 0.0), min(high, 1.0)
    ends = (min(curve.x), max(curve.x)) if len(curve.x) > 1 else (0.0, 2 * curve.x[0] or 1.0)
    frame = Frame(ends, (low, high), left=58.0)
    unit = "%" if curve.is_share else ""
    name = f"{curve.y_name}, %" if curve.is_share else curve.y_name
    parts = frame.axes(nice_ticks(*ends), nice_ticks(low, high), curve.x_name, name, unit)
    for x, (a, b) in zip(curve.x, curve.intervals, strict=False):
        (left, y0), (_, y1) = frame.at(x, a), frame.at(x, b)
        parts.append(shape("line", x1=left, x2=left, y1=y0, y2=y1, stroke="rgb(var(--right) / .45)", stroke_width=3))
    parts.append(frame.line(curve.x, curve.y, stroke="rgb(var(--right))", stroke_width=2))
    if len(curve.x) <= DOTS_UP_TO:
        for x, y in zip(curve.x, curve.y, strict=True):
            left, up = frame.at(x, y)
            parts.append(shape("circle", cx=left, cy=up, r=3.5, fill="rgb(var(--right))"))
    first, last = (f"{percent(y)} %" if curve.is_share else decimal(y) for y in (curve.y[0], curve.y[-1]))
    text = f"{curve.y_name} from {first} to {last}, {curve.x_name} {curve.x[0]:,.0f} to {curve.x[-1]:,.0f}."
    return Picture(curve.title, text, frame.drawing(parts, f"{curve.title}: {text}"), {})

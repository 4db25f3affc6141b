"""A frame with ticks for small charts in SVG; colours come from the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.reports.rendering import Markup, Shape, drawing, shape


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`, at most so many.

    Examples
    --------
    >>> nice_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> nice_ticks(3.0, 47.0)
    [10.0, 20.0, 30.0, 40.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def short(value: float) -> str:
    """A number for a tick.

    Examples
    --------
    >>> short(0.2), short(1500.0), short(2500000.0), short(-3.0)
    ('0.2', '1500', '2.5M', '−3')
    """
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            scale = unit if sign != "k" else 1e3
            return f"{value / scale:.4g}{sign}".replace("-", "\N{MINUS SIGN}")
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Frame:
    """Axes from values to places on the drawing.

    Attributes
    ----------
    x, y : (float, float)
        Ends of the axes.
    width, height : float
        Of the whole drawing.
    left, right, top, bottom : float
        Margins.

    Examples
    --------
    >>> frame = Frame((0.0, 1.0), (0.0, 1.0), 100.0, 100.0, 10.0, 10.0, 10.0, 10.0)
    >>> frame.at(0.5, 1.0)
    (50.0, 10.0)
    """

    x: tuple[float, float]
    y: tuple[float, float]
    width: float = 360.0
    height: float = 270.0
    left: float = 48.0
    right: float = 14.0
    top: float = 12.0
    bottom: float = 44.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies."""
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1.0)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1.0)
        place_x = self.left + across * (self.width - self.left - self.right)
        place_y = self.height - self.bottom - up * (self.height - self.top - self.bottom)
        return round(place_x, 1), round(place_y, 1)

    def axes(
        self, x_ticks: Sequence[float], y_ticks: Sequence[float], x_name: str, y_name: str, y_unit: str = ""
    ) -> list[Shape]:
        """Grid, ticks and names."""
        parts = []
        for value in y_ticks:
            x0, y = self.at(self.x[0], value)
            x1, _ = self.at(self.x[1], value)
            parts.append(shape("line", class_="axis", x1=x0, x2=x1, y1=y, y2=y))
            shown = short(100 * value if y_unit == "%" else value)
            parts.append(shape("text", shown, class_="soft", x=x0 - 7, y=y + 4, text_anchor="end"))
        for value in x_ticks:
            x, y = self.at(value, self.y[0])
            parts.append(shape("line", class_="axis", x1=x, x2=x, y1=y, y2=y + 4))
            parts.append(shape("text", short(value), class_="soft", x=x, y=y + 18, text_anchor="middle"))
        middle_x, middle_y = self.at((self.x[0] + self.x[1]) / 2, (self.y[0] + self.y[1]) / 2)
        parts.append(shape("text", x_name, x=middle_x, y=self.height - 6, text_anchor="middle"))
        turn = f"rotate(-90 12 {middle_y})"
        parts.append(shape("text", y_name, x=12, y=middle_y, text_anchor="middle", transform=turn))
        return parts

    def line(self, x: Sequence[float], y: Sequence[float], **attributes: object) -> Shape:
        """Points joined by a line."""
        points = " ".join("{},{}".format(*self.at(a, b)) for a, b in zip(x, y, strict=True))
        return shape("polyline", points=points, fill="none", **attributes)

    def drawing(self, shapes: Iterable[Shape], text: str) -> Markup:
        """The finished drawing, and what it shows for those who do not see it."""
        return drawing(shapes, self.width, self.height, text)

"""HTML and SVG elements from plain values: whatever is not markup already is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

__all__ = ["Markup", "count", "decimal", "join", "percent", "tag"]

VOID = frozenset({"meta", "br", "hr", "img", "wbr", "line", "rect", "circle", "path", "polyline"})
"""Elements without content; those of SVG close themselves."""

# Control characters are no HTML; their pictures (U+2400 and on) are. Tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


class Markup(str):
    """Text that is HTML already, so that `tag` leaves it as it is."""

    __slots__ = ()


def _escaped(value: Any) -> str:
    # A lone surrogate has no UTF-8.
    text = str(value).translate(_PICTURES).encode("utf-8", "replace").decode()
    return html.escape(text, quote=True)


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """One element.

    Parameters
    ----------
    name : str
    *children : Markup, or any value, which is escaped; None is left out
    **attributes : escaped too
        ``class_`` is ``class``, underscores become hyphens; None and False leave the attribute out, True has no value.

    Examples
    --------
    >>> tag("p", "a < b", class_="lead", id=None)
    '<p class="lead">a &lt; b</p>'
    >>> tag("rect", x=1, stroke_width=2)
    '<rect x="1" stroke-width="2"/>'
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        plain = key.rstrip("_").replace("_", "-")
        parts.append(f" {plain}" if value is True else f' {plain}="{_escaped(value)}"')
    if name in VOID and not children:
        return Markup("".join([*parts, "/>"]))
    return Markup("".join([*parts, ">", join(children), f"</{name}>"]))


def join(children: Iterable[Any], between: str = "") -> Markup:
    """Elements and values one after the other.

    Examples
    --------
    >>> join([tag("b", "x"), " & y", None])
    '<b>x</b> &amp; y'
    """
    return Markup(
        between.join(child if isinstance(child, Markup) else _escaped(child) for child in children if child is not None)
    )


def percent(value: float, digits: int = 1) -> str:
    """A share as people read it; what is not quite all or nothing does not look so.

    Examples
    --------
    >>> percent(0.98765), percent(1.0), percent(0.99999), percent(0.00001)
    ('98.8', '100', '>99.9', '<0.1')
    """
    step = 10.0**-digits
    if value in (0.0, 1.0):
        return f"{100 * value:.0f}"
    if 0.0 < value < 1.0 and 100 * value > 100 - step / 2:
        return f">{100 - step:.{digits}f}"
    if 0.0 < value < 1.0 and 100 * value < step / 2:
        return f"<{step:.{digits}f}"
    return f"{100 * value:.{digits}f}"


def decimal(value: float, digits: int = 2) -> str:
    """A number with a real minus sign, and never a negative zero.

    Examples
    --------
    >>> decimal(-1.5), decimal(-0.001), decimal(12345.6)
    ('−1.50', '0.00', '12,345.60')
    """
    rounded = round(value, digits) + 0.0
    return f"{rounded:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def count(value: int, one: str, many: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> count(1, "text"), count(1200, "text"), count(2, "class", "classes")
    ('1 text', '1,200 texts', '2 classes')
    """
    return f"{value:,} {one if value == 1 else many or one + 's'}"

"""HTML and SVG from templates: whatever is not markup already is escaped.

Jinja2 is imported when a page is made, and not before.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from markupsafe import Markup

from weft.reports.numbers import decimal, percent

__all__ = ["Markup", "Shape", "cut", "drawing", "render", "shape"]

# Control characters are no HTML; their pictures (U+2400 and on) are. Tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


def _plain(value: Any) -> Any:
    """What may be written: control characters as their pictures, lone surrogates, which have no UTF-8, replaced."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else str(value).translate(_PICTURES).encode("utf-8", "replace").decode()


def cut(text: str, most: int) -> str:
    """At most so many letters.

    Examples
    --------
    >>> cut("a long name", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("weft.reports"),
        autoescape=True,
        finalize=_plain,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "decimal": decimal, "cut": cut, "part": lambda x: min(max(x, 0.0), 1.0)}
    return made


def render(template: str, **values: Any) -> Markup:
    """Fill in a template of this folder.

    Examples
    --------
    >>> "a &lt; b" in render("section.html", note="a < b", content="", missing=None)
    True
    """
    return Markup(_environment().get_template(template).render(values).strip())


class Shape(NamedTuple):
    """An element of a drawing."""

    name: str
    attributes: dict[str, Any]
    text: Any = None


def shape(name: str, text: Any = None, **attributes: Any) -> Shape:
    """An element of a drawing; ``class_`` is ``class``, underscores become hyphens, None leaves an attribute out.

    Examples
    --------
    >>> shape("rect", x=1, stroke_width=2)
    Shape(name='rect', attributes={'x': 1, 'stroke-width': 2}, text=None)
    """
    return Shape(name, {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}, text)


def drawing(shapes: Iterable[Shape], width: float, height: float, text: str, style: str | None = None) -> Markup:
    """The finished drawing, and what it shows for those who do not see it.

    Examples
    --------
    >>> print(drawing([shape("text", "<b>", x=2)], 10, 20, "a sign"))
    <svg viewBox="0 0 10 20" width="10" height="20" role="img" aria-label="a sign">
    <text x="2">&lt;b&gt;</text>
    </svg>
    """
    frame = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}", "style": style}
    return render("drawing.html", frame=frame, shapes=shapes, text=text)

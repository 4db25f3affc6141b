"""Axes to draw on, where matplotlib is installed."""

from __future__ import annotations

import io
from typing import Any

from weft.errors import InputError


class Drawing:
    """What notebooks show of a display: its picture, drawn when nobody has drawn it before."""

    def _repr_png_(self) -> bytes:
        """The picture as PNG."""
        me: Any = self
        if not hasattr(self, "figure_"):
            me.plot()
        stream = io.BytesIO()
        me.figure_.savefig(stream, format="png", dpi=100)
        return stream.getvalue()


def new_figure(width: float, height: float) -> Any:
    """A matplotlib Figure of so many inches that no window manager knows of.

    Examples
    --------
    >>> float(new_figure(4.0, 3.0).get_figwidth())
    4.0
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError("plots need matplotlib; install it with: pip install 'weft[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def new_axes(ax: Any, width: float, height: float) -> Any:
    """The given axes, or those of a new figure.

    Examples
    --------
    >>> ax = new_axes(None, 4.0, 3.0)
    >>> new_axes(ax, 4.0, 3.0) is ax
    True
    """
    return new_figure(width, height).subplots() if ax is None else ax

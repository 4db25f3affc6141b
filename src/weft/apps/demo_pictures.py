"""Small images in a terminal, and what was read in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

SIDE = 8
SHADES = " ░▒▓█"
MARGIN = 7


def date_picture(
    console: Console, pixels: NDArray[np.float64], truth: Sequence[str], readings: Mapping[str, Sequence[str]]
) -> Text:
    """Images of digits side by side, and below each what it is and how it was read, errors in red.

    Parameters
    ----------
    console : Console
        Without colours, shades of block characters stand for the grey levels.
    pixels : ndarray of shape (n_digits, 64)
        In 0..1, row by row.
    truth : sequence of str
    readings : dict of str to sequence of str
        Name of the reader and what it read.

    Examples
    --------
    >>> console = Console(color_system=None, width=80)
    >>> picture = date_picture(console, np.ones((1, 64)), ["3"], {"alone": ["8"]})
    >>> print(picture.plain)
           ████████
           ████████
           ████████
           ████████
    truth      3
    alone      8
    """
    picture = Text()
    images = pixels.reshape(-1, SIDE, SIDE)
    for row in range(0, SIDE, 2):
        picture.append(" " * MARGIN)
        for number, image in enumerate(images):
            picture.append(" " if number else "")
            for top, bottom in zip(image[row], image[row + 1], strict=True):
                picture.append(*_cell(console, float(top), float(bottom)))
        picture.append("\n")
    for name, digits in {"truth": truth, **readings}.items():
        picture.append(f"{name:<{MARGIN}}", style="dim")
        for number, (digit, right) in enumerate(zip(digits, truth, strict=True)):
            style = "bold" if name == "truth" else "green" if digit == right else "bold red reverse"
            picture.append("    " if not number else " " * SIDE)
            picture.append(digit, style=style)
        picture.append("\n")
    picture.rstrip()
    return picture


def _cell(console: Console, top: float, bottom: float) -> tuple[str, str]:
    """Two pixels, one above the other, as one character and its style."""
    if console.color_system is None:
        return SHADES[round((top + bottom) / 2 * (len(SHADES) - 1))], ""
    above, below = (round(255 * level) for level in (top, bottom))
    return "▀", f"rgb({above},{above},{above}) on rgb({below},{below},{below})"

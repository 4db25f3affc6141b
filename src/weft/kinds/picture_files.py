"""Pictures that commands save beside their answers."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weft.errors import InputError
from weft.kinds.terminal import check_target

SUFFIXES = (".png", ".svg", ".pdf")


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def check_picture(path: Path, *inputs: str | Path | None) -> None:
    """Refuse a picture that cannot be drawn or written, before the work and not after it.

    Examples
    --------
    >>> check_picture(Path("fold.gif"))
    Traceback (most recent call last):
    ...
    weft.errors.InputError: --plot fold.gif: pictures end in .png, .svg, .pdf; choose one of these.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"--plot {path}: pictures end in {', '.join(SUFFIXES)}; choose one of these.")
    check_target(path, *inputs)
    from weft.plotting.axes import new_figure

    new_figure(1.0, 1.0)  # says so if matplotlib is not installed


def save_picture(figure: Any, path: Path) -> None:
    """Write a figure in one step, without a date inside: equal pictures are equal files."""
    from weft.sequences.formats.atomic import atomic_write

    suffix = path.suffix.lower()
    metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {})
    with atomic_write(path) as stream:
        figure.savefig(stream, format=suffix[1:], dpi=150, bbox_inches="tight", pad_inches=0.15, metadata=metadata)

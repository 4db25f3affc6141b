"""Parts of an experiment that a folder keeps: what takes hours goes on after an interruption where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

PARTS = "parts"
"""Folder of the parts, below that of the results."""


@dataclass(frozen=True)
class _Keeper:
    folder: Path
    settings: dict[str, Any]
    again: bool
    tell: Callable[[str], None]


_current: ContextVar[_Keeper | None] = ContextVar("keeper", default=None)


@contextmanager
def keeping(
    folder: Path | None,
    settings: dict[str, Any],
    *,
    again: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[None]:
    """While it lasts, parts are kept in a folder, and those of earlier runs are taken from there.

    Parameters
    ----------
    folder : Path or None
        None keeps nothing.
    settings : dict
        What decides the numbers, as `run_settings` has it; parts of other settings are made anew.
    again : bool
        Make all parts anew.
    tell : callable
        Told which parts are taken from an earlier run.
    """
    keeper = None if folder is None else _Keeper(folder / PARTS, settings, again, tell)
    token = _current.set(keeper)
    try:
        yield
    finally:
        _current.reset(token)


def kept(name: str, make: Callable[[], Any]) -> Any:
    """What `make` gives, or what it gave in an earlier run: numbers, text, lists and dicts, as JSON holds them.

    Parameters
    ----------
    name : str
        Of the part: the same in every run, another for every part.
    make : callable

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for value in (1, 2):
    ...     with keeping(folder, {"seed": 0}, tell=print):
    ...         kept("toy", lambda: [value])
    [1]
    toy: from an earlier run
    [1]
    >>> with keeping(folder, {"seed": 1}):
    ...     kept("toy", lambda: [3])
    [3]
    """
    keeper = _current.get()
    if keeper is None:
        return make()
    path = keeper.folder / f"{quote(name, safe=' ,')}.json"
    if not keeper.again and (found := _read(path, keeper.settings)) is not None:
        keeper.tell(f"{name}: from an earlier run")
        return found["value"]
    # Read back from text, so that a part that was just made and one that was kept are the same to the caller.
    from weft.experiments.files import write_json

    value = json.loads(json.dumps(make()))
    keeper.folder.mkdir(exist_ok=True)
    write_json(path, {"part": name, "settings": keeper.settings, "value": value})
    return value


def _read(path: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(found, dict) and found.get("settings") == settings and "value" in found
    return dict(found) if whole else None

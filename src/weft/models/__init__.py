"""Small trained models that come with the package: ``NAME.weft`` and its card ``NAME.json``, in this folder.

`weft.recipes` makes them; to find one nothing has to be imported but this file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from weft.errors import InputError, ModelFileError
from weft.spelling import did_you_mean

__all__ = ["bundled_names", "card", "checked_path", "model_path"]

FOLDER = Path(__file__).parent
SUFFIX = ".weft"


def bundled_names() -> list[str]:
    """Names of the models that come with the package.

    Examples
    --------
    >>> all(card(name)["licence"] for name in bundled_names())
    True
    """
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))


def checked_path(path: object) -> Path:
    """The path of a file, if that is what was given.

    Examples
    --------
    >>> checked_path(None)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: the path of a model is None; text or a pathlib.Path is needed.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"the path of a model is {path!r:.60}; text or a pathlib.Path is needed.")
    return Path(path)


def model_path(path_or_name: str | os.PathLike[str]) -> Path:
    """Where a model is: the file of that path, or else the bundled model of that name.

    Parameters
    ----------
    path_or_name : path or str

    Returns
    -------
    Path
        As it was given where neither is there; who opens it says so.

    Raises
    ------
    ModelFileError
        When there is neither, but a bundled model of a similar name.

    Examples
    --------
    >>> model_path("mine.weft").name
    'mine.weft'
    """
    path = checked_path(path_or_name)
    name = os.fspath(path_or_name)
    if _is_there(path):
        return path
    names = bundled_names()
    if name in names:
        return FOLDER / f"{name}{SUFFIX}"
    near = did_you_mean(name, names) if path.name == name and path.suffix == "" else None
    if near is not None:
        raise ModelFileError(
            f"there is no file {name!r} and no such model comes with weft; did you mean {near!r}? "
            "weft models lists those that do."
        )
    return path


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, a null byte: who opens it says so
        return True


def card(name: str) -> dict[str, Any]:
    """What is known of a bundled model: data, licence, size, settings, scores of the same recipe on data left out.

    Parameters
    ----------
    name : str

    Returns
    -------
    dict

    Examples
    --------
    >>> card("pronounce-klingon")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: no model 'pronounce-klingon' comes with weft; ...
    """
    names = bundled_names()
    if name not in names:
        near = did_you_mean(name, names)
        known = f"did you mean {near!r}?" if near else f"there are {', '.join(names) or 'none'}."
        raise ModelFileError(f"no model {name!r} comes with weft; {known} weft models lists them.")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return {**found, "size": (FOLDER / f"{name}{SUFFIX}").stat().st_size}

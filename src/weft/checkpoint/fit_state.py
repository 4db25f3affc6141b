"""The state of a long fit in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from weft.checkpoint.array_file import Arrays, read_array_file, write_array_file
from weft.errors import ModelFileError
from weft.sequences.formats.atomic import remove_leftovers

CHECKPOINT_FORMAT = "weft checkpoint"
CHECKPOINT_VERSION = 2


@dataclass(frozen=True)
class CheckpointState:
    """What a fit needs to go on: the step that was done, its arrays, and small facts.

    Attributes
    ----------
    step : int
    arrays : dict of str to ndarray
    meta : dict
    """

    step: int
    arrays: Arrays
    meta: dict[str, Any]


class Checkpoint:
    """The state of a long fit in one file, replaced as a whole at each save.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> checkpoint = Checkpoint(Path(tempfile.mkdtemp(), "fit.checkpoint"))
    >>> checkpoint.load() is None
    True
    >>> checkpoint.save(3, {"weights": np.zeros(2)}, {"objective": 1.5})
    >>> checkpoint.load().step
    3
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def save(self, step: int, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
        """Replace the file by the state after `step`."""
        header = {
            "format": CHECKPOINT_FORMAT,
            "format_version": CHECKPOINT_VERSION,
            "step": int(step),
            "meta": dict(meta),
        }
        write_array_file(self.path, header, arrays)

    def load(self) -> CheckpointState | None:
        """Return the last saved state, or None when nothing was saved yet."""
        if not self.path.exists():
            return None
        header, arrays = read_array_file(self.path)
        if header.get("format") != CHECKPOINT_FORMAT or header.get("format_version") != CHECKPOINT_VERSION:
            raise ModelFileError(
                f"{self.path} holds {header.get('format')!r} version {header.get('format_version')!r}; "
                f"needed {CHECKPOINT_FORMAT!r} version {CHECKPOINT_VERSION}. Remove it to start afresh."
            )
        step, meta = header.get("step"), header.get("meta")
        if not isinstance(step, int) or not isinstance(meta, dict):
            raise ModelFileError(f"{self.path} is damaged: it has no step. Remove it to start afresh.")
        return CheckpointState(step, arrays, meta)

    def remove(self) -> None:
        """Remove the file, if there is one, and parts of it that a kill left: the fit is done."""
        self.path.unlink(missing_ok=True)
        remove_leftovers(self.path)

"""Files that are whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import BinaryIO

from weft.errors import InputError, ModelFileError
from weft.sequences.formats.atomic import atomic_write


def write_atomically(path: str | os.PathLike[str], writer: Callable[[BinaryIO], None]) -> None:
    """Write a file so that a crash, an interrupt or a full disk leaves the old one whole.

    The bytes go to a temporary file beside the target, reach the disk, and only then take its name.

    Parameters
    ----------
    path : path
        A symbolic link keeps pointing where it points; its target is replaced.
    writer : callable
        Called with the open binary file.

    Raises
    ------
    ModelFileError
        When the system refuses: no space, no permission, no such folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> target = Path(tempfile.mkdtemp(), "numbers.bin")
    >>> write_atomically(target, lambda file: file.write(b"123"))
    >>> target.read_bytes()
    b'123'
    """
    try:
        with atomic_write(path) as file:
            writer(file)
    except InputError as error:
        raise ModelFileError(str(error)) from error

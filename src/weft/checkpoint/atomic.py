"""Replace a file as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from weft.errors import ModelFileError

__all__ = ["write_atomically"]


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
    >>> target = Path(tempfile.mkdtemp(), "numbers.bin")
    >>> write_atomically(target, lambda file: file.write(b"123"))
    >>> target.read_bytes()
    b'123'
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".weft-{secrets.token_hex(8)}.tmp")
    try:
        try:
            with temporary.open("xb") as file:
                writer(file)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(
            f"cannot write {os.fspath(path)}: {reason}. Nothing was changed; "
            "free some space, or give a path in an existing folder that you may write to."
        ) from error
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where the system can do that for folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

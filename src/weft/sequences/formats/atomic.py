"""Replace a file in one step: a crash or a full disk leaves the old one whole."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from weft.errors import InputError, WeftError

__all__ = ["atomic_write"]


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream whose content replaces `path` when the block ends without an error.

    The bytes go to a hidden file in the same folder, are flushed to the disk, and the file is renamed. If
    anything fails the hidden file is removed and `path` stays as it was. Links are followed, the permissions
    of an existing file are kept, and devices and pipes (such as ``/dev/null``) are written directly.

    Parameters
    ----------
    path : str or path-like

    Yields
    ------
    binary stream

    Raises
    ------
    InputError
        When the folder or the disk does not let us write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "note.txt"
    ...     with atomic_write(file) as stream:
    ...         _ = stream.write(b"whole")
    ...     file.read_bytes()
    b'whole'
    """
    try:
        final = _resolve(path)
        if final.exists() and not final.is_file() and not final.is_dir():
            with final.open("wb") as stream:
                yield stream
        else:
            yield from _replace(final)
    except WeftError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot write {os.fspath(path)!r}: {error.strerror or error}; "
            f"nothing was changed, choose another place or make room"
        ) from error


def _resolve(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (ValueError, RuntimeError) as error:  # a null byte; a loop of links
        raise OSError(errno.EINVAL, str(error)) from error


def _replace(final: Path) -> Iterator[BinaryIO]:
    if final.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    beside = final.with_name(f".{final.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with beside.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if final.exists():
            shutil.copymode(final, beside)
        beside.replace(final)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    # The rename itself survives a power cut only once the folder is on disk; not every system can do that.
    with suppress(OSError, AttributeError):
        folder = os.open(final.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

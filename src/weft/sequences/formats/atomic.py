"""Replace a file in one step: a crash or a full disk leaves the old one whole."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from weft.errors import InputError, WeftError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: parts of killed writers stay
    fcntl = None

__all__ = ["atomic_write", "remove_leftovers", "resolved"]


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream whose content replaces `path` when the block ends without an error.

    The bytes go to a hidden file in the same folder, are flushed to the disk, and the file is renamed. If
    anything fails the hidden file is removed and `path` stays as it was. Links are followed, the permissions
    of an existing file are kept, and devices and pipes (such as ``/dev/null``) are written directly. A writer
    that is killed leaves its hidden file, and the next one to write `path` removes it.

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
        final = resolved(path)
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


def resolved(path: str | os.PathLike[str]) -> Path:
    """The file itself, where a path goes over links.

    Raises
    ------
    OSError
        When the links go round in a circle, or the path has a null byte.

    Examples
    --------
    >>> resolved("/proc/../proc/none")
    PosixPath('/proc/none')
    """
    try:
        final = Path(path).resolve()
    except ValueError as error:  # a null byte
        raise OSError(errno.EINVAL, str(error)) from error
    except RuntimeError:  # a circle, until Python 3.12
        final = Path(path)
    if final.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return final


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what writers of a file left beside it when they were killed; those of living writers stay.

    A living writer holds a lock on its part, and the system drops that with the writer, however it ends.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, ".note.txt.0123456789ab.part")
    ...     file.touch()
    ...     remove_leftovers(Path(folder, "note.txt"))
    ...     file.exists()
    False
    """
    final = resolved(path)
    pattern = re.compile(re.escape(_start(final)) + r"[0-9a-f]{12}\.part")
    with suppress(OSError):
        for part in final.parent.iterdir():
            if pattern.fullmatch(part.name):
                with suppress(OSError), part.open("rb") as stream:
                    if _locked(stream):
                        part.unlink()


def _start(final: Path) -> str:
    return f".{final.name[:100]}."


def _part(final: Path) -> Path:
    return final.with_name(f"{_start(final)}{secrets.token_hex(6)}.part")


def _locked(stream: BinaryIO, wait: bool = False) -> bool:
    """Whether the lock on a file is ours now."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # somebody writes, or the file system has no locks
        return False
    return True


def _replace(final: Path) -> Iterator[BinaryIO]:
    if final.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    remove_leftovers(final)
    beside = _part(final)
    lock = None
    try:
        stream = beside.open("xb")
        while _locked(stream, wait=True) and not beside.exists():  # taken for a leftover before it was locked
            stream.close()
            beside = _part(final)
            stream = beside.open("xb")
        with stream:
            lock = None if fcntl is None else os.dup(stream.fileno())  # the part is closed before it is renamed
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
    finally:
        if lock is not None:
            os.close(lock)
    # The rename itself survives a power cut only once the folder is on disk; not every system can do that.
    with suppress(OSError, AttributeError):
        folder = os.open(final.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

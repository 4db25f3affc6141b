"""Copies of model files that nobody else writes to, so that worker processes can map them into memory.

A file that is written in place, as `cp` does, would change under a process that has it mapped, or kill it. So each
version is copied once, under the SHA-256 of its bytes, into a folder of the run; all workers map that copy. The copy of
the last version that could be loaded stays: a worker that starts again while the file is broken goes on with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from weft.errors import ModelFileError

__all__ = ["Signature", "Snapshots", "signature"]

CHUNK = 1 << 20


class Signature(NamedTuple):
    """What tells a file from another one at the same path, without reading it."""

    inode: int
    size: int
    modified: int


def signature(path: Path) -> Signature | None:
    """The signature of a file; None if there is none.

    Examples
    --------
    >>> signature(Path("missing.weft")) is None
    True
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return Signature(found.st_ino, found.st_size, found.st_mtime_ns)


class Snapshots:
    """Copies of one model's files in a folder of the run.

    Parameters
    ----------
    folder : Path
    name : str
        Of the model.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self._good = folder / f"{name}.good"

    def _path(self, digest: str) -> Path:
        return self.folder / f"{self.name}.{digest}.weft"

    def take(self, path: Path) -> tuple[str, Path]:
        """Copy a file as it is now, unless that was done before; its digest, and where the one copy is."""
        handle, made = tempfile.mkstemp(dir=self.folder, prefix=f"{self.name}.", suffix=".part")
        try:
            digest = hashlib.sha256()
            with os.fdopen(handle, "wb") as copy, path.open("rb") as file:
                while part := file.read(CHUNK):
                    digest.update(part)
                    copy.write(part)
            found = digest.hexdigest()
            # Another process may have made the same copy: then its pages are shared.
            with contextlib.suppress(FileExistsError):
                os.link(made, self._path(found))
            Path(made).unlink()
        except OSError as error:
            with contextlib.suppress(OSError):
                Path(made).unlink()
            raise ModelFileError(f"cannot read {path}: {error.strerror or error}. Check the path.") from error
        return found, self._path(found)

    def keep(self, digest: str) -> None:
        """Remember a version as one that works, and drop the others; processes that have them mapped keep them."""
        handle, made = tempfile.mkstemp(dir=self.folder, prefix=f"{self.name}.", suffix=".part")
        with os.fdopen(handle, "w") as file:
            file.write(digest)
        Path(made).replace(self._good)
        for other in self.folder.glob(f"{self.name}.*.weft"):
            if other != self._path(digest):
                other.unlink(missing_ok=True)

    def good(self) -> tuple[str, Path] | None:
        """The last version that worked, if there is one."""
        try:
            digest = self._good.read_text()
        except OSError:
            return None
        return (digest, self._path(digest)) if self._path(digest).exists() else None

"""Arrays in files that are mapped into memory: only what is read takes room, and goes when it is needed elsewhere."""

from __future__ import annotations

import hashlib
import json
import math
import mmap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from weft.checkpoint.atomic import write_atomically
from weft.errors import InputError, ModelFileError

__all__ = ["MappedFile", "ShardWriter", "folder_key", "made_once", "map_arrays", "write_arrays", "write_file"]

MANIFEST, UNFINISHED = "manifest.json", "unfinished"
"""Files of a folder of shards: what is there, written last; and what is there until then."""

FILE_BYTES = 2**30
"""Bytes after which a file of shards is followed by another."""
PAGE_BYTES = 2**16
"""Shards begin at multiples of this, which pages of all systems divide."""
CURE = "delete the folder of --spill, and it is made again."

TYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "U64": np.uint64,
    "U32": np.uint32,
    "I64": np.int64,
    "I32": np.int32,
    "BOOL": np.bool_,
    "U8": np.uint8,
}


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays as a safetensors file, atomically.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "part")
    >>> write_arrays(path, {"x": np.arange(3)})
    >>> map_arrays(path)["x"]
    array([0, 1, 2])
    """
    write_file(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))


def write_file(path: Path, data: bytes) -> None:
    """Write a file of a folder of shards, atomically.

    Examples
    --------
    >>> write_file(Path("absent/part"), b"")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: ... make room, or name another folder for --spill.
    """

    def write(file: BinaryIO) -> None:
        file.write(data)

    with _said():
        write_atomically(path, write)


@contextmanager
def _said() -> Iterator[None]:
    """One line about what could not be written."""
    try:
        yield
    except (OSError, ModelFileError) as error:
        reason = f"{error!s:.200}".split(";")[0]
        raise InputError(f"{reason}; make room, or name another folder for --spill.") from None


def folder_key(*facts: Any) -> str:
    """What tells the data and settings of a folder from others, for this version of weft."""
    return hashlib.sha256(json.dumps([version("weft"), *facts]).encode()).hexdigest()


def made_once(folder: Path, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `make` said when it filled a folder, now or in an earlier run.

    All its files are there, or none: a run that was killed while it made them leaves a mark, and they are made anew.
    The manifest comes last. A folder of another `key` is refused.
    """
    manifest = folder / MANIFEST
    if not manifest.exists():
        _fill(folder, key, make)
    content: dict[str, Any] = json.loads(manifest.read_text())
    if content["key"] != key:
        raise InputError(f"{folder} belongs to other data or settings; delete it, or name another folder.")
    return content


def _fill(folder: Path, key: str, make: Callable[[], dict[str, Any]]) -> None:
    mark = folder / UNFINISHED
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not mark.exists():
            raise InputError(f"{folder} holds other files; name a folder that is new or empty.")
        mark.touch()
    except OSError as error:
        raise InputError(f"cannot use {folder}: {error.strerror or error}; name another folder for --spill.") from None
    try:
        _empty(folder)
        write_file(folder / MANIFEST, json.dumps({"key": key, **make()}).encode())
    except BaseException:
        _empty(folder)
        mark.unlink()
        raise
    mark.unlink()


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != UNFINISHED:
            path.unlink()


class ShardWriter:
    """Appends named arrays to files of a folder, several to a file: each file that is mapped takes a descriptor.

    Parameters
    ----------
    folder : Path
        Gets the files ``shards-00000`` and so on, each of about `FILE_BYTES`.
    name : str
        What they are called instead of shards.
    """

    def __init__(self, folder: Path, name: str = "shards") -> None:
        self._folder, self._name, self._number = folder, name, 0

    def append(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Write arrays; the name of the file, and where they begin and end there, for `MappedFile.arrays`."""
        data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
        name = f"{self._name}-{self._number:05}"
        with _said(), (self._folder / name).open("ab") as file:
            begin = file.tell()
            file.write(data)
            end = begin + len(data)
            file.write(bytes(-end % PAGE_BYTES))  # the next ones begin on a page of their own
        if end >= FILE_BYTES:
            self._number += 1
        return {"file": name, "begin": begin, "end": end}


class MappedFile:
    """A file of arrays, mapped into memory and not read; what is written to them never reaches the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> place = ShardWriter(folder).append({"x": np.arange(3)})
    >>> mapped = MappedFile(folder / place["file"])
    >>> mapped.arrays(place["begin"], place["end"])["x"]
    array([0, 1, 2])
    """

    def __init__(self, path: Path) -> None:
        self._path, self._size = path, path.stat().st_size
        if not self._size:
            raise InputError(f"{path} is damaged; {CURE}")
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def arrays(self, begin: int = 0, end: int | None = None) -> dict[str, NDArray[Any]]:
        """The arrays between two places, by name."""
        end = self._size if end is None else end
        length = int.from_bytes(self._map[begin : begin + 8], "little")
        first = begin + 8 + length
        if not 0 < length < 2**20 or not first <= end <= self._size:
            raise InputError(f"{self._path} is damaged; {CURE}")
        header = json.loads(self._map[begin + 8 : first])
        found: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, stop = entry["data_offsets"]
            shape, dtype = tuple(entry["shape"]), np.dtype(TYPES[entry["dtype"]])
            count = math.prod(shape)
            if first + stop > end or count * dtype.itemsize != stop - start:
                raise InputError(f"{self._path} is cut short; {CURE}")
            found[name] = np.frombuffer(self._map, dtype, count, first + start).reshape(shape)
        return found

    def let_go(self, begin: int, end: int) -> None:
        """Take what lies between two places out of the memory of this process; it is mapped again when it is read."""
        if hasattr(self._map, "madvise"):  # Windows finds out by itself what is not in use
            begin -= begin % mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, begin, end - begin)


def map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, mapped and not read; what is written to them stays in memory and never reaches the file."""
    return MappedFile(path).arrays()

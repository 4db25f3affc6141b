"""Arrays in files that are mapped into memory: only what is read takes room, and goes when it is needed elsewhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from weft.checkpoint.atomic import write_atomically
from weft.errors import InputError, ModelFileError

__all__ = ["folder_key", "made_once", "map_arrays", "write_arrays", "write_file"]

MANIFEST, UNFINISHED = "manifest.json", "unfinished"
"""Files of a folder of shards: what is there, written last; and what is there until then."""

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

    try:
        write_atomically(path, write)
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


def map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, mapped and not read; what is written to them stays in memory and never reaches the file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length < min(size, 2**20):
            raise InputError(f"{path} is damaged; delete the folder of --spill, and it is made again.")
        header = json.loads(file.read(length))
    found: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        shape, dtype = tuple(entry["shape"]), np.dtype(TYPES[entry["dtype"]])
        if 8 + length + end > size or int(np.prod(shape)) * dtype.itemsize != end - begin:
            raise InputError(f"{path} is cut short; delete the folder of --spill, and it is made again.")
        if begin == end:
            found[name] = np.empty(shape, dtype)
            continue
        mapped = np.memmap(path, dtype, "c", 8 + length + begin, shape)
        found[name] = mapped.view(np.ndarray)
    return found

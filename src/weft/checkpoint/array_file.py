"""Array files: a safetensors file with one JSON header and a checksum over the header and all arrays.

Nothing in such a file is executable, and damage anywhere in it is noticed.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save as serialize

from weft.checkpoint.atomic import write_atomically
from weft.errors import ModelFileError, unreadable

Arrays = dict[str, NDArray[Any]]

# The checksum is an array because safetensors writes several metadata in random order, and one
# model should always give the same bytes.
_HEADER, _CHECKSUM = "weft", "weft.checksum"
_DTYPES = frozenset(
    ["bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
    + [f"float{bits}" for bits in (16, 32, 64)]
)


def write_array_file(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a JSON header and named arrays atomically, with a checksum over both.

    Parameters
    ----------
    path : path
    header : mapping
        Whatever JSON can hold.
    arrays : mapping of str to ndarray
        Of booleans, integers or floats.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "arrays.weft")
    >>> write_array_file(target, {"n": 1}, {"x": np.arange(3)})
    >>> read_array_file(target)
    ({'n': 1}, {'x': array([0, 1, 2])})
    """
    try:
        text = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"cannot write {os.fspath(path)}: {one_line(error)}. "
            "A header holds finite numbers, text, lists and dicts with text keys."
        ) from error
    contiguous: Arrays = {}
    for name, array in arrays.items():
        if array.dtype.name not in _DTYPES:
            raise ModelFileError(
                f"cannot write {os.fspath(path)}: array {name!r} has type {array.dtype}; "
                "needed booleans, integers or floats of at most 64 bits."
            )
        # `ascontiguousarray` alone would turn a single number into an array of length one.
        contiguous[name] = np.ascontiguousarray(_little_endian(array)).reshape(array.shape)
    data = serialize({**contiguous, _CHECKSUM: _checksum(text, contiguous)}, {_HEADER: text})

    def write(file: BinaryIO) -> None:
        file.write(data)

    write_atomically(path, write)


def read_array_file(
    path: str | os.PathLike[str], *, header_only: bool = False, mapped: bool = False
) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_array_file` wrote; anything else is one clear error.

    Parameters
    ----------
    path : path
    header_only : bool
        Leave the arrays on the disk and do not check the checksum.
    mapped : bool
        Leave the arrays in the file, which must not change: processes share its pages until one writes to them.

    Returns
    -------
    header : dict
    arrays : dict of str to ndarray

    Raises
    ------
    ModelFileError
        When the file is missing, cut short, damaged or of another format.

    Examples
    --------
    >>> read_array_file("missing.weft")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: cannot read missing.weft: No such file or directory. Check the path.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except (OSError, ValueError) as error:  # ValueError: a null byte
        raise unreadable(name, error) from error
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            read = not (header_only or mapped)
            arrays = {key: file.get_tensor(key) for key in file.keys()} if read else {}  # noqa: SIM118
        if mapped and not header_only:
            arrays = _mapped_arrays(path)
    except Exception as error:
        # The reader has its own error, but an array of a foreign type ends in any of NumPy's.
        raise ModelFileError(
            f"{name} is cut short, damaged or not a weft file ({one_line(error)}). "
            "Give a file that weft wrote, or save it again."
        ) from error
    text = metadata.get(_HEADER)
    if text is None:
        raise ModelFileError(f"{name} is a safetensors file, but weft did not write it. Give a file that weft wrote.")
    if not header_only and not np.array_equal(arrays.pop(_CHECKSUM, np.zeros(0)), _checksum(text, arrays)):
        raise ModelFileError(f"{name} is damaged: its checksum does not match. Save it again or use a copy.")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{name} is damaged: its header is not JSON. Save it again.") from error
    if not isinstance(header, dict):
        raise ModelFileError(f"{name} is damaged: its header is not a JSON object. Save it again.")
    return header, arrays


# Types of arrays as safetensors calls them.
_SAVED_TYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip


def _mapped_arrays(path: str | os.PathLike[str]) -> Arrays:
    """Arrays of a file that its reader has found whole, in place.

    The mapping is private, and not read-only: compiled loops would be compiled once more for arrays that are.
    """
    with Path(path).open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    begin = 8 + int.from_bytes(pages[:8], "little")
    arrays: Arrays = {}
    for key, facts in json.loads(pages[8:begin]).items():
        if key == "__metadata__":
            continue
        dtype, shape = np.dtype(_SAVED_TYPES[facts["dtype"]]), tuple(facts["shape"])
        first, last = facts["data_offsets"]
        if first == last:
            arrays[key] = np.zeros(shape, dtype)
            continue
        array = np.frombuffer(pages, dtype, (last - first) // dtype.itemsize, begin + first)
        arrays[key] = (array if array.flags.aligned else array.copy()).reshape(shape)
    return arrays


def _checksum(header: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    # Processors have instructions for this one; it takes most of the time of loading.
    digest = hashlib.sha256(header.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = _little_endian(arrays[name])
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        digest.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in the byte order of the file format."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def one_line(error: Exception) -> str:
    """Return the message of an error without line breaks, or its name."""
    return " ".join(str(error).split()) or type(error).__name__

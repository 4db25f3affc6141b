"""Smaller arrays for files: whole numbers without loss, long arrays of floats with 256 different values each.

An array becomes bytes: differences of neighbours where that is shorter, in the narrowest type, the first byte of all
numbers before the second, then zlib. What comes back has its old type and shape, and is checked like any array.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError

Arrays = dict[str, NDArray[Any]]

FEW = 1024
"""Arrays of so few numbers stay as they are."""
N_VALUES = 256
VALUES = "#values"
"""How the name of the array ends that has the values of another one."""
MOST_PER_BYTE = 1100
"""zlib packs no more bytes into one; a longer array is a lie."""


def compress_arrays(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Any], Arrays]:
    """What is to be known of the arrays that were compressed, and all arrays.

    Examples
    --------
    >>> facts, arrays = compress_arrays({"offsets": np.arange(5000), "few": np.arange(3)})
    >>> facts["offsets"], arrays["offsets"].nbytes < 100
    ({'dtype': 'int64', 'shape': [5000], 'narrow': 'uint8', 'differences': True, 'values': False}, True)
    >>> np.array_equal(restore_arrays(facts, arrays)["offsets"], np.arange(5000))
    True
    """
    facts: dict[str, Any] = {}
    smaller: Arrays = {}
    for name, array in arrays.items():
        if array.size <= FEW or array.dtype.kind not in "iuf":
            smaller[name] = array
            continue
        flat = np.ascontiguousarray(array).reshape(-1)
        has_values = array.dtype.kind == "f"
        if has_values:
            codes, values = _few_values(flat)
            smaller[name + VALUES] = values
            flat = codes.astype(np.int64)
        tried = [(False, flat)]
        if array.dtype.kind == "i":
            tried.append((True, np.diff(flat.astype(np.int64), prepend=0)))
        found = []
        for differences, numbers in tried:
            narrow = _narrowest(numbers)
            found.append((zlib.compress(_planes(narrow), 9), differences, narrow.dtype.name))
        data, differences, narrow_name = min(found, key=lambda each: len(each[0]))
        smaller[name] = np.frombuffer(data, dtype=np.uint8)
        facts[name] = {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "narrow": narrow_name,
            "differences": differences,
            "values": has_values,
        }
    return facts, smaller


def restore_arrays(facts: Any, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays as they were before `compress_arrays`, floats rounded; anything else is one clear error."""
    if not isinstance(facts, dict):
        raise ModelFileError("what it says of compressed arrays is not a JSON object")
    restored = {name: array for name, array in arrays.items() if not name.endswith(VALUES)}
    for name, fact in facts.items():
        try:
            restored[name] = _restored(fact, arrays[name], arrays.get(name + VALUES))
        except (KeyError, TypeError, ValueError, OverflowError, zlib.error, MemoryError) as error:
            raise ModelFileError(f"the compressed array {name[:40]!r} is damaged ({type(error).__name__})") from error
    return restored


def _restored(fact: Any, packed: NDArray[Any], values: NDArray[Any] | None) -> NDArray[Any]:
    dtype, narrow = np.dtype(fact["dtype"]), np.dtype(fact["narrow"])
    shape = tuple(fact["shape"])
    if dtype.kind not in "iuf" or narrow.kind not in "iu" or packed.dtype != np.uint8 or packed.ndim != 1:
        raise ValueError("type")
    if not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise ValueError("shape")
    size = 1
    for each in shape:
        size *= each
    n_bytes = size * narrow.itemsize
    if n_bytes > MOST_PER_BYTE * max(packed.size, 1):
        raise ValueError("size")
    stream = zlib.decompressobj()
    data = stream.decompress(packed.tobytes(), n_bytes + 1)
    if len(data) != n_bytes:
        raise ValueError("size")
    planes = np.frombuffer(data, dtype=np.uint8).reshape(narrow.itemsize, size)
    numbers = np.ascontiguousarray(planes.T).reshape(-1).view(narrow.newbyteorder("<"))
    if fact["values"]:
        if values is None or values.dtype != dtype or values.ndim != 1 or numbers.max(initial=0) >= len(values):
            raise ValueError("values")
        return np.asarray(values[numbers]).reshape(shape)
    whole = np.cumsum(numbers, dtype=np.int64) if fact["differences"] else numbers
    found = whole.astype(dtype)
    if not np.array_equal(found, whole):
        raise ValueError("range")
    return found.reshape(shape)


def _narrowest(numbers: NDArray[Any]) -> NDArray[Any]:
    low, high = int(numbers.min()), int(numbers.max())
    for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32"):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return numbers.astype(kind)
    return numbers


def _planes(numbers: NDArray[Any]) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on."""
    little = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little.view(np.uint8).reshape(len(numbers), -1).T).tobytes()


def _few_values(numbers: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Numbers of the values, and the values: zero and what is not finite as they are, means of the others' ranges."""
    finite = np.isfinite(numbers) & (numbers != 0.0)
    apart = np.unique(numbers[~finite])
    n_left = N_VALUES - len(apart)
    inside = np.unique(numbers[finite])
    if len(inside) > n_left:
        # Steps that are finer where numbers are dense, and never coarse at the ends: quantiles of a half-way spread.
        sorted_numbers = np.sort(numbers[finite])
        spread = np.linspace(sorted_numbers[0], sorted_numbers[-1], n_left)
        dense = np.quantile(sorted_numbers, np.linspace(0.0, 1.0, n_left))
        centres = np.unique(0.5 * (spread + dense))
        for _ in range(8):  # Lloyd's steps
            bounds = 0.5 * (centres[1:] + centres[:-1])
            places = np.searchsorted(bounds, sorted_numbers)
            counts = np.bincount(places, minlength=len(centres))
            sums = np.bincount(places, weights=sorted_numbers, minlength=len(centres))
            centres = np.unique(np.where(counts > 0, sums / np.maximum(counts, 1), centres))
        inside = centres.astype(numbers.dtype)
    codes = np.zeros(len(numbers), dtype=np.uint8)
    if len(inside):
        bounds = 0.5 * (inside[1:] + inside[:-1])
        codes[finite] = np.searchsorted(bounds, numbers[finite])
    codes[~finite] = len(inside) + np.searchsorted(apart, numbers[~finite])
    return codes, np.concatenate([inside, apart]).astype(numbers.dtype)

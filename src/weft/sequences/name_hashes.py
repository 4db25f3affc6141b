"""64-bit hashes of names that are the same in every process, on every machine: FNV-1a over UTF-8, mixed at the end.

Python's own hashes of strings differ from process to process, so that nothing which leaves a process may rest on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.jit import jit
from weft.errors import InputError

__all__ = ["name_hashes"]

BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
MIX = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
HALF = np.uint64(33)


@jit
def _hash_runs(data: Any, ends: Any, found: Any) -> None:
    """Hash of each run of bytes; the mixing of MurmurHash3 makes every bit depend on all."""
    begin = 0
    for i in range(len(ends)):
        value = BASIS
        for place in range(begin, ends[i]):
            value = (value ^ np.uint64(data[place])) * PRIME
        value = (value ^ (value >> HALF)) * MIX[0]
        value = (value ^ (value >> HALF)) * MIX[1]
        found[i] = value ^ (value >> HALF)
        begin = ends[i]


def name_hashes(names: Sequence[Any]) -> NDArray[np.uint64]:
    """Hashes of names: strings, and whole numbers, which are no strings of digits.

    Examples
    --------
    >>> [f"{value:x}" for value in name_hashes(["", "a", 1, "1"]).tolist()]
    ['efd01f60ba992926', '82a2a958a9bece5b', '9f542a24a0f28785', '7c3832dde020d3d6']
    """
    text = "".join(names) if all(type(name) is str for name in names) else None
    if text is not None and text.isascii():
        data, lengths = text.encode(), map(len, names)
    else:
        encoded = list(map(_bytes, names))
        data, lengths = b"".join(encoded), map(len, encoded)
    ends = np.cumsum(np.fromiter(lengths, dtype=np.int64, count=len(names)))
    found = np.empty(len(names), dtype=np.uint64)
    _hash_runs(np.frombuffer(data, dtype=np.uint8), ends, found)
    return found


def _bytes(name: Any) -> bytes:
    if isinstance(name, str):
        return name.encode("utf-8", "surrogatepass")
    if isinstance(name, int | np.integer):
        return b"\xff%d" % int(name)  # no text begins with this byte
    raise InputError(f"an attribute has the type {type(name).__name__}; attributes are strings or whole numbers.")

"""Long vectors that come and go: memory that one leaves is lent to the next.

A solver takes and leaves a few vectors of all weights in every iteration, and so do the threads that compute its
gradients. Given back to the allocator they would leave holes between what is used, in a heap of its own for each
thread: after a hundred iterations on CoNLL-2000, a sixth of the memory of a fit. Fresh memory from the system costs a
page fault per 4 kB.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from weft.arrays import Floats

LONG = 2**12
"""Vectors of fewer numbers come from the allocator."""


class LentVectors:
    """Lends vectors; whose memory comes back when neither a vector nor a view of it is held any more.

    What is still held when the lender goes stays as it is, and takes no other memory with it.

    Examples
    --------
    >>> lender = LentVectors()
    >>> first = lender.take(10_000)
    >>> address = first.ctypes.data
    >>> del first
    >>> lender.take(10_000).ctypes.data == address
    True
    """

    def __init__(self) -> None:
        self._free: list[Floats] = []

    def take(self, size: int) -> Floats:
        """A vector of so many numbers, whatever they are."""
        if size < LONG:
            return np.empty(size)
        try:
            memory = self._free.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            memory = np.empty(size)
        return np.asarray(_Loan(self, memory if len(memory) == size else np.empty(size)))

    def zeros(self, size: int) -> Floats:
        """A vector of zeros."""
        vector = self.take(size)
        vector.fill(0.0)
        return vector

    def copy(self, vector: Floats) -> Floats:
        """A copy of a vector."""
        copied = self.take(len(vector))
        copied[:] = vector
        return copied


class _Loan:
    """What NumPy holds on to for as long as there is an array, or a view of it, on this memory."""

    def __init__(self, lender: LentVectors, memory: Floats) -> None:
        self._lender = weakref.ref(lender)
        self._memory = memory
        self.__array_interface__: dict[str, Any] = memory.__array_interface__

    def __del__(self) -> None:
        lender = self._lender()
        if lender is not None:
            lender._free.append(self._memory)

"""Sums of a kernel of vectors over the positions of two sequences (RG equation 1.72)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.annotations import ListOrArray
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel, kernel_within
from weft.kernels.gram_matrix import empty_gram
from weft.kernels.vectors.products import LinearKernel
from weft.sequences.checks import as_examples
from weft.state_rules import LARGEST

ENTRIES = 1 << 23
"""Kernel values between vectors that are held at once."""


class VectorSequences(NamedTuple):
    """Vectors of all sequences, one below the other; sequence i begins at row ``offsets[i]``."""

    rows: Any
    offsets: NDArray[np.int64]

    @staticmethod
    def from_sequences(X: Any, name: str = "X", n: int = 1) -> VectorSequences:
        """Read sequences of vectors; with `n` above 1, windows of `n` vectors side by side.

        Examples
        --------
        >>> VectorSequences.from_sequences([[[1.0], [2.0], [3.0]]], n=2).rows
        array([[1., 2.],
               [2., 3.]])
        """
        if isinstance(X, str | bytes | dict) or not hasattr(X, "__len__"):
            raise InputError(
                f"{name} is a {type(X).__name__}; need a list of sequences of vectors: wrap it as [{name}]."
            )
        X = as_examples(X, name)
        found: list[Floats] = []
        width: int | None = None
        for index, sequence in enumerate(X):
            try:
                rows = np.asarray(sequence, dtype=np.float64)
            except (ValueError, TypeError, OverflowError) as error:
                raise InputError(
                    f"{name}[{index}] is not an array of numbers; need one of shape (length, d): "
                    "use NGramKernel for strings, or give each position a vector."
                ) from error
            if rows.size == 0:
                rows = np.zeros((0, 0))
            elif rows.ndim < 2:
                raise InputError(
                    f"{name}[{index}] has shape {rows.shape}; need (length, d): reshape it with [:, None]."
                )
            rows = rows.reshape(len(rows), -1) if rows.size else rows
            if rows.size and not (np.abs(rows) <= LARGEST).all():
                raise InputError(
                    f"{name}[{index}] holds a number that is not finite, or beyond {LARGEST}; need finite ones: drop, "
                    "fill or scale it."
                )
            if rows.size and width is not None and rows.shape[1] != width:
                raise InputError(
                    f"{name}[{index}] has vectors of {rows.shape[1]} numbers, those before it {width}; "
                    "need one length: make them the same way."
                )
            width = rows.shape[1] if rows.size else width
            found.append(rows)
        width = width or 0
        grams = [_windows(rows, n) if len(rows) >= n else np.zeros((0, n * width)) for rows in found]
        offsets = np.zeros(len(grams) + 1, dtype=np.int64)
        np.cumsum([len(rows) for rows in grams], out=offsets[1:])
        return VectorSequences(np.concatenate([np.zeros((0, n * width)), *grams]), offsets)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Rows of each sequence."""
        return np.diff(self.offsets)


def _windows(rows: Floats, n: int) -> Floats:
    return rows if n == 1 else np.hstack([rows[i : len(rows) - n + 1 + i] for i in range(n)])


class SumKernel(Kernel):
    """Sum of a kernel of vectors over pairs of positions of two sequences.

    Parameters
    ----------
    base : Kernel, optional
        Kernel of vectors; None means `LinearKernel`.
    pairs : {"aligned", "all"}
        Equal positions only, as long as both sequences last, or each position with each (RG equation 1.72 as printed,
        which forgets the order).
    n : int
        Vectors in a window: windows of n neighbours take the place of single vectors.

    Examples
    --------
    >>> X = [[[1.0], [2.0]], [[3.0]]]
    >>> SumKernel(pairs="aligned").gram(X)
    array([[5., 3.],
           [3., 9.]])
    >>> SumKernel(pairs="all").gram(X)
    array([[9., 9.],
           [9., 9.]])
    """

    def __init__(self, base: Kernel | None = None, pairs: str = "aligned", n: int = 1) -> None:
        self.base = base
        self.pairs = pairs
        self.n = n

    def gram(self, X: ListOrArray, Y: ListOrArray | None = None) -> Floats:
        """Matrix of sums; memory for single positions stays bounded."""
        base = self._checked()
        left = VectorSequences.from_sequences(X, n=self.n)
        right = None if Y is None else VectorSequences.from_sequences(Y, "Y", self.n)
        if right is not None and left.rows.size and right.rows.size and left.rows.shape[1] != right.rows.shape[1]:
            raise InputError(
                f"vectors of {left.rows.shape[1] // self.n} and of {right.rows.shape[1] // self.n} numbers given; "
                "need one length: make both the same way."
            )
        return (_aligned if self.pairs == "aligned" else _all_pairs)(base, left, right)

    def diagonal(self, X: ListOrArray) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        base = self._checked()
        sequences = VectorSequences.from_sequences(X, n=self.n)
        if self.pairs == "aligned":
            return (
                _segment_sums(base.diagonal(sequences.rows), sequences.offsets)
                if len(sequences.rows)
                else (np.zeros(len(X)))
            )
        cuts = zip(sequences.offsets[:-1], sequences.offsets[1:], strict=True)
        return np.array([base.gram(sequences.rows[a:b]).sum() if b > a else 0.0 for a, b in cuts])

    def _checked(self) -> Kernel:
        checked_number("n", self.n)
        if self.pairs not in ("aligned", "all"):
            raise InputError(f"pairs={self.pairs!r} given; need 'aligned' or 'all': 'aligned' keeps the order.")
        return LinearKernel() if self.base is None else kernel_within(self, "base")


def _segment_sums(values: Floats, offsets: NDArray[np.int64]) -> Floats:
    """Sum of the values of each sequence along the first axis, 0 for an empty one."""
    found = np.zeros((len(offsets) - 1, *values.shape[1:]))
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        found[filled] = np.add.reduceat(values, offsets[filled], axis=0)
    return found


def _aligned(base: Kernel, left: VectorSequences, right: VectorSequences | None) -> Floats:
    """One matrix of the base kernel per position.

    With sequences sorted by length, longest first, those that have position p come first, so each position adds to a
    corner of the matrix.
    """
    order = np.argsort(-left.lengths, kind="stable")
    starts, lengths = left.offsets[order], left.lengths[order]
    other = left if right is None else right
    other_order = order if right is None else np.argsort(-other.lengths, kind="stable")
    other_starts, other_lengths = other.offsets[other_order], other.lengths[other_order]
    sums = empty_gram(len(order), len(other_order))
    last = min(lengths[0], other_lengths[0]) if len(lengths) and len(other_lengths) else 0
    for position in range(last):
        n_left = int(np.searchsorted(-lengths, -position))
        n_right = int(np.searchsorted(-other_lengths, -position))
        rows = left.rows[starts[:n_left] + position]
        others = None if right is None else other.rows[other_starts[:n_right] + position]
        height = max(1, ENTRIES // n_right)
        if right is None and n_left <= height:
            sums[:n_left, :n_right] += base.gram(rows)
            continue
        others = rows if others is None else others
        for start in range(0, n_left, height):
            cut = slice(start, min(n_left, start + height))
            sums[cut, :n_right] += base.gram(rows[cut], others)
    found = np.empty_like(sums)
    found[np.ix_(order, other_order)] = sums
    return found


def _all_pairs(base: Kernel, left: VectorSequences, right: VectorSequences | None) -> Floats:
    """Blocks of whole sequences of the left side against all rows of the right, summed along both."""
    other = left if right is None else right
    sums = empty_gram(len(left.lengths), len(other.lengths))
    if not (len(left.rows) and len(other.rows)):
        return sums
    height = max(1, ENTRIES // len(other.rows))
    start = 0
    while start < len(left.lengths):
        # As many sequences as fit, and one at the least.
        stop = int(np.searchsorted(left.offsets, left.offsets[start] + height, side="right")) - 1
        stop = min(max(stop, start + 1), len(left.lengths))
        first, last = left.offsets[start], left.offsets[stop]
        if last > first:
            block = base.gram(left.rows[first:last], other.rows)
            per_sequence = _segment_sums(block, left.offsets[start : stop + 1] - first)
            sums[start:stop] = _segment_sums(per_sequence.T, other.offsets).T
        start = stop
    return sums

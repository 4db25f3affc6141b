"""Kernels of n-grams with gaps (LK section 2.2; Lodhi et al. 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.automata import Automaton
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.lattices import occurrences_in_lattices
from weft.kernels.grams.loops.emitting import emit_gappy
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable

MOST = 1 << 27
"""Occurrences in one sequence, so that those of a few sequences fit memory."""


class GappyKernel(GramKernel):
    """Common n-grams whose symbols need not be neighbours; each symbol skipped costs a factor.

    ``K(x, y) = sum over z of length n of c_x(z) c_y(z)``, where ``c_x(z)`` adds ``decay ** skipped`` over the ways to
    find z in x. Lodhi's kernel weighs by the whole span, ``decay ** (skipped + n)``: it is this one times
    ``decay ** (2 n)``.

    A string of length l has ``C(l, n)`` occurrences if gaps are not bounded; with a bound g they grow only like
    ``l * C(n + g - 1, g)`` and their weights are those that matter: what is left out has at most ``decay ** (g + 1)``
    each. The 12,902 stories of Reuters-21578 with n = 4 have 215 million entries (1.6 GB) with ``max_gap=4`` and
    ``dtype="float32"``; without a bound it would be over a million entries per story. For the unbounded kernel of
    long texts take `SubsequenceKernel`, which never writes the features out.

    Parameters
    ----------
    n : int
        Symbols in a gram.
    decay : float
        Factor per skipped symbol, between 0 and 1.
    max_gap : int, optional
        Maximum number of skipped symbols, of all gaps together; None means any number.
    idf : bool
        Weigh each gram by ``1 + log((1 + n) / (1 + df))``, where df of the n training sequences have it; grams unseen
        in training count nothing.
    sublinear : bool
        Take ``1 + log(count)`` for each count; wants a `decay` of 1, as counts below 1 have no such logarithm.
    dtype : {"float64", "float32"}
        Type of the features; the second needs two thirds of the memory.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> mapped, rows = GappyKernel(2, 0.5).feature_map(["aba"])
    >>> mapped.names(), rows.toarray()
    (['aa', 'ab', 'ba'], array([[0.5, 1. , 1. ]]))
    >>> GappyKernel(2, 0.5).gram(["cat"], ["cart"])
    array([[1.625]])
    """

    weighted = True

    def __init__(
        self,
        n: int = 3,
        decay: float = 0.5,
        max_gap: int | None = None,
        *,
        idf: bool = False,
        sublinear: bool = False,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.n = n
        self.decay = decay
        self.max_gap = max_gap
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("n", self.n)
        checked_decay(self.decay)
        if self.sublinear and self.decay != 1:
            raise InputError(
                f"sublinear=True given with decay={self.decay!r}, so that counts may be below 1 and their weights "
                "negative; use decay=1, or sublinear=False."
            )
        gap: Any = self.max_gap
        if gap is not None and not (isinstance(gap, int | np.integer) and gap == 0):
            checked_number("max_gap", gap)

    def _width(self) -> int:
        return int(self.n)

    def _gap_within(self, longest: int) -> int:
        """Symbols that can be skipped in a sequence, at the most; a single symbol has no gap."""
        room = max(longest - self.n, 0) if self.n > 1 else 0
        return room if self.max_gap is None else min(self.max_gap, room)

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        gap = self._gap_within(int(lengths.max(initial=0)))
        total = np.zeros(len(lengths), dtype=np.float64)
        for skipped in range(gap + 1):
            # Windows of n + skipped symbols, and ways to choose the inner ones.
            ways = comb(self.n - 2 + skipped, skipped) if self.n > 1 else 1
            total += float(ways) * np.maximum(lengths - self.n - skipped + 1, 0)
        if total.max(initial=0) > MOST:
            raise InputError(
                f"a sequence of {int(lengths.max())} symbols has {total.max():.0e} grams of {self.n} with these gaps; "
                f"need at most {MOST:.0e}: set max_gap, or use SubsequenceKernel, which never writes them out."
            )
        return total.astype(np.int64)

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        self._emit_with(codes, offsets, table.base, block, np.zeros((2, 0), dtype=np.int64))

    def _emit_with(self, codes: Any, offsets: Any, base: int, block: Occurrences, spans: NDArray[np.int64]) -> None:
        gap = self._gap_within(int(np.diff(offsets).max(initial=0)))
        powers = float(self.decay) ** np.arange(gap + 1)
        emit_gappy(codes, offsets, self.n, gap, powers, base, *block, spans)

    def _spans(
        self, codes: NDArray[np.int32], table: SymbolTable, n_occurrences: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        spans = np.zeros((2, n_occurrences), dtype=np.int64)
        block = Occurrences.empty(n_occurrences, 1, weighted=True)
        self._emit_with(codes, np.array([0, len(codes)]), table.base, block, spans)
        return spans[0], spans[1]

    def _lattice_occurrences(self, X: Sequence[Automaton], table: SymbolTable) -> Occurrences:
        return occurrences_in_lattices(X, table, self.n, float(self.decay), self.max_gap)


def checked_decay(decay: Any) -> float:
    """Number between 0 and 1."""
    if not isinstance(decay, int | float | np.number) or isinstance(decay, bool) or not 0 <= decay <= 1:
        raise InputError(f"decay={decay!r} given; need a number from 0 to 1, the factor for each skipped symbol.")
    return float(decay)

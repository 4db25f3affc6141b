"""The kernel of all common subsequences, by dynamic programming (Lodhi et al. 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.core.memory import require_memory
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.gram_matrix import empty_gram
from weft.kernels.grams.gappy import checked_decay
from weft.kernels.grams.loops.subsequence import subsequence_rows
from weft.kernels.symbols import SymbolTable, as_coded, form_of


class SubsequenceKernel(Kernel):
    """Common subsequences of n symbols with any gaps: `GappyKernel` without writing the features out.

    An entry costs ``n |x| |y|`` steps, however many subsequences there are. Each skipped symbol counts ``decay``;
    Lodhi's form, which weighs by the whole span, is ``decay ** (2 n)`` times this one.

    Parameters
    ----------
    n : int
        Symbols in a subsequence.
    decay : float
        Factor per skipped symbol, between 0 and 1.
    min_n : int, optional
        Take all lengths from `min_n` to `n`; None means `n` alone.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> kernel = SubsequenceKernel(2, 0.5)
    >>> kernel.gram(["cat"], ["cart", "aba"])
    array([[1.625, 0.   ]])
    >>> kernel.diagonal(["aba"])
    array([2.25])
    """

    def __init__(self, n: int = 3, decay: float = 0.5, min_n: int | None = None, *, n_jobs: int | None = -1) -> None:
        self.n = n
        self.decay = decay
        self.min_n = min_n
        self.n_jobs = n_jobs

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        X = as_coded(X)
        Y = None if Y is None else as_coded(Y, "Y")
        shortest, decay = self._checked(X)
        both = X if Y is None else [*X, *Y]
        table = SymbolTable.learn(both)
        codes, offsets = table.encode(X)
        others, other_offsets = (codes, offsets) if Y is None else table.encode(Y)
        gram = empty_gram(len(X), len(X) if Y is None else len(Y))
        n_parts = effective_jobs(self.n_jobs)
        _require_tables(offsets, other_offsets, min(n_parts, len(X)))
        # Work grows with the length of a row's sequence, and with its number if only half the matrix is computed.
        work = np.cumsum(np.diff(offsets) * (np.arange(1, len(X) + 1) if Y is None else 1))
        cuts = np.searchsorted(work, np.linspace(0, work[-1] if len(work) else 0, n_parts + 1)[1:-1]).tolist()

        def fill(part: tuple[int, int]) -> None:
            subsequence_rows(codes, offsets, others, other_offsets, *part, Y is None, self.n, shortest, decay, gram)

        in_threads(fill, list(zip([0, *cuts], [*cuts, len(X)], strict=True)))
        return gram if Y is not None else np.tril(gram) + np.tril(gram, -1).T

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        X = as_coded(X)
        shortest, decay = self._checked(X)
        codes, offsets = SymbolTable.learn(X).encode(X)
        _require_tables(offsets, offsets, 1)
        found = np.zeros(len(X))
        for i in range(len(X)):
            own, cell = offsets[i : i + 2], found[i : i + 1].reshape(1, 1)
            subsequence_rows(codes, own, codes, own, 0, 1, True, self.n, shortest, decay, cell)
        return found

    def _checked(self, X: Sequence[Any]) -> tuple[int, float]:
        """Shortest length and decay, if all parameters make sense."""
        checked_number("n", self.n)
        shortest = self.n if self.min_n is None else checked_number("min_n", self.min_n)
        if shortest > self.n:
            raise InputError(f"min_n={self.min_n} is above n={self.n}; need min_n <= n: swap them.")
        if form_of(X) == "automata":
            raise InputError("X holds automata; SubsequenceKernel needs strings or lists of tokens: use GappyKernel.")
        return shortest, checked_decay(self.decay)


def _require_tables(offsets: NDArray[np.int64], others: NDArray[np.int64], n_threads: int) -> None:
    """Refuse sequences so long that the two tables of each thread do not fit into memory."""
    rows, columns = (int(np.diff(each).max(initial=0)) for each in (offsets, others))
    require_memory(
        16.0 * rows * columns * n_threads,
        f"tables of sequences of {rows:,} and {columns:,} symbols",
        "take GappyKernel with max_gap, fewer threads (n_jobs), or cut the sequences",
    )

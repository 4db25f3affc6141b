"""Similarity of proteins by all their local alignments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.kernels.aligned.loops.local import local_sums
from weft.kernels.base import Kernel
from weft.kernels.gram_matrix import empty_gram
from weft.kernels.symbols import SymbolTable, as_coded, form_of
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

LANES = 32
"""Sequences that are aligned with another at the same time."""


class LocalAlignmentKernel(Kernel):
    """All local alignments of two sequences, as logarithm: the local alignment kernel (Saigo et al. 2004).

    ``K(x, y) = log(1 + sum over local alignments of exp(beta score)) / beta``, which is the score of Smith and Waterman
    for a large `beta`, and counts all other alignments too for a small one. Matches of similar amino acids count, and
    gaps of any length are allowed, which is what remote families of proteins have in common where few k-mers are.

    Without the logarithm it would be positive semidefinite, but every sequence so similar to itself that nothing is
    learned about others; with it, it need not be. Rows of the matrix are features all the same:
    ``EmpiricalKernelMap(Normalized(LocalAlignmentKernel()))`` is always positive semidefinite. An entry costs
    ``|x| |y|`` steps, about half a nanosecond each, and is right to six digits.

    Parameters
    ----------
    matrix : str or SubstitutionMatrix
        Scores of two symbols beside each other: a name that `SubstitutionMatrix.load` knows, a path, or a matrix.
    gap_open, gap_extend : float
        Score of the first symbol of a gap and of each further one, in the unit of the matrix; not above 0.
    beta : float
        How much the best alignments count beside all others, in the unit of the matrix.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> kernel = LocalAlignmentKernel()
    >>> kernel.gram(["HEAGAWGHEE"], ["HEAGAWGHEE", "PAWHEAE", "PPP"]).round(1)
    array([[62.2, 21. ,  5.9]])

    Leucine is like isoleucine, and not like glycine:

    >>> kernel.gram(["LLLL"], ["IIII", "GGGG"]).round(1)
    array([[11. ,  2.4]])
    """

    def __init__(
        self,
        matrix: str | SubstitutionMatrix = "BLOSUM62",
        gap_open: float = -11.0,
        gap_extend: float = -1.0,
        beta: float = 0.5,
        *,
        n_jobs: int | None = -1,
    ) -> None:
        self.matrix = matrix
        self.gap_open = gap_open
        self.gap_extend = gap_extend
        self.beta = beta
        self.n_jobs = n_jobs

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        X = as_coded(X)
        Y = None if Y is None else as_coded(Y, "Y")
        table, odds = self._odds(X if Y is None else [*X, *Y])
        own = table.encode(X)
        others = own if Y is None else table.encode(Y, "Y")
        gram = empty_gram(len(X), len(others.offsets) - 1)
        # Lanes of similar lengths; on both sides, so that half of a symmetric matrix is what is at or before a lane.
        order, other_order = (np.argsort(np.diff(each.offsets), kind="stable") for each in (own, others))
        parts = [other_order[first : first + LANES] for first in range(0, len(other_order), LANES)]

        def fill(part: int) -> None:
            rows = order if Y is not None else order[: min(len(order), (part + 1) * LANES)]
            local_sums(*own, rows, *others, parts[part], *odds, gram)

        with_longest_first = list(range(len(parts)))[::-1]
        in_threads(fill, with_longest_first, effective_jobs(self.n_jobs))
        if Y is None:
            return self._symmetric(gram, order) / self.beta
        return gram / self.beta

    @staticmethod
    def _symmetric(gram: Floats, order: NDArray[np.int64]) -> Floats:
        """The whole of a matrix of which each row of a longer sequence may lack entries of shorter ones."""
        sorted_gram = np.triu(gram[np.ix_(order, order)])
        whole = np.empty_like(gram)
        whole[np.ix_(order, order)] = sorted_gram + np.triu(sorted_gram, 1).T
        return whole

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        X = as_coded(X)
        table, odds = self._odds(X)
        own = table.encode(X)
        found = np.zeros(len(X))
        for i in range(len(X)):
            one, cell = np.zeros(1, dtype=np.int64), found[i : i + 1].reshape(1, 1)
            own_offsets = own.offsets[i : i + 2]
            local_sums(own.codes, own_offsets, one, own.codes, own_offsets, one, *odds, cell)
        return found / self.beta

    def _odds(self, X: Sequence[Any]) -> tuple[SymbolTable, tuple[NDArray[np.float32], np.float32, np.float32]]:
        """Numbers of symbols, and what each pair of them and each gap multiplies an alignment by."""
        if form_of(X) == "automata":
            raise InputError(
                "X holds automata, which LocalAlignmentKernel does not align; need strings or lists of tokens: use "
                "NGramKernel."
            )
        beta: Any = self.beta
        if isinstance(beta, bool) or not isinstance(beta, int | float | np.number) or not 0 < beta < np.inf:
            raise InputError(f"beta={beta!r} given; need a number above 0, such as 0.5.")
        for name in ("gap_open", "gap_extend"):
            score: Any = getattr(self, name)
            if isinstance(score, bool) or not isinstance(score, int | float | np.number) or not -np.inf < score <= 0:
                raise InputError(f"{name}={score!r} given; need a number of at most 0, as it is added to scores.")
        matrix = self.matrix if isinstance(self.matrix, SubstitutionMatrix) else SubstitutionMatrix.load(self.matrix)
        table = SymbolTable.learn(X)
        if len(table) and not set(table.symbols) & set(matrix.alphabet):
            raise InputError(
                f"X has none of the symbols of the matrix, but {table.symbols[0]!r}; need such as "
                f"{matrix.alphabet[0]!r}: give proteins in upper case, or another matrix."
            )
        scores = np.asarray(matrix.checked().over(table.symbols).values, dtype=np.float64)
        if not (np.abs(beta * scores) < 30.0).all():
            raise InputError(
                f"beta={beta!r} times the scores of the matrix is above 30 or not a number; need less: take a smaller "
                "beta, or scores of usual size."
            )
        odds = np.zeros((table.base, table.base), dtype=np.float32)
        odds[1:-1, 1:-1] = np.exp(beta * scores)
        gaps = np.exp(beta * np.array([self.gap_open, self.gap_extend])).astype(np.float32)
        return table, (odds, gaps[0], gaps[1])

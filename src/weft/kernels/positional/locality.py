"""Windows of two sequences at the same place, compared by products of their symbols."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from weft.core.checks import checked_number
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.gram_matrix import empty_gram
from weft.kernels.positional.loops.placed import locality_rows
from weft.kernels.symbols import SymbolTable, as_coded, form_of

MOST_DEGREE = 100


class LocalityImprovedKernel(Kernel):
    """Common symbols in windows at the same place: the locality-improved kernel (Zien et al. 2000).

    ``K(x, y) = (sum over p of (sum over j = -w .. w of v_j [x and y have one symbol at p + j]) ** inner) ** outer``.
    The weights v fall from the centre of a window to its ends, as ``w + 1 - |j|``, and add up to 1. `inner` correlates
    symbols that are at most 2w apart, `outer` any of them. Unlike `WeightedDegreeKernel` it forgives single changes.

    Places count from the first symbol; where one sequence has ended, nothing is in common, so that lengths may differ.
    The value of an empty sequence is 0 with all others. There are no explicit features: an entry costs
    ``(2 w + 1) min(|x|, |y|)`` steps.

    Parameters
    ----------
    width : int
        Symbols on either side of the centre of a window.
    inner : int
        Power of each window's sum.
    outer : int
        Power of the whole sum.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> kernel = LocalityImprovedKernel(1, inner=2)
    >>> kernel.gram(["GATT"], ["GATT", "GACT", "AGAT"])
    array([[3.125 , 1.625 , 0.3125]])
    """

    def __init__(self, width: int = 4, inner: int = 4, outer: int = 1, *, n_jobs: int | None = -1) -> None:
        self.width = width
        self.inner = inner
        self.outer = outer
        self.n_jobs = n_jobs

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        X = as_coded(X)
        Y = None if Y is None else as_coded(Y, "Y")
        settings = self._settings(X)
        table = SymbolTable.learn(X if Y is None else [*X, *Y])
        codes, offsets = table.encode(X)
        others, other_offsets = (codes, offsets) if Y is None else table.encode(Y)
        gram = empty_gram(len(X), len(X) if Y is None else len(Y))
        # Work grows with the length of a row's sequence, and with its number if only half the matrix is computed.
        work = np.cumsum(np.diff(offsets) * (np.arange(1, len(X) + 1) if Y is None else 1))
        shares = np.linspace(0, work[-1] if len(work) else 0, effective_jobs(self.n_jobs) + 1)[1:-1]

        def fill(part: tuple[int, int]) -> None:
            locality_rows(codes, offsets, others, other_offsets, *part, Y is None, *settings, gram)

        in_threads(fill, list(pairwise([0, *np.searchsorted(work, shares).tolist(), len(X)])))
        return gram if Y is not None else np.tril(gram) + np.tril(gram, -1).T

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        X = as_coded(X)
        settings = self._settings(X)
        codes, offsets = SymbolTable.learn(X).encode(X)
        found = np.zeros(len(X))
        for i in range(len(X)):
            own, cell = offsets[i : i + 2], found[i : i + 1].reshape(1, 1)
            locality_rows(codes, own, codes, own, 0, 1, True, *settings, cell)
        return found

    def _settings(self, X: Sequence[Any]) -> tuple[Floats, int, int]:
        """Weights and powers, if all parameters make sense."""
        width = 0 if self.width == 0 and not isinstance(self.width, bool) else checked_number("width", self.width)
        for name in ("inner", "outer"):
            if checked_number(name, getattr(self, name)) > MOST_DEGREE:
                raise InputError(f"{name}={getattr(self, name)} given; need at most {MOST_DEGREE}: powers grow large.")
        if form_of(X) == "automata":
            raise InputError(
                "X holds automata, whose symbols have no places; LocalityImprovedKernel needs strings or lists of "
                "tokens: use NGramKernel."
            )
        weights = width + 1.0 - np.abs(np.arange(-width, width + 1))
        return weights / weights.sum(), int(self.inner), int(self.outer)

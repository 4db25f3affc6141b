"""A substitution matrix and its gap costs, in the forms that other programs read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import InputError

__all__ = ["SubstitutionMatrix"]


@dataclass(frozen=True, eq=False)
class SubstitutionMatrix:
    """Score of each pair of symbols, labelled.

    Attributes
    ----------
    alphabet : tuple of symbols
    values : ndarray of shape (n_symbols, n_symbols)
        Symmetric.
    gap_open, gap_extend : float
        Score of the first symbol of a gap and of each further one, as Biopython's ``open_gap_score`` and
        ``extend_gap_score``; parasail takes them without sign.

    Examples
    --------
    >>> matrix = SubstitutionMatrix(("A", "C"), np.array([[2.0, -1.0], [-1.0, 3.0]]), -2.5, -0.5)
    >>> matrix["A", "C"]
    -1.0
    >>> print(matrix.to_text())
        A   C
    A   2  -1
    C  -1   3
    """

    alphabet: tuple[Any, ...]
    values: Floats
    gap_open: float
    gap_extend: float

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        try:
            first, second = (self.alphabet.index(symbol) for symbol in pair)
        except ValueError:
            raise InputError(f"{pair!r} has a symbol that is not in the alphabet {self.alphabet!r}.") from None
        return float(self.values[first, second])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    def to_dict(self) -> dict[tuple[Any, Any], float]:
        """Score of each ordered pair of symbols."""
        return {(a, b): self[a, b] for a in self.alphabet for b in self.alphabet}

    def scaled(self, factor: float) -> SubstitutionMatrix:
        """All scores times a number and rounded: programs with whole numbers need it, and alignments hardly change.

        Examples
        --------
        >>> SubstitutionMatrix(("A",), np.array([[0.33]]), -1.04, -0.1).scaled(10).values
        array([[3.]])
        """
        return SubstitutionMatrix(
            self.alphabet,
            np.round(self.values * factor) + 0.0,  # no -0.0
            float(np.round(self.gap_open * factor)),
            float(np.round(self.gap_extend * factor)),
        )

    def to_text(self, decimals: int = 4) -> str:
        """The matrix in the text form of NCBI, which Biopython and parasail read; gap costs are not part of it.

        Parameters
        ----------
        decimals : int
            Digits to keep; matrices of whole numbers are written as such. parasail takes only those: see `scaled`.
        """
        names = [str(symbol) for symbol in self.alphabet]
        if any(len(name) != 1 or name.isspace() or name == "#" for name in names):
            raise InputError(f"the text form has one letter per symbol, but the alphabet is {names!r}; use to_dict().")
        whole = bool((self.values == np.round(self.values)).all())
        cells = [[f"{value:.0f}" if whole else f"{value:.{decimals}f}" for value in row] for row in self.values]
        width = max(3, *(len(cell) for row in cells for cell in row)) + 1
        lines = ["".join([" ", *(f"{name:>{width}}" for name in names)])]
        lines += [name + "".join(f"{cell:>{width}}" for cell in row) for name, row in zip(names, cells, strict=True)]
        return "\n".join(lines)

    to_biopython_text = to_text

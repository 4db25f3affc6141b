"""Substitution matrices and their gap costs: the usual ones by name, and the forms that other programs read."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.arrays import Floats
from weft.errors import InputError
from weft.parameters import Parameters
from weft.sequences.formats.text import Source, Target, write_lines
from weft.spelling import did_you_mean
from weft.structures.alignment.matrix_files import read_matrix, written_matrix

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
HALF_BIT = float(np.log(2.0) / 2.0)
"""The unit of BLOSUM62: times this, its scores are natural logarithms of odds."""
FOLDER = Path(__file__).parent / "matrices"
GAP_OPEN, GAP_EXTEND = -18.0 * HALF_BIT, -1.0 * HALF_BIT
"""Scores of gaps of matrices that have none of their own, as natural logarithms: those with which BLOSUM62 aligns half
of the pairs of PREFAB best by expected accuracy (`python -m benchmarks.defaults` measures them on the other half)."""
ANY = "X"
"""The symbol of a matrix that stands for all."""


class SubstitutionMatrix(Parameters):
    """Score of each pair of symbols, labelled.

    Parameters
    ----------
    alphabet : tuple of symbols
    values : ndarray of shape (n_symbols, n_symbols)
        Symmetric.
    gap_open, gap_extend : float
        Score of the first symbol of a gap and of each further one, as Biopython's ``open_gap_score`` and
        ``extend_gap_score``; parasail takes them without sign.
    scale : float
        Unit of the scores: times this, they are natural logarithms of odds; 1 for learned ones, ln(2) / 2 for BLOSUM62.

    Examples
    --------
    >>> import weft
    >>> blosum62 = weft.SubstitutionMatrix.load("BLOSUM62")
    >>> blosum62["W", "W"], blosum62["L", "I"], round(blosum62.scale, 4)
    (11.0, 2.0, 0.3466)
    >>> matrix = weft.SubstitutionMatrix(("A", "C"), [[2.0, -1.0], [-1.0, 3.0]], -2.5, -0.5)
    >>> print(matrix.to_text())
        A   C
    A   2  -1
    C  -1   3
    """

    def __init__(
        self,
        alphabet: Sequence[Hashable],
        values: ArrayLike,
        gap_open: float = 0.0,
        gap_extend: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        self.alphabet = alphabet
        self.values = values
        self.gap_open = gap_open
        self.gap_extend = gap_extend
        self.scale = scale

    @staticmethod
    def names() -> list[str]:
        """Matrices that `load` knows.

        Examples
        --------
        >>> SubstitutionMatrix.names()[:3]
        ['BLOSUM45', 'BLOSUM50', 'BLOSUM62']
        """
        found = [path.stem for path in FOLDER.glob("*.txt")]
        return sorted(found, key=lambda name: (name.rstrip("0123456789"), int(name.lstrip("ABLMOPSU"))))

    @classmethod
    def load(
        cls, name: str | os.PathLike[str], gap_open: float | None = None, gap_extend: float | None = None
    ) -> SubstitutionMatrix:
        """A usual matrix by its name, or any from a file in the form of NCBI.

        The matrices of NCBI have 24 symbols: twenty amino acids, B (D or N), Z (E or Q), X (any) and ``*`` (a stop).

        Parameters
        ----------
        name : str or path
            BLOSUM45, 50, 62, 80, 90, PAM30, 70, 120, 250; else a path.
        gap_open, gap_extend : float, optional
            Scores of gaps in the unit of the matrix; None means what the file says, as those that weft writes do, or
            what suits BLOSUM62.

        Examples
        --------
        >>> matrix = SubstitutionMatrix.load("PAM250", gap_open=-14, gap_extend=-2)
        >>> len(matrix.alphabet), matrix["B", "D"], matrix["A", "*"]
        (24, 3.0, -8.0)
        """
        if isinstance(name, str) and name.upper() in cls.names():
            return cls.read(FOLDER / f"{name.upper()}.txt", gap_open, gap_extend)
        if not isinstance(name, str | os.PathLike):
            raise InputError(f"{name!r} is not a matrix; the name of one is needed, such as 'BLOSUM62', or a path.")
        if not Path(name).exists() and os.sep not in str(name) and not Path(name).suffix:
            near = did_you_mean(str(name).upper(), cls.names())
            raise InputError(
                f"{str(name)!r} is not a matrix that weft knows{f', did you mean {near!r}' if near else ''}; there are "
                f"{', '.join(cls.names())}, or give the path of a file."
            )
        return cls.read(name, gap_open, gap_extend)

    @classmethod
    def read(cls, source: Source, gap_open: float | None = None, gap_extend: float | None = None) -> SubstitutionMatrix:
        r"""A matrix from a file or stream in the form of NCBI.

        Its unit is what the comments say (``in 1/3 Bit Units``, ``scale = ln(2)/2``), as NCBI's do, or else that in
        which the odds of symbols that are all as frequent sum to one.

        Examples
        --------
        >>> import io
        >>> matrix = SubstitutionMatrix.read(io.StringIO("  A C\nA 2 -3\nC -3 2\n"), gap_open=-5, gap_extend=-1)
        >>> matrix["A", "C"], round(matrix.scale, 2)
        (-3.0, 0.16)
        """
        text = read_matrix(source)
        scale = text.scale or _unit_of_odds(text.values)
        own = text.gaps or (float(np.round(GAP_OPEN / scale, 1)), float(np.round(GAP_EXTEND / scale, 1)))
        opening, extension = (
            mine if given is None else given for mine, given in zip(own, (gap_open, gap_extend), strict=True)
        )
        return cls(text.alphabet, text.values, opening, extension, scale)

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        try:
            first, second = (self.alphabet.index(symbol) for symbol in pair)
        except ValueError:
            raise InputError(f"{pair!r} has a symbol that is not in the alphabet {self.alphabet!r}.") from None
        return float(np.asarray(self.values)[first, second])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    def checked(self) -> SubstitutionMatrix:
        """The same, with scores that are finite numbers and symmetric; refused otherwise."""
        values = np.asarray(self.values, dtype=np.float64)
        if values.shape != (len(self.alphabet),) * 2 or not np.array_equal(values, values.T):
            raise InputError(
                f"the matrix has shape {values.shape} and {len(self.alphabet)} symbols, or is not symmetric; a score "
                "for each unordered pair of symbols is needed."
            )
        if not 0.0 < self.scale < np.inf:
            raise InputError(f"scale is {self.scale!r}; a positive number is needed, such as 1 or ln(2) / 2.")
        return SubstitutionMatrix(tuple(self.alphabet), values, self.gap_open, self.gap_extend, self.scale)

    def over(self, alphabet: Iterable[Any]) -> SubstitutionMatrix:
        """The scores of other symbols: those that the matrix lacks score as X does, which stands for any.

        Examples
        --------
        >>> matrix = SubstitutionMatrix.load("BLOSUM62").over("ACU")
        >>> matrix["A", "C"], matrix["A", "U"]
        (0.0, 0.0)
        """
        symbols = tuple(alphabet)
        lacking = [symbol for symbol in symbols if symbol not in self.alphabet]
        if lacking and ANY not in self.alphabet:
            raise InputError(
                f"the matrix has no {lacking[0]!r}, and no {ANY!r} whose scores it could have; drop the symbol, or add "
                "it to the matrix."
            )
        places = [self.alphabet.index(symbol if symbol in self.alphabet else ANY) for symbol in symbols]
        values = np.asarray(self.values, dtype=np.float64)[np.ix_(places, places)]
        return SubstitutionMatrix(symbols, values, self.gap_open, self.gap_extend, self.scale)

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
            np.round(np.asarray(self.values) * factor) + 0.0,  # no -0.0
            float(np.round(self.gap_open * factor)),
            float(np.round(self.gap_extend * factor)),
            self.scale / factor,
        )

    def to_text(self, decimals: int = 4) -> str:
        """The matrix in the text form of NCBI, which Biopython and parasail read; gap costs are not part of it.

        Parameters
        ----------
        decimals : int
            Digits to keep; matrices of whole numbers are written as such. parasail takes only those: see `scaled`.
        """
        return written_matrix(self.alphabet, np.asarray(self.values), decimals)

    def to_lines(self, decimals: int = 4) -> list[str]:
        """The lines of a file in that form, with unit and scores of gaps in comments."""
        gaps = f"# gap open {self.gap_open:.6g}, extend {self.gap_extend:.6g}"
        return [gaps, f"# scale = {self.scale:.8g}", *self.to_text(decimals).splitlines()]

    def write(self, target: Target, decimals: int = 4) -> None:
        """Write a file of these lines, which `load` reads again.

        Examples
        --------
        >>> import io
        >>> matrix = SubstitutionMatrix.load("BLOSUM62", gap_open=-12)
        >>> matrix.write(file := io.StringIO())
        >>> again = SubstitutionMatrix.read(io.StringIO(file.getvalue()))
        >>> bool((again.values == matrix.values).all()), again.gap_open
        (True, -12.0)
        """
        write_lines(self.to_lines(decimals), target)


def _unit_of_odds(values: Floats) -> float:
    """The number times which scores are logarithms of odds, if all symbols are as frequent; 1 if there is none.

    Odds sum to one (Karlin and Altschul 1990): the mean of ``exp(unit * score)`` is 1, for a unit above 0, if the mean
    score is negative and one is positive.
    """
    if not (values.mean() < 0.0 < values.max()):
        return 1.0
    low, high = 0.0, 1.0 / float(values.max())
    while np.exp(high * values).mean() < 1.0:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if np.exp(middle * values).mean() < 1.0 else (low, middle)
    return (low + high) / 2.0

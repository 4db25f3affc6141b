"""Runs of every length up to n, each length alike, with the ends of a sequence marked: the default of `SequenceSVC`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.automata import Automaton, concatenate
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.feature_map import FeatureMap, MapState, Spans, UnionFeatureMap, part_state
from weft.kernels.grams.ngram import NGramKernel
from weft.kernels.symbols import as_coded, form_of

START, END = "\ufdd0", "\ufdd1"
"""Marks of the ends: code points that Unicode keeps free for uses such as this one."""
SHOWN = (("^", "$"), ("⊢", "⊣"), ("<start>", "<end>"))
"""How names show them: as the first that are no part of a name."""


class BlendedSpectrumKernel(Kernel):
    """Mean over lengths of the cosines of counts: ``K(x, y) = 1/m sum over k of cos(counts_k(x), counts_k(y))``.

    N-grams of ``min_n`` to ``n`` symbols, m lengths in all, have equal weight by length, however many there are of
    each: short ones distinguish short sequences, which share no long ones, and long ones distinguish long sequences,
    which share all short ones. Shawe-Taylor and Cristianini (2004, section 11.2) call it a blend of spectra.

    Parameters
    ----------
    n : int
        Length of the longest runs.
    min_n : int
        Length of the shortest.
    ends : bool
        Mark where a sequence begins and ends, as a symbol of runs of two and more, so that prefixes and suffixes are
        features of their own; names show them as ``^`` and ``$``.
    sublinear : bool
        Take ``1 + log(count)`` for each count; lattices, whose counts are expectations, need ``sublinear=False``.
    idf, dtype, n_jobs
        As in `NGramKernel`.

    Examples
    --------
    >>> kernel = BlendedSpectrumKernel(2)
    >>> kernel.gram(["ab"], ["ab", "ba", "xab", ""]).round(3)
    array([[1.   , 0.5  , 0.697, 0.   ]])
    >>> kernel.feature_map(["ab"])[0].names()
    ['a', 'b', 'ab', 'b$', '^a']
    """

    def __init__(
        self,
        n: int = 5,
        min_n: int = 1,
        *,
        ends: bool = True,
        idf: bool = False,
        sublinear: bool = True,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.n = n
        self.min_n = min_n
        self.ends = ends
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    @property
    def has_features(self) -> bool:
        """Runs are explicit features."""
        return True

    @property
    def learns_weights(self) -> bool:
        """With `idf`, values depend on the training data."""
        return bool(self.idf)

    def _lengths(self) -> range:
        checked_number("n", self.n)
        if checked_number("min_n", self.min_n) > self.n:
            raise InputError(f"min_n={self.min_n} is above n={self.n}; need min_n <= n: lower min_n, or raise n.")
        if not isinstance(self.ends, bool | np.bool_):
            raise InputError(f"ends={self.ends!r} given; need True or False.")
        return range(self.min_n, self.n + 1)

    def _spectrum(self, n: int) -> Kernel:
        """Cosines of the counts of one length."""
        weights = {"idf": self.idf, "sublinear": self.sublinear}
        return Normalized(NGramKernel(n, dtype=self.dtype, n_jobs=self.n_jobs, **weights))

    def _marked_lengths(self) -> list[bool]:
        """For each length whether its runs have marks: alone, a mark would be a feature that all sequences share."""
        return [bool(self.ends) and n > 1 for n in self._lengths()]

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Columns of each length, short ones first, and the rows of `X`."""
        marks = self._marked_lengths()
        sides = _sides(as_coded(X), marks)
        learned = [self._spectrum(n).feature_map(side) for n, side in zip(self._lengths(), sides, strict=True)]
        maps, rows = zip(*learned, strict=True)
        return BlendedMap(maps, marks), _blend(rows)

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        maps = [self._spectrum(n).restore_feature_map(part_state(state, i)) for i, n in enumerate(self._lengths())]
        return BlendedMap(maps, self._marked_lengths())

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """Share of the lengths of which each sequence has a run."""
        self._check_sides(X)
        sides = _sides(as_coded(X), self._marked_lengths())
        own = [self._spectrum(n).diagonal(side) for n, side in zip(self._lengths(), sides, strict=True)]
        return np.asarray(np.mean(own, axis=0))


class BlendedMap(UnionFeatureMap):
    """The columns of each length, some of which are learned on marked sequences.

    Parameters
    ----------
    parts : list of FeatureMap
        One for each length.
    marks : list of bool
        Which of them know marks.
    """

    def __init__(self, parts: Sequence[FeatureMap], marks: Sequence[bool]) -> None:
        super().__init__(parts)
        self.marks = list(marks)

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped runs included."""
        sides = _sides(as_coded(X), self.marks)
        rows, norms = zip(
            *(part.transform_with_norms(side) for part, side in zip(self.parts, sides, strict=True)), strict=True
        )
        return _blend(rows), np.asarray(np.mean(norms, axis=0))

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence, and ``K(x, x)``."""
        row = self._joined_row([side[0] for side in _sides(as_coded([x]), self.marks)])
        if row is None:
            return None
        values, columns, norm = row
        return values * len(self.parts) ** -0.5, columns, norm / len(self.parts)

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """All lengths grown."""
        parts, places = self._grown_parts(_sides(as_coded(X), self.marks))
        return BlendedMap(parts, self.marks), places

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Some columns only."""
        return BlendedMap(self._selected_parts(columns), self.marks)

    def names(self) -> list[str]:
        """Runs as text, marks as ``^`` and ``$``, or as others that no run has."""
        names = super().names()
        text = "".join(names)
        start, end = next((each for each in SHOWN if each[0] not in text and each[1] not in text), (START, END))
        return [name.replace(START, start).replace(END, end) for name in names]

    def spans(self, sequence: Any) -> Spans:
        """Where the known runs occur, as far as they are in the sequence itself."""
        [sequence] = as_coded([sequence], "sequences")
        sides = [side[0] for side in _sides([sequence], self.marks)]
        found = self._joined_spans(sides, [-int(mark) for mark in self.marks])
        start, stop = (np.clip(each, 0, len(sequence)) for each in (found.start, found.stop))
        inside = start < stop
        return Spans(start[inside], stop[inside], found.column[inside])


def _blend(rows: Sequence[scipy.sparse.csr_array]) -> scipy.sparse.csr_array:
    """Rows of all lengths side by side, divided so that their products are means."""
    joined = scipy.sparse.hstack(rows, format="csr")
    joined.data *= len(rows) ** -0.5
    return joined


def _sides(X: list[Any], marks: Sequence[bool]) -> list[list[Any]]:
    """The sequences for each length: as they are, or marked."""
    with_marks = marked(X) if any(marks) else X
    return [with_marks if mark else X for mark in marks]


def marked(X: list[Any]) -> list[Any]:
    r"""Sequences with a mark before and after them; empty ones stay empty, and so without features.

    Examples
    --------
    >>> [(ascii(text), len(text)) for text in marked(["ab"])]
    [("'\\ufdd0ab\\ufdd1'", 4)]
    >>> len(marked([["to", "be"]])[0])
    4
    """
    form = form_of(X)
    if form == "characters":
        return [f"{START}{text}{END}" if text else "" for text in X]
    if form == "tokens":
        return [[START, *tokens, END] if len(tokens) else [] for tokens in X]
    return [
        concatenate(
            Automaton.from_string([START], semiring=lattice.semiring),
            lattice,
            Automaton.from_string([END], semiring=lattice.semiring),
        )
        if lattice.n_arcs
        else lattice
        for lattice in X
    ]

"""Gapped k-mers: windows of g symbols of which k are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.automata import Automaton
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.loops.emitting import emit_filtered, emit_masked
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable

MOST = 2**16
"""Features of a window, at the most."""


class GappedKMerKernel(GramKernel):
    """Common windows of g symbols, of which ``g - k`` may be anything: the kernel of gkm-SVM and FastSK.

    Every window gives ``C(g, k)`` features, one for each choice of the k positions that count. Two windows that
    differ in d places so share ``C(g - d, k)`` features: a mismatch kernel whose cost does not depend on the alphabet.

    Two options are those of gkm-SVM and LS-GKM, for DNA. With `filtered`, features are whole windows of g letters, and
    counts are estimated from those of gapped k-mers (Ghandi et al. 2014): a window counts for those that differ from it
    in m places as `estimated_counts` says, up to the first m where this is not positive. That is their truncated
    filter; the kernel is complete, where LS-GKM leaves out pairs of windows that differ in more than d = 3 places (for
    g = 11 and k = 7 those of 4, which count a two-thousandth). With `half_life`, windows count by their distance from
    the centre of the sequence, which for peaks of ChIP-seq is where the site is; LS-GKM rounds these weights.
    `WindowPairKernel` does either as LS-GKM does, without features.

    Parameters
    ----------
    g : int
        Length of the windows.
    k : int
        Positions that count.
    reverse_complement : bool
        Take a window of DNA and its reverse complement for one, as binding sites lie on both strands.
    half_life : float, optional
        A window whose centre is this many symbols farther from the centre of the sequence counts half as much; None
        for equal weights.
    filtered : bool
        Estimate counts of windows from those of gapped k-mers. Windows with other letters than A, C, G and T (or U) are
        left out.
    idf : bool
        Weigh each gram by ``1 + log((1 + n) / (1 + df))``, where df of the n training sequences have it; grams unseen
        in training count nothing.
    sublinear : bool
        Take ``1 + log(count)`` for each count.
    dtype : {"float64", "float32"}
        Type of the features.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> mapped, rows = GappedKMerKernel(3, 2).feature_map(["GATT"])
    >>> mapped.names()
    ['·AT', '·TT', 'A·T', 'AT·', 'G·T', 'GA·']
    >>> GappedKMerKernel(3, 2).gram(["GATT"], ["GAT", "GCT"])
    array([[3., 1.]])
    >>> GappedKMerKernel(3, 2, half_life=0.5).gram(["GATT"], ["GAT", "TGCT"])
    array([[1.5 , 0.25]])
    """

    def __init__(
        self,
        g: int = 10,
        k: int = 6,
        *,
        reverse_complement: bool = False,
        half_life: float | None = None,
        filtered: bool = False,
        idf: bool = False,
        sublinear: bool = False,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.g = g
        self.k = k
        self.reverse_complement = reverse_complement
        self.half_life = half_life
        self.filtered = filtered
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("g", self.g)
        if checked_number("k", self.k) > self.g:
            raise InputError(f"k={self.k} is above g={self.g}; need k <= g: of g positions, k count.")
        half: Any = self.half_life
        if half is not None and (
            isinstance(half, bool) or not isinstance(half, int | float | np.number) or not 0 < half < np.inf
        ):
            raise InputError(f"half_life={half!r} given; need a number above 0, or None for equal weights.")
        if not isinstance(self.filtered, bool | np.bool_):
            raise InputError(f"filtered={self.filtered!r} given; need True or False.")

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """Whether windows, or what they count for, have weights."""
        return self.half_life is not None or bool(self.filtered)

    def _table(self, X: Sequence[Any]) -> SymbolTable:
        table = SymbolTable.learn(X)
        if self.filtered:
            table = SymbolTable(table.form, sorted({*table.symbols, *_letters(table)}, key=str))
        if not self.reverse_complement:
            return table
        other_strand = set(map(_complement_in(table), table.symbols))
        return SymbolTable(table.form, sorted(other_strand.union(table.symbols)))

    def _width(self) -> int:
        return int(self.g)

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        each = comb(self.g, self.k)
        if self.filtered:
            each = sum(comb(self.g, m) * 3**m for m in range(len(self._filter())))
            if each > MOST:
                raise InputError(
                    f"g={self.g}, k={self.k} with filtered=True give {each:.0e} features per window; need at most "
                    f"{MOST:.0e}: take a larger k, or a smaller g."
                )
        return np.asarray(np.maximum(lengths - self.g + 1, 0) * each)

    def _filter(self) -> Floats:
        """Weight of a window for those that differ in 0, 1, ... places, as long as it is positive."""
        found = estimated_counts(int(self.g), int(self.k))
        return np.array(found[: next((m for m, value in enumerate(found) if value <= 0), len(found))])

    def _window_weights(self, offsets: NDArray[np.int64]) -> Floats:
        """Weight of each window, one sequence after the other."""
        lengths = np.diff(offsets)
        counts = np.maximum(lengths - self.g + 1, 0)
        if self.half_life is None:
            return np.ones(int(counts.sum()))
        first = np.cumsum(counts) - counts
        place = np.arange(int(counts.sum())) - np.repeat(first, counts)
        distance = np.abs(2 * place + self.g - np.repeat(lengths, counts)) / 2.0
        return np.asarray(0.5 ** (distance / float(self.half_life)))

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        complements = _complements(table) if self.reverse_complement else np.empty(0, dtype=np.int64)
        if self.filtered:
            letters = np.array([table.number(letter) for letter in _letters(table)])
            windows = self._window_weights(offsets)
            emit_filtered(codes, offsets, self.g, letters, self._filter(), windows, complements, table.base, *block)
            return
        positions = np.array(list(combinations(range(self.g), self.k)), dtype=np.int64)
        emit_masked(codes, offsets, self.g, positions, complements, table.base, block.keys, block.offsets)
        if self.half_life is not None:
            block.weights[: block.offsets[-1]] = np.repeat(self._window_weights(offsets), len(positions))

    def _lattice_occurrences(self, X: Sequence[Automaton], table: SymbolTable) -> Occurrences:
        if self.weighted:
            raise InputError(
                "X holds automata, whose windows have no places and no single letters; need strings with half_life or "
                "filtered: leave them out."
            )
        return super()._lattice_occurrences(X, table)


def estimated_counts(g: int, k: int, n_letters: int = 4) -> list[float]:
    """What a window of g letters adds to the estimated count of one that differs in m places, m = 0 .. g.

    Of all counts of windows that have the given counts of gapped k-mers, the smallest are taken. That is a projection,
    onto functions of at most k letters; its entries are sums of Krawtchouk polynomials, divided by that of m = 0.

    Examples
    --------
    >>> [round(value, 4) for value in estimated_counts(11, 7)[:4]]
    [1.0, 0.2182, 0.0145, -0.0081]
    """
    others = n_letters - 1
    sums = [
        sum(
            (-1) ** i * others ** (j - i) * comb(m, i) * comb(g - m, j - i)
            for j in range(k + 1)
            for i in range(min(j, m) + 1)
        )
        for m in range(g + 1)
    ]
    return [each / sums[0] for each in sums]


def _letters(table: SymbolTable) -> list[str]:
    """The four letters of DNA, or of RNA."""
    letters = list("ACGU" if "U" in table.symbols and "T" not in table.symbols else "ACGT")
    if not set(letters) & set(table.symbols):
        raise InputError("filtered=True given, but none of the letters A, C, G and T; need DNA in upper case.")
    return letters


def _complements(table: SymbolTable) -> NDArray[np.int64]:
    """Number of the symbol on the other strand."""
    own = [table.number(other) for other in map(_complement_in(table), table.symbols)]
    return np.array([0, *own, table.unknown], dtype=np.int64)


def _complement_in(table: SymbolTable) -> Callable[[Any], Any]:
    """What pairs with a symbol; what has no complement, such as N, is its own."""
    pairs = dict(zip("ACGTUacgtu", "TGCAAtgcaa", strict=True))
    if "U" in table.symbols or "u" in table.symbols:
        pairs |= {"A": "U", "a": "u"}
    return lambda symbol: pairs.get(symbol, symbol)

"""Common grams at the same place: kernels for sites in aligned sequences."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.automata import Automaton
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.feature_map import FeatureMap, MapState
from weft.kernels.grams.kernel import UNKNOWN, GramFeatureMap, GramKernel, renumbered
from weft.kernels.grams.long import digits_of
from weft.kernels.grams.rows import Occurrences
from weft.kernels.positional.loops.placed import emit_placed
from weft.kernels.positional.shifts import shift_taps
from weft.kernels.symbols import SymbolTable

ANCHORS = ("start", "centre", "end")
MOST_SHIFT = 1_000


class WeightedDegreeKernel(GramKernel):
    """Common grams of up to n symbols at the same place, or a few places apart.

    ``K(x, y) = sum over k = 1 .. n of b_k sum over i of [x and y have the same k symbols from place i on]`` with
    ``b_k = 2 (n - k + 1) / (n (n + 1))`` (Rätsch and Sonnenburg 2004). With `shift`, grams that are s places apart, in
    either direction, count ``1 / (2 (s + 1))`` as much (Rätsch, Sonnenburg and Schölkopf 2005). For sequences that are
    aligned by what they share, such as the surroundings of splice sites.

    Both have explicit sparse features, a gram and a place each: ``GAT@3`` begins at place 3. Places are counted from
    the anchor, and sequences need not have equal lengths: where one has ended, nothing is in common. An empty sequence
    has no features. Symbols unseen in training match nothing.

    Parameters
    ----------
    n : int
        Length of the longest grams.
    shift : int
        Places that common grams may be apart.
    min_n : int
        Length of the shortest grams.
    anchor : {"start", "centre", "end"}
        Where place 0 is: the first symbol, the one at ``len(x) // 2``, or behind the last one.
    dtype : {"float64", "float32"}
        Type of the features.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> kernel = WeightedDegreeKernel(2)
    >>> kernel.gram(["GATT"], ["GATT", "GACT", "CATT", "AGAT"]).round(3)
    array([[3.667, 2.333, 2.667, 0.667]])
    >>> WeightedDegreeKernel(2, shift=1).gram(["GATT"], ["AGAT"]).round(3)
    array([[1.5]])
    >>> kernel.feature_map(["GAT"])[0].names()
    ['G@0', 'GA@0', 'A@1', 'AT@1', 'T@2']
    """

    idf = sublinear = False
    weighted = True

    def __init__(
        self,
        n: int = 8,
        shift: int = 0,
        min_n: int = 1,
        *,
        anchor: str = "start",
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.n = n
        self.shift = shift
        self.min_n = min_n
        self.anchor = anchor
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("n", self.n)
        if checked_number("min_n", self.min_n) > self.n:
            raise InputError(f"min_n={self.min_n} is above n={self.n}; need min_n <= n: swap them.")
        shift: Any = self.shift
        whole = isinstance(shift, int | np.integer) and not isinstance(shift, bool)
        if not whole or not 0 <= shift <= MOST_SHIFT:
            raise InputError(f"shift={shift!r} given; need an integer from 0 to {MOST_SHIFT:,}: 0 for none.")
        if self.anchor not in ANCHORS:
            raise InputError(f"anchor={self.anchor!r} given; need 'start', 'centre' or 'end'.")

    def _width(self) -> int:
        return int(self.n)

    def _restored(self, state: MapState) -> FeatureMap:
        self._check()
        return super()._restored(state)

    def _map(self, table: SymbolTable, keys: NDArray[np.uint64]) -> GramFeatureMap:
        return PlacedGramMap(self, table, keys)

    def _n_places(self, table: SymbolTable) -> int:
        """Places that fit into keys of 64 bits besides grams."""
        return int(min((2**64 - 1) // table.base ** self._width(), 2**62))

    def _n_keys(self, table: SymbolTable) -> int:
        return int(self._n_places(table) * table.base ** self._width())

    def _zero(self, n_places: int) -> int:
        """Number of the anchor's place."""
        return {"start": int(self.shift), "centre": n_places // 2, "end": n_places}[self.anchor]

    def _origins(self, lengths: NDArray[np.int64], table: SymbolTable) -> NDArray[np.int64]:
        """Number of the first place of each sequence."""
        before = {"start": lengths * 0, "centre": lengths // 2, "end": lengths}[self.anchor]
        origins = np.asarray(self._zero(self._n_places(table)) - before)
        some = lengths > 0
        self._check_places(np.concatenate([origins[some] - self.shift, (origins + lengths - 1)[some]]), table)
        return origins

    def _check_places(self, places: NDArray[np.int64], table: SymbolTable) -> None:
        n_places = self._n_places(table)
        if ((places < 0) | (places >= n_places)).any():
            raise InputError(
                f"grams of {self.n} out of {len(table)} symbols given, at more places than the {n_places:,} that fit "
                "into 64 bits with them; take a smaller n, or shorter sequences."
            )

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        grams = sum(np.maximum(lengths - k + 1, 0) for k in range(self.min_n, self.n + 1))
        return np.asarray(grams * (self.shift + 1), dtype=np.int64)

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        self._emit_with(codes, offsets, table, block, np.zeros((2, 0), dtype=np.int64))

    def _emit_with(self, codes: Any, offsets: Any, table: SymbolTable, block: Occurrences, spans: Any) -> None:
        n = int(self.n)
        weights = np.array([sqrt(2 * (n - k + 1) / (n * (n + 1))) for k in range(n + 1)])
        taps, origins = np.array(shift_taps(int(self.shift))), self._origins(np.diff(offsets), table)
        emit_placed(codes, offsets, origins, int(self.min_n), n, table.base, weights, taps, *block, spans)

    def _spans(
        self, codes: NDArray[np.int32], table: SymbolTable, n_occurrences: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        spans = np.zeros((2, n_occurrences), dtype=np.int64)
        block = Occurrences.empty(n_occurrences, 1, weighted=True)
        self._emit_with(codes, np.array([0, len(codes)]), table, block, spans)
        return spans[0], spans[1]

    def _lattice_occurrences(self, X: Sequence[Automaton], table: SymbolTable) -> Occurrences:
        raise InputError(
            "X holds automata, whose symbols have no places; WeightedDegreeKernel needs strings or lists of tokens: "
            "use NGramKernel."
        )


class PlacedGramMap(GramFeatureMap):
    """Grams at places, in the order of places."""

    kernel: WeightedDegreeKernel

    def _renumbered(self, table: SymbolTable) -> NDArray[np.uint64]:
        kernel = self.kernel
        places, grams = self._parts()
        moved = places + kernel._zero(kernel._n_places(table))
        kernel._check_places(moved, table)
        size = np.uint64(table.base ** kernel._width())
        return moved.astype(np.uint64) * size + renumbered(grams, kernel.n, self.table, table)

    def _parts(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Places, counted from the anchor, and keys of grams."""
        kernel, size = self.kernel, min(self.table.base ** self.kernel._width(), 2**64 - 1)
        places, grams = np.divmod(self.keys, np.uint64(size))
        return places.astype(np.int64) - kernel._zero(kernel._n_places(self.table)), grams

    def names(self) -> list[str]:
        """Grams and places: ``GAT@3``."""
        places, grams = self._parts()
        digits = digits_of(grams, self.kernel.n, self.table.base).tolist()
        shown = ["", *map(str, self.table.symbols), UNKNOWN]
        between = "" if self.table.form == "characters" else " "
        texts = [between.join([shown[digit] for digit in row if digit]) for row in digits]
        return [f"{text}@{place}" for text, place in zip(texts, places.tolist(), strict=True)]

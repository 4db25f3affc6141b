"""Gapped k-mers of DNA by pairs of windows, without features: the kernel matrix of LS-GKM."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.memory import require_memory
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.kernels.base import Kernel
from weft.kernels.gram_matrix import empty_gram, mirror_upper
from weft.kernels.grams.gapped_kmer import estimated_counts
from weft.kernels.grams.loops.window_pairs import OTHER, add_own_pairs, add_window_pairs
from weft.kernels.symbols import SymbolTable, as_coded, form_of

DNA = frozenset("ACGTUN")
"""Letters, and N for any of them."""
LONGEST = 100
"""Window, at the most: mismatches are counted in a byte."""
BLOCK = 4_000
"""Letters of one side that are compared with a sequence of the other at the same time."""
BYTES_OF_LETTER = 250
"""What the loop keeps for a letter of a block."""


class WindowPairKernel(Kernel):
    """Pairs of windows of DNA by their mismatches: `GappedKMerKernel` without features, for data of any size.

    Two windows of g letters that differ in m places count as often as both are seen through the same k of g places,
    ``C(g - m, k)``, or with `filtered` as `GappedKMerKernel` says, and not at all above `most_mismatches`. The defaults
    are those of LS-GKM (Lee 2016), but that it rounds weights (``levels=50``) and reads other letters than A, C, G and
    T as A: here windows with such letters are left out.

    There are no features, only matrices: two sequences of 200 letters take about three microseconds, with both strands,
    and the matrix of 10,000 of them two to three minutes of one core (more mismatches take longer), where estimated
    counts as features would be 530 numbers for each letter. Where pairs are left out, the kernel need not be positive
    semidefinite, but what is missing is small. Normalise it: ``Normalized(WindowPairKernel())``.

    Parameters
    ----------
    g : int
        Length of the windows, at most 100.
    k : int
        Positions that count.
    most_mismatches : int, optional
        Pairs that differ in more places are left out (d of LS-GKM); None for none.
    reverse_complement : bool
        Compare windows of both strands. For even g a window that is its own reverse complement counts twice, which it
        does not in `GappedKMerKernel`.
    half_life : float, optional
        A window whose centre is this many letters farther from the centre of the sequence counts half as much; None
        for equal weights.
    filtered : bool
        Estimate counts of windows from those of gapped k-mers.
    levels : int, optional
        Round weights up to multiples of one part in so many, as LS-GKM does; None for exact ones.
    n_jobs : int
        Threads; -1 means all cores. Values do not depend on it.

    Examples
    --------
    >>> from weft import Normalized
    >>> kernel = WindowPairKernel(3, 2, 1, reverse_complement=False, half_life=None, filtered=False)
    >>> kernel.gram(["GATT"], ["GAT", "GCT"])
    array([[3., 1.]])

    Either strand has the same value:

    >>> Normalized(WindowPairKernel(4, 3)).gram(["GATTACA"], ["TGTAATC", "CCCCCCC"]).round(6)
    array([[1., 0.]])
    """

    def __init__(
        self,
        g: int = 11,
        k: int = 7,
        most_mismatches: int | None = 3,
        *,
        reverse_complement: bool = True,
        half_life: float | None = 50.0,
        filtered: bool = True,
        levels: int | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.g = g
        self.k = k
        self.most_mismatches = most_mismatches
        self.reverse_complement = reverse_complement
        self.half_life = half_life
        self.filtered = filtered
        self.levels = levels
        self.n_jobs = n_jobs

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        X = as_coded(X)
        Y = None if Y is None else as_coded(Y, "Y")
        values = self._values()
        own, *more = self._windows(X, Y)
        self._check_windows((X, own[2]), None if Y is None else (Y, more[0][2]))
        others = more[0] if more else own
        gram = empty_gram(len(X), len(X if Y is None else Y))
        blocks = _blocks(others[1])

        def fill(block: tuple[int, int]) -> None:
            n_rows = len(X) if Y is not None else block[1]
            settings = (int(self.g), values, bool(self.reverse_complement))
            add_window_pairs(*own, n_rows, *others, *block, *settings, gram)

        with_most_rows_first = blocks[::-1]
        in_threads(fill, with_most_rows_first, effective_jobs(self.n_jobs))
        return mirror_upper(gram) if Y is None else gram

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        X = as_coded(X)
        values = self._values()
        [own] = self._windows(X, None)
        found = np.zeros(len(X))
        add_own_pairs(*own, int(self.g), values, bool(self.reverse_complement), found)
        return found

    def _values(self) -> Floats:
        """What a pair of windows counts that differs in 0, 1, ... places."""
        if checked_number("g", self.g) > LONGEST:
            raise InputError(
                f"g={self.g} given; need at most {LONGEST}: windows of binding sites have some ten letters."
            )
        if checked_number("k", self.k) > self.g:
            raise InputError(f"k={self.k} is above g={self.g}; need k <= g: of g positions, k count.")
        most: Any = self.most_mismatches
        if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 0):
            raise InputError(
                f"most_mismatches={most!r:.30} given; need an integer of at least 0, or None for no limit."
            )
        half: Any = self.half_life
        if half is not None and (
            isinstance(half, bool) or not isinstance(half, int | float | np.number) or not 0 < half < np.inf
        ):
            raise InputError(f"half_life={half!r} given; need a number above 0, or None for equal weights.")
        for name in ("reverse_complement", "filtered"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InputError(f"{name}={getattr(self, name)!r:.30} given; need True or False.")
        if self.levels is not None:
            checked_number("levels", self.levels)
            if half is None:
                raise InputError(
                    f"levels={self.levels} given, but half_life=None; need weights to round: set half_life."
                )
        values = pair_values(int(self.g), int(self.k), filtered=bool(self.filtered))
        return np.array(values if most is None else values[: most + 1])

    def _windows(self, X: list[Any], Y: list[Any] | None) -> list[tuple[NDArray[np.int8], Integers, Floats]]:
        """Letters of each side, where its sequences begin, and the weight of the window that begins at each letter."""
        both = X if Y is None else [*X, *Y]
        if form_of(both) == "automata":
            raise InputError(
                "X holds automata, whose windows WindowPairKernel does not compare; need strings or lists of letters: "
                "use GappedKMerKernel."
            )
        table = SymbolTable.learn(both)
        if len(table) and DNA.isdisjoint(table.symbols):
            raise InputError(
                f"X has none of the letters A, C, G and T, but {table.symbols[0]!r:.30}; need DNA in upper case."
            )
        numbers = np.full(table.base, OTHER, dtype=np.int8)
        for letter, number in zip("ACGTU", (0, 1, 2, 3, 3), strict=True):
            if letter in table.known:
                numbers[table.number(letter)] = number
        found = []
        for side, name in ((X, "X"),) if Y is None else ((X, "X"), (Y, "Y")):
            codes, offsets = table.encode(side, name)
            letters = numbers[codes]
            found.append((letters, offsets, self._weights(letters, offsets)))
        longest = max(int(np.diff(offsets).max(initial=0)) for _, offsets, _ in found)
        require_memory(BYTES_OF_LETTER * longest, f"windows of {longest:,} letters", "cut long sequences into pieces")
        return found

    def _check_windows(self, own: tuple[list[Any], Floats], others: tuple[list[Any], Floats] | None) -> None:
        """Refuse sides of long sequences without any window, of proteins or of DNA in lower case.

        Windows with N are DNA of which nothing is known; and a single sequence beside those that have windows is a row
        of their matrix.
        """
        sides = [own] if others is None else [own, others]
        lack = [not weights.any() for _, weights in sides]
        for (sequences, _), name, lacks in zip(sides, "XY", lack, strict=False):
            if not lacks or (len(sequences) == 1 and not all(lack)):
                continue
            long = (i for i, x in enumerate(sequences) if len(x) >= self.g and not may_have_window(x, self.g))
            if (place := next(long, None)) is not None:
                symbol = next(each for each in sequences[place] if each not in DNA)
                raise InputError(
                    f"{name} has no {self.g} letters A, C, G or T in a row, but {symbol!r:.30} in {name}[{place}]; "
                    "need DNA in upper case: convert lower case by upper(), and use other kernels for proteins."
                )

    def _weights(self, letters: NDArray[np.int8], offsets: Integers) -> Floats:
        """Weight of the window that begins at each letter; 0 where none does, or where other letters are in it."""
        lengths = np.diff(offsets)
        place = np.arange(len(letters)) - np.repeat(offsets[:-1], lengths)
        n_windows = np.repeat(lengths - self.g + 1, lengths)
        if self.half_life is None:
            weights = np.ones(len(letters))
        elif self.levels is None:
            weights = 0.5 ** (np.abs(place - (n_windows - 1) / 2) / float(self.half_life))
        else:
            distance = np.abs(place - n_windows // 2)
            rounded = np.floor(self.levels * 0.5 ** (distance / float(self.half_life))) + 1.0
            weights = np.minimum(rounded, self.levels) / float(self.levels)
        others = np.concatenate([[0], np.cumsum(letters == OTHER)])
        ends = np.minimum(np.arange(len(letters)) + self.g, len(letters))
        return np.where((place < n_windows) & (others[ends] == others[:-1]), weights, 0.0)


def pair_values(g: int, k: int, *, filtered: bool) -> list[float]:
    """What two windows of g letters count that differ in m places, m = 0, 1, ..., as far as that is positive.

    With `filtered`, each window z counts for both what `estimated_counts` says. Of the m places, z has the letter of
    the one in `own`, of the other in `its`, and one of two more letters in the rest; of the places in which they are
    equal, it differs in `away`, by one of three letters.

    Examples
    --------
    >>> pair_values(4, 2, filtered=False)
    [6.0, 3.0, 1.0]
    >>> [round(value, 3) for value in pair_values(11, 7, filtered=True)]
    [2.677, 0.735, 0.162, 0.022, 0.001]
    """
    if not filtered:
        return [float(comb(g - m, k)) for m in range(g - k + 1)]
    estimates = estimated_counts(g, k)
    kept = estimates[: next((m for m, value in enumerate(estimates) if value <= 0), len(estimates))]
    found = []
    for m in range(min(g, 2 * len(kept) - 2) + 1):
        total = 0.0
        for own in range(m + 1):
            for its in range(m - own + 1):
                rest = m - own - its
                for away in range(min(g - m, len(kept) - 1) + 1):
                    first, second = its + rest + away, own + rest + away
                    if max(first, second) < len(kept):
                        ways = comb(m, own) * comb(m - own, its) * 2**rest * comb(g - m, away) * 3**away
                        total += ways * kept[first] * kept[second]
        found.append(total)
    return found


def may_have_window(sequence: Any, g: int) -> bool:
    """Whether g letters of DNA are in a row, of which N are letters that nobody has read.

    Examples
    --------
    >>> may_have_window("GATTACA", 7), may_have_window("GANNACA", 7), may_have_window("GATTaCA", 7)
    (True, True, False)
    """
    runs = groupby(sequence, DNA.__contains__)
    return any(is_dna and sum(1 for _ in run) >= g for is_dna, run in runs)


def _blocks(offsets: Integers) -> list[tuple[int, int]]:
    """First and last of sequences that have `BLOCK` letters together, or of one that has more.

    Examples
    --------
    >>> _blocks(np.array([0, 1500, 3000, 4500, 9000, 9001]))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    found, first = [], 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
        found.append((first, last))
        first = last
    return found

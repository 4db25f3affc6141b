"""Contexts of tagged words: the surroundings of a symbol, alone and together with a tag, a pair of tags, all tags.

Tags stand before the symbols of their word, so that whatever cuts, orders or keeps sequences keeps them together. A
combination of tags unseen in training still has the tags and pairs that training had.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.rewriting.candidates.key_table import key_table
from weft.rewriting.candidates.loops import templates as loops

__all__ = ["TagContexts", "TagView"]

CURE = "number the symbols as the view does"


@dataclass(frozen=True)
class TagView:
    """What contexts see of a tagged word.

    Attributes
    ----------
    kinds : ndarray
        1 for symbols that are tags, 0 for the others.
    classes : ndarray
        1 for vowels.
    shared : bool
        Whether contexts leave out the symbol in the middle, so that all symbols share them.
    """

    kinds: NDArray[np.int64]
    classes: NDArray[np.int64]
    shared: bool = False

    def __post_init__(self) -> None:
        kinds = checked_numbers("kinds", self.kinds, 2, "say of each symbol whether it is a tag", dtype=np.int64)
        classes = checked_numbers("classes", self.classes, 1 << 31, CURE, size=len(kinds), dtype=np.int64)
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "classes", classes)

    def collect(self, symbols: Ids, offsets: Integers, min_count: int) -> TagContexts:
        """Contexts that occur at least `min_count` times in a corpus.

        Examples
        --------
        >>> view = TagView(np.array([0, 0, 1]), np.array([1, 0, 0]))
        >>> symbols, offsets = np.array([2, 0, 1, 2, 0, 1], dtype=np.int32), np.array([0, 3, 6])
        >>> len(view.collect(symbols, offsets, 2)) > len(view.collect(symbols, offsets, 3))
        True
        """
        symbols = checked_numbers("symbols", symbols, len(self.kinds), CURE)
        offsets = checked_offsets("offsets", offsets, len(symbols), CURE)
        longest = int(np.diff(offsets).max(initial=0))
        n_tags = int(np.diff(np.concatenate([[0], np.cumsum(self.kinds[symbols])])[offsets]).max(initial=0))
        most = longest * loops.N_TEMPLATES * (2 + n_tags + min(n_tags, loops.MOST_PAIRED) ** 2)
        size = 1 << max(10, int(2 * most).bit_length())  # room for any word
        keys, counts = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int32)
        word = known = 0
        while word < len(offsets) - 1:
            word, known = loops.count_templates(
                symbols, offsets, self.kinds, self.classes, self.shared, word, keys, counts, known
            )
            if word < len(offsets) - 1:
                keys, counts = _twice_as_large(keys, counts)
        chosen = (keys >= 0) & (counts >= min_count)
        return TagContexts(self, np.sort(keys[chosen]))


def _twice_as_large(keys: Integers, counts: Ids) -> tuple[Integers, Ids]:
    size = 2 * len(keys)
    present = np.flatnonzero(keys >= 0)
    table, numbers = key_table(keys[present], size=size)
    moved = np.zeros(size, dtype=np.int32)
    places = np.flatnonzero(table >= 0)
    moved[places] = counts[present[numbers[places]]]
    return table, moved


@dataclass(frozen=True)
class TagContexts:
    """Contexts of a `TagView` that training has seen often enough.

    Attributes
    ----------
    view : TagView
    keys : ndarray of int64
        Rising.
    """

    view: TagView
    keys: Integers
    table: Any = None

    def __post_init__(self) -> None:
        keys = checked_numbers("keys", self.keys, np.iinfo(np.int64).max, "use TagView.collect", dtype=np.int64)
        if (np.diff(keys) <= 0).any():
            raise InputError("the keys of contexts do not rise: use TagView.collect")
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "table", key_table(keys))

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, symbols: Ids, offsets: Integers) -> tuple[Integers, Ids]:
        """Contexts of every position, numbered from 0, as row offsets and flat numbers."""
        view = self.view
        symbols = checked_numbers("symbols", symbols, len(view.kinds), CURE)
        offsets = checked_offsets("offsets", offsets, len(symbols), CURE)
        rows, nothing = np.zeros(len(symbols) + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
        asked = (symbols, offsets, view.kinds, view.classes, view.shared, self.table, rows)
        found = np.empty(loops.find_templates(*asked, nothing), dtype=np.int32)
        loops.find_templates(*asked, found)
        return rows, found

"""Letter contexts: which n-grams around a symbol are features of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from weft.arrays import Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.rewriting.candidates.key_table import key_table
from weft.rewriting.candidates.loops import contexts as contexts_loops
from weft.rewriting.candidates.loops.walks import find_in_views, score_in_views

__all__ = ["Contexts", "JoinedViews", "View", "finder"]


BLOCK = 20_000
"""Positions that are looked up at once; their contexts stand in a table of equally long rows first."""


@dataclass(frozen=True)
class View:
    """What contexts see of the symbols around the middle.

    Attributes
    ----------
    width : int
        Symbols on each side that the window has.
    radius : int
        Up to this distance from the middle symbols are themselves, further away they are their classes.
    classes : ndarray
        Class of each symbol.
    roots : ndarray, optional
        Class of the symbol in the middle that contexts go together with; by default it is itself.
    """

    width: int
    radius: int
    classes: Integers
    roots: Integers | None = None

    def __post_init__(self) -> None:
        cure = "give each symbol a class"
        if not (0 <= self.width < 1 << 10 and self.radius >= 0):
            raise InputError(f"width={self.width}, radius={self.radius} given; need at least 0: {cure}")
        classes = checked_numbers("classes", self.classes, 1 << 31, cure, dtype=np.int64)
        object.__setattr__(self, "classes", classes)
        if self.roots is not None:
            roots = checked_numbers("roots", self.roots, len(classes), cure, size=len(classes), dtype=np.int64)
            object.__setattr__(self, "roots", roots)

    @property
    def n_symbols(self) -> int:
        """Number of symbols."""
        return len(self.classes)

    def collect(self, symbols: Ids, offsets: Integers, min_count: int) -> Contexts:
        """Contexts that occur often enough in a corpus."""
        return Contexts.collect(symbols, offsets, self, min_count)

    @cached_property
    def middle(self) -> Integers:
        """What contexts know of each symbol in the middle."""
        return np.arange(self.n_symbols) if self.roots is None else self.roots

    @cached_property
    def packed(self) -> tuple[int, Integers, int]:
        """For compiled loops: classes are numbered after the symbols, the boundary after the classes."""
        return self.radius, self.classes + self.n_symbols, self.n_symbols + int(self.classes.max(initial=-1)) + 1


@dataclass(frozen=True)
class Contexts:
    """N-grams of the window around a symbol, each together with that symbol, that training has seen often enough.

    Attributes
    ----------
    view : View
    keys : ndarray of int64
        Parent and symbol of each context as one number; contexts are numbered after the ``(2 width + 1) n_symbols``
        roots, which are no contexts themselves.

    Examples
    --------
    >>> symbols, offsets = np.array([0, 1, 0, 1], dtype=np.int32), np.array([0, 2, 4])
    >>> contexts = Contexts.collect(symbols, offsets, View(1, 1, np.zeros(2, dtype=np.int64)), min_count=2)
    >>> rows, numbers = contexts.find(symbols, offsets)
    >>> len(contexts), rows
    (8, array([ 0,  4,  8, 12, 16]))
    """

    view: View
    keys: Integers
    table: Any = None

    def __post_init__(self) -> None:
        keys = checked_numbers("keys", self.keys, np.iinfo(np.int64).max, "use Contexts.collect", dtype=np.int64)
        object.__setattr__(self, "keys", keys)
        # A key and its number side by side, in few bytes: what is looked up is seldom in a cache of the processor.
        fits = int(keys.max(initial=0)) <= np.iinfo(np.int32).max
        table = np.stack(key_table(keys, self.n_roots), axis=1).astype(np.int32 if fits else np.int64)
        object.__setattr__(self, "table", table)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def n_roots(self) -> int:
        """Numbers taken by the symbols alone, one per place where n-grams begin."""
        return (2 * self.view.width + 1) * self.view.n_symbols

    @classmethod
    def collect(cls, symbols: Ids, offsets: Integers, view: View, min_count: int = 2) -> Contexts:
        """Contexts that occur at least `min_count` times in a corpus; single symbols may be rare."""
        cure = "number the symbols as the view does"
        symbols = checked_numbers("symbols", symbols, view.n_symbols, cure)
        offsets = checked_offsets("offsets", offsets, len(symbols), cure)
        size = 1 << max(4, int(2 * len(symbols)).bit_length())
        keys = np.empty(size, dtype=np.int64)
        counts, numbers = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        places, new_keys = np.empty(len(symbols), dtype=np.int64), np.empty(len(symbols), dtype=np.int64)
        found = []
        width = view.width
        first = (2 * width + 1) * view.n_symbols
        # The symbol in the middle is always known: n-grams that begin after it would be those that begin with it.
        for start in (*range(-width, 1), *range(2, width + 1)):
            nodes = ((start + width) * view.n_symbols + view.middle[symbols]).astype(np.int32)
            for place in range(start, width + 1):
                if place == 0 and start < 0:
                    continue
                keys.fill(-1)
                counts.fill(0)
                numbers.fill(-1)
                contexts_loops.count_children(symbols, offsets, nodes, place, view.packed, keys, counts, places)
                n_new = contexts_loops.number_children(
                    places, counts, min_count if place != start else 1, numbers, first, keys, new_keys, nodes
                )
                found.append(new_keys[:n_new].copy())
                first += n_new
                if not n_new:
                    break
        return cls(view, np.concatenate(found))

    def find(self, symbols: Ids, offsets: Integers) -> tuple[Integers, Ids]:
        """Contexts of every position, numbered from 0, as row offsets and flat numbers."""
        return JoinedViews((self,)).find(symbols, offsets)


Finder = Callable[[Ids, Integers], tuple[Integers, Ids]]


def finder(contexts: tuple[Any, ...]) -> Finder:
    """What finds the contexts of all views at every position, numbered through, as row offsets and flat numbers."""
    if all(isinstance(each, Contexts) for each in contexts):
        return JoinedViews(contexts).find
    return partial(_find_each, contexts)


def _find_each(contexts: tuple[Any, ...], symbols: Ids, offsets: Integers) -> tuple[Integers, Ids]:
    found: list[tuple[Integers, Ids]] = [each.find(symbols, offsets) for each in contexts]
    if len(found) == 1:
        return found[0]
    total = np.sum([rows for rows, _ in found], axis=0)
    numbers = np.empty(int(total[-1]), dtype=np.int32)
    place, before = total[:-1].copy(), 0
    for each, (rows, flat) in zip(contexts, found, strict=True):
        counts = np.diff(rows)
        numbers[np.arange(len(flat)) + np.repeat(place - rows[:-1], counts)] = flat + before
        place += counts
        before += len(each)
    return total, numbers


def _walks(width: int) -> Iterator[tuple[int, int, int]]:
    """Offset at which each walk begins, the place of that in the window as compiled loops read it, contexts at most.

    The symbol in the middle is always known: n-grams that begin after it would be those that begin with it.

    Examples
    --------
    >>> list(_walks(2))
    [(-2, 0, 4), (-1, 1, 3), (0, 5, 3), (2, 3, 1)]
    """
    yield from ((start, start + width, width - start) for start in range(-width, 0))
    yield 0, 2 * width + 1, width + 1
    yield from ((start, start + width - 1, width - start + 1) for start in range(2, width + 1))


class JoinedViews:
    """Contexts of several views in arrays that one compiled call reads: seven calls take longer than a short word.

    Parameters
    ----------
    contexts : tuple of Contexts
        Their tables become parts of one, so that there are not two of each.
    """

    def __init__(self, contexts: tuple[Contexts, ...]) -> None:
        views = [each.view for each in contexts]
        self.n_symbols = min(view.n_symbols for view in views)
        sizes = [len(each.table) for each in contexts]
        ends = np.cumsum(sizes)
        table = contexts[0].table
        if len(contexts) > 1:
            table = np.empty((ends[-1], 2), dtype=np.result_type(*(each.table for each in contexts)))
            for each, end, size in zip(contexts, ends.tolist(), sizes, strict=True):
                own = table[end - size : end]
                own[:] = each.table
                object.__setattr__(each, "table", own)
        before, self.most, walks, rows, last_symbol = 0, 0, [], [], 0
        for each, view, end, size in zip(contexts, views, ends.tolist(), sizes, strict=True):
            boundary, last_symbol = view.packed[2], last_symbol + view.n_symbols
            for start, place, length in _walks(view.width):
                root, shift = (start + view.width) * view.n_symbols, before - each.n_roots
                walks.append((place, root, self.most, end - size, size - 1, boundary + 1, shift))
                self.most += length
            rows.append((view.width, view.radius, boundary, last_symbol, len(walks)))
            before += len(each)
        middles = np.concatenate([view.middle for view in views])
        classes = np.concatenate([view.packed[1] for view in views])
        self.joined = (
            np.array(rows, dtype=np.int64), middles, classes, np.array(walks, dtype=np.int64).reshape(-1, 7),
            table.reshape(-1),
        )  # fmt: skip

    def find(self, symbols: Ids, offsets: Integers) -> tuple[Integers, Ids]:
        """Contexts of all views at every position, numbered through, as row offsets and flat numbers."""
        cure = "number the symbols as the view does, -1 for none"
        symbols = checked_numbers("symbols", symbols, self.n_symbols, cure, low=-1)
        offsets = checked_offsets("offsets", offsets, len(symbols), cure)
        rows, parts = np.zeros(len(symbols) + 1, dtype=np.int64), []
        first, n_words = 0, len(offsets) - 1
        while first < n_words:
            last = n_words
            if len(symbols) > BLOCK:
                last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
            parts.append(find_in_views(symbols, offsets[first : last + 1], self.joined, self.most, rows))
            first = last
        return rows, parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype=np.int32), *parts])

    def score(self, symbols: Ids, offsets: Integers, candidates: Any, n_places: int, entries: Any, scores: Any) -> None:
        """Sums of the weights of the contexts of every position into `scores`; as `score_in_views`, unchecked."""
        score_in_views(symbols, offsets, self.joined, self.most, candidates, n_places, entries, scores)

"""Chains over the symbols of a sequence in which each symbol has candidates of its own: its dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.rewriting.candidates.contexts import Contexts, Finder, JoinedViews, View, finder
from weft.rewriting.candidates.loops import chains as chains_loops
from weft.rewriting.candidates.tag_contexts import TagContexts, TagView

__all__ = ["CandidateChain"]


MOST_CLASSES = 1024
"""Candidates with steps of their own, the most frequent ones; the others share one class."""


@dataclass(frozen=True)
class CandidateChain:
    """Which candidates each symbol has, and which weights a chain over them has.

    Attributes
    ----------
    first : ndarray of shape (n_symbols + 1,)
        Symbol s has the candidates ``first[s]:first[s + 1]``.
    labels : ndarray of shape (n_candidates,)
        Label of each candidate.
    classes : ndarray of shape (n_candidates,)
        Class of each candidate; steps have a weight for each pair of classes.
    trait_offsets, traits : ndarrays
        Traits of each candidate; contexts may speak for traits, which candidates of all symbols share.
    contexts : tuple of Contexts
    entry_offsets, entry_places : ndarrays
        Candidates that each context has a weight for, counted from the first one of its symbol, or traits, counted
        after them.
    """

    first: Integers
    labels: Ids
    classes: Ids
    trait_offsets: Integers
    traits: Ids
    contexts: tuple[Contexts | TagContexts, ...]
    entry_offsets: Integers
    entry_places: NDArray[np.int16]

    def __post_init__(self) -> None:
        cure = "use CandidateChain.collect"
        largest = np.iinfo(np.int32).max
        labels = checked_numbers("labels", self.labels, largest, cure)
        n_candidates = len(labels)
        first = checked_offsets("first", self.first, n_candidates, cure)
        traits = checked_numbers("traits", self.traits, largest, cure)
        entry_places = checked_numbers(
            "entry_places",
            self.entry_places,
            int(np.diff(first).max(initial=0)) + int(traits.max(initial=-1)) + 1,
            cure,
            dtype=np.int16,
        )
        n_contexts = sum(map(len, self.contexts))
        checked = {
            "labels": labels,
            "first": first,
            "traits": traits,
            "entry_places": entry_places,
            "classes": checked_numbers("classes", self.classes, max(n_candidates, 1), cure, size=n_candidates),
            "trait_offsets": checked_offsets("trait_offsets", self.trait_offsets, len(traits), cure, n_candidates),
            "entry_offsets": checked_offsets("entry_offsets", self.entry_offsets, len(entry_places), cure, n_contexts),
        }
        for name, array in checked.items():
            object.__setattr__(self, name, array)

    @cached_property
    def n_candidates(self) -> Integers:
        """Number of candidates of each symbol."""
        return np.diff(self.first)

    @cached_property
    def most_candidates(self) -> int:
        """Candidates of the symbol that has most."""
        return int(self.n_candidates.max(initial=0))

    @cached_property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.max(initial=-1)) + 1

    @property
    def n_entries(self) -> int:
        """Number of (context, candidate) weights."""
        return len(self.entry_places)

    @property
    def n_features(self) -> int:
        """Length of a weight vector: contexts, then steps."""
        return self.n_entries + self.n_classes**2

    def split(self, weights: Any) -> tuple[Any, Any]:
        """Views of the weights of contexts and of steps."""
        if np.shape(weights) != (self.n_features,) or weights.dtype not in (np.float64, np.complex128):
            raise InputError(
                f"weights of shape {np.shape(weights)} given; need float64 of shape ({self.n_features},): give one "
                "weight per feature"
            )
        return weights[: self.n_entries], weights[self.n_entries :].reshape(self.n_classes, self.n_classes)

    @classmethod
    def collect(
        cls,
        symbols: Ids,
        offsets: Integers,
        candidates: Integers,
        first: Integers,
        labels: Ids,
        *,
        views: Sequence[View | TagView],
        trait_views: Sequence[View | TagView] = (),
        traits: Sequence[Sequence[int]] | None = None,
        classes: Ids | None = None,
        min_count: int = 2,
        blocks: Sequence[slice] | None = None,
    ) -> tuple[CandidateChain, tuple[Integers, Ids] | None]:
        """Choose the weights for a corpus whose positions have the given candidates; the contexts of the corpus.

        Contexts of `views` speak for candidates, those of `trait_views` for their traits. Without `classes` every
        candidate is a class, and the rarest ones share one. With `blocks` of sequences the contexts of the corpus, some
        200 bytes for each symbol, are in memory for one block at a time, and are not given back.
        """
        if classes is None:
            counts = np.bincount(candidates, minlength=len(labels))
            rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
            classes = np.minimum(rank, MOST_CLASSES - 1).astype(np.int32)
        contexts = tuple(view.collect(symbols, offsets, min_count) for view in (*views, *trait_views))
        find = finder(contexts)
        found = None if blocks is not None else find(symbols, offsets)
        lists = [[] for _ in labels] if traits is None else traits
        trait_offsets = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
        flat = np.array([trait for each in lists for trait in each], dtype=np.int32)
        most = int(np.diff(first).max(initial=0))
        n_own, size = sum(map(len, contexts[: len(views)])), sum(map(len, contexts))

        def seen_by(here: slice) -> tuple[Integers, NDArray[np.int16]]:
            bounds = offsets[here.start : here.stop + 1]
            inside = slice(int(bounds[0]), int(bounds[-1]))
            chosen = candidates[inside]
            own_places = (chosen - first[symbols[inside]]).astype(np.int16)
            counts = np.diff(trait_offsets)[chosen]
            seen_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            places = np.arange(seen_offsets[-1]) + np.repeat(trait_offsets[chosen] - seen_offsets[:-1], counts)
            seen = (flat[places] + most).astype(np.int16)
            rows = find(symbols[inside], bounds - bounds[0]) if found is None else found
            result: tuple[Integers, NDArray[np.int16]]
            result = chains_loops.collect_entries(
                *rows, size, n_own, own_places, seen_offsets, seen, most + int(flat.max(initial=-1)) + 1
            )
            return result

        if found is not None:
            entry_offsets, entry_places = seen_by(slice(0, len(offsets) - 1))
        else:
            entry_offsets, entry_places = _together(map(seen_by, blocks or []))
        chain = cls(first, labels, classes, trait_offsets, flat, contexts, entry_offsets, entry_places)
        return chain, found

    def find(self, symbols: Ids, offsets: Integers) -> tuple[Integers, Ids]:
        """Contexts of every position, as row offsets and flat numbers."""
        return self._finder(symbols, offsets)

    @cached_property
    def joined_views(self) -> JoinedViews | None:
        """All views together, if none is of tagged words."""
        if not all(isinstance(each, Contexts) for each in self.contexts):
            return None
        return self._checked_views()

    def _checked_views(self) -> JoinedViews:
        """All views together, if each has all symbols of the chain."""
        views = JoinedViews(self.contexts)  # type: ignore[arg-type]
        n_symbols = len(self.first) - 1
        if views.n_symbols < n_symbols:
            raise InputError(f"a view has {views.n_symbols} symbols, but the chain {n_symbols}; fit the model again.")
        return views

    @cached_property
    def _finder(self) -> Finder:
        return finder(self.contexts) if self.joined_views is None else self.joined_views.find

    @cached_property
    def n_places(self) -> int:
        """Candidates and traits that contexts may have weights for."""
        return self.most_candidates + int(self.traits.max(initial=-1)) + 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_finder", "joined_views")}

    def prune(self, weights: Floats) -> tuple[CandidateChain, Floats]:
        """The same chain without the contexts whose weight is zero."""
        used = weights[: self.n_entries] != 0.0
        kept = np.concatenate([[0], np.cumsum(used)]).astype(np.int64)
        chain = replace(self, entry_offsets=kept[self.entry_offsets], entry_places=self.entry_places[used])
        return chain, np.concatenate([weights[: self.n_entries][used], weights[self.n_entries :]])


PLACE_BITS = 15
"""Of the code of an entry, a context and a place."""


def _together(found: Iterable[tuple[Integers, NDArray[np.int16]]]) -> tuple[Integers, NDArray[np.int16]]:
    """Which places each context has been seen with in any block: offsets and places, in order.

    Examples
    --------
    >>> first, second = (np.array([0, 1, 1]), np.array([4])), (np.array([0, 2, 3]), np.array([2, 4, 0]))
    >>> _together([first, second])
    (array([0, 2, 3]), array([2, 4, 0], dtype=int16))
    """
    codes: Integers | None = None
    n_contexts = 0
    for offsets, places in found:
        n_contexts = len(offsets) - 1
        own = np.repeat(np.arange(n_contexts) << PLACE_BITS, np.diff(offsets)) + places.astype(np.int64)
        codes = own if codes is None else np.union1d(codes, own)
    assert codes is not None, "there is a block"
    starts = np.searchsorted(codes, np.arange(n_contexts + 1) << PLACE_BITS)
    return starts, (codes & ((1 << PLACE_BITS) - 1)).astype(np.int16)

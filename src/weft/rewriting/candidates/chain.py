"""Chains over the symbols of a sequence in which each symbol has candidates of its own: its dictionary."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.shards import concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.rewriting.candidates.contexts import Contexts, View, find_all
from weft.rewriting.candidates.loops import chains as chains_loops
from weft.rewriting.candidates.loops.frank_wolfe import frank_wolfe_candidates
from weft.structures.online import PerceptronState

__all__ = ["CandidateBatch", "CandidateChain"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

MOST_CLASSES = 1024
"""Candidates with steps of their own, the most frequent ones; the others share one class."""

MORE_SLOTS = 8
"""Labellings of each sequence that the dual of the structural SVM makes room for at once."""


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

    first: Offsets
    labels: Ids
    classes: Ids
    trait_offsets: Offsets
    traits: Ids
    contexts: tuple[Contexts, ...]
    entry_offsets: Offsets
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

    @property
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

    @classmethod
    def collect(
        cls,
        symbols: Ids,
        offsets: Offsets,
        candidates: Offsets,
        first: Offsets,
        labels: Ids,
        *,
        views: Sequence[View],
        trait_views: Sequence[View] = (),
        traits: Sequence[Sequence[int]] | None = None,
        min_count: int = 2,
    ) -> tuple[CandidateChain, tuple[Offsets, Ids]]:
        """Choose the weights for a corpus whose positions have the given candidates; the contexts of the corpus.

        Contexts of `views` speak for candidates, those of `trait_views` for their traits.
        """
        counts = np.bincount(candidates, minlength=len(labels))
        rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        classes = np.minimum(rank, MOST_CLASSES - 1).astype(np.int32)
        contexts = tuple(Contexts.collect(symbols, offsets, view, min_count) for view in (*views, *trait_views))
        found = find_all(contexts, symbols, offsets)
        lists = [[] for _ in labels] if traits is None else traits
        trait_offsets = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
        flat = np.array([trait for each in lists for trait in each], dtype=np.int32)
        entries = []
        n_speaking = len(views)
        for speaking, own in ((contexts[:n_speaking], True), (contexts[n_speaking:], False)):
            if not speaking:
                continue
            if own:
                seen_offsets = np.arange(len(symbols) + 1, dtype=np.int64)
                seen = (candidates - first[symbols]).astype(np.int16)
            else:
                counts = np.diff(trait_offsets)[candidates]
                seen_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
                places = np.arange(seen_offsets[-1]) + np.repeat(trait_offsets[candidates] - seen_offsets[:-1], counts)
                seen = (flat[places] + int(np.diff(first).max(initial=0))).astype(np.int16)
            here = found if len(speaking) == len(contexts) else find_all(speaking, symbols, offsets)
            entries.append(chains_loops.collect_entries(*here, seen_offsets, seen, sum(map(len, speaking))))
        ends = np.cumsum([0, *(each[0][-1] for each in entries)])
        entry_offsets = np.concatenate([[0], *(each[0][1:] + end for each, end in zip(entries, ends, strict=False))])
        entry_places = np.concatenate([each[1] for each in entries])
        chain = cls(first, labels, classes, trait_offsets, flat, contexts, entry_offsets.astype(np.int64), entry_places)
        return chain, found

    def find(self, symbols: Ids, offsets: Offsets) -> tuple[Offsets, Ids]:
        """Contexts of every position, as row offsets and flat numbers."""
        return find_all(self.contexts, symbols, offsets)

    def prune(self, weights: Floats) -> tuple[CandidateChain, Floats]:
        """The same chain without the contexts whose weight is zero."""
        used = weights[: self.n_entries] != 0.0
        kept = np.concatenate([[0], np.cumsum(used)]).astype(np.int64)
        chain = replace(self, entry_offsets=kept[self.entry_offsets], entry_places=self.entry_places[used])
        return chain, np.concatenate([weights[: self.n_entries][used], weights[self.n_entries :]])


class CandidateBatch:
    """A candidate chain bound to sequences: what learners ask, see `ARCHITECTURE.md`.

    Parameters
    ----------
    chain : CandidateChain
    symbols, offsets : ndarrays
        Symbols of all sequences, every one of them with candidates, and where the sequences begin.
    found : (offsets, contexts)
        From ``chain.find``.
    places : ndarray of int16, optional
        Reference candidates, counted from the first one of each symbol.
    importance : ndarray, optional
    n_jobs : int
    """

    def __init__(
        self,
        chain: CandidateChain,
        symbols: Ids,
        offsets: Offsets,
        found: tuple[Offsets, Ids],
        places: NDArray[np.int16] | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        cure = "number the symbols as the chain does"
        self.chain = chain
        self.symbols = checked_numbers("symbols", symbols, len(chain.first) - 1, cure)
        self.offsets = offsets = checked_offsets("offsets", offsets, len(self.symbols), cure)
        if len(offsets) < 2 or (np.diff(offsets) == 0).any():
            raise InputError("no sequence came, or an empty one; want at least one symbol each: leave it out")
        n_candidates = np.diff(chain.first)[self.symbols]
        if not n_candidates.all():
            raise InputError("a symbol has no candidate; want at least one each: leave the sequence out")
        contexts = checked_numbers("contexts", found[1], len(chain.entry_offsets) - 1, "use chain.find")
        self.found = checked_offsets("found", found[0], len(contexts), "use chain.find", len(self.symbols)), contexts
        if places is not None:
            cure = "count candidates from the first one of each symbol"
            places = checked_numbers("places", places, 1 << 15, cure, size=len(self.symbols), dtype=np.int16)
            if (places >= n_candidates).any():
                raise InputError(f"a place is beyond the candidates of its symbol: {cure}")
        self.places = places
        size, cure = (len(offsets) - 1,), "give one number per sequence"
        self.importance = np.ones(size) if importance is None else checked_floats("importance", importance, size, cure)
        self.n_jobs = n_jobs
        self.parts = cut_into_shards(np.diff(offsets), 0)
        self.shards = cut_into_shards(np.diff(offsets), self.n_features)
        self._spare: list[Floats] = []

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.chain.n_features

    def split(self, weights: Floats) -> tuple[Floats, Floats]:
        """Views of the weights of contexts and of steps."""
        n_entries, n_classes = self.chain.n_entries, self.chain.n_classes
        if np.shape(weights) != (self.n_features,) or weights.dtype != np.float64:
            raise InputError(
                f"weights of shape {np.shape(weights)} came; want float64 of shape ({self.n_features},): give one "
                "weight per feature"
            )
        return weights[:n_entries], weights[n_entries:].reshape(n_classes, n_classes)

    def model(self, weights: Floats, part: slice | None = None, steps: Floats | None = None) -> Any:
        """What the compiled loops take, for a part of the sequences."""
        offsets = self.offsets if part is None else self.offsets[part.start : part.stop + 1]
        entries, own_steps = self.split(weights)
        return (
            (offsets, self.symbols, *self.found),
            (self.chain.first, self.chain.classes, self.chain.trait_offsets, self.chain.traits),
            (self.chain.entry_offsets, self.chain.entry_places, entries),
            own_steps if steps is None else steps,
        )

    def reference(self) -> NDArray[np.int16]:
        """Reference candidates; an error without them."""
        if self.places is None:
            raise InputError("this batch has no reference outputs, so that nothing can be learned from it.")
        return self.places

    def observed(self) -> Floats:
        """Features of the references, summed over the sequences."""
        sums = np.zeros(self.n_features)
        chains_loops.observed_candidates(self.model(sums), self.reference(), self.importance, *self.split(sums))
        return sums

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of the log partitions, and of the expected features."""
        factors = self._factors(weights)

        def work(part: slice) -> tuple[float, Floats]:
            sums = self._fresh_sums()
            logs = np.empty(part.stop - part.start)
            importance = self.importance[part]
            entry_sums, step_sums = self.split(sums)
            chains_loops.partition_candidates(
                self.model(weights, part, factors), importance, logs, entry_sums, step_sums, np.empty((0, 0))
            )
            step_sums *= factors
            return dot_in_order(logs, importance), sums

        value, total = sum_over_shards(work, self.shards, self.n_jobs, lambda partial: self._spare.append(partial[1]))
        if not np.isfinite(value):
            raise InputError("the weights grew so large that probabilities underflow; raise c2 of the CRF.")
        return float(value), total

    def _fresh_sums(self) -> Floats:
        """Zeros, in an array of an earlier sum if there is one: fresh memory costs a page fault per 4 kB."""
        try:
            sums = self._spare.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            return np.zeros(self.n_features)
        sums.fill(0.0)
        return sums

    def _factors(self, weights: Floats) -> Floats:
        return np.exp(np.clip(self.split(weights)[1], -300.0, 300.0))

    def marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        """Probability of every candidate at every position (padded rows), and log partitions."""
        factors = self._factors(weights)
        most = int(np.diff(self.chain.first).max(initial=0))
        marginals = np.zeros((len(self.symbols), most))
        logs = np.empty(len(self.offsets) - 1)
        nothing = np.zeros((self.chain.n_classes, self.chain.n_classes))
        chains_loops.partition_candidates(
            self.model(weights, None, factors), np.ones(len(logs)), logs, np.empty(0), nothing, marginals
        )
        return marginals, logs

    def argmax(self, weights: Floats) -> tuple[NDArray[np.int16], Floats]:
        """Best candidates of every position, and the score of each sequence."""
        places = np.empty(len(self.symbols), dtype=np.int16)
        scores = np.empty(len(self.offsets) - 1)

        def work(part: slice) -> None:
            chains_loops.decode_candidates(self.model(weights, part), places, scores[part])

        concatenate_over_shards(work, self.parts, self.n_jobs)
        return places, scores

    def perceptron(
        self, state: PerceptronState, random: np.random.Generator, early_update: bool = False
    ) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong positions after each pass of the averaged perceptron."""
        weights, totals, clock = state.weights.copy(), state.totals.copy(), state.clock
        model = self.model(weights)
        while True:
            order = random.permutation(len(self.offsets) - 1)
            clock, n_wrong = chains_loops.perceptron_candidates(
                order, model, self.reference(), self.importance, clock, *self.split(totals), early_update
            )
            yield PerceptronState(weights, totals, clock), int(n_wrong)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM, whose cost is the Hamming loss."""
        weights = np.zeros(self.n_features)
        model = self.model(weights)
        strengths = strength * self.importance
        n_sequences = len(self.offsets) - 1
        paths, shares, losses = self.reference()[None], np.ones((n_sequences, 1)), np.zeros(n_sequences)
        values, touched = np.empty(self.n_features), np.empty(self.n_features, dtype=np.int64)
        for n_passes in itertools.count(1):
            if n_passes >= len(paths):  # a pass adds one labelling at the most
                paths = np.concatenate([paths, np.zeros((MORE_SLOTS, len(self.symbols)), dtype=np.int16)])
                shares = np.concatenate([shares, np.zeros((n_sequences, MORE_SLOTS))], axis=1)
            gap = frank_wolfe_candidates(
                random.permutation(n_sequences), model, weights, self.reference(), strengths,
                (paths, shares, losses), (values, np.full(self.n_features, -1), touched),
            )  # fmt: skip
            yield weights.copy(), float(strengths @ losses) - 0.5 * float(weights @ weights), gap

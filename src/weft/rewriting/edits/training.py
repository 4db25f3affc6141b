"""Learn the weights of edits from words, tags and forms."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.shards import cut_into_shards, sum_over_shards
from weft.learners.likelihood import PenalisedLikelihood
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.edits.loops.likelihood import sum_states
from weft.rewriting.edits.loops.pictures import describe_states
from weft.rewriting.edits.loops.steps import FIRST_INSERTION, find_edits
from weft.rewriting.edits.model import CURE, MOST_ROOM, EditModel, Words
from weft.rewriting.edits.two_ways import Edits, turned, words_of
from weft.rewriting.model import reversed_sequences
from weft.rewriting.tagged import Tagged
from weft.rewriting.training import vowels_of
from weft.solvers import minimize_lbfgs

MOST_WORDS = 10_000
"""Words to learn from, at the most."""

C2 = 0.05
"""Penalty of the weights. Chosen with the costs of runs by validation inside training data of eight languages."""
MAX_ITER, TOLERANCE = 40, 1e-4


def edits_of(words: Words, forms: Ids, form_offsets: Integers) -> tuple[Integers, Integers]:
    """Edits that make the forms of the words, flat, and where those of each word begin.

    Examples
    --------
    >>> words = Words(np.array([5, 6, 7]), np.array([0, 3]), np.array([1]), np.array([0, 1]))
    >>> edits_of(words, np.array([5, 6, 8]), np.array([0, 3]))[0].tolist()  # two copies, one deletion, 8, the end
    [0, 0, 1, 11, 2]
    """
    forms = checked_numbers("forms", forms, 1 << 31, CURE)
    form_offsets = checked_offsets("form_offsets", form_offsets, len(forms), CURE, len(words))
    edits = np.empty(len(words.symbols) + len(forms) + len(words), dtype=np.int64)
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    find_edits(words.symbols, words.offsets, forms, form_offsets, edits, offsets)
    return edits[: offsets[-1]], offsets


@dataclass(frozen=True)
class EditBatch:
    """States of known edits bound to their descriptions: what a learner of probabilities asks for.

    Attributes
    ----------
    rows, features : ndarrays
        Descriptions of each state.
    kinds : ndarray
        What may come next.
    edits : ndarray
        The edit that comes.
    shares : ndarray
        Weight of each state.
    entry_offsets, entry_edits : ndarrays
        As in `EditModel`.
    n_edits : int
    n_jobs : int or None
    """

    rows: Integers
    features: Ids
    kinds: Integers
    edits: Ids
    shares: Floats
    entry_offsets: Integers
    entry_edits: Ids
    n_edits: int
    n_jobs: int | None

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return len(self.entry_edits)

    def observed(self) -> Floats:
        """Sum of the features of the edits that come."""
        owners = np.repeat(np.arange(len(self.kinds)), np.diff(self.rows))
        codes = self.features.astype(np.int64) * self.n_edits + self.edits[owners]
        known = np.repeat(np.arange(len(self.entry_offsets) - 1), np.diff(self.entry_offsets)) * self.n_edits
        places = np.searchsorted(known + self.entry_edits, codes)
        sums: Floats = np.bincount(places, weights=self.shares[owners], minlength=self.n_features).astype(np.float64)
        return sums

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        weights = checked_floats("weights", weights, (self.n_features,), "give one for each entry")

        def work(part: slice) -> tuple[float, Floats]:
            means = np.zeros(self.n_features)
            total = sum_states(
                part.start, part.stop, self.rows, self.features, self.kinds, self.shares, self.entry_offsets,
                self.entry_edits, self.n_edits, weights, means,
            )  # fmt: skip
            return total, means

        shards = cut_into_shards(np.diff(self.rows) / 50, self.n_features)
        total, means = sum_over_shards(work, shards, self.n_jobs)
        return float(total), means


def learn_edits(
    words: Words,
    forms: Ids,
    form_offsets: Integers,
    vowels: Integers,
    *,
    sample_weight: Floats | None = None,
    n_jobs: int | None = -1,
) -> EditModel:
    """Weights under which the edits are the most probable, with an L2 penalty."""
    codes, edit_offsets = edits_of(words, forms, form_offsets)
    symbols, numbers = np.unique(codes[codes >= FIRST_INSERTION], return_inverse=True)
    edits = codes.copy()
    edits[codes >= FIRST_INSERTION] = FIRST_INSERTION + numbers
    inserted = np.concatenate([np.zeros(FIRST_INSERTION, dtype=np.int64), symbols - FIRST_INSERTION])
    kinds, rows = np.zeros(len(edits), dtype=np.int64), np.zeros(len(edits) + 1, dtype=np.int64)
    asked = (
        words.symbols, words.offsets, words.tags, words.tag_offsets, codes, edit_offsets,
        checked_numbers("vowels", vowels, 2, CURE, dtype=np.int64), kinds, rows,
    )  # fmt: skip
    described = np.empty(describe_states(*asked, np.empty(0, dtype=np.int64)), dtype=np.int64)
    describe_states(*asked, described)
    keys, features = np.unique(described, return_inverse=True)
    owners = np.repeat(np.arange(len(edits)), np.diff(rows))
    entries = np.unique(features * len(inserted) + edits[owners])
    entry_offsets = np.searchsorted(entries, np.arange(len(keys) + 1) * len(inserted))
    entry_edits = (entries % len(inserted)).astype(np.int32)
    lengths = np.diff(edit_offsets)
    shares = np.repeat(np.ones(len(words)) if sample_weight is None else sample_weight, lengths)
    batch = EditBatch(
        rows, features.astype(np.int32), kinds, edits.astype(np.int32), shares, entry_offsets, entry_edits,
        len(inserted), n_jobs,
    )  # fmt: skip
    # A fixed number of steps is part of the recipe, so that its end is no cause for a warning.
    objective = PenalisedLikelihood(batch, C2)
    weights = minimize_lbfgs(objective, np.zeros(batch.n_features), max_iter=MAX_ITER, tol=TOLERANCE).point
    longer = np.diff(form_offsets) - np.diff(words.offsets)
    room = min(2 * max(int(longer.max(initial=0)), 0) + 4, MOST_ROOM)
    return EditModel(keys, entry_offsets, entry_edits, weights, inserted, vowels, room)


def learn_both_ways(
    pairs: Pairs,
    tagged: Tagged,
    output_names: Any,
    random: np.random.Generator,
    sample_weight: Floats | None,
    n_jobs: int | None,
) -> Edits:
    """Learn both models from pairs whose inputs have their tags."""
    if len(pairs) > MOST_WORDS:
        warnings.warn(
            f"forms with tags: edits are learned from {MOST_WORDS:,} of {len(pairs):,} words, drawn by random_state; "
            "the chain learns from all.",
            stacklevel=2,
        )
        chosen = np.sort(random.permutation(len(pairs))[:MOST_WORDS])
        pairs, sample_weight = pairs.select(chosen), None if sample_weight is None else sample_weight[chosen]
    words = words_of(pairs.inputs, pairs.input_offsets, tagged)
    vowels = vowels_of(output_names, pairs.outputs, pairs.output_offsets, len(output_names))
    backwards = reversed_sequences(pairs.outputs, pairs.output_offsets)
    models = [
        learn_edits(way, forms, pairs.output_offsets, vowels, sample_weight=sample_weight, n_jobs=n_jobs)
        for way, forms in ((words, pairs.outputs), (turned(words), backwards))
    ]
    return Edits(*models)

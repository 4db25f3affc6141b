"""A log-linear model of edits: the probability of each edit given the tags, the word and what was written.

Suffixes and prefixes are written symbol by symbol, so that a combination of tags unseen in training can have an ending
unseen in training, made of what its tags had elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.shards import concatenate_over_shards, cut_into_shards
from weft.errors import InputError
from weft.rewriting.candidates.key_table import key_table
from weft.rewriting.edits.loops.search import search_forms

__all__ = ["MOST_ROOM", "EditModel", "Words"]

CURE = "number the symbols as in training"
BEAM_WIDTH, MARGIN = 8, 12.0
MOST_ROOM = 256
"""Symbols that a form may have beyond those of its word, at the most."""


@dataclass(frozen=True)
class Words:
    """Words as numbers of output symbols, and their tags.

    Attributes
    ----------
    symbols, offsets : ndarrays
    tags, tag_offsets : ndarrays
    """

    symbols: Ids
    offsets: Integers
    tags: Ids
    tag_offsets: Integers

    def __post_init__(self) -> None:
        for name in ("symbols", "tags"):
            object.__setattr__(self, name, checked_numbers(name, getattr(self, name), 1 << 31, CURE))
        offsets = checked_offsets("offsets", self.offsets, len(self.symbols), CURE)
        tag_offsets = checked_offsets("tag_offsets", self.tag_offsets, len(self.tags), CURE, len(offsets) - 1)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "tag_offsets", tag_offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class EditModel:
    """Weights of edits in states that are described as in `weft.rewriting.edits.loops.pictures`.

    Attributes
    ----------
    keys : ndarray
        Descriptions, rising.
    entry_offsets, entry_edits : ndarrays
        Edits that have a weight with each description: 0 copies, 1 deletes, 2 stops, the others insert.
    weights : ndarray
    inserted : ndarray
        Output symbol that each edit inserts; 0 for the first three.
    vowels : ndarray
        1 for output symbols that are vowels.
    room : int
        Symbols that a form may have beyond those of its word.
    """

    keys: Integers
    entry_offsets: Integers
    entry_edits: Ids
    weights: Floats
    inserted: Integers
    vowels: Integers
    room: int

    def __post_init__(self) -> None:
        keys = checked_numbers("keys", self.keys, np.iinfo(np.int64).max, CURE, dtype=np.int64)
        if (np.diff(keys) <= 0).any():
            raise InputError("the keys of descriptions do not rise: sort them")
        inserted = checked_numbers("inserted", self.inserted, 1 << 31, CURE, dtype=np.int64)
        if len(inserted) < 3:
            raise InputError(f"inserted has {len(inserted)} edits; need at least 3: to copy, to delete and to stop")
        edits = checked_numbers("entry_edits", self.entry_edits, len(inserted), CURE)
        offsets = checked_offsets("entry_offsets", self.entry_offsets, len(edits), CURE, len(keys))
        weights = checked_floats("weights", self.weights, (len(edits),), "give one for each entry")
        vowels = checked_numbers("vowels", self.vowels, 2, CURE, dtype=np.int64)
        object.__setattr__(self, "_tables", (*key_table(keys), offsets, edits, weights, inserted, vowels))

    def rank(
        self, words: Words, k: int, *, beam_width: int = BEAM_WIDTH, n_jobs: int | None = -1
    ) -> list[list[tuple[tuple[int, ...], float]]]:
        """The k most probable forms of every word with their probabilities, best first; fewer if fewer are found."""
        width = max(beam_width, k)
        longest = int(np.diff(words.offsets).max(initial=0)) + self.room
        tables: Any = self._tables  # type: ignore[attr-defined]

        def work(part: slice) -> list[list[tuple[tuple[int, ...], float]]]:
            n = part.stop - part.start
            forms, lengths = np.zeros((n, k, longest), dtype=np.int64), np.zeros((n, k), dtype=np.int64)
            values = np.empty((n, k))
            search_forms(
                words.symbols, words.offsets[part.start : part.stop + 1], words.tags,
                words.tag_offsets[part.start : part.stop + 1], tables, width, MARGIN, self.room, forms, lengths, values,
            )  # fmt: skip
            shares = np.minimum(np.exp(values), 1.0).tolist()
            return [
                [
                    (tuple(form[:length].tolist()), share)
                    for form, length, share, value in zip(forms[i], lengths[i], shares[i], values[i], strict=True)
                    if value > -np.inf
                ]
                for i in range(n)
            ]

        parts = concatenate_over_shards(work, cut_into_shards(np.diff(words.offsets) + 1, 0), n_jobs)
        return [found for part in parts for found in part]

    def prune(self, min_weight: float) -> EditModel:
        """The model without weights smaller than this share of their mean size, and without idle descriptions."""
        sizes = np.abs(self.weights)
        kept = sizes >= (min_weight * float(sizes[sizes > 0.0].mean()) if sizes.any() else 0.0)
        counts = np.diff(np.concatenate([[0], np.cumsum(kept)])[self.entry_offsets])
        return replace(
            self,
            keys=self.keys[counts > 0],
            entry_offsets=np.concatenate([[0], np.cumsum(counts[counts > 0])]),
            entry_edits=self.entry_edits[kept],
            weights=self.weights[kept],
        )

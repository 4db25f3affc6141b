"""Probability that two positions of a pair are paired: of each two, or of those alone that reach a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from weft.arrays import Floats
from weft.core.memory import require_memory
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.structures.alignment.batch import AlignmentBatch


def all_pairs(batch: AlignmentBatch, weights: Floats, instead: str) -> list[Floats]:
    """An array of shape (n, m) for each pair; `instead` says what to do if memory lacks."""
    shapes = list(zip(batch.corpus.first_lengths.tolist(), batch.corpus.second_lengths.tolist(), strict=True))
    n_bytes, what = 8 * sum(n * m for n, m in shapes), f"probabilities of all pairs of positions of {len(shapes):,}"
    require_memory(n_bytes, f"{what} alignments", instead)
    places = np.cumsum([0, *(n * m for n, m in shapes)])
    posteriors = np.empty(places[-1])
    batch._expected(weights, np.ones(len(batch.corpus)), separate=False, posteriors=posteriors, places=places)
    return [posteriors[places[i] : places[i + 1]].reshape(shape) for i, shape in enumerate(shapes)]


def likely_pairs(batch: AlignmentBatch, weights: Floats, threshold: float) -> list[csr_matrix]:
    """A sparse matrix for each pair; whatever is below the threshold takes no memory."""
    if not 0.0 < threshold <= 1.0:
        raise InputError(f"threshold is {threshold!r}; need a probability above 0: use marginals for all of them")
    # The probabilities of one symbol sum to 1 at the most, up to rounding.
    most = np.minimum(batch.corpus.second_lengths, int(1.0 / threshold) + 1)
    places = np.concatenate([[0], np.cumsum(batch.corpus.first_lengths * most)])
    first, second = np.empty(places[-1], dtype=np.int32), np.empty(places[-1], dtype=np.int32)
    entries = (float(threshold), first, second, np.empty(places[-1]), np.zeros(len(batch.corpus), dtype=np.int64))
    batch._expected(weights, np.ones(len(batch.corpus)), separate=False, places=places, entries=entries)
    found = []
    for index, (begin, n_entries) in enumerate(zip(places[:-1].tolist(), entries[4].tolist(), strict=True)):
        here = slice(begin, begin + n_entries)
        shape = (batch.corpus.first_lengths[index], batch.corpus.second_lengths[index])
        found.append(csr_matrix((entries[3][here], (first[here], second[here])), shape=shape))
    return found

"""Moments of all labellings of a fully connected first-order chain, each counting the same: in closed form.

Labels of tokens are independent and uniform then, so that a moment costs one pass over the token features and no
dynamic programme.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.vectors import dot_in_order
from weft.sequences.corpus import column_sums
from weft.structures.chain.loops.uniform import uniform_covariances

if TYPE_CHECKING:
    from weft.structures.chain.batch import ChainBatch


def uniform_mean(batch: ChainBatch) -> tuple[float, Floats]:
    """Sum of log partitions, and of expected features.

    Labels are independent and uniform: a pair has the sum of its attribute's values, shared out over labels.
    """
    h, weight, lengths = batch.features.n_labels, batch.sample_weight, batch.corpus.lengths
    tokens, offsets = batch.sparse_tokens, batch.corpus.offsets
    is_plain = bool(np.all(weight == 1.0))

    def work(shard: list[slice]) -> tuple[Floats]:
        begin, end = offsets[shard[0].start], offsets[shard[-1].stop]
        here = slice(tokens.offsets[begin], tokens.offsets[end])
        values = tokens.values[here] if len(tokens.values) else None
        if not is_plain:
            of_token = np.repeat(weight[shard[0].start : shard[-1].stop], lengths[shard[0].start : shard[-1].stop])
            of_entry = np.repeat(of_token, np.diff(tokens.offsets[begin : end + 1]))
            values = of_entry if values is None else values * of_entry
        return (column_sums(tokens.ids[here], values, tokens.n_columns) / h,)

    totals = batch._summed(work)[0]
    mean = batch.layouts.fresh_vector()
    pairs, grams, _, _ = batch.features.split(mean)
    pairs[:] = np.repeat(totals, np.diff(batch.features.pair_offsets))
    grams[:] = batch._total(np.asarray((lengths - 1) / h**2))
    return batch._total(np.asarray(lengths * np.log(h))), mean


def uniform_covariance(
    batch: ChainBatch, direction: Floats, gold: NDArray[np.int32], loss: float
) -> tuple[Floats, Floats]:
    """What `ChainBatch.covariance_with` gives for weights of zero."""
    tables, means = batch.features.tables(direction, restrict=False), np.empty(batch.n_sequences)
    has_weights = bool(batch.features.split(direction)[0].any())

    def work(model: Any, chunk: slice, sums: Any, ends: Any) -> float:
        here = gold[batch.layouts.tokens(chunk)], loss, batch.features.n_labels, batch.sample_weight[chunk]
        uniform_covariances(model, (model[3], has_weights, tables), *here, sums, means[chunk])
        return 0.0

    # Under the uniform distribution no weights act, so the direction takes their place.
    return batch._sum_over_chunks(direction, work)[1], means


def uniform_variances(batch: ChainBatch) -> Floats:
    """Variance of each feature, summed."""
    return np.asarray(batch._summed(partial(_variances_of, batch))[0])


def _variances_of(batch: ChainBatch, shard: list[slice]) -> tuple[Floats]:
    features, here = batch.features, slice(shard[0].start, shard[-1].stop)
    h = features.n_labels
    lengths, sample_weight = batch.corpus.lengths[here].astype(np.float64), batch.sample_weight[here]
    attribute = np.repeat(_squared_columns(batch, here) * (1 / h) * (1 - 1 / h), np.diff(features.pair_offsets))
    n_steps = dot_in_order(sample_weight, lengths - 1)
    n_inner = dot_in_order(sample_weight, np.maximum(lengths - 2, 0))
    grams = np.array(
        [
            n_steps * (1 / h**n - 1 / h ** (2 * n)) + n_inner * (2 * (len(set(gram)) == 1) / h**3 - 2 / h**4) * (n == 2)
            for gram in features.grams.grams
            for n in [len(gram)]
        ]
    ).reshape(-1)
    ends = np.full(2 * h if features.boundary else 0, sample_weight.sum() * (1 / h) * (1 - 1 / h))
    return (np.concatenate([attribute, grams, ends]),)


def _squared_columns(batch: ChainBatch, sequences: slice) -> Floats:
    """Sum of the squared values of each token feature over some sequences."""
    rows = batch.layouts.tokens(sequences)
    offsets = batch.sparse_tokens.offsets[rows.start : rows.stop + 1]
    entries = slice(int(offsets[0]), int(offsets[-1]))
    lengths = batch.corpus.lengths[sequences]
    sample_weight = np.repeat(np.repeat(batch.sample_weight[sequences], lengths), np.diff(offsets))
    values = batch.sparse_tokens.values[entries]
    squares = sample_weight * values**2 if len(values) else sample_weight
    return np.asarray(np.bincount(batch.sparse_tokens.ids[entries], squares, len(batch.features.pair_offsets) - 1))

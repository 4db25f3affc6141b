"""How far the score of an output lies above the mean over all outputs of its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.core.ties import LEAST_DEVIATION
from weft.structures.chain.loops.scores import chain_score_moments, uniform_score_moments

if TYPE_CHECKING:
    from weft.structures.chain.batch import ChainBatch, Chunk

__all__ = ["score_moments", "sequence_z_scores"]

Floats = NDArray[np.float64]


def score_moments(batch: ChainBatch, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the score over all outputs of each sequence, each output counting the same.

    Parameters
    ----------
    batch : ChainBatch
    weights : ndarray of shape (n_features,)

    Returns
    -------
    means, deviations : ndarrays of shape (n_sequences,)

    Examples
    --------
    >>> import weft
    >>> from weft.structures.chain.batch import ChainBatch
    >>> tagger = weft.Tagger(weft.SODA()).fit(["ab"], ["xy"])
    >>> batch = ChainBatch(tagger.chain_, tagger.encode(["a"]))
    >>> mean, deviation = score_moments(batch, np.array([3.0, 1.0, 0, 0, 0, 0, 0, 0]))  # x scores 3, y scores 1
    >>> mean.item(), deviation.item()
    (2.0, 1.0)
    """
    features = batch.features
    means, variances = np.zeros(batch.n_sequences), np.zeros(batch.n_sequences)
    tables = features.tables(weights, restrict=False)
    restricted = features.tables(weights)

    def work(model: Any, chunk: Chunk) -> None:
        offsets, layout, pair_labels, token_weights, _ = model
        here = means[chunk.sequences], variances[chunk.sequences]
        if features.has_closed_form:
            uniform_score_moments(offsets, layout, pair_labels, token_weights, tables[0], features.n_labels, *here)
        else:
            chain_score_moments(
                offsets, layout, pair_labels, token_weights, tables, restricted, features.n_labels, *here
            )

    batch.over_chunks(weights, work)
    return means, np.sqrt(np.maximum(variances, 0.0))


def sequence_z_scores(batch: ChainBatch, weights: Floats, labels: NDArray[np.int32] | None = None) -> Floats:
    """Standard deviations by which an output scores above the mean over all outputs, for each sequence.

    Parameters
    ----------
    batch : ChainBatch
    weights : ndarray of shape (n_features,)
    labels : ndarray of int32, shape (n_tokens,), optional
        The outputs; by default the best one of each sequence.

    Returns
    -------
    ndarray of shape (n_sequences,)
        Zero where all outputs score the same. At most a share ``1 / (1 + z^2)`` of all outputs scores as high as one
        with z > 0 (MM Theorem 5).

    Examples
    --------
    >>> import weft
    >>> from weft.structures.chain.batch import ChainBatch
    >>> tagger = weft.Tagger(weft.SODA()).fit(["ab"], ["xy"])
    >>> batch = ChainBatch(tagger.chain_, tagger.encode(["ab", "a"]))
    >>> sequence_z_scores(batch, np.array([3.0, 1.0, 0, 0, 0, 0, 0, 0])).round(2).tolist()
    [1.0, 1.0]
    """
    means, deviations = score_moments(batch, weights)
    scores = batch.argmax(weights)[1] if labels is None else batch.scores(weights, labels)
    size = np.abs(means) + np.abs(np.where(np.isfinite(scores), scores, 0.0))
    varied = deviations > LEAST_DEVIATION * size
    return np.divide(scores - means, deviations, out=np.zeros_like(means), where=varied)

"""How far the score of an output lies above the mean over all outputs of its input."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.ties import LEAST_DEVIATION


def z_scores(batch: Any, weights: Floats, outputs: Any = None) -> Floats:
    """Standard deviations by which outputs score above the mean over all outputs of their sequences.

    Parameters
    ----------
    batch
        Answers `argmax`, `scores` and `score_moments`.
    weights : ndarray of shape (n_features,)
    outputs : optional
        One output per sequence; by default the best ones.

    Returns
    -------
    ndarray of shape (n_sequences,)
        Zero where all outputs score the same. At most a share ``1 / (1 + z^2)`` of all outputs scores as high as one
        with z > 0 (MM Theorem 5).

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.SODA()).fit(["ab"], ["xy"])
    >>> batch = tagger.bind(["ab", "a"], ["xy", "x"])
    >>> z_scores(batch, np.array([3.0, 1.0, 0, 0, 0, 0, 0, 0])).round(2).tolist()
    [1.0, 1.0]
    """
    means, variances = batch.score_moments(weights)
    deviations = np.sqrt(np.maximum(variances, 0.0))
    scores = batch.argmax(weights)[1] if outputs is None else batch.scores(weights, outputs)
    size = np.abs(means) + np.abs(np.where(np.isfinite(scores), scores, 0.0))
    varied = deviations > LEAST_DEVIATION * size
    return np.asarray(np.divide(scores - means, deviations, out=np.zeros_like(means), where=varied))

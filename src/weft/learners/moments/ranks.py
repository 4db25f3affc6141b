"""Where references stand among all outputs: relative ranks and what the moments say about them (MM Theorem 5).

A *relative rank* is the share of all outputs that score at least as high as the reference, itself included: 1/N at
best.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from weft.arrays import Floats, Mask
from weft.errors import InputError
from weft.structures.z_scores import z_scores


def rank_bound(z_scores: Any) -> Floats:
    """Upper bound ``1 / (1 + z^2)`` on the relative rank of an output z standard deviations above the mean.

    The minimum over the length of theta of the bound in MM Theorem 5; one for z <= 0.

    Examples
    --------
    >>> rank_bound([0.0, 1.0, 3.0]).tolist()
    [1.0, 0.5, 0.1]
    """
    return np.asarray(1.0 / (1.0 + np.maximum(np.asarray(z_scores, dtype=np.float64), 0.0) ** 2))


def relative_rank_bounds(estimator: Any, X: Any, y: Any) -> Floats:
    """Upper bound on the relative rank of each reference, from the mean and variance of all scores.

    Examples
    --------
    >>> import weft
    >>> X, y = ["abab", "bbaa"], ["xyxy", "yyxx"]
    >>> bool((relative_rank_bounds(weft.Tagger(weft.SODA()).fit(X, y), X, y) < 0.5).all())
    True
    """
    batch = estimator.bind(X, y)
    return rank_bound(z_scores(batch, estimator.weights_, batch.reference()))


def relative_ranks(
    estimator: Any, X: Any, y: Any, *, n_best: int = 1000, n_samples: int = 10_000, random_state: Any = None
) -> tuple[Floats, Mask]:
    """Share of all outputs that score at least as high as the reference, one number per sequence.

    Exact where the reference, with all that tie with it, is among the `n_best` best outputs, which includes every
    sequence with at most `n_best` outputs. Elsewhere an estimate from outputs drawn uniformly, with the reference
    counted as one of them, so that it is never below ``1 / (n_samples + 1)``.

    Parameters
    ----------
    estimator : fitted Tagger, Aligner, Folder or Parser
    X, y
        Inputs and their outputs.
    n_best : int
    n_samples : int
    random_state : int, optional

    Returns
    -------
    ranks : ndarray of shape (n_sequences,)
    is_exact : ndarray of bool, shape (n_sequences,)

    Examples
    --------
    >>> import weft
    >>> X, y = ["abab", "bbaa"], ["xyxy", "yyxx"]
    >>> ranks, is_exact = relative_ranks(weft.Tagger(weft.SODA()).fit(X, y), X, y)
    >>> (16 * ranks).round(9).tolist(), is_exact.tolist()
    ([1.0, 1.0], [True, True])
    """
    if n_best < 1 or n_samples < 1:
        raise InputError(f"n_best={n_best}, n_samples={n_samples}; whole numbers of at least 1 are needed.")
    batch = estimator.bind(X, y)
    weights = estimator.weights_
    reference = batch.scores(weights, batch.reference())
    log_counts = batch.log_partitions(np.zeros(batch.n_features))
    # Sums in another order differ by rounding; a tie must count as one.
    least = reference - 1e-9 * np.maximum(1.0, np.abs(reference))
    best = [np.array([score for _, score in own]) for own in batch.kbest(weights, n_best)]
    is_exact = np.array([len(own) < n_best or own[-1] < low for own, low in zip(best, least, strict=True)])
    is_exact |= log_counts <= log(n_best) + 1e-9
    n_above = np.array([max(int(np.sum(own >= low)), 1) for own, low in zip(best, least, strict=True)])
    ranks = np.exp(np.log(n_above) - log_counts)
    if not is_exact.all():
        rest = np.flatnonzero(~is_exact)
        others, n_hits = batch.select(rest), np.ones(len(rest))
        for drawn in others.sample(np.zeros(batch.n_features), n_samples, np.random.default_rng(random_state)):
            n_hits += others.scores(weights, drawn) >= least[rest]
        ranks[rest] = n_hits / (n_samples + 1)
    return ranks, is_exact


def ranking_losses(estimator: Any, X: Any, y: Any) -> Floats:
    """The loss that SODA minimises, ``theta' C_i theta + (theta' b_i - 1)^2``: at least the relative rank (Theorem 5).

    Unlike `relative_rank_bounds` it depends on the length of the weights; it is the loss that `rademacher_bound`
    speaks about.

    Examples
    --------
    >>> import weft
    >>> X, y = ["abab", "bbaa"], ["xyxy", "yyxx"]
    >>> bool((ranking_losses(weft.Tagger(weft.SODA()).fit(X, y), X, y) < 0.5).all())
    True
    """
    batch = estimator.bind(X, y)
    means, variances = batch.score_moments(estimator.weights_)
    margins = batch.scores(estimator.weights_, batch.reference()) - means
    return np.asarray(variances + (margins - 1.0) ** 2)

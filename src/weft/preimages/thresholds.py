"""From predicted counts, which are real numbers, to whole ones whose averages agree with training (RG 1.7.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from weft.annotations import Matrix
from weft.arrays import Floats, Integers
from weft.errors import InputError


def fit_thresholds(predicted: ArrayLike, counts: Matrix, caps: ArrayLike | None = None) -> Floats:
    """Threshold of each n-gram, above which its count is one, such that the total count over all strings is right.

    A prediction that exceeds the threshold by one, two, ... counts as two, three, ..., up to the cap: with z a
    prediction and t the threshold, the count is ``floor(z - t) + 1``. With T the true total, t lies midway between
    the T-th and (T+1)-th largest of all ``z, z - 1, ..., z - cap + 1``. Give predictions for strings that were held
    out: those of a fit that nearly interpolates its data have thresholds that are far too high.

    Parameters
    ----------
    predicted : array of shape (n_strings, n_grams)
    counts : array or sparse array of the same shape
    caps : array of shape (n_grams,), optional
        Largest counts; None takes those of `counts`, at least 1.

    Returns
    -------
    ndarray of shape (n_grams,)

    Examples
    --------
    >>> fit_thresholds([[0.1], [0.4], [0.35], [0.8]], [[0], [1], [0], [1]])
    array([0.375])
    """
    z = np.asarray(predicted, dtype=np.float64)
    truth = counts.toarray() if hasattr(counts, "toarray") else np.asarray(counts, dtype=np.float64)
    if z.shape != truth.shape or z.ndim != 2 or len(z) == 0:
        raise InputError(f"predictions of shape {z.shape} and counts of shape {truth.shape} given; need equal ones.")
    largest = np.maximum(truth.max(axis=0), 1.0) if caps is None else np.asarray(caps, dtype=np.float64)
    totals = np.rint(truth.sum(axis=0)).astype(np.int64)
    thresholds = np.empty(z.shape[1])
    for cap in np.unique(largest):
        columns = np.flatnonzero(largest == cap)
        levels = np.concatenate([z[:, columns] - k for k in range(int(cap))])
        levels = -np.sort(-levels, axis=0)
        # Beyond the first and the last level there is nothing to agree with: half a count away.
        levels = np.vstack([levels[:1] + 1.0, levels, levels[-1:] - 1.0])
        place = np.minimum(totals[columns], len(levels) - 2)
        across = np.arange(len(columns))
        thresholds[columns] = (levels[place, across] + levels[place + 1, across]) / 2.0
    return thresholds


def discretize(predicted: ArrayLike, thresholds: ArrayLike = 0.5, caps: ArrayLike = 1) -> Integers:
    """Whole counts from predictions.

    Parameters
    ----------
    predicted : array of shape (n_strings, n_grams)
    thresholds : float or array of shape (n_grams,)
        Of `fit_thresholds`; 0.5 is rounding.
    caps : int or array of shape (n_grams,)
        Largest counts.

    Returns
    -------
    ndarray of the shape of `predicted`

    Examples
    --------
    >>> discretize([[0.3, 0.4, 1.6]], 0.375, caps=9)
    array([[0, 1, 2]])
    """
    steps = np.floor(np.asarray(predicted, dtype=np.float64) - np.asarray(thresholds)) + 1.0
    whole: Integers = np.clip(steps, 0.0, np.asarray(caps)).astype(np.int64)
    return whole

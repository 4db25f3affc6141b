"""Whether confidence keeps its word: predictions of 80 % should be right four times in five."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from weft.errors import InputError
from weft.sequences.checks import as_numbers


class CalibrationBin(NamedTuple):
    """Predictions of similar confidence: their mean confidence, the share of them that is right, their number."""

    confidence: float
    share: float
    n: int


def calibration_bins(confidences: ArrayLike, right: ArrayLike, n_bins: int = 10) -> list[CalibrationBin]:
    """Predictions in bins of equal width by confidence; empty bins are left out.

    Parameters
    ----------
    confidences : array-like of shape (n,)
        Probabilities that a model gave to its predictions.
    right : array-like of shape (n,)
        Whether each prediction is right.
    n_bins : int

    Returns
    -------
    list of CalibrationBin

    Examples
    --------
    >>> calibration_bins([0.75, 0.75, 0.25], [1, 0, 0], n_bins=2)
    [CalibrationBin(confidence=0.25, share=0.0, n=1), CalibrationBin(confidence=0.75, share=0.5, n=2)]
    """
    sure, hit = as_numbers(confidences, "confidences"), as_numbers(right, "right")
    bins: Any = n_bins
    if sure.ndim != 1 or sure.shape != hit.shape or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError(
            f"confidences of shape {sure.shape}, right of shape {hit.shape} and {n_bins!r:.60} bins given; "
            "needed two lists of one length and at least one bin."
        )
    if sure.size and not (sure.min() >= -1e-9 and sure.max() <= 1 + 1e-9):
        raise InputError(f"confidences reach from {sure.min():g} to {sure.max():g}; needed probabilities.")
    places = np.clip((sure * n_bins).astype(np.int64), 0, n_bins - 1)
    counts = np.bincount(places, minlength=n_bins)
    sums = np.bincount(places, sure, n_bins), np.bincount(places, hit, n_bins)
    return [
        CalibrationBin(float(sums[0][k] / n), float(sums[1][k] / n), int(n)) for k, n in enumerate(counts.tolist()) if n
    ]


def expected_calibration_error(confidences: ArrayLike, right: ArrayLike, n_bins: int = 10) -> float:
    """Mean distance between confidence and share that is right, over predictions in bins of equal width.

    Parameters
    ----------
    confidences, right, n_bins
        As in `calibration_bins`; at least one prediction.

    Returns
    -------
    float

    Examples
    --------
    >>> expected_calibration_error([0.75, 0.75, 0.25, 0.25], [1, 1, 0, 0])
    0.25
    """
    bins = calibration_bins(confidences, right, n_bins)
    if not bins:
        raise InputError("no predictions given, so there is no calibration error; give at least one.")
    n = sum(each.n for each in bins)
    return sum(each.n * abs(each.confidence - each.share) for each in bins) / n


def honest_calibration_error(confidences: ArrayLike, n_bins: int = 10) -> float:
    """What the expected calibration error would be on average if every confidence were true.

    It is not zero: of ten coins that are thrown, rarely five show heads. A calibration error that is hardly larger has
    been measured on too few predictions to say more. In each bin the number of right predictions is taken as binomial
    with the mean confidence, whose mean absolute deviation De Moivre gave (Diaconis and Zabell 1991, equation 1.1).

    Parameters
    ----------
    confidences, n_bins
        As in `calibration_bins`; at least one prediction.

    Returns
    -------
    float

    Examples
    --------
    >>> round(honest_calibration_error([0.5, 0.5]), 3)
    0.25
    >>> round(honest_calibration_error([0.5] * 1000), 3)
    0.013
    """
    bins = calibration_bins(confidences, np.zeros(np.shape(confidences)), n_bins)
    if not bins:
        raise InputError("no predictions given, so there is no calibration error; give at least one.")
    n = sum(each.n for each in bins)
    return sum(_mean_deviation(each.n, min(max(each.confidence, 0.0), 1.0)) for each in bins) / n


def _mean_deviation(n: int, p: float) -> float:
    """E|S - np| of a binomial S: 2 m C(n, m) p^m (1 - p)^(n - m + 1), m the smallest whole number above np."""
    m = math.floor(n * p) + 1
    if p in (0.0, 1.0) or m > n:
        return 0.0
    chosen = math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
    return 2 * m * math.exp(chosen + m * math.log(p) + (n - m + 1) * math.log1p(-p))

"""How sure a mean score is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from weft.errors import InputError
from weft.metrics.wilson import wilson_interval
from weft.sequences.checks import as_numbers

__all__ = ["bootstrap_interval", "ratio_interval"]


def bootstrap_interval(
    values: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int | None = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of `values`, one value a sequence.

    Parameters
    ----------
    values : array-like of shape (n,)
    level : float
        Share of the resampled means inside the interval.
    n_resamples : int
    random_state : int or None
        Seed; None draws another one at each call.

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> low, high = bootstrap_interval([0.0, 1.0, 1.0, 1.0], random_state=0)
    >>> low <= 0.75 <= high
    True
    """
    sample = as_numbers(values, "values")
    if sample.ndim != 1 or sample.size == 0 or not np.isfinite(sample).all():
        raise InputError(
            f"values has shape {sample.shape}; bootstrap_interval wants a list of one or more finite numbers."
        )
    if not 0.0 < level < 1.0 or n_resamples < 1:
        raise InputError(
            f"level is {level} and n_resamples {n_resamples}; wanted a level between 0 and 1 and at least 1."
        )
    generator = np.random.default_rng(random_state)
    means = np.empty(n_resamples)
    for k in range(n_resamples):  # one resample at a time keeps memory at the size of the sample
        means[k] = sample[generator.integers(sample.size, size=sample.size)].mean()
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of sum(numerators) / sum(denominators); whole sequences are drawn.

    Tokens of a sequence err together, so drawing tokens one by one would make the interval too narrow. Where all is
    right, or nothing, every draw is the same and would promise too much: there the interval is Wilson's over sequences.

    Examples
    --------
    >>> low, high = ratio_interval([1, 4, 3, 2], [2, 4, 4, 2])
    >>> low < 10 / 12 < high
    True
    >>> [round(end, 3) for end in ratio_interval([2, 4, 4, 2], [2, 4, 4, 2])]
    [0.51, 1.0]
    """
    above, below = as_numbers(numerators, "numerators"), as_numbers(denominators, "denominators")
    if above.ndim != 1 or above.shape != below.shape or not above.size:
        raise InputError(
            f"numerators of shape {above.shape} and denominators of shape {below.shape} came; two lists of one length "
            "are wanted, with at least one number."
        )
    n_counting = int(np.count_nonzero(below))
    if n_counting and (np.array_equal(above, below) or not above.any()):
        return wilson_interval(n_counting if above.any() else 0, n_counting, level)
    generator = np.random.default_rng(random_state)
    ratios = np.zeros(n_resamples)
    for k in range(n_resamples):  # one resample at a time keeps memory at the size of the sample
        drawn = generator.integers(above.size, size=above.size)
        total = below[drawn].sum()
        ratios[k] = above[drawn].sum() / total if total else 0.0
    low, high = np.quantile(ratios, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)

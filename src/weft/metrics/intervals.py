"""How sure a score is: the one place that decides which interval a number has.

A share of sequences, each right or wrong, has Wilson's interval. A score that sums over the parts of sequences has one
by bootstrap over whole sequences, since the parts of one err together. Where every sequence is all right, or all wrong,
each draw would be the same and promise too much: there it is Wilson's over the sequences that count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.errors import InputError
from weft.sequences.checks import as_numbers

MOST_DRAWN = 1_000_000
"""Numbers of resamples that are in memory together."""


def wilson_interval(right: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score interval of a share: where all or none of few trials succeed, it stays wide as it should.

    Parameters
    ----------
    right, n : int
        Successes, and trials; without trials the interval is everything.
    level : float

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(10, 10)]
    [0.722, 1.0]
    """
    known = _is_whole(right) and _is_whole(n) and 0 <= right <= n
    if not known or not _is_share(level):
        raise InputError(
            f"{right!r:.60} of {n!r:.60} at level {level!r:.60} given; needed whole numbers 0 <= right <= n and a "
            "level between 0 and 1."
        )
    if n == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest  # a second to import: only when asked

    found = binomtest(right, n).proportion_ci(confidence_level=level, method="wilson")
    return float(found.low), float(found.high)


def sample_interval(
    samples: tuple[NDArray[Any], ...],
    statistic: Callable[..., Any],
    level: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | None = 0,
    vectorized: bool = True,
) -> tuple[float, float]:
    """Percentile bootstrap interval of a statistic of arrays of one length, whose entries are drawn together.

    Parameters
    ----------
    samples : tuple of ndarray
    statistic : callable
        Of the arrays, and with `vectorized` of an `axis`.
    level : float
        Share of the resampled values inside the interval.
    n_resamples : int
    random_state : int or None
        Seed; None draws another one at each call.
    vectorized : bool

    Examples
    --------
    >>> low, high = sample_interval((np.array([0.0, 1.0, 1.0, 1.0]),), np.mean)
    >>> low <= 0.75 <= high
    True
    """
    if not _is_share(level) or not _is_whole(n_resamples) or n_resamples < 1:
        raise InputError(
            f"level is {level!r:.60} and n_resamples {n_resamples!r:.60}; needed a level between 0 and 1 and at least "
            "1 resample."
        )
    n = len(samples[0])
    if n == 1:  # nothing varies
        value = float(statistic(*samples, axis=-1) if vectorized else statistic(*samples))
        return value, value
    from scipy.stats import bootstrap

    found = bootstrap(
        samples,
        statistic,
        n_resamples=n_resamples,
        batch=max(1, MOST_DRAWN // n),
        vectorized=vectorized,
        paired=True,
        confidence_level=level,
        method="percentile",
        random_state=np.random.default_rng(random_state),
    ).confidence_interval
    return float(found.low), float(found.high)


def bootstrap_interval(
    values: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int | None = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of `values`, one value per sequence.

    Parameters
    ----------
    values : array-like of shape (n,)
    level, n_resamples, random_state
        As in `sample_interval`.

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
            f"values has shape {sample.shape}; bootstrap_interval needs a list of one or more finite numbers."
        )
    return sample_interval((sample,), np.mean, level, n_resamples, random_state)


def interval_method(numerators: ArrayLike, denominators: ArrayLike) -> Literal["wilson", "bootstrap"]:
    """Which interval sum(numerators) / sum(denominators) has, see the module.

    Examples
    --------
    >>> interval_method([1, 0, 1], [1, 1, 1]), interval_method([2, 3], [4, 4]), interval_method([4, 4], [4, 4])
    ('wilson', 'bootstrap', 'wilson')
    """
    above, below = as_numbers(numerators, "numerators"), as_numbers(denominators, "denominators")
    is_share = bool((below == 1).all()) and set(np.unique(above)) <= {0, 1}
    same = bool(below.any()) and (np.array_equal(above, below) or not above.any())
    return "wilson" if is_share or same else "bootstrap"


def ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0
) -> tuple[float, float]:
    """Interval of sum(numerators) / sum(denominators), one of each per sequence: Wilson's or by bootstrap.

    `interval_method` says which. Tokens of a sequence err together, so drawing tokens one by one would make the
    interval too narrow; whole sequences are drawn.

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
            f"numerators of shape {above.shape} and denominators of shape {below.shape} given; two lists of one length "
            "are needed, with at least one number."
        )
    if interval_method(above, below) == "wilson":
        n_right = int(np.count_nonzero(above))
        return wilson_interval(n_right, int(np.count_nonzero(below)), level)
    return sample_interval((above, below), _ratio, level, n_resamples, random_state)


def _ratio(above: NDArray[Any], below: NDArray[Any], axis: int) -> NDArray[np.float64]:
    """Sum over sum; nothing where there is nothing to divide by."""
    numerator, total = above.sum(axis=axis), np.asarray(below.sum(axis=axis), dtype=np.float64)
    ratio: NDArray[np.float64] = np.divide(numerator, total, out=np.zeros_like(total), where=total != 0)
    return ratio


def _is_share(level: Any) -> bool:
    return isinstance(level, float | np.floating) and bool(0.0 < level < 1.0)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)

"""How sure a ratio of sums over sequences is: accuracies and F1 are such ratios."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["ratio_interval"]


def ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of sum(numerators) / sum(denominators); whole sequences are drawn.

    Tokens of a sequence err together, so drawing tokens one by one would make the interval too narrow.

    Examples
    --------
    >>> low, high = ratio_interval([1, 4, 3, 2], [2, 4, 4, 2])
    >>> low < 10 / 12 < high
    True
    """
    above, below = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    generator = np.random.default_rng(random_state)
    ratios = np.zeros(n_resamples)
    for k in range(n_resamples):  # one resample at a time keeps memory at the size of the sample
        drawn = generator.integers(above.size, size=above.size)
        total = below[drawn].sum()
        ratios[k] = above[drawn].sum() / total if total else 0.0
    low, high = np.quantile(ratios, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)

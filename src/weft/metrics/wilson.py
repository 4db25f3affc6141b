"""How sure a share of independent trials is."""

from __future__ import annotations

import math
from statistics import NormalDist

from weft.errors import InputError

__all__ = ["wilson_interval"]


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
    if not 0 <= right <= n or not 0.0 < level < 1.0:
        raise InputError(f"{right} of {n} at level {level} came; wanted 0 <= right <= n and a level between 0 and 1.")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    share = right / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the interval has the share itself, whatever rounding says.
    return (0.0 if right == 0 else middle - reach), (1.0 if right == n else middle + reach)

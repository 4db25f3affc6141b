"""Grams that may stand a few places apart, as explicit features."""

from __future__ import annotations

from functools import cache
from math import sqrt

ROWS = 100_000
"""Rows of the factor, at the most; some dozens suffice, as its matrix is far from singular."""


@cache
def shift_taps(shift: int) -> tuple[float, ...]:
    """Weights a with ``sum_t a[t] a[t + s] = 1 / (2 (s + 1))`` for ``1 <= s <= shift``, and 1 for s = 0.

    Two grams that are s places apart shall count ``1 / (2 (s + 1))``. If a gram at place i has the features i - t with
    weights a[t], they do. Such weights exist where ``1 + sum_s cos(s z) / (s + 1)`` is not negative (Fejér and Riesz);
    it is at least 1/2 (Rogosinski and Szegő). They are the limit of the rows of the Cholesky factor of the matrix of
    places (Bauer); plain floats, so that they are the same on every machine.

    Examples
    --------
    >>> shift_taps(0)
    (1.0,)
    >>> first, second = shift_taps(1)
    >>> round(first * second, 12), round(first * first + second * second, 12)
    (0.25, 1.0)
    """
    wanted = [1.0, *(1.0 / (2 * (s + 1)) for s in range(1, shift + 1))]
    rows: list[list[float]] = []  # rows[-1 - r][t]: entry of the factor, r rows up, t places left of its diagonal
    for _ in range(ROWS):
        row = [0.0] * (shift + 1)
        for t in range(min(shift, len(rows)), -1, -1):
            above = rows[-t] if t else row
            rest = wanted[t] - sum(row[t + u] * above[u] for u in range(1, shift + 1 - t))
            row[t] = sqrt(rest) if t == 0 else rest / above[0]
        if rows and max(abs(one - other) for one, other in zip(row, rows[-1], strict=True)) <= 1e-15:
            return tuple(row)
        rows = [*rows[-shift:], row]
    raise ArithmeticError(f"weights of {shift} shifts did not settle in {ROWS} rows")

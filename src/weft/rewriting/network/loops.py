"""Compiled steps of a memory and of Adam, each one pass over its numbers where NumPy makes several.

Products of matrices and the hyperbolic tangent stay with NumPy, whose loops are the faster ones. Numbers such as one
half come as arguments, in the type of the arrays: a bare ``0.5`` would turn single into double precision.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def add_and_halve(sums, added, half):
    """Add to the first rows, and halve the gates of all: a sigmoid is half of one plus tanh of the half."""
    n_known, width = added.shape
    n_halved = 3 * (width // 4)
    for row in range(len(sums)):
        own = sums[row]
        if row < n_known:
            more = added[row]
            for k in range(width):
                own[k] += more[k]
        for k in range(n_halved):
            own[k] *= half


@jit
def keep(gates, earlier, kept, half):
    """Gates from hyperbolic tangents, and what is kept: news that are let in, and what the first rows had before."""
    n_rows, n = kept.shape
    for row in range(n_rows):
        own, new = gates[row], kept[row]
        for k in range(3 * n):
            own[k] = own[k] * half + half
        let_in, keeps, news = own[:n], own[n : 2 * n], own[3 * n :]
        for k in range(n):
            new[k] = let_in[k] * news[k]
        if row < len(earlier):
            old = earlier[row]
            for k in range(n):
                new[k] += keeps[k] * old[k]


@jit
def keep_backwards(gates, seen, by_shown, by_kept, earlier, by_earlier, by_sums, one):
    """Derivatives by sums and by what was kept before, from those by what is shown and kept, of which `seen` is tanh.

    Several short loops, as one with all arrays would not be vectorised.
    """
    n_rows, n = seen.shape
    for row in range(n_rows):
        own, slope = gates[row], by_sums[row]
        let_in, keeps, show, news = own[:n], own[n : 2 * n], own[2 * n : 3 * n], own[3 * n :]
        by_let_in, by_keeps, by_show, by_news = slope[:n], slope[n : 2 * n], slope[2 * n : 3 * n], slope[3 * n :]
        here, tanh, by_own = by_shown[row], seen[row], by_kept[row]
        for k in range(n):
            by_own[k] += here[k] * show[k] * (one - tanh[k] * tanh[k])
        for k in range(n):
            by_show[k] = here[k] * tanh[k] * show[k] * (one - show[k])
        for k in range(n):
            by_let_in[k] = by_own[k] * news[k] * let_in[k] * (one - let_in[k])
        for k in range(n):
            by_news[k] = by_own[k] * let_in[k] * (one - news[k] * news[k])
        if row < len(earlier):
            old, by_old = earlier[row], by_earlier[row]
            for k in range(n):
                by_keeps[k] = by_own[k] * old[k] * keeps[k] * (one - keeps[k])
            for k in range(n):
                by_old[k] += by_own[k] * keeps[k]
        else:
            for k in range(n):
                by_keeps[k] = 0


@jit
def adam_step(weights, mean, square, slope, decays, new, sizes):
    """One step of Adam: moving means of the slope and of its square, and weights against their quotient.

    `decays` are what stays of the two means and `new` what comes to them; `sizes` are the factor of the slope, the step
    and the factor of the square, both with the means' corrections, and what keeps the quotient finite.
    """
    factor, step, scale, tiny = sizes
    for k in range(len(weights)):
        here = slope[k] * factor
        mean[k] = decays[0] * mean[k] + new[0] * here
        square[k] = decays[1] * square[k] + new[1] * here * here
        weights[k] -= step * mean[k] / (np.sqrt(square[k] * scale) + tiny)

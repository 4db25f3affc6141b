"""Structures that are most accurate on average, from the probabilities of their pairs."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE


@jit
def most_accurate_pairs(probabilities, gamma):
    """Pairs of the structure of the largest expected accuracy (Do, Woods and Batzoglou 2006), sorted.

    That is the sum of ``2 gamma p_ij`` over its pairs and of the probability to be unpaired over all other bases. Of
    equal structures (`weft.core.ties`; probabilities have size 1) a base stays unpaired, or else pairs with the first.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n)
        Of the pairs (i, j) with i < j; the rest is not read.
    gamma : float
        How much a pair is worth; more of them are predicted if it is large.
    """
    n = probabilities.shape[0]
    unpaired = np.ones(n)
    for i in range(n):
        for j in range(i + 1, n):
            unpaired[i] -= probabilities[i, j]
            unpaired[j] -= probabilities[i, j]
    gains = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            gains[i, j] = 2.0 * gamma * probabilities[i, j] - unpaired[i] - unpaired[j]
    return pairs_of_largest_gain(gains, TIE_TOLERANCE * max(1.0, 2.0 * gamma))


@jit
def pairs_of_largest_gain(gains, tolerance):
    """Pairs that do not cross, no base in two of them, whose gains have the largest sum; sorted.

    A pair that gains nothing is never taken, which leaves few pairs to look at.

    Parameters
    ----------
    gains : ndarray of shape (n, n)
        Of the pairs (i, j) with i < j; the rest is not read.
    tolerance : float
        Sums that differ by at most this are equal.
    """
    n = gains.shape[0]
    offsets = np.zeros(n + 1, dtype=np.int64)
    partners = np.empty(n * n // 2, dtype=np.int64)
    for i in range(n):
        offsets[i + 1] = offsets[i]
        for j in range(i + 1, n):
            if gains[i, j] > tolerance:
                partners[offsets[i + 1]] = j
                offsets[i + 1] += 1
    best = np.zeros((n + 2, n + 1))  # best[i, j]: of the bases from i up to j, which is not included
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n + 1):
            best[i, j] = best[i + 1, j]
        for place in range(offsets[i], offsets[i + 1]):
            k = partners[place]
            value = gains[i, k] + best[i + 1, k]
            for j in range(k + 1, n + 1):
                best[i, j] = max(best[i, j], value + best[k + 1, j])
    pairs = np.empty((n // 2, 2), dtype=np.int32)
    n_pairs = 0
    first, last = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    first[0], last[0], n_todo = 0, n, 1
    while n_todo > 0:
        n_todo -= 1
        i, j = first[n_todo], last[n_todo]
        if i >= j:
            continue
        taken, floor = -1, best[i, j] - tolerance
        if best[i + 1, j] < floor:
            for place in range(offsets[i], offsets[i + 1]):
                k = partners[place]
                if k < j and gains[i, k] + best[i + 1, k] + best[k + 1, j] >= floor:
                    taken = k
                    break
        if taken < 0:
            first[n_todo], last[n_todo] = i + 1, j
            n_todo += 1
            continue
        pairs[n_pairs, 0], pairs[n_pairs, 1] = i, taken
        n_pairs += 1
        first[n_todo], last[n_todo] = taken + 1, j
        first[n_todo + 1], last[n_todo + 1] = i + 1, taken
        n_todo += 2
    return pairs[:n_pairs]

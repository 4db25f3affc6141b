"""From counts to interpolated probabilities: ``p(w | h) = share(h w) + remainder(h) p(w | h without its first)``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft.arrays import Floats, Integers
from weft.language_model.grams import Grams

SMOOTHINGS = ("maximum_likelihood", "witten_bell", "kneser_ney", "modified_kneser_ney")


class Interpolation(NamedTuple):
    """Terms of the grams of one length.

    Attributes
    ----------
    shares : ndarray
        What each gram has of its own.
    remainders : ndarray
        What each prefix leaves to shorter contexts.
    discounts : tuple of float
        Taken from counts 1, 2 and above; empty where the method has none.
    """

    shares: Floats
    remainders: Floats
    discounts: tuple[float, ...]


def interpolate(
    grams: list[Grams], n_prefixes: list[int], smoothing: str, discount: float | None = None
) -> list[Interpolation]:
    """Shares and remainders for each length of grams.

    Parameters
    ----------
    grams : list of Grams
        Grams that are never predicted, such as the start symbol, have count 0 among those of length 1.
    n_prefixes : list of int
        How many prefixes the grams of each length refer to.
    smoothing : str
        One of `SMOOTHINGS`.
    discount : float, optional
        For "kneser_ney", instead of the estimate.

    Returns
    -------
    list of Interpolation

    Examples
    --------
    >>> from weft.language_model.grams import count_grams
    >>> grams = count_grams(np.array([0, 0, 1]), np.arange(3), 2, 1)
    >>> interpolate(grams, [1], "witten_bell")[0].shares
    array([0.4, 0.2])
    """
    terms = []
    for length, each in enumerate(grams, start=1):
        n = n_prefixes[length - 1]
        if smoothing == "maximum_likelihood":
            terms.append(_divide(each, each.counts.astype(np.float64), np.zeros(len(each.counts)), n, ()))
        elif smoothing == "witten_bell":
            # (c(h w) + T(h) p(w | h')) / (c(h) + T(h)), T(h) the number of different symbols after h.
            types = np.bincount(each.prefixes, weights=each.counts > 0, minlength=n)
            totals = np.bincount(each.prefixes, weights=each.counts, minlength=n) + types
            totals[totals == 0.0] = 1.0
            terms.append(Interpolation(each.counts / totals[each.prefixes], types / totals, ()))
        else:
            longest = length == len(grams)
            counts = each.counts if longest else _continuations(each, grams[length])
            discounts = _discounts(counts, smoothing == "modified_kneser_ney", discount)
            table = np.array([0.0, *discounts])
            taken = table[np.minimum(counts, len(discounts))]
            terms.append(_divide(each, counts - taken, taken, n, discounts))
    return terms


def _divide(grams: Grams, kept: Floats, taken: Floats, n_prefixes: int, discounts: tuple[float, ...]) -> Interpolation:
    """Kept and taken counts over their sum for the prefix."""
    left = np.bincount(grams.prefixes, weights=taken, minlength=n_prefixes)
    totals = np.bincount(grams.prefixes, weights=kept, minlength=n_prefixes) + left
    totals[totals == 0.0] = 1.0
    return Interpolation(kept / totals[grams.prefixes], left / totals, discounts)


def _continuations(grams: Grams, longer: Grams) -> Integers:
    """How many different symbols precede each gram; its count where none can, at the start of a sequence."""
    preceding = np.bincount(longer.suffixes, minlength=len(grams.counts))
    return np.where((preceding == 0) | (grams.counts == 0), grams.counts, preceding)


def _discounts(counts: Integers, modified: bool, discount: float | None) -> tuple[float, ...]:
    """Discounts from counts of counts: one, or three as Chen and Goodman (1998) estimate them.

    Where data are too few for three (a count of counts is zero, or an estimate leaves its range), one is used; where
    they are too few for one, it is 1/2.
    """
    if discount is not None and not modified:
        return (float(discount),)
    n1, n2, n3, n4 = (int(np.count_nonzero(counts == r)) for r in (1, 2, 3, 4))
    if n1 == 0 or n2 == 0:
        return (0.5,)
    ratio = n1 / (n1 + 2.0 * n2)
    if modified and n3 > 0 and n4 > 0:
        several = (1.0 - 2.0 * ratio * n2 / n1, 2.0 - 3.0 * ratio * n3 / n2, 3.0 - 4.0 * ratio * n4 / n3)
        if all(0.0 <= value <= r for r, value in enumerate(several, start=1)):
            return several
    return (ratio,)

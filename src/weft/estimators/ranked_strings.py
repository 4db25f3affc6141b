"""Probabilities of strings from their distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats

Ranked = Sequence[Sequence[tuple[Any, float]]]

TEMPERATURES = np.logspace(-2.0, 2.0, 41)


def ranked_probabilities(ranked: Ranked, temperature: float) -> list[Floats]:
    """Shares of ``exp(-cost / temperature)``; strings that were not found count as one more of the largest cost.

    Parameters
    ----------
    ranked : list of lists of (string, cost), the smallest cost first
    temperature : float

    Returns
    -------
    list of ndarray

    Examples
    --------
    >>> [shares.round(3).tolist() for shares in ranked_probabilities([[("a", 0.0), ("b", 1.0)]], 1.0)]
    [[0.576, 0.212]]
    """
    found = []
    for row in ranked:
        costs = np.array([cost for _, cost in row])
        shares = np.exp(-(costs - costs[:1]) / temperature)
        found.append(shares / (shares.sum() + (shares[-1] if len(shares) else 1.0)))
    return found


def fit_temperature(ranked: Ranked, truth: Sequence[Any]) -> float:
    """Temperature under which the true strings are the most probable.

    Examples
    --------
    >>> ranked = [[("a", 0.0), ("b", 1.0)]] * 3
    >>> sharp, soft = fit_temperature(ranked, ["a", "a", "a"]), fit_temperature(ranked, ["a", "b", "b"])
    >>> sharp < soft
    True
    """
    places = [
        next((i for i, (string, _) in enumerate(row) if string == wanted), -1)
        for row, wanted in zip(ranked, truth, strict=True)
    ]

    def log_likelihood(temperature: float) -> float:
        total = 0.0
        for shares, place in zip(ranked_probabilities(ranked, temperature), places, strict=True):
            # A string that was not found has the share of all others.
            share = shares[place] if place >= 0 else 1.0 - shares.sum()
            total += float(np.log(max(share, 1e-6)))
        return total

    return float(max(TEMPERATURES, key=log_likelihood))

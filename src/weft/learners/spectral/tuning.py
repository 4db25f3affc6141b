"""What a user need not guess: the size of the steps and the strength of the penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.arrays import Integers
from weft.learners.spectral.fobos import Fobos

PROBE_PASSES = 4
"""Passes that a probe of one step size makes."""

GROWTH = 3.0
"""Ratio of neighbouring step sizes in a probe."""

MOST_PROBES = 8


def choose_step(start: Callable[[float], Fobos], first: float, seed: int) -> float:
    """Step size with the lowest objective after a few passes.

    Starts at a guess and goes up or down by a factor of three for as long as that helps.

    Parameters
    ----------
    start : callable
        A fresh minimisation for a step size.
    first : float
        Guess.
    seed : int
        Seed of the order of mini-batches.
    """

    def objective(step: float) -> float:
        run, random = start(step), np.random.default_rng(seed)
        # The objective of a pass belongs to the point before it, so one more pass reads the last one.
        return [run.run_pass(random) for _ in range(PROBE_PASSES + 1)][-1]

    best, value = first, objective(first)
    for factor in (GROWTH, 1.0 / GROWTH):
        for _ in range(MOST_PROBES):
            candidate = objective(best * factor)
            if not candidate < value:
                break
            best, value = best * factor, candidate
        else:
            continue
        if best != first:
            break
    return best


def choose_tau(
    path: tuple[float, ...], fit: Callable[[float], Any], accuracy: Callable[[Any], float]
) -> tuple[float, list[dict[str, float]]]:
    """Strength with the best held-out accuracy, and the accuracy of each; ties go to the stronger one.

    Parameters
    ----------
    path : tuple of float
        Candidates, from strong to weak.
    fit : callable
        Weights learned with a strength.
    accuracy : callable
        Held-out accuracy of weights.

    Examples
    --------
    >>> choose_tau((4.0, 2.0, 1.0), lambda tau: tau, lambda weights: float(weights <= 2))
    (2.0, [{'tau': 4.0, 'accuracy': 0.0}, {'tau': 2.0, 'accuracy': 1.0}, {'tau': 1.0, 'accuracy': 1.0}])
    """
    tried = [{"tau": tau, "accuracy": accuracy(fit(tau))} for tau in path]
    best = max(tried, key=lambda each: (each["accuracy"], each["tau"]))
    return best["tau"], tried


def held_out_part(n_sequences: int, most: int, share: float, random: np.random.Generator) -> tuple[Integers, Integers]:
    """Random sequences to learn from and to hold out, at most so many in all.

    Examples
    --------
    >>> learned, held_out = held_out_part(100, 20, 0.25, np.random.default_rng(0))
    >>> len(learned), len(held_out)
    (15, 5)
    """
    chosen = random.permutation(n_sequences)[:most]
    n_held_out = max(1, round(share * len(chosen)))
    return np.sort(chosen[n_held_out:]), np.sort(chosen[:n_held_out])

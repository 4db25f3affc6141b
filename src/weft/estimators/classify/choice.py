"""Which of several kernels a SequenceSVC takes: the one whose models rank best what they did not see."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.estimators.classify.inputs import NoFeaturesError
from weft.kernel_methods.svm.one_vs_rest import problem_signs
from weft.kernel_methods.svm.problems import Problems, binary_tasks, evenly_taken, folds_of

MOST = 2500
"""Examples in all folds together, at the most."""

LEAST = 1e-3
"""Score of a kernel that ranks as badly as can be, where others find nothing at all."""


def area_under_curve(signs: Floats, decisions: Floats) -> float:
    """How often an example of the class is ranked before one of another; equal decisions count half.

    Examples
    --------
    >>> area_under_curve(np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.9, 0.5, 0.5, 0.1]))
    0.875
    """
    positive = signs > 0.0
    n_positive = int(positive.sum())
    _, place, counts = np.unique(decisions, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * (counts - 1))[place]
    above = ranks[positive].sum() - 0.5 * n_positive * (n_positive + 1)
    return float(above / (n_positive * (len(signs) - n_positive)))


def kernel_scores(
    problems_of: Callable[[Any, list[Any]], Problems],
    kernels: Sequence[Any],
    X: Sequence[Any],
    targets: Integers,
    n_classes: int,
    costs: Floats,
) -> Floats:
    """Mean area under the curve of each kernel over folds and problems; all 0 where no problem can be scored.

    Three folds of at most 2,500 examples, evenly taken, always the same: a choice follows from the data. Only one
    kernel has its features in memory at a time. A kernel without any feature is left out, with a warning: it has 0, and
    all others have more.

    Parameters
    ----------
    problems_of : callable
        Gives the binary problems of a kernel over some examples.
    kernels : list of Kernel
    X : list of sequences
    targets : ndarray of int
        Class of each.
    n_classes : int
    costs : ndarray of shape (n_examples,)
        Cost of an error on each; those of cost 0 take no part.
    """
    some = evenly_taken(targets, n_classes, costs, MOST)
    targets, costs = targets[some], costs[some]
    fold = folds_of(targets, n_classes)
    scores = np.zeros(len(kernels))
    left_out: dict[int, NoFeaturesError] = {}
    for number, kernel in enumerate(kernels):
        try:
            problems = problems_of(kernel, [X[i] for i in some])
        except NoFeaturesError as error:
            left_out[number] = error
            continue
        if fold.max() == 0:
            continue
        areas: list[float] = []
        for each in range(int(fold.max()) + 1):
            kept, held_out = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
            tasks = binary_tasks(targets[kept], n_classes, costs[kept], np.random.default_rng(0))
            decisions = problems.held_out_decisions(tasks, kept, held_out)
            for signs, own in zip(problem_signs(targets[held_out], n_classes), decisions, strict=True):
                if signs.min() < 0.0 < signs.max():  # both sides of the problem are held out
                    areas.append(area_under_curve(signs, own))
        scores[number] = np.mean(areas) if areas else 0.0
    if len(left_out) == len(kernels):
        raise left_out[0]
    if left_out:
        names = ", ".join(repr(kernels[number]) for number in left_out)
        warnings.warn(f"no sequence has a feature of {names}; left out of the choice.", stacklevel=4)
        others = [number for number in range(len(kernels)) if number not in left_out]
        scores[others] = np.maximum(scores[others], LEAST)
    return scores

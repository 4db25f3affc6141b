"""Which cost, and which kernel: chosen by decisions about a part of the training data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.core.ties import ordered
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.merged_columns import merge_columns, worth_merging
from weft.kernel_methods.svm.sparse_rows import SparseRows

Score = Callable[[Floats, Floats], float]
"""How good decisions are: signs and decisions of shape (n_problems, n_examples); larger is better."""

HELD_OUT = 0.2


class Choice(NamedTuple):
    """A kernel, a cost, and the score that both reached on the held-out part."""

    kernel: Any
    C: float
    score: float


def decide(rows: Any, signs: Floats, C: float, others: Any) -> Floats:
    """Train one SVM for each row of signs, and decide about other rows.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> decide(csr_array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, -1.0]]), 1.0, csr_array([[2.0, 0.0]]))
    array([[2.]])
    """
    compact: Any = SparseRows.from_matrix(rows)
    if worth_merging(compact):
        compact = merge_columns(compact)
    return np.array([others @ solve_svm(compact, each, C).weights for each in signs])


def choose_cost(
    rows: Any, signs: Floats, costs: Sequence[float], score: Score, random: np.random.Generator
) -> tuple[float, float]:
    """The cost whose SVMs, trained on four fifths, decide best about the last fifth, and that score.

    The fifth is stratified by the first row of signs; the smallest of equally good costs wins.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows, signs = csr_array(np.resize([[1.0, 0.0], [0.0, 1.0]], (20, 2))), np.resize([1.0, -1.0], (1, 20))
    >>> accuracy = lambda y, decisions: np.mean(y * decisions > 0)
    >>> choose_cost(rows, signs, [0.1, 1.0], accuracy, np.random.default_rng(0))
    (0.1, 1.0)
    """
    held_out = np.zeros(signs.shape[1], dtype=bool)
    for sign in (-1.0, 1.0):
        members = random.permutation(np.flatnonzero(signs[0] == sign))
        held_out[members[: round(HELD_OUT * len(members))]] = True
    kept, others = rows[~held_out], rows[held_out]
    scores = [float(score(signs[:, held_out], decide(kept, signs[:, ~held_out], C, others))) for C in costs]
    best = int(ordered(scores)[0])
    return costs[best], scores[best]


def choose_kernel(
    kernels: Sequence[Any], X: Sequence[Any], signs: Floats, costs: Sequence[float], score: Score, seed: int
) -> Choice:
    """The kernel and the cost that do best on a fifth of the data, the same for all of them.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> X, signs = ["aab", "abb", "ba", "bba"] * 5, np.resize([1.0, 1.0, -1.0, -1.0], (1, 20))
    >>> accuracy = lambda y, decisions: np.mean(y * decisions > 0)
    >>> choose_kernel([NGramKernel(1), NGramKernel(2)], X, signs, [1.0], accuracy, 0).kernel
    NGramKernel(n=2)
    """
    choices = []
    for kernel in kernels:
        _, rows = kernel.feature_map(X)
        C, value = choose_cost(rows, signs, costs, score, np.random.default_rng(seed))
        choices.append(Choice(kernel, C, value))
    return choices[int(ordered([choice.score for choice in choices])[0])]

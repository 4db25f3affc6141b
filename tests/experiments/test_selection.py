"""Tests of `weft.experiments.selection`."""

import numpy as np
from scipy.sparse import csr_array

from weft import NGramKernel
from weft.experiments.selection import choose_cost, choose_kernel


def test_costs_are_chosen_without_the_rows_that_judge():
    # Every row has a column of its own, so whoever had seen it would get its random sign right.
    rng = np.random.default_rng(1)
    signs = np.where(rng.random((1, 200)) < 0.5, 1.0, -1.0)
    accuracy = lambda y, decisions: np.mean(y * decisions > 0)  # noqa: E731
    assert choose_cost(csr_array(np.eye(200)), signs, [1.0], accuracy, rng)[1] == 0.0
    rows = csr_array(np.hstack([np.eye(200), 0.1 * signs.T]))
    assert choose_cost(rows, signs, [1e-6, 100.0], accuracy, rng)[1] == 1.0


def test_the_kernel_that_sees_the_difference_is_chosen():
    X, signs = ["ab", "ba"] * 20, np.resize([1.0, -1.0], (1, 40))
    accuracy = lambda y, decisions: np.mean(y * decisions > 0)  # noqa: E731
    assert choose_kernel([NGramKernel(1), NGramKernel(2)], X, signs, [1.0], accuracy, 0).kernel.n == 2

"""Rows in blocks: the minimum that a solver of all rows finds."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from weft.kernel_methods.svm.blocks import solve_blocks
from weft.kernel_methods.svm.descent import SparseRows, solve_svm


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_objective_is_that_of_all_rows(loss):
    random = np.random.default_rng(4)
    matrix = csr_array(random_array((60, 30), density=0.3, rng=random, format="csr"))
    labels = random.integers(3, size=60)
    signs = np.where(labels == np.arange(3)[:, None], 1.0, -1.0)
    costs = random.uniform(0.0, 2.0, size=60)
    costs[7] = 0.0
    cuts = [slice(0, 25), slice(25, 40), slice(40, 60)]
    opened = []

    def block(own):
        def rows():
            opened.append(own.start)
            return SparseRows.from_matrix(matrix[own])

        return rows

    reported = []
    found = solve_blocks(
        [block(own) for own in cuts],
        [signs[:, own] for own in cuts],
        [costs[own] for own in cuts],
        30,
        loss=loss,
        tol=1e-4,
        n_jobs=2,
        report=lambda n, objective: reported.append((n, objective)),
    )
    assert {0, 25, 40} == set(opened)
    for k, solution in enumerate(found):
        wanted = solve_svm(matrix, signs[k], costs, loss=loss, tol=1e-9)
        assert solution.converged
        assert 0.0 <= solution.gap <= 1e-4 * solution.objective
        # Whoever has the smaller objective is at most the other's gap below it.
        assert abs(solution.objective - wanted.objective) <= solution.gap + wanted.gap + 1e-12
        np.testing.assert_allclose(solution.weights, (solution.alpha * signs[k]) @ matrix, atol=1e-9)
    assert reported[-1][1] == pytest.approx(sum(solution.objective for solution in found))


def test_passes_end(recwarn):
    rows = SparseRows.from_matrix(csr_array([[1.0, 1.0], [1.0, 0.9]]))
    [found] = solve_blocks([lambda: rows], [np.array([[1.0, -1.0]])], [np.full(2, 1e6)], 2, tol=1e-12, max_passes=2)
    assert found.n_passes == 2
    assert not found.converged

"""Tests of `weft.learners.spectral.constrained_proximal`."""

import numpy as np
import pytest

from weft.learners.spectral.constrained_proximal import HankelProximal, average_cells
from weft.learners.spectral.proximal import (
    penalty,
    threshold_singular_values,
)


def _hankel_cells(size):
    return np.add.outer(np.arange(size), np.arange(size))


def _objective(candidate, matrix, strength):
    return 0.5 * np.sum((candidate - matrix) ** 2) + strength * np.linalg.svd(candidate, compute_uv=False).sum()


@pytest.mark.parametrize("seed", range(5))
def test_the_constrained_step_has_a_certificate_of_optimality(seed):
    matrix = np.random.default_rng(seed).normal(size=(4, 4)) * 2
    strength, cells = 1.3, _hankel_cells(4)
    proximal = HankelProximal(cells, max_iter=20_000, tol=1e-12)
    result, nuclear = proximal(matrix, strength)
    np.testing.assert_allclose(average_cells(result, cells), result, atol=1e-12)
    assert nuclear == pytest.approx(np.linalg.svd(result, compute_uv=False).sum(), abs=1e-7)
    # KKT: a subgradient G of the nuclear norm with P(H - M + strength G) = 0, P the averaging of equal cells.
    subgradient = proximal.multipliers
    assert np.linalg.norm(subgradient, 2) <= 1.0 + 1e-7
    assert np.sum(subgradient * result) == pytest.approx(nuclear, abs=1e-6)
    np.testing.assert_allclose(average_cells(result - matrix + strength * subgradient, cells), 0.0, atol=1e-7)


def test_projecting_after_thresholding_is_not_the_constrained_step():
    matrix, strength, cells = np.random.default_rng(0).normal(size=(4, 4)) * 2, 1.3, _hankel_cells(4)
    exact = _objective(HankelProximal(cells)(matrix, strength)[0], matrix, strength)
    after = average_cells(threshold_singular_values(matrix, strength)[0], cells)
    both = average_cells(threshold_singular_values(average_cells(matrix, cells), strength)[0], cells)
    assert exact < _objective(both, matrix, strength) - 1e-3
    assert exact < _objective(after, matrix, strength) - 1e-3


def test_without_penalty_the_constrained_step_is_the_average():
    matrix, cells = np.arange(4.0).reshape(2, 2), _hankel_cells(2)
    result, nuclear = HankelProximal(cells)(matrix, 0.0)
    assert result.tolist() == [[0.0, 1.5], [1.5, 3.0]]
    assert nuclear == pytest.approx(penalty(result, "nuclear"), abs=1e-7)


def test_a_warm_start_gives_the_same_step():
    random, cells = np.random.default_rng(1), _hankel_cells(3)
    matrix = random.normal(size=(3, 3))
    proximal = HankelProximal(cells, max_iter=5_000, tol=1e-11)
    proximal(matrix + 0.1 * random.normal(size=(3, 3)), 0.5)
    warm, _ = proximal(matrix, 0.4)
    fresh, _ = HankelProximal(cells, max_iter=5_000, tol=1e-11)(matrix, 0.4)
    np.testing.assert_allclose(warm, fresh, atol=1e-7)

import numpy as np
import pytest
import scipy.linalg

from weft import InputError, RBFKernel
from weft.kernel_methods.ridge import band_form, banded_path
from weft.kernel_methods.ridge.band_form import BandForm
from weft.kernel_methods.ridge.banded_path import BandedRidgePath, ridge_path
from weft.kernel_methods.ridge.path import RidgePath, solve_ridge
from weft.kernel_methods.ridge.regressor import KernelRidge

SHAPES = [(1, 1), (2, 1), (2, 5), (7, 1), (9, 3), (10, 3), (23, 4), (40, 64)]


def matrix(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return RBFKernel(0.5).gram(X)


def dense_band(band, n):
    found = np.zeros((n, n))
    for offset, diagonal in enumerate(band):
        found += np.diag(diagonal[: n - offset], -offset)
    return found + np.tril(found, -1).T


@pytest.mark.parametrize(("n", "width"), SHAPES)
@pytest.mark.parametrize("rows", [2, 8, 512])
def test_the_band_is_the_matrix_in_other_axes(n, width, rows, monkeypatch):
    monkeypatch.setattr(band_form, "ROWS", rows)
    monkeypatch.setattr(band_form, "COLUMNS", rows)
    K = matrix(n)
    form = BandForm(K, width)
    rotation = form.transposed()
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(rotation.T @ dense_band(form.band, n) @ rotation, K, atol=1e-12)
    columns = np.random.default_rng(1).normal(size=(n, 2))
    np.testing.assert_allclose(form.times(columns), rotation.T @ columns, atol=1e-12)
    np.testing.assert_allclose(form.transposed_times(columns), rotation @ columns, atol=1e-12)
    values = scipy.linalg.eigvals_banded(form.band, lower=True)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(K), atol=1e-12)


@pytest.mark.parametrize(("n", "width"), SHAPES)
@pytest.mark.parametrize("n_outputs", [0, 3])
def test_answers_are_those_of_eigenvectors(n, width, n_outputs):
    K = matrix(n)
    Y = np.random.default_rng(2).normal(size=(n, n_outputs) if n_outputs else n)
    slow, fast = RidgePath(K, Y), BandedRidgePath(K, Y, width=width)
    alphas = [0.01, 1.0]
    for alpha, several in zip(alphas, fast.coefficients_of(alphas), strict=True):
        np.testing.assert_allclose(several, slow.coefficients(alpha), atol=1e-9)
        np.testing.assert_allclose(fast.coefficients(alpha), several, atol=1e-12)
        np.testing.assert_allclose(fast.leave_one_out(alpha), slow.leave_one_out(alpha), atol=1e-9)
    np.testing.assert_allclose(fast.errors(alphas), slow.errors(alphas), rtol=1e-9)
    assert fast.coefficients_of([]) == []


def test_many_examples_take_the_band(monkeypatch):
    K, y = matrix(30), np.arange(30.0)
    assert type(ridge_path(K, y)) is RidgePath
    monkeypatch.setattr(banded_path, "LARGE", 30)
    assert type(ridge_path(K, y)) is BandedRidgePath
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = KernelRidge(RBFKernel(0.5), alpha=(0.1, 1.0)).fit(X, y)
    np.testing.assert_allclose(model.coefficients_, solve_ridge(K, y, model.alpha_), atol=1e-9)


def test_singular_and_indefinite_matrices_are_reported():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InputError, match="alpha=0 with a singular kernel matrix"):
        BandedRidgePath(rows @ rows.T, np.ones(20), width=4).coefficients(0.0)
    K = matrix(12) - 2.0 * np.eye(12)
    lowest = np.linalg.eigvalsh(K)[0]
    with pytest.raises(InputError, match=f"most negative eigenvalue is {lowest:.6g}, and alpha=0.5"):
        BandedRidgePath(K, np.ones(12), width=3).coefficients(0.5)

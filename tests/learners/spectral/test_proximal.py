"""Golden values and optimality of the proximal steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.learners.spectral.proximal import (
    penalty,
    proximal_step,
    singular_values,
    threshold_singular_values,
)

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 10_000))


@settings(max_examples=30)
@given(SHAPES, st.floats(0.0, 3.0))
def test_thresholding_lowers_singular_values_of_tall_and_wide_matrices(shape, threshold):
    rows, columns, seed = shape
    matrix = np.random.default_rng(seed).normal(size=(rows, columns))
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    expected = (left * np.maximum(values - threshold, 0.0)) @ right
    result, kept = threshold_singular_values(matrix, threshold)
    np.testing.assert_allclose(result, expected, atol=1e-7)
    positive = np.maximum(values - threshold, 0.0)
    np.testing.assert_allclose(kept, positive[: len(kept)], atol=1e-7)
    assert positive[len(kept) :].sum() < 1e-7
    np.testing.assert_allclose(singular_values(matrix), values, atol=1e-7)


@settings(max_examples=40)
@given(SHAPES, st.sampled_from(["nuclear", "frobenius", "frobenius_squared", None]), st.floats(0.01, 2.0))
def test_no_matrix_nearby_has_a_smaller_objective(shape, regularizer, strength):
    rows, columns, seed = shape
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(rows, columns))
    result, value = proximal_step(matrix, regularizer, strength)
    assert value == pytest.approx(penalty(result, regularizer), abs=1e-6)

    def objective(candidate):
        return 0.5 * np.sum((candidate - matrix) ** 2) + strength * penalty(candidate, regularizer)

    for size in (1e-3, 0.1, 1.0):
        assert objective(result) <= objective(result + size * random.normal(size=matrix.shape)) + 1e-7


def test_a_frobenius_step_beyond_the_norm_is_zero():
    assert proximal_step(np.eye(2), "frobenius", 9.0)[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert proximal_step(np.zeros((2, 2)), "frobenius", 9.0)[1] == 0.0


def test_an_unknown_regularizer_is_named():
    with pytest.raises(InputError, match="regularizer is 'l1'; use 'nuclear'"):
        proximal_step(np.eye(2), "l1", 1.0)

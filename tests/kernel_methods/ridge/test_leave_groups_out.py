"""Closed form against models that are trained again without each group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge.path import RidgePath, solve_ridge


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.01, 1.0]))
def test_equals_training_again(seed, n_groups, alpha):
    random = np.random.default_rng(seed)
    rows, targets = random.normal(size=(9, 4)), random.normal(size=(9, 2))
    gram = (1.0 + rows @ rows.T) ** 2
    groups = random.integers(n_groups, size=9).tolist()
    found = leave_groups_out(gram, targets, alpha, groups)
    for group in set(groups):
        inside = np.array([each == group for each in groups])
        coefficients = solve_ridge(gram[np.ix_(~inside, ~inside)], targets[~inside], alpha)
        np.testing.assert_allclose(found[inside], gram[np.ix_(inside, ~inside)] @ coefficients, atol=1e-6)


def test_groups_of_one_are_leave_one_out():
    random = np.random.default_rng(0)
    rows, targets = random.normal(size=(8, 3)), random.normal(size=8)
    gram = rows @ rows.T
    np.testing.assert_allclose(
        leave_groups_out(gram, targets, 0.1, range(8)), RidgePath(gram, targets).leave_one_out(0.1)
    )


def test_bad_input():
    with pytest.raises(InputError, match="3 examples but 2 groups"):
        leave_groups_out(np.eye(3), np.ones(3), 1.0, ["a", "b"])

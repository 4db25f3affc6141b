"""What estimators do to their arguments."""

import numpy as np
import pytest
from sklearn.utils import check_random_state

from weft.errors import InputError
from weft.estimators.inputs import generator


def theirs(random_state):
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@pytest.mark.parametrize("make", [lambda: 0, lambda: np.int64(7), lambda: True, lambda: np.random.RandomState(3)])
def test_random_states_are_read_as_by_scikit_learn(make):
    assert generator(make()).integers(2**40) == theirs(make()).integers(2**40)


@pytest.mark.parametrize("random_state", [None, np.random])
def test_the_global_state_of_numpy_is_used_as_by_scikit_learn(random_state):
    of_all = check_random_state(None)
    before = of_all.get_state()
    try:
        drawn = []
        for read in (generator, theirs):
            of_all.seed(5)
            drawn.append([read(random_state).integers(2**40) for _ in range(2)])
        assert drawn[0] == drawn[1]
        assert drawn[0][0] != drawn[0][1]
    finally:
        of_all.set_state(before)


@pytest.mark.parametrize("random_state", ["0", 0.5, np.random.default_rng(0)])
def test_what_is_no_random_state_is_refused(random_state):
    with pytest.raises(ValueError):
        check_random_state(random_state)
    with pytest.raises(InputError, match=r"random_state is .*; use a whole number, a numpy"):
        generator(random_state)

"""The rule for ties on its own; `tests/structures/test_structures_tied_outputs.py` has every decoder under it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core.ties import (
    TIE_TOLERANCE,
    TieLevels,
    first_best,
    insert_ranked,
    larger_size,
    ordered,
    sort_ties,
    tolerance_of,
)

no_deadline = settings(deadline=None)  # the first call compiles
LEVELS = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


def rounded(levels, seed):
    """Tenths of whole numbers, each with an error in its last digits."""
    return np.array(levels) * 0.1 + 1e-16 * np.random.default_rng(seed).integers(-4, 5, len(levels))


def by_level(levels):
    return sorted(range(len(levels)), key=lambda place: (-levels[place], place))


@pytest.mark.nojit
@no_deadline
@given(LEVELS, st.integers(0, 2**32 - 1))
def test_the_first_of_equal_values_wins_whatever_their_last_digits(levels, seed):
    values = rounded(levels, seed)
    assert first_best(values, len(values), TIE_TOLERANCE) == by_level(levels)[0]
    assert first_best(-np.abs(values), 1, 0.0) == 0


@pytest.mark.nojit
@no_deadline
@given(LEVELS, st.integers(0, 2**32 - 1))
def test_orders_go_by_level_and_then_by_place(levels, seed):
    values = rounded(levels, seed)
    assert ordered(values, TIE_TOLERANCE).tolist() == by_level(levels)
    assert ordered(np.stack([values, values]), TIE_TOLERANCE).tolist() == [by_level(levels)] * 2
    order = np.argsort(-values)
    sort_ties(order, values, np.arange(len(values)), TIE_TOLERANCE)
    assert order.tolist() == by_level(levels)
    level = TieLevels(TIE_TOLERANCE)
    assert sorted(range(len(values)), key=lambda place: (-level(values[place]), place)) == by_level(levels)


@pytest.mark.nojit
@no_deadline
@given(LEVELS, st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_lists_of_the_best_keep_the_first_of_equal_ones(levels, seed, k):
    best, places = np.full(k, -np.inf), np.full(k, -1)
    for place, value in enumerate(rounded(levels, seed)):
        if value > best[-1] + TIE_TOLERANCE:
            insert_ranked(best, places, value, place, TIE_TOLERANCE)
    assert places[: len(levels)].tolist() == by_level(levels)[:k]


def test_differences_above_the_tolerance_decide():
    assert first_best(np.array([1.0, 1.0 + 2e-9]), 2, TIE_TOLERANCE) == 1
    assert ordered([1.0, 1.0 + 2e-9]).tolist() == [1, 0]
    level = TieLevels(TIE_TOLERANCE)
    assert level(1.0) < level(1.0 + 2e-9)
    assert TieLevels(0.0)(0.25) == 0.25


def test_forbidden_scores_have_no_size_and_come_last_in_their_order():
    assert larger_size(2.0, -np.inf) == 2.0
    assert tolerance_of([-np.inf, -np.inf]) == 0.0
    assert ordered([-np.inf, 1.0, -np.inf]).tolist() == [1, 0, 2]
    assert first_best(np.array([-np.inf, -np.inf]), 2, 0.0) == 0
    assert ordered([]).tolist() == []

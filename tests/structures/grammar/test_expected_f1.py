"""Tests of `weft.structures.grammar.expected_f1`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rna_oracle import structures
from weft.errors import InputError
from weft.structures.grammar.expected_f1 import largest_f1, nested_marks

N = 9
EVERY = structures((0,) * N, 0, np.triu(np.ones((N, N), dtype=bool), 1))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 5.0]))
@settings(max_examples=30)
def test_the_largest_f1_equals_enumeration(seed, largest):
    random = np.random.default_rng(seed)
    probabilities = np.triu(random.random((N, N)) ** 3 * (random.random((N, N)) < 0.5), 1)
    probabilities *= min(largest, 1.0 / (probabilities + probabilities.T).sum(axis=1).max())
    expected = probabilities.sum()

    def f1(pairs):
        return 2.0 * probabilities[pairs[:, 0], pairs[:, 1]].sum() / (len(pairs) + expected)

    best = max(map(f1, EVERY))
    pairs, found = largest_f1(probabilities[None], nested_marks)
    assert found == pytest.approx(f1(pairs)) == pytest.approx(best)

    # Outputs of which some are missing, so that the pairs more probable than not may be no output.
    some = [EVERY[k] for k in random.choice(len(EVERY), size=20, replace=False)]

    def best_of_some(gains):
        own = max(some, key=lambda pairs: gains[0][pairs[:, 0], pairs[:, 1]].sum())
        return own, (np.zeros(len(own), dtype=int), own[:, 0], own[:, 1])

    pairs, found = largest_f1(probabilities[None], best_of_some)
    assert found == pytest.approx(f1(pairs)) == pytest.approx(max(map(f1, some)))


def test_no_pairs_where_none_is_possible():
    pairs, found = largest_f1(np.zeros((1, 5, 5)), nested_marks)
    assert len(pairs) == 0
    assert found == 0.0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_probabilities_that_are_no_numbers_are_refused_instead_of_tried_for_ever(value):
    probabilities = np.zeros((1, N, N))
    probabilities[0, 0, 8] = value
    with pytest.raises(InputError, match="weights are too large for probabilities"):
        largest_f1(probabilities, nested_marks)

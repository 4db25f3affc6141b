"""Tests of `weft.rewriting.joint_arcs`."""

import numpy as np
import pytest

from weft.language_model import NGramLanguageModel
from weft.language_model.tables import step
from weft.rewriting.joint_arcs import HALF, joint_arcs

LOWER = (1 << HALF) - 1


def walked(made, state, candidate):
    """Score of a candidate after a state, and the state then, arc by arc."""
    score = 0.0
    while True:
        first, end = made.states[state, 0] >> HALF, made.states[state + 1, 0] >> HALF
        for arc in range(first, end):
            if made.arcs[arc, 0] >> HALF == candidate:
                return score + made.scores[arc, 1], made.arcs[arc, 0] & LOWER
        score += made.back_offs[state, 1]
        state = made.states[state, 0] & LOWER


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_same_scores_and_states(n):
    random = np.random.default_rng(n)
    n_candidates = 12
    known = random.permutation(n_candidates)[:9]  # three are unknown, the others in any order
    model = NGramLanguageModel(n).fit([known[random.integers(0, 9, 6)].tolist() for _ in range(40)])
    numbers = np.full(n_candidates, model.unknown_)
    numbers[model.symbols_] = np.arange(len(model.symbols_))
    made = joint_arcs(model.tables_, numbers, model.unknown_, model.start_state_)
    assert made.start == model.start_state_
    for state in range(model.n_states):
        codes = made.arcs[made.states[state, 0] >> HALF : made.states[state + 1, 0] >> HALF, 0]
        assert (np.diff(codes) > 0).all()
        for candidate, number in enumerate([*numbers.tolist(), model.end_]):
            assert walked(made, state, candidate) == step(model.tables_, state, number)

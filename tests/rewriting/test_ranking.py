"""Tests of `weft.rewriting.ranking`."""

import numpy as np
import pytest

from weft.core.ties import TIE_TOLERANCE
from weft.rewriting.model import Outputs
from weft.rewriting.ranking import best_outputs, vote


class Decoded:
    """A model that has decoded already: sequences of two symbols, two outputs each."""

    def __init__(self, scores):
        self.scores = np.array(scores)
        self.candidates = np.arange(4 * len(scores)).reshape(2, -1)

    def decode(self, symbols, offsets, k, **settings):
        assert k == 2
        return Outputs(self.candidates, self.scores, np.logaddexp.reduce(self.scores, axis=1))

    def spell(self, row):
        return [[int(candidate), 7] for candidate in row]


@pytest.mark.parametrize(
    ("scores", "row"),
    [
        ((-1.0, -2.0), 0),
        ((-2.0, -1.0), 1),
        ((-1.0, -1.0), 0),
        ((-1.0, -np.inf), 0),
        ((-1.0 - TIE_TOLERANCE / 2, -1.0), 0),  # equal
        ((-5000.0 - 3000 * TIE_TOLERANCE, -5000.0), 1),  # equal as scores, not as probabilities
    ],
)
def test_the_best_output_is_the_first_of_a_vote(scores, row):
    model = Decoded([(-3.0, -4.0), scores, (-4.0, -3.0)])
    symbols, offsets = np.zeros(6, dtype=np.int32), np.array([0, 2, 4, 6])
    found = best_outputs(model, symbols, offsets, beam_width=20, n_jobs=1)
    assert found == [outputs[0][0] for outputs in vote([model], symbols, offsets, 1, beam_width=20, n_jobs=1)]
    assert found[1] == (6 * row + 2, 7, 6 * row + 3, 7)

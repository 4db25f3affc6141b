"""The memory along packed sequences: against a plain loop, its derivatives against differences."""

import itertools

import numpy as np
import pytest

from weft.rewriting.network.memory import remember, remember_backwards
from weft.rewriting.network.shape import PackedSequences


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def plain(rows, sums, again, is_back):
    """One sequence, whose rows these are, from the definition; what is shown at each row."""
    n = again.shape[0]
    kept, shown, found = np.zeros(n), np.zeros(n), {}
    for row in reversed(rows) if is_back else rows:
        let_in, keep, show, news = np.split(sums[row] + shown @ again, 4)
        kept = sigmoid(keep) * kept + sigmoid(let_in) * np.tanh(news)
        shown = sigmoid(show) * np.tanh(kept)
        found[row] = shown
    return found


@pytest.mark.parametrize("is_back", [False, True])
@pytest.mark.parametrize("lengths", [[1], [3, 1, 4, 4, 2], [2, 2]])
def test_a_memory_and_its_derivatives(lengths, is_back):
    random = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    packed = PackedSequences.build(np.arange(offsets[-1]), offsets, 99)
    n, starts = 3, packed.inner_starts
    sums, again = random.standard_normal((offsets[-1], 4 * n)), random.standard_normal((n, 4 * n))
    done = remember(starts, sums.copy(), again, is_back)
    row_of = np.argsort(packed.positions)
    for a, b in itertools.pairwise(offsets.tolist()):
        for row, shown in plain(row_of[a:b].tolist(), sums, again, is_back).items():
            np.testing.assert_allclose(done.shown[row], shown)

    slope = random.standard_normal(done.shown.shape)
    by_sums, by_again = remember_backwards(starts, done, again, is_back, slope.copy())
    for array, found in ((sums, by_sums), (again, by_again)):
        for place in np.ndindex(array.shape):
            values = []
            for sign in (1, -1):
                array[place] += sign * 1e-6
                values.append((remember(starts, sums.copy(), again, is_back).shown * slope).sum())
                array[place] -= sign * 1e-6
            assert found[place] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)

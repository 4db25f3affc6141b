"""Sizes of layers, and sequences as they are packed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.rewriting.network.shape import NetworkShape, PackedSequences


def test_a_fresh_network_is_small_and_knows_nothing_of_unseen_symbols():
    shape = NetworkShape(5, 4, 3, 8, 8, 8, 6)
    weights = shape.start(np.random.default_rng(0))
    assert len(weights) == shape.n_weights == sum(array.size for array in shape.views(weights).values())
    assert not shape.views(weights)["vectors"][4].any()
    assert weights.dtype == np.float32


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=6))
def test_packed_rows_are_those_of_the_sequences(words):
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    flat = np.concatenate(words)
    packed = PackedSequences.build(flat, offsets, 9)
    assert packed.starts[-1] == len(packed.symbols) == len(flat) + 2 * len(words)
    np.testing.assert_array_equal(packed.symbols[packed.inner], flat[packed.positions])
    assert (np.delete(packed.symbols, packed.inner) == 9).all()
    assert sorted(packed.positions) == list(range(len(flat)))
    # A sequence keeps its rank at every place, and each inner row knows the one before.
    lengths = sorted((len(word) for word in words), reverse=True)
    for starts, extra in ((packed.starts, 2), (packed.inner_starts, 0)):
        assert np.diff(starts).tolist() == [sum(n + extra > t for n in lengths) for t in range(lengths[0] + extra)]
    for row, before in enumerate(packed.before.tolist()):
        position = packed.positions[row]
        assert (before < 0) == (position in offsets)
        assert before < 0 or packed.positions[before] == position - 1

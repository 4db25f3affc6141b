"""What labels do to their symbols, and which candidates follow."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.rewriting.chunks.labels import ChunkLabels
from weft.rewriting.relative_labels import change_of, collect_candidates, written_by


@given(st.integers(-1, 3), st.lists(st.integers(0, 3), max_size=4))
def test_a_change_writes_what_it_was_made_from(own, output):
    assert written_by(change_of(own, tuple(output)), own) == tuple(output)


def test_symbols_may_do_what_others_do():
    # Symbols a, b, c, one end, one tag, one that training lacks; a and b become themselves and s, the end becomes t.
    labels = ChunkLabels(
        np.array([0, 1, 2, 3], dtype=np.int32),
        np.array([0, 2, 4, 5, 5]),
        np.array([0, 7, 1, 7, 8], dtype=np.int32),
        np.zeros(4, dtype=bool),
    )
    own = np.array([0, 1, 2, -1, -1, 9])
    end, tag = np.array([0, 0, 0, 1, 0, 0], dtype=bool), np.array([0, 0, 0, 0, 1, 0], dtype=bool)
    found = collect_candidates(np.array([0, 1, 3, 4], dtype=np.int32), labels, own, end, tag, 1, 100)
    bounds = found.label_offsets.tolist()
    written = [tuple(found.label_symbols[bounds[z] : bounds[z + 1]].tolist()) for z in found.labels.tolist()]
    of = [set(written[a:b]) for a, b in zip(found.first[:-1].tolist(), found.first[1:].tolist(), strict=True)]
    assert of == [{(0,), (0, 7), ()}, {(1,), (1, 7), ()}, {(2,), (2, 7), ()}, {(8,)}, {()}, {(9,), (9, 7), ()}]
    assert [written[c] for c in found.of_positions.tolist()] == [(0, 7), (1, 7), (8,), ()]
    # Copies with s are of one class, and share their traits.
    first, second = found.of_positions[:2].tolist()
    assert found.classes[first] == found.classes[second]
    assert found.traits[first] == found.traits[second] != []

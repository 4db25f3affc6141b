"""Scores are taken for whole numbers only where that changes no alignment."""

import numpy as np
import pytest

from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.whole_scores import whole_scores


@pytest.mark.parametrize(
    ("scores", "opening", "unit"),
    [([5.0, -4.0], -10.0, 1), ([0.5, -0.25], -1.0, 4), ([0.1 + 0.2, -0.7], -1.1, 10), ([1.21, 0.0], -3.04, 100)],
)
def test_multiples_of_a_unit_are_whole(scores, opening, unit):
    found = whole_scores(np.array([scores]), opening)
    assert [table.dtype for table, _ in found] == [np.int16, np.int32]
    for table, own in found:
        np.testing.assert_array_equal(table, np.rint(np.array([scores]) * unit))
        assert own == round(opening * unit)


@pytest.mark.parametrize(
    ("scores", "opening"),
    [([1.0 / 3.0], -1.0), ([1.0], 0.5), ([np.inf], -1.0), ([-np.inf], -1.0), ([1.0 + 1e-9], -1.0), ([3e7], -1.0)],
)
def test_others_are_not(scores, opening):
    assert whole_scores(np.array([scores]), opening) == []


def test_large_ones_have_32_bits():
    [(table, own)] = whole_scores(np.array([[40_000.0, -7.0]]), -3.0)
    assert table.dtype == np.int32
    assert table.tolist() == [[40_000, -7]]
    assert own == -3


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.01, 1.0 / 3.0])
def test_a_unit_of_any_size_gives_the_same_alignments(scale):
    """Thirds are aligned in floats, the others in whole numbers."""
    random = np.random.default_rng(0)
    structure = Alignment("match", "ACGT")
    texts = ["".join(random.choice(list("ACGT"), size=random.integers(1, 60))) for _ in range(60)]
    batch = AlignmentBatch(structure, structure.encode(list(zip(texts[:30], texts[30:], strict=True))), n_jobs=1)
    weights = np.array([5.0, -4.0, -8.0, -1.0])
    wanted, totals = batch.argmax(weights)
    found, scores = batch.argmax(scale * weights)
    np.testing.assert_array_equal(found.n_moves, wanted.n_moves)
    for i in range(30):
        np.testing.assert_array_equal(found[i], wanted[i])
    np.testing.assert_allclose(scores, scale * totals)

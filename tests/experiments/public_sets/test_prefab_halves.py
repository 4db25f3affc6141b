"""Tests of `weft.experiments.public_sets.prefab_halves`."""

import pytest

from weft.experiments.public_sets.prefab_halves import halves, pairs_of_halves


def test_linked_pairs_stay_together():
    names = [("a", "b"), ("c", "d"), ("e", "f"), ("b", "e"), ("g", "h"), ("h", "c")]
    first, second = halves(names)
    assert sorted(first + second) == list(range(len(names)))
    assert not {name for i in first for name in names[i]} & {name for i in second for name in names[i]}


@pytest.mark.needs_data("protein_prefab4")
def test_halves_of_the_data():
    first, second = pairs_of_halves()
    assert [len(half[0]) for half in (first, second)] == [792, 626]
    assert all(len(sequences) == len(alignments) for sequences, alignments in (first, second))

"""Examples in parts are told from others, wherever they lie."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.scale import Examples


def test_lists_are_known_by_their_values():
    same = Examples.from_lists(["ab", "".join(["a", "b"])], ["xy", "yx"], 2)
    assert same.sources == Examples.from_lists(["ab", "ab"], ["xy", "yx"], 2).sources
    assert same.sources != Examples.from_lists(["ab", "aa"], ["xy", "yx"], 2).sources
    assert same.sources != Examples.from_lists(["ab", "ab"], ["xy", "xy"], 2).sources


def test_long_arrays_are_known_by_all_their_numbers():
    rows = np.zeros((2000, 2))
    other = rows.copy()
    other[1000] = 1.0
    assert Examples.from_lists([rows], [["a"]], 1).sources != Examples.from_lists([other], [["a"]], 1).sources


def test_bags_are_known_by_their_content():
    bags = pytest.importorskip("dask.bag")
    first, again, other = (bags.from_sequence(rows, npartitions=1) for rows in ([(1, 2)], [(1, 2)], [(1, 3)]))
    assert Examples.from_bag(first).sources == Examples.from_bag(again).sources != Examples.from_bag(other).sources


def test_shards_of_other_lists_are_refused(tmp_path):
    X, y = ["ab", "ba", "aab", "b"], ["xy", "yx", "xxy", "y"]
    tagger = weft.Tagger(weft.CRF(max_iter=2))
    first = tagger.fit(Examples.from_lists(X, y, 2), spill=tmp_path / "shards").weights_
    assert np.array_equal(tagger.fit(Examples.from_lists(X, y, 2), spill=tmp_path / "shards").weights_, first)
    with pytest.raises(InputError, match="belongs to other data or settings"):
        tagger.fit(Examples.from_lists(X, y[::-1], 2), spill=tmp_path / "shards")

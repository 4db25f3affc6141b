"""Tests of `weft.sequences.class_tree`."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.class_tree import paths_of

LONGEST = 60


def values(scale, n=LONGEST):
    return np.array([0, *(round(scale * x * math.log(x)) for x in range(1, n + 1))])


def kept(text, table):
    """What the probability of a text by its classes keeps: sum f(N) - 2 sum f(n), for in a ring both sums agree."""
    of_pairs = Counter(zip(text, [*text[1:], text[0]], strict=True))
    return sum(table[n] for n in of_pairs.values()) - 2 * sum(table[n] for n in Counter(text).values())


def merged_by_hand(text, n_free, table):
    """The classes of each merger, by looking at the whole text for each pair."""
    text, alive, steps = list(text), list(range(n_free)), []
    while len(alive) > 1:
        best = max(
            combinations(alive, 2),
            key=lambda pair: (kept([pair[0] if own == pair[1] else own for own in text], table), -pair[0], -pair[1]),
        )
        steps.append(best)
        text = [best[0] if own == best[1] else own for own in text]
        alive.remove(best[1])
    return steps


def paths_by_hand(steps, n_free):
    trees = {number: number for number in range(n_free)}
    for first, second in steps:
        trees[first] = (trees[first], trees[second])
    found = {}

    def walk(tree, path):
        if isinstance(tree, tuple):
            walk(tree[0], path + "0")
            walk(tree[1], path + "1")
        else:
            found[tree] = path

    walk(trees[0], "")
    return [found[number] for number in range(n_free)]


@settings(max_examples=60)
@given(st.integers(2, 7), st.data())
def test_each_merger_keeps_as_much_of_the_probability_as_any_could(n_free, data):
    text = data.draw(st.lists(st.integers(0, n_free + 1), min_size=2, max_size=LONGEST))
    table = values(2**20, len(text))
    wanted = paths_by_hand(merged_by_hand(text, n_free, table.tolist()), n_free)
    assert paths_of(np.array(text), n_free, 2, table) == wanted


def test_one_class_is_the_root():
    assert paths_of(np.array([0, 1, 0]), 1, 2, values(2**20, 3)) == [""]


def test_like_classes_share_the_beginning_of_their_paths():
    week, verbs, rest = (0, 1), (2, 3), 4
    text = [x for day in week for verb in verbs for x in (day, verb, rest)] * 3
    found = paths_of(np.array(text), 4, 1, values(2**20, len(text)))
    assert found[0][:-1] == found[1][:-1] != found[2][:-1] == found[3][:-1]


def test_classes_out_of_range_do_not_reach_the_loop():
    with pytest.raises(InputError, match=r"text\[1\] is 4; need 0 to 3"):
        paths_of(np.array([0, 4]), 2, 2, values(2**20, 2))
    for table in (values(2**20, 1), values(2**20, 2).astype(float)):
        with pytest.raises(InputError, match="need int64 of all numbers up to 2"):
            paths_of(np.array([0, 1]), 2, 2, table)

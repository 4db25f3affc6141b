"""Tests of `weft.experiments.spectral.sub_patterns`."""

import itertools

import numpy as np
import pytest

import weft
from weft.experiments.spectral.sub_patterns import SubPatterns, TrigramPatterns
from weft.structures.hankel.bi_symbols import BiSymbols

PAIRS = BiSymbols(np.arange(2, dtype=np.int32), np.array([0, 2, 3]), np.array([0, 1, 0, -1, 0, 1], dtype=np.int32))

# Bi-symbols: (0, 0), (0, 1), (1, 0) and the boundary, which is letter 2 with label 2.
LETTER, LABEL = [0, 0, 1, 2], [0, 1, 0, 2]


def test_a_trigram_scores_the_sum_of_its_patterns():
    patterns = TrigramPatterns(PAIRS, n_labels=2)
    weights = np.random.default_rng(0).normal(size=patterns.n_weights)
    sizes = [(1, 4, 1), (3, 4, 1), (1, 4, 3), (3, 4, 3), (3, 4, 1), (1, 4, 3), (3, 4, 3)]
    tables = np.split(weights, np.cumsum([np.prod(size) for size in sizes])[:-1])
    tables = [table.reshape(size) for table, size in zip(tables, sizes, strict=True)]
    matrix = patterns.expand(weights)
    for a, b, c in itertools.product(range(4), repeat=3):
        x, z, y, u = LETTER[a], LETTER[c], LABEL[a], LABEL[c]
        places = [(0, b, 0), (x, b, 0), (0, b, z), (x, b, z), (y, b, 0), (0, b, u), (y, b, u)]
        expected = sum(table[place] for table, place in zip(tables, places, strict=True))
        assert matrix[a * 4 + b, c] == pytest.approx(expected)


def test_collapse_is_the_transpose_of_expand():
    rng = np.random.default_rng(1)
    patterns = TrigramPatterns(PAIRS, n_labels=2)
    weights, cells = rng.normal(size=patterns.n_weights), rng.normal(size=(16, 4))
    assert patterns.collapse(cells) @ weights == pytest.approx(float((cells * patterns.expand(weights)).sum()))


@pytest.mark.parametrize("loss", ["log", "perceptron"])
def test_sub_patterns_learn_what_the_neighbours_say(loss):
    # The label of b is that of the letter before it.
    X = ["ab", "cb", "abcb", "cbab", "abab", "cbcb"] * 3
    y = ["xx", "yy", "xxyy", "yyxx", "xxxx", "yyyy"] * 3
    tagger = weft.Tagger(SubPatterns(loss, 0.01, n_batches=5), random_state=0).fit(X, y)
    assert tagger.predict(["abcbab"]) == [list("xxyyxx")]

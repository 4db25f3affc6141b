"""Tests of `weft.preimages.euler_decoder`."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.language_model import NGramLanguageModel
from weft.preimages import DeBruijnGraph, EulerDecoder, GramSpace


def grams(text, n=2):
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


@settings(max_examples=30)
@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=5), st.integers(2, 3))
def test_decoder_finds_strings_with_the_counts(strings, order):
    space = GramSpace.learn(strings, [order])
    counts = space.counts(strings).toarray()
    decoded = ["".join(each) for each in EulerDecoder(space).decode(counts)]
    np.testing.assert_array_equal(space.counts(decoded).toarray(), counts)
    for text, again in zip(strings, decoded, strict=True):
        graph = DeBruijnGraph(grams(f"^{text}^", order), stop="^")
        if graph.is_unique(f"^{text}^"[: order - 1]):
            assert again == text


def test_decoder_never_fails_and_keeps_lengths():
    space = GramSpace.learn(["abc", "bca", "cab"], [2])
    counts = np.random.default_rng(0).integers(0, 2, size=(50, space.n_grams))
    decoder = EulerDecoder(space)
    _, begins = decoder.paths(counts)
    np.testing.assert_array_equal(np.diff(begins), counts.sum(axis=1))
    for row, text in zip(counts, decoder.decode(counts), strict=True):
        inner = sum(row[i] for i, name in enumerate(space.names()) if name[-1] != "^")
        assert inner <= len(text) <= inner + 1


def orders_with_fewest_jumps(names):
    """Every order of the n-grams that begins at a boundary, if one can, as strings: those with the fewest jumps."""
    found = {}
    begins = any(name[0] == "^" for name in names)
    for order in set(itertools.permutations(names)):
        if begins and order[0][0] != "^":
            continue
        jumps = sum(a[1:] != b[:-1] for a, b in itertools.pairwise(order))
        text = order[0][:-1] + "".join(name[-1] for name in order)
        found.setdefault(jumps, set()).add(text.replace("^", ""))
    return found[min(found)]


@settings(max_examples=60)
@given(
    st.lists(st.text("ab", min_size=1, max_size=4), min_size=2, max_size=4),
    st.integers(2, 3),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_ranked_path_is_the_most_probable_of_all(strings, order, n, seed):
    """All orders of up to six n-grams, whether or not a string has them."""
    random = np.random.default_rng(seed)
    space = GramSpace.learn(strings, [order])
    counts = np.zeros(space.n_grams, dtype=int)
    np.add.at(counts, random.integers(space.n_grams, size=random.integers(1, 7)), 1)
    model = NGramLanguageModel(n, "witten_bell").fit(random.permutation(strings)[:2].tolist())
    names = [name for name, count in zip(space.names(), counts, strict=True) for _ in range(count)]
    possible = sorted(orders_with_fewest_jumps(names))
    best = model.log_probability(possible).max()
    for width in (1000, 2):
        found = EulerDecoder(space).rank([counts], model, beam_width=width)
        assert "".join(found.strings[0]) in possible
        assert found.scores[0] == pytest.approx(model.log_probability(found.strings)[0])
        assert best <= max(found.scores[0], found.bounds[0]) + 1e-9
        if width == 1000:
            assert found.is_proven[0]
        if found.is_proven[0]:
            assert found.scores[0] == pytest.approx(best)


def test_every_pre_image_can_be_reached():
    """A model of one string alone brings it back from its counts; copies of an n-gram need not follow each other."""
    for n in range(1, 9):
        texts = ["".join(each) for each in itertools.product("ab", repeat=n)]
        space = GramSpace.learn(texts, [2])
        decoder = EulerDecoder(space)
        for text, counts in zip(texts, space.counts(texts).toarray(), strict=True):
            found = decoder.rank([counts], NGramLanguageModel(9, "witten_bell").fit([text]))
            assert "".join(found.strings[0]) == text
            assert found.is_proven[0]


def test_a_narrow_search_says_what_it_left_out():
    text = "abracadabra" * 4
    space = GramSpace.learn([text, text[::-1]], [2])
    model = NGramLanguageModel(3, "witten_bell").fit([text])
    wide, narrow = (EulerDecoder(space).rank(space.counts([text]), model, beam_width=w) for w in (5000, 3))
    assert wide.is_proven[0]
    assert not narrow.is_proven[0]
    assert narrow.scores[0] <= wide.scores[0] < narrow.bounds[0]
    assert wide.scores[0] >= model.log_probability([text])[0] - 1e-9


def test_decoder_bad_input():
    space = GramSpace.learn(["ab"], [1])
    with pytest.raises(InputError, match="at least 2 symbols"):
        EulerDecoder(space)
    decoder = EulerDecoder(GramSpace.learn(["ab"], [2]))
    with pytest.raises(InputError, match="counts of shape"):
        decoder.decode([[1]])
    with pytest.raises(InputError, match="negative"):
        decoder.decode([[1, -1, 1]])
    with pytest.raises(InputError, match="n=3 given"):
        EulerDecoder(GramSpace.learn(["ab"], [2]), 3)

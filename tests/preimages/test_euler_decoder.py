"""Tests of `weft.preimages.euler_decoder`."""

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


@settings(deadline=None, max_examples=30)
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


def test_language_model_ranks_all_orders():
    """Of the two pre-images of Figure 1.4 between boundaries, the model prefers what it has seen."""
    space = GramSpace.learn(["bcbcca", "bccbca"], [2])
    counts = space.counts(["bcbcca"]).toarray()
    for seen in ("bcbcca", "bccbca"):
        model = NGramLanguageModel(3, "witten_bell").fit([seen])
        assert EulerDecoder(space).decode(counts, model) == [list(seen)]
        assert EulerDecoder(space).decode(counts, model, limit=1, random_state=3)[0] in ([*"bcbcca"], [*"bccbca"])


def test_decoder_bad_input():
    space = GramSpace.learn(["ab"], [1])
    with pytest.raises(InputError, match="at least 2 symbols"):
        EulerDecoder(space)
    decoder = EulerDecoder(GramSpace.learn(["ab"], [2]))
    with pytest.raises(InputError, match="counts of shape"):
        decoder.decode([[1]])
    with pytest.raises(InputError, match="negative"):
        decoder.decode([[1, -1, 1]])
    with pytest.raises(InputError, match="n=3 came"):
        EulerDecoder(GramSpace.learn(["ab"], [2]), 3)

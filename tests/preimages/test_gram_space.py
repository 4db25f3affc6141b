"""Coordinates of n-grams, and thresholds for predicted counts."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.preimages import GramSpace, fit_thresholds


@settings(max_examples=40)
@given(
    st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=5),
    st.lists(st.text("abcd", min_size=1, max_size=6), min_size=1, max_size=5),
)
def test_counts_equal_counting(training, strings):
    space = GramSpace.learn(training, [1, 2, 3])
    counts = space.counts(strings).toarray()
    for text, row in zip(strings, counts, strict=True):
        padded = f"^{text}^"
        expected = Counter(padded[i : i + n] for n in (1, 2, 3) for i in range(len(padded) - n + 1))
        assert row.tolist() == [expected[name] for name in space.names()]
    known = {f"^{text}^"[i : i + 2] for text in training for i in range(len(text) + 1)}
    assert set(space.names()[space.block(2)]) == known


def test_tokens_and_mixed_symbols():
    space = GramSpace.learn([["AH", 1], [1, "AH"]], [2])
    assert space.n_grams == 6
    assert space.decode([1, 0, 2]) == space.alphabet.symbols


def test_errors():
    with pytest.raises(InputError, match="shape"):
        fit_thresholds([[0.1]], [[1, 2]])
    with pytest.raises(InputError, match="no length"):
        GramSpace.learn(["ab"], [])
    with pytest.raises(InputError, match="none of 4"):
        GramSpace.learn(["ab"], [2]).block(4)
    with pytest.raises(InputError, match="long enough"):
        GramSpace.learn(["a"], [4])
    with pytest.raises(InputError, match="too many"):
        GramSpace.learn([list(range(2000))], [7])

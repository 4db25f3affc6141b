"""Tests of `weft.language_model.tables`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.language_model import NGramLanguageModel

corpora = st.lists(st.text(alphabet="abc", max_size=6), min_size=1, max_size=8)


@settings(max_examples=15)
@given(corpus=corpora, order=st.integers(1, 4), texts=st.lists(st.text("abcd", max_size=6), min_size=1, max_size=4))
def test_dense_rows_are_steps(corpus, order, texts):
    model = NGramLanguageModel(order, "witten_bell").fit(corpus)
    scores, targets = model.conditional_tables()
    symbols, offsets = model.encode(texts)
    for i, expected in enumerate(model.log_probability(texts)):
        state, total = model.start_state_, 0.0
        for symbol in [*symbols[offsets[i] : offsets[i + 1]], model.end_]:
            total += scores[state, symbol]
            state = targets[state, symbol]
        assert total == pytest.approx(expected)


def test_refuses_large_tables():
    with pytest.raises(InputError, match="max_cells=3"):
        NGramLanguageModel(2).fit(["abc"]).conditional_tables(max_cells=3)

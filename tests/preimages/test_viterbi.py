"""Viterbi pre-images against enumeration, and nearest candidates against all distances."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.language_model import NGramLanguageModel
from weft.metrics import token_accuracy
from weft.preimages import choose_weight, viterbi, viterbi_strings

TRAINING = ["abba", "bab", "cab", "abc"]


@pytest.mark.parametrize("smoothing", ["maximum_likelihood", "witten_bell"])
@pytest.mark.parametrize("dense", [True, False])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), order=st.integers(1, 4), weight=st.sampled_from([0.0, 0.3, 2.0]))
def test_equals_enumeration(smoothing, dense, seed, order, weight):
    random = np.random.default_rng(seed)
    model = NGramLanguageModel(order, smoothing).fit(TRAINING)
    scores = [random.normal(size=(n, 3)) for n in (1, 4, 3)]
    limit, viterbi.DENSE_CELLS = viterbi.DENSE_CELLS, viterbi.DENSE_CELLS if dense else 0
    try:
        strings, values = viterbi_strings(scores, "abc", model, weight, floor=-50.0, n_jobs=1)
    finally:
        viterbi.DENSE_CELLS = limit
    for table, string, value in zip(scores, strings, values, strict=True):
        totals = {}
        for columns in itertools.product(range(3), repeat=len(table)):
            text = "".join("abc"[c] for c in columns)
            state, log_p = model.start_state_, 0.0
            dense_scores, targets = model.conditional_tables()
            for symbol in [*model.encode([text])[0], model.end_]:
                log_p += max(dense_scores[state, symbol], -50.0)
                state = targets[state, symbol]
            totals[text] = sum(table[i, c] for i, c in enumerate(columns)) + weight * log_p
        assert value == pytest.approx(max(totals.values()))
        assert totals["".join(string)] == pytest.approx(value)


def test_a_beam_is_no_better_and_mostly_equal():
    random = np.random.default_rng(0)
    model = NGramLanguageModel(3, "witten_bell").fit(TRAINING)
    scores = [random.normal(size=(8, 3)) for _ in range(40)]
    _, exact = viterbi_strings(scores, "abc", model, 0.5)
    _, beam = viterbi_strings(scores, "abc", model, 0.5, beam_width=4)
    assert (beam <= exact + 1e-12).all()
    assert np.isclose(beam, exact).mean() > 0.8


def test_weight_from_held_out_data():
    random = np.random.default_rng(0)
    model = NGramLanguageModel(3).fit(TRAINING * 5)
    truth = [list(text) for text in TRAINING * 10]
    scores = [np.eye(3)[["abc".index(z) for z in t]] + random.normal(scale=0.7, size=(len(t), 3)) for t in truth]
    weight, found = choose_weight(
        lambda w: viterbi_strings(scores, "abc", model, w)[0], truth, [0.0, 0.3, 1.0], token_accuracy
    )
    assert weight > 0.0
    assert max(found) > found[0]


def test_viterbi_bad_input():
    model = NGramLanguageModel(2).fit(["ab"])
    with pytest.raises(InputError, match="no scores"):
        viterbi_strings([], "ab", model)
    with pytest.raises(InputError, match="has shape"):
        viterbi_strings([np.zeros((2, 3))], "ab", model)
    with pytest.raises(InputError, match="nan"):
        viterbi_strings([np.full((2, 2), np.nan)], "ab", model)
    with pytest.raises(InputError, match="weight is -1"):
        viterbi_strings([np.zeros((2, 2))], "ab", model, -1)
    with pytest.raises(InputError, match="no weights"):
        choose_weight(lambda w: [], [], [], token_accuracy)

"""Tests of `weft.language_model.smoothing`."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.language_model import NGramLanguageModel, step

SMOOTHED = ["witten_bell", "kneser_ney", "modified_kneser_ney"]
ALL = ["maximum_likelihood", *SMOOTHED]

corpora = st.lists(st.text(alphabet="abc", max_size=6), min_size=1, max_size=8)


class Reference:
    """The same models by their definitions, in dictionaries of tuples."""

    def __init__(self, corpus, order, smoothing, discounts):
        self.order, self.smoothing, self.discounts = order, smoothing, discounts
        self.outputs = [*sorted(set("".join(corpus))), "</s>", "<unk>"]
        self.counts = [Counter() for _ in range(order + 1)]
        for text in corpus:
            padded = ("<s>", *text, "</s>")
            for n in range(1, order + 1):
                for i in range(len(padded) - n + 1):
                    self.counts[n][padded[i : i + n]] += 1
        del self.counts[1][("<s>",)]

    def count(self, gram):
        n = len(gram)
        if "kneser" not in self.smoothing or n == self.order or gram[0] == "<s>":
            return self.counts[n][gram]
        return len({longer[0] for longer in self.counts[n + 1] if longer[1:] == gram})

    def probability(self, context, symbol):
        """With the whole context, even one that training never had."""
        context = tuple(context)
        while len(context) and not any(gram[:-1] == context for gram in self.counts[len(context) + 1]):
            context = context[1:]
        if self.smoothing == "maximum_likelihood":
            below = 0.0
        else:
            below = self.probability(context[1:], symbol) if context else 1.0 / len(self.outputs)
        followers = {w: self.count((*context, w)) for w in self.outputs}
        total = sum(followers.values())
        if self.smoothing == "maximum_likelihood":
            return followers[symbol] / total
        if self.smoothing == "witten_bell":
            types = sum(count > 0 for count in followers.values())
            return (followers[symbol] + types * below) / (total + types)
        discounts = self.discounts[len(context)]
        taken = {w: discounts[min(c, len(discounts)) - 1] if c else 0.0 for w, c in followers.items()}
        return (followers[symbol] - taken[symbol] + sum(taken.values()) * below) / total


@pytest.mark.parametrize("smoothing", ALL)
@pytest.mark.parametrize("order", [1, 2, 4])
@settings(max_examples=15)
@given(corpus=corpora)
def test_equals_the_definition_in_any_context(smoothing, order, corpus):
    model = NGramLanguageModel(order, smoothing).fit(corpus)
    reference = Reference(corpus, order, smoothing, model.discounts_)
    number = {symbol: i for i, symbol in enumerate([*model.symbols_, "</s>", "<unk>"])}
    for length in range(3):
        for text in itertools.product("abc", repeat=length):
            state = model.start_state_
            for symbol in text:
                state = step(model.tables_, state, number.get(symbol, model.unknown_))[1]
            # What was never seen is no context: it is forgotten, with all before it.
            history = ("<s>", *text)[max(0, length + 2 - order) :] if order > 1 else ()
            for symbol in reference.outputs:
                expected = reference.probability(_known(history, reference), symbol)
                assert math.exp(step(model.tables_, state, number[symbol])[0]) == pytest.approx(expected, abs=1e-12)


def _known(history, reference):
    """The longest suffix that occurs in training."""
    for i in range(len(history)):
        if history[i:] == ("<s>",) or reference.counts[len(history) - i][history[i:]] > 0:
            return history[i:]
    return ()


@pytest.mark.parametrize("smoothing", ALL)
@settings(max_examples=20)
@given(corpus=corpora, order=st.integers(1, 5))
def test_sums_to_one_in_every_context(smoothing, corpus, order):
    scores, targets = NGramLanguageModel(order, smoothing).fit(corpus).conditional_tables()
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1.0, atol=1e-12)
    assert targets.min() >= 0
    assert targets.max() < len(scores)


def test_kneser_ney_by_hand():
    """Corpus ab, ab, cb; D = 1/2 everywhere; outputs a, b, c, end, unknown.

    Different symbols before: a 1, b 2, c 1, end 1, of 5 in all; four types, so 4 D / 5 = 2/5 goes to the uniform 1/5.
    p(b) = 3/10 + 2/25 = 38/100, p(a) = 1/10 + 2/25 = 18/100. After a comes b twice:
    p(b | a) = 3/4 + 38/400 = 0.845; p(a | a) = 18/400 = 0.045. The start is followed by a twice and c once:
    p(a | start) = 1/2 + 18/300 = 0.56.
    """
    model = NGramLanguageModel(2, "kneser_ney", discount=0.5).fit(["ab", "ab", "cb"])
    scores, _ = model.conditional_tables()
    a, b = 0, 1
    assert model.symbols_ == ["a", "b", "c"]
    assert np.exp(scores[0]) == pytest.approx([0.18, 0.38, 0.18, 0.18, 0.08])
    after_a = step(model.tables_, model.start_state_, a)[1]
    assert np.exp(scores[after_a, [b, a]]) == pytest.approx([0.845, 0.045])
    assert np.exp(scores[model.start_state_, a]) == pytest.approx(0.56)
    b_end = 5 / 6 + 1 / 6 * 0.18
    assert model.log_probability(["ab"])[0] == pytest.approx(math.log(0.56 * 0.845 * b_end))


def test_modified_discounts_by_hand():
    """Unigram counts 1, 1, 1, 2, 2, 3, 4 and the end 8: n1..n4 = 3, 2, 1, 1, ratio 3/7."""
    texts = ["a", "b", "c", "dd", "ee", "fff", "gggg", ""]
    model = NGramLanguageModel(1).fit(texts)
    ratio = 3 / 7
    expected = (1 - 2 * ratio * 2 / 3, 2 - 3 * ratio * 1 / 2, 3 - 4 * ratio * 1 / 1)
    assert model.discounts_[0] == pytest.approx(expected)

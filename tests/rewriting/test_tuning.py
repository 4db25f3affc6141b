"""Tests of `weft.rewriting.tuning`."""

import dataclasses
import itertools

import numpy as np
import pytest

import weft
from weft.rewriting import tuning
from weft.rewriting.network.recurrent import Networks
from weft.rewriting.tuning import HeldOut, tune_mixture


@pytest.fixture(scope="module")
def model_and_words():
    """A model with a network that reads what was written, and words that it did not learn from."""
    random = np.random.default_rng(0)
    words = sorted({"".join(random.choice(list("abeo"), random.integers(3, 7))) for _ in range(160)})
    spoken = [word.replace("ab", "V").replace("o", "uo").upper() for word in words]
    network = weft.RecurrentNetwork(1, 8, 8, 8, 8, max_iter=12, batch_size=8, step=1e-2)
    rewriter = weft.Rewriter(weft.Perceptron(1), (1, 2), context=1, network=network, random_state=0, n_jobs=1)
    rewriter.fit(words[::2], spoken[::2])
    symbols, offsets = rewriter.input_side_.encode(words[1::2])
    outputs = [tuple(rewriter.output_side_.encode([each])[0].tolist()) for each in spoken[1::2]]
    return rewriter.models_[0], HeldOut(symbols, offsets, [{output} for output in outputs])


def test_a_network_scores_each_labelling_once(model_and_words, monkeypatch):
    seen = []
    score = Networks.labelling_scores

    def spy(self, symbols, offsets, labels):
        bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        seen.extend((tuple(symbols[a:b].tolist()), tuple(labels[a:b].tolist())) for a, b in bounds)
        return score(self, symbols, offsets, labels)

    monkeypatch.setattr(Networks, "labelling_scores", spy)
    assert tune_mixture([model_and_words], n_jobs=1)[1] > 0.5
    assert len(seen) > len(model_and_words[1].references)
    assert len(set(seen)) == len(seen)


def test_scores_that_are_kept_are_those_of_the_network(model_and_words):
    model, words = model_and_words
    scored = {}
    for mixture in [(0.1, 1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0, 0.5), (0.1, 1.0, 0.0, 0.0, 2.0)]:
        options = {"mixture": mixture, "n_jobs": 1}
        plain = model.decode(words.symbols, words.offsets, 5, **options)
        kept = model.decode(words.symbols, words.offsets, 5, scored=scored, **options)
        np.testing.assert_allclose(kept.scores, plain.scores, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(kept.totals, plain.totals, rtol=1e-5, atol=1e-5)
    assert len(scored) >= 5 * len(words.references)


def test_the_log_probability_counts_as_much_as_is_said(model_and_words, monkeypatch):
    """Where it grows with each mixture that is tried, the last one is the best if it counts much."""
    model, words = model_and_words
    plain = dataclasses.replace(model, network=None, tier=None)
    found = []
    for share in (0.0, 100.0):
        growing = itertools.count()
        monkeypatch.setattr(tuning, "_temperature", lambda ranked, references, growing=growing: (1.0, next(growing)))
        found.append(tune_mixture([(plain, words)], n_jobs=1, likelihood_share=share))
    assert found[1][0] == (tuning.CHAIN_WEIGHTS[-1], 1.0, 0.0, 0.0, 0.0)
    assert found[0][1] > found[1][1]

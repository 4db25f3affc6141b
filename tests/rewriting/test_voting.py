"""Tests of `weft.rewriting.voting`."""

import numpy as np
import pytest

import weft
from weft.rewriting import training, voting


@pytest.mark.parametrize("rerank", [0, 2])
@pytest.mark.parametrize("n_pairs", [290, 310])
def test_models_of_a_part_are_like_the_whole(n_pairs, rerank, monkeypatch):
    """What mixture suits a model depends on its views, so that it is tuned with a model of the same."""
    monkeypatch.setattr(training, "ENOUGH_PAIRS", 300)
    seen = []
    train = voting.train_model

    def spy(pairs, n_symbols, settings, random, **rest):
        seen.append((len(pairs), settings.class_views))
        return train(pairs, n_symbols, settings, random, **rest)

    monkeypatch.setattr(voting, "train_model", spy)
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("abeo"), 5)) + "abcdefghij"[i % 10] + "xyz"[i % 3] for i in range(n_pairs)]
    learner = weft.Perceptron(1)
    weft.Rewriter(learner, 1, context=2, rerank=rerank, random_state=0, n_jobs=1).fit(words, [w.upper() for w in words])
    assert {views for _, views in seen} == {n_pairs < 300}
    assert min(n for n, _ in seen) < 300
    assert max(n for n, _ in seen) == n_pairs


def test_many_pairs_with_a_network_spare_words_to_tune_on(monkeypatch):
    """No second model is learned for the mixture, and numbers of pairs stay those of all."""
    monkeypatch.setattr(voting, "ENOUGH_TO_SPARE", 100)
    monkeypatch.setattr(voting, "FEWEST_SPARED", 40)
    monkeypatch.setattr(training, "MANY_PAIRS", 100)
    seen = []
    train = voting.train_model

    def spy(pairs, n_symbols, settings, random, **rest):
        seen.append(len(pairs))
        return train(pairs, n_symbols, settings, random, **rest)

    monkeypatch.setattr(voting, "train_model", spy)
    random = np.random.default_rng(0)
    words = sorted({"".join(random.choice(list("abeo"), 6)) for _ in range(200)})
    words[7], words[9] = words[7] + "x", words[9] + "x"
    sounds = [word.upper() for word in words]
    sounds[-1] = sounds[-1].replace(sounds[-1][0], "?")  # a label that occurs in one pair alone
    network = weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=1)
    model = weft.Rewriter(weft.Perceptron(1), 1, context=2, network=network, random_state=0, n_jobs=1)
    model.fit(words, sounds)
    assert seen == [len(words) - 40]
    assert set(model.rare_) <= {len(words) - 1, 7, 9}
    assert model.models_[0].chain.n_candidates[model.input_side_.alphabet.encode(["x"])[0]] > 0  # not spared

"""Tests of `weft.rewriting.voting`."""

import numpy as np
import pytest

import weft
from weft.checkpoint import Journal, journal_kept
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


@pytest.mark.parametrize("learns_again", [True, False])
def test_many_pairs_with_a_network_spare_words_to_tune_on(learns_again, monkeypatch):
    """Networks never learn from these, chains and n-grams do in the end; numbers of pairs stay those of all."""
    monkeypatch.setattr(voting, "ENOUGH_TO_SPARE", 100)
    monkeypatch.setattr(voting, "FEWEST_SPARED", 40)
    monkeypatch.setattr(voting, "MANY_WORDS", 1_000 if learns_again else 100)
    monkeypatch.setattr(training, "MANY_PAIRS", 100)
    chains, networks, tuned, shares = [], [], [], set()
    train, tune, network_of = voting.train_model, voting.tune_mixture, training.train_network

    def spy(pairs, n_symbols, settings, random, **rest):
        found = train(pairs, n_symbols, settings, random, **rest)
        chains.append((found.model, 0 if rest["spared"] is None else int(rest["spared"].sum())))
        return found

    def network_spy(model, symbols, offsets, *rest, **options):
        networks.append(len(offsets) - 1)
        return network_of(model, symbols, offsets, *rest, **options)

    def tune_spy(judged, **options):
        tuned.append((judged[0][0], len(judged[0][1].references)))
        shares.add(options["likelihood_share"])
        return tune(judged, **options)

    monkeypatch.setattr(voting, "train_model", spy)
    monkeypatch.setattr(voting, "tune_mixture", tune_spy)
    monkeypatch.setattr(training, "train_network", network_spy)
    random = np.random.default_rng(0)
    words = sorted({"".join(random.choice(list("abeo"), 6)) for _ in range(200)})
    words[7], words[9] = words[7] + "x", words[9] + "x"
    sounds = [word.upper() for word in words]
    sounds[-1] = sounds[-1].replace(sounds[-1][0], "?")  # a label that occurs in one pair alone
    network = weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=1)
    model = weft.Rewriter(weft.Perceptron(1), 1, context=2, network=network, n_models=2, random_state=0, n_jobs=1)
    model.fit(words, sounds)
    assert [n for _, n in chains] == [40, 40, 0, 0][: 4 if learns_again else 2]
    assert len(networks) == 2
    assert max(networks) <= len(words) - 40
    assert [n for _, n in tuned] == [40, 40]
    assert shares == {1.0 if learns_again else 0.3}  # few words decide more smoothly
    assert [each is part for (each, _), (part, _) in zip(tuned, chains[:2], strict=True)] == [True, True]
    for own, (part, _), (last, _) in zip(model.models_, chains[:2], chains[-2:], strict=True):
        assert own.network is part.network
        assert own.joint is last.joint
        assert own.weights is last.weights
        np.testing.assert_array_equal(own.label_offsets, part.label_offsets)
        np.testing.assert_array_equal(own.label_symbols, part.label_symbols)
    assert (part.joint is last.joint) == (not learns_again)
    assert set(model.rare_) <= {len(words) - 1, 7, 9}
    assert model.models_[0].chain.n_candidates[model.input_side_.alphabet.encode(["x"])[0]] > 0  # not spared


@pytest.mark.parametrize("step", [2, 5, 7, 8])
def test_a_fit_with_spared_words_goes_on_to_the_same_models(step, tmp_path, monkeypatch):
    """Interrupted in the first or second training of its chains, or in its networks."""
    monkeypatch.setattr(voting, "ENOUGH_TO_SPARE", 50)
    monkeypatch.setattr(voting, "FEWEST_SPARED", 20)
    random = np.random.default_rng(0)
    words = sorted({"".join(random.choice(list("abeo"), 5)) for _ in range(90)})
    network = weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=2)

    def fitted():
        model = weft.Rewriter(weft.Perceptron(2), 1, context=2, network=network, n_models=2, random_state=0, n_jobs=1)
        return model.fit(words, [word.upper() for word in words])

    whole, steps = fitted(), iter(range(1, 100))

    def check():
        if next(steps) == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), journal_kept(Journal(tmp_path / "fit", lambda: "key", check=check)):
        fitted()
    with journal_kept(Journal(tmp_path / "fit", lambda: "key", resume=True)):
        again = fitted()
    for one, other in zip(whole.models_, again.models_, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
        np.testing.assert_array_equal(one.network.weights, other.network.weights)
        assert one.mixture == other.mixture

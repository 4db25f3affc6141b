"""The spectral tagger: what it predicts, what it tells of itself, its file; and real data."""

from itertools import pairwise, product

import numpy as np
import pycrfsuite
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import weft
from weft import datasets
from weft.errors import InputError
from weft.learners.monitor import untimed
from weft.learners.spectral import learner as learner_module
from weft.learners.spectral.states import BOUNDARY
from weft.testing import SEQUENCE_CHECKS

WORDS = ["abca", "ab", "cab", "bbac", "acb", "cc", "a", "bacca"]
LABELS = [
    [
        "p" if after in "ab" else "q" if before in "c#" else "r"
        for before, after in zip(f"#{w}", f"{w[1:]}#", strict=False)
    ]
    for w in WORDS
]


def fitted(**parameters):
    parameters = {"tau": 0.05, "max_iter": 30, "random_state": 0, **parameters}
    return weft.SpectralTagger(**parameters).fit(WORDS, LABELS)


TAGGER = fitted()


@pytest.mark.parametrize("check", SEQUENCE_CHECKS, ids=lambda check: check.__name__)
def test_estimator_checks(check):
    options = {"tau": 0.1, "step": 0.2, "max_iter": 3}
    if check.__name__ == "check_model_selection":  # this one tunes a component
        check(weft.Tagger(weft.Spectral(**options), random_state=0), WORDS, LABELS)
    else:
        check(weft.SpectralTagger(**options, random_state=0), WORDS, LABELS)


def test_tau_is_tuned_by_grid_search():
    search = GridSearchCV(weft.SpectralTagger(step=0.2, max_iter=20), {"tau": [50.0, 0.05]}, cv=2)
    assert search.fit(WORDS * 2, LABELS * 2).best_params_ == {"tau": 0.05}


def test_it_is_a_tagger_with_a_spectral_learner():
    same = weft.Tagger(weft.Spectral(tau=0.05, max_iter=30), random_state=0).fit(WORDS, LABELS)
    assert TAGGER.predict(WORDS) == same.predict(WORDS)
    assert TAGGER.score(WORDS, LABELS) == same.score(WORDS, LABELS) == 1.0
    assert TAGGER.tau_ == 0.05
    assert len(TAGGER.feature_names_) == len(TAGGER.weights_)
    again = clone(TAGGER).fit(WORDS, LABELS)
    np.testing.assert_array_equal(again.weights_, TAGGER.weights_)


def test_probabilities_agree_with_each_other():
    words = ["abc", "zab"]  # z was never seen
    best = TAGGER.predict_kbest(words, 200)
    for i, word in enumerate(words):
        labels, shares = zip(*best[i], strict=True)
        assert labels[0] == TAGGER.predict(words)[i]
        assert sum(shares) == pytest.approx(1.0)
        assert shares[0] == pytest.approx(TAGGER.confidence(words)[i])
        marginals = TAGGER.predict_marginals(words)[i]
        for t in range(len(word)):
            for label in TAGGER.classes_:
                expected = sum(share for each, share in best[i] if each[t] == label)
                assert marginals[t][label] == pytest.approx(expected)
    np.testing.assert_allclose(TAGGER.predict_proba(words)[0].sum(axis=1), 1.0)


def test_a_symbol_never_seen_gets_the_most_frequent_label_when_nothing_else_speaks():
    labels = [label for labels in LABELS for label in labels]
    assert TAGGER.predict(["z"]) == [[max(set(labels), key=labels.count)]]


def window_scores(tagger, model, word, labels):
    order, before, after, _, _ = tagger.chain_.shape
    padded = [BOUNDARY] * before + list(zip(word, labels, strict=True)) + [BOUNDARY] * after
    symbols, names = zip(*padded, strict=True)
    lengths = range(1, order + 1) if tagger.shorter_grams else [order]
    return sum(model.score(symbols[i : i + n], names[i : i + n]) for n in lengths for i in range(len(padded) - n + 1))


@pytest.mark.parametrize("options", [{}, {"order": 2}, {"shorter_grams": True}], ids=str)
def test_operators_give_the_scores_of_the_windows(options):
    tagger = fitted(**options)
    model = tagger.operators_
    batch = tagger.bind(WORDS)
    gold = np.concatenate([np.searchsorted(tagger.classes_, labels) for labels in LABELS]).astype(np.int32)
    scores = batch.scores(tagger.weights_, gold)
    for word, labels, score in zip(WORDS, LABELS, scores, strict=True):
        assert window_scores(tagger, model, word, labels) == pytest.approx(score)


def test_a_constrained_matrix_gives_operators_with_few_states():
    tagger = fitted(constrained=True, shorter_grams=True, tau=2.0, max_iter=60)
    model = tagger.operators_
    assert 1 <= model.n_states <= tagger.n_states_ + 2
    # Recovery is exact when the blocks have the rank of the matrix; here they nearly have.
    batch = tagger.bind(WORDS)
    predicted, scores = batch.argmax(tagger.weights_)
    names = batch.corpus.split(tagger.classes_[predicted])
    recovered = [window_scores(tagger, model, word, labels) for word, labels in zip(WORDS, names, strict=True)]
    assert np.corrcoef(recovered, scores)[0, 1] > 0.95


def test_the_spectrum_and_its_states():
    values = TAGGER.singular_values_
    assert (np.diff(values) <= 1e-12).all()
    chain = TAGGER.chain_
    matrix = chain.matrix(TAGGER.weights_)
    np.testing.assert_allclose(values, np.linalg.svd(matrix, compute_uv=False), atol=1e-6)
    strong = fitted(tau=2.0)
    assert 1 <= strong.n_states_ < TAGGER.n_states_
    states = TAGGER.latent_states(n_states=3, n_nearest=2)
    assert [state.singular_value for state in states] == pytest.approx(values[:3].tolist())
    first = states[0]
    assert 0 < first.share < 1
    assert first.suffixes[0][1] > 0 > first.opposite_suffixes[0][1]
    pairs = [*TAGGER.bi_symbols_, BOUNDARY]
    # Rank one part of the matrix: its largest cell is the strongest beginning with the strongest ending.
    begin, end = first.prefixes[0][0], first.suffixes[0][0]
    row = sum(pairs.index(pair) * chain.base_size**power for power, pair in enumerate(begin[::-1]))
    expected = first.singular_value * first.prefixes[0][1] * first.suffixes[0][1]
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    assert values[0] * left[row, 0] * right[0, pairs.index(end)] == pytest.approx(expected)


def test_factors_have_the_same_spectrum(monkeypatch):
    whole = fitted(tau=0.3, step=0.2)
    monkeypatch.setattr(learner_module, "WHOLE_CELLS", 10)
    factored = fitted(tau=0.3, step=0.2)
    rank = factored.n_states_
    np.testing.assert_allclose(factored.singular_values_[:rank], whole.singular_values_[:rank], atol=1e-6)
    state, same = factored.latent_states(1)[0], whole.latent_states(1)[0]
    assert state.suffixes[0][0] == same.suffixes[0][0]
    assert state.prefixes[0][0] == same.prefixes[0][0]
    with pytest.raises(InputError, match="too many for operators"):
        _ = factored.operators_


MODELS = {
    "alone": {},
    "joint": {"features": weft.WindowFeatures(1), "constraints": [("q", "r")]},
    "constrained": {"constrained": True, "max_iter": 3},
}


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    tagger = fitted(**MODELS[name])
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft", expected="SpectralTagger")
    assert loaded.predict_kbest(["abz", "cc"], 3) == tagger.predict_kbest(["abz", "cc"], 3)
    assert repr(loaded) == repr(tagger)
    assert loaded.tau_ == tagger.tau_
    assert loaded.history_ == untimed(tagger.history_)
    np.testing.assert_array_equal(loaded.singular_values_, tagger.singular_values_)
    weft.save(loaded, tmp_path / "again.weft")
    assert (tmp_path / "again.weft").read_bytes() == (tmp_path / "model.weft").read_bytes()


def test_factors_are_saved_too(tmp_path, monkeypatch):
    monkeypatch.setattr(learner_module, "WHOLE_CELLS", 10)
    tagger = fitted()
    weft.save(tagger, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict_kbest(["abz"], 3) == tagger.predict_kbest(["abz"], 3)


def test_forbidden_steps_never_come():
    never, words = ("r", "q"), ["".join(letters) for letters in product("abcz", repeat=3)]
    assert never in [step for labels in TAGGER.predict(words) for step in pairwise(labels)]
    tagger = fitted(constraints=[never])
    assert never not in [step for labels in tagger.predict(words) for step in pairwise(labels)]


def test_dicts_name_the_key_that_is_the_symbol():
    rows = [[{"letter": c, "first": i == 0} for i, c in enumerate(word)] for word in WORDS]
    tagger = weft.SpectralTagger(tau=0.05, symbol="letter:", random_state=0).fit(rows, LABELS)
    assert tagger.score(rows, LABELS) > 0.9
    with pytest.raises(InputError, match="no attribute begins with symbol='0"):
        weft.SpectralTagger(tau=0.05).fit(rows, LABELS)


def test_weights_of_sequences_and_a_warm_start():
    heavy = weft.SpectralTagger(tau=0.05, random_state=0, max_iter=30)
    heavy.fit(WORDS + WORDS[:1], LABELS + [["r"] * 4], sample_weight=[1.0] * 8 + [0.0])
    assert heavy.predict(WORDS[:1]) == LABELS[:1]
    tagger = weft.Tagger(weft.Spectral(tau=0.05, max_iter=30), random_state=0, warm_start=True).fit(WORDS, LABELS)
    once = tagger.history_[0]["objective"]
    tagger.fit([*WORDS, "dab"], [*LABELS, ["p", "p", "q"]])
    assert tagger.history_[0]["objective"] < once / 2


def test_z_scores_are_those_of_all_labellings():
    tagger = TAGGER
    ranked = tagger.bind(["abca"], [LABELS[0]]).kbest(tagger.weights_, 100)[0]
    scores = np.array([score for _, score in ranked])
    assert 1 < len(scores) < 100
    expected = (scores.max() - scores.mean()) / scores.std()
    assert tagger.z_score(["abca"])[0] == pytest.approx(expected, rel=1e-9)


# ------------------------------------------------------------------------------------------------ real data


def nettalk(n_words, seed=0):
    """Words and phonemes to learn from, and to test: the split of 15,000 / 1,034 / 3,974 words."""
    data = datasets.load_nettalk()
    order = np.random.default_rng(seed).permutation(len(data.words))
    parts = order[:n_words], order[16_034:]
    return [([data.words[i] for i in part], [data.phonemes[i] for i in part]) for part in parts]


def accuracy(tagger, X, y):
    """Share of right phonemes; one that training never had counts as wrong."""
    pairs = zip(tagger.predict(X), y, strict=True)
    return 100 * np.mean([a == b for predicted, gold in pairs for a, b in zip(predicted, gold, strict=True)])


@pytest.mark.needs_data("nettalk")
@pytest.mark.slow
def test_low_rank_helps_on_500_words():
    (X, y), test = nettalk(500)
    spectral = weft.SpectralTagger(tau=6.0, step=0.3, max_iter=80, ties="label").fit(X, y)
    plain = weft.SpectralTagger(regularizer=None, step=0.1, max_iter=30, ties="label").fit(X, y)
    frequent = weft.SpectralTagger(regularizer=None, step=0.1, max_iter=30).fit(X, y)
    assert len(spectral.bi_symbols_) + 1 == 103
    assert accuracy(spectral, *test) >= 78.5
    assert 73.5 <= accuracy(plain, *test) <= 77.0
    assert accuracy(spectral, *test) - accuracy(plain, *test) >= 3.0
    # Most of that is how windows never seen break ties; what is left is the low rank's own.
    assert accuracy(frequent, *test) - accuracy(plain, *test) >= 2.0
    assert accuracy(spectral, *test) > accuracy(frequent, *test)


@pytest.mark.needs_data("nettalk")
@pytest.mark.slow
def test_low_rank_helps_on_2000_words():
    (X, y), test = nettalk(2000)
    scores = {
        name: accuracy(weft.SpectralTagger(max_iter=100, ties="label", **options).fit(X, y), *test)
        for name, options in {
            "spectral": {"tau": 8.0, "step": 0.3},
            "plain": {"regularizer": None, "step": 0.05},
            "plain, same step": {"regularizer": None, "step": 0.3},
            "l2": {"regularizer": "frobenius", "tau": 40.0, "step": 0.1},
        }.items()
    }
    assert scores["spectral"] >= 85.4
    assert scores["spectral"] - scores["plain"] >= 0.5
    assert scores["spectral"] - scores["plain, same step"] >= 1.4
    assert scores["spectral"] - scores["l2"] >= 0.5


@pytest.mark.needs_data("nettalk")
@pytest.mark.slow
def test_beside_window_features_it_is_not_below_crfsuite(tmp_path):
    (X, y), test = nettalk(2000)
    features = weft.WindowFeatures(3, 7)
    trainer = pycrfsuite.Trainer(verbose=False)
    for x, labels in zip(features.transform(X), y, strict=True):
        trainer.append(x, labels)
    trainer.select("lbfgs")
    trainer.set_params({"c2": 0.03, "max_iterations": 200})
    trainer.train(str(tmp_path / "model.crf"))
    peer = pycrfsuite.Tagger()
    peer.open(str(tmp_path / "model.crf"))
    tagged = zip(features.transform(test[0]), test[1], strict=True)
    theirs = 100 * np.mean([a == b for x, gold in tagged for a, b in zip(peer.tag(x), gold, strict=True)])
    tagger = weft.SpectralTagger(tau=1.0, features=features).fit(X, y)
    assert accuracy(tagger, *test) >= max(theirs, 88.0)

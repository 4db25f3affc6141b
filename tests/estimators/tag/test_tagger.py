import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import weft
from weft.errors import InputError
from weft.scale import Examples
from weft.sequences.window import WindowFeatures
from weft.structures.chain.batch import ChainBatch
from weft.testing import SEQUENCE_CHECKS, check_sequence_estimator

X = ["ab", "ba", "aab", "b", "abab", "bba"]
Y = [list("xy"), list("yx"), list("xxy"), list("y"), list("xyxy"), list("yyx")]

VARIANTS = {
    "crf": weft.Tagger(weft.CRF(c2=0.1), n_jobs=1),
    "crf with l1": weft.Tagger(weft.CRF(c1=0.1, c2=0.1), n_jobs=1),
    "newton": weft.Tagger(weft.CRF(solver="newton"), boundary=True, n_jobs=1),
    "second order": weft.Tagger(weft.CRF(), order=2, pairs="observed", boundary=True, n_jobs=2),
    "perceptron": weft.Tagger(weft.Perceptron(max_iter=3), n_jobs=1),
    "held out": weft.Tagger(weft.CRF(), validation_fraction=0.3, patience=3, random_state=1),
    "window": weft.Tagger(weft.CRF(), WindowFeatures(width=1)),
    "pairs": weft.Tagger(weft.Perceptron(), constraints=[("x", "x")]),
}
EXCEPTIONS = {
    # One label for all tokens takes the step that the constraint forbids.
    "pairs": {"check_one_label"},
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("check", SEQUENCE_CHECKS, ids=lambda check: check.__name__)
def test_estimator_checks(variant, check):
    labels = [list("xy"), list("yx"), list("yxy"), list("y"), list("xyxy"), list("yyx")] if variant == "pairs" else Y
    if check.__name__ in EXCEPTIONS.get(variant, ()):
        with pytest.raises(weft.InputError):
            check(clone(VARIANTS[variant]), X, labels)
    else:
        check(clone(VARIANTS[variant]), X, labels)


def test_a_failed_check_is_named():
    class Forgetful(weft.Tagger):
        def fit(self, X, y):
            super().fit(X, y)

    with pytest.raises(AssertionError, match="failed for Forgetful"):
        check_sequence_estimator(Forgetful(weft.CRF()), X, Y)


def test_defaults_are_the_crf_and_the_symbols_themselves():
    tagger = weft.Tagger().fit(X, Y)
    assert isinstance(tagger.learner_, weft.CRF)
    assert tagger.learner is None
    pairs = [*itertools.product("ab", "xy"), *itertools.product("xy", repeat=2)]
    assert sorted(tagger.feature_names_) == sorted(pairs)
    assert tagger.weights_.shape == (len(pairs),)
    assert tagger.classes_.tolist() == ["x", "y"]
    weight_of = dict(zip(tagger.feature_names_, tagger.weights_, strict=True))
    assert weight_of == {**tagger.state_features_, **tagger.transition_features_}
    assert weight_of["a", "x"] > 0 > weight_of["a", "y"]


@pytest.mark.parametrize("parameters", [{}, {"order": 2}, {"boundary": True}, {"pairs": "observed"}])
def test_probabilities_are_those_of_the_named_weights(parameters):
    """Enumerate all labellings and score them by feature_names_ alone."""
    tagger = weft.Tagger(weft.CRF(c2=0.1), **parameters).fit(X, Y)
    weight_of = dict(zip(tagger.feature_names_, tagger.weights_, strict=True))
    sequence, order = "abba", parameters.get("order", 1)
    scores = {}
    for labels in itertools.product("xy", repeat=4):
        score = sum(weight_of.get(pair, 0.0) for pair in zip(sequence, labels, strict=True))
        for length in range(2, order + 2):
            score += sum(weight_of.get(labels[i : i + length], 0.0) for i in range(5 - length))
        if tagger.boundary:
            score += weight_of["start", labels[0]] + weight_of["end", labels[-1]]
        scores[labels] = score
    total = sum(np.exp(score) for score in scores.values())
    ranked = tagger.predict_kbest([sequence], 20)[0]
    assert len(ranked) == 16
    for labels, probability in ranked:
        assert probability == pytest.approx(np.exp(scores[tuple(labels)]) / total, rel=1e-9)
    marginal = sum(np.exp(score) for labels, score in scores.items() if labels[1] == "x") / total
    assert tagger.predict_proba([sequence])[0][1, 0] == pytest.approx(marginal, rel=1e-9)
    assert tagger.predict_marginals([sequence])[0][1]["x"] == pytest.approx(marginal, rel=1e-9)
    assert tagger.confidence([sequence])[0] == pytest.approx(max(np.exp(s) for s in scores.values()) / total)
    assert tagger.predict([sequence])[0] == list(max(scores, key=scores.get))


FORMS = {
    "strings": X,
    "tokens": [list(sequence) for sequence in X],
    "ints": [[ord(c) for c in sequence] for sequence in X],
    "arrays of ints": [np.array([ord(c) for c in sequence]) for sequence in X],
    "attributes": [[[c] for c in sequence] for sequence in X],
    "dicts": [[{"c": c} for c in sequence] for sequence in X],
    "vectors": [np.array([[c == "a", c == "b"] for c in sequence], dtype=float) for sequence in X],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_input_form_gives_the_same_model(form, tmp_path):
    expected = weft.Tagger(weft.CRF(c2=1.0, tol=1e-9), pairs="all").fit(X, Y)
    tagger = weft.Tagger(weft.CRF(c2=1.0, tol=1e-9), pairs="all").fit(FORMS[form], Y)
    np.testing.assert_allclose(tagger.weights_, expected.weights_, rtol=1e-9)
    assert tagger.predict(FORMS[form]) == expected.predict(X)
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict(FORMS[form]) == expected.predict(X)
    assert loaded.feature_names_ == tagger.feature_names_
    np.testing.assert_array_equal(loaded.confidence(FORMS[form]), tagger.confidence(FORMS[form]))


@pytest.mark.parametrize(
    "labels",
    [
        [["é", "日"], ["日", "é"]],
        [[1, 2], [2, 1]],
        np.array([[1, 2], [2, 1]]),
        [[np.int64(1), np.int64(2)], [np.int64(2), np.int64(1)]],
        [[np.str_("p"), np.str_("q")], ["q", "p"]],
        [["a", 1], [1, "a"]],
        [(True, False), (False, True)],
        ["xy", "yx"],
    ],
)
def test_labels_of_any_kind_come_back_and_can_be_saved(labels, tmp_path):
    tagger = weft.Tagger(weft.CRF(c2=0.01)).fit(["ab", "ba"], labels)
    assert tagger.predict(["ab", "ba"]) == [list(sequence) for sequence in labels]
    assert tagger.score(["ab", "ba"], labels) == 1.0
    weft.save(tagger, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict(["ab", "ba"]) == [list(sequence) for sequence in labels]


def test_an_encoded_corpus_predicts_the_same_many_times():
    tagger = weft.Tagger().fit(X, Y)
    corpus = tagger.encode(X)
    for _ in range(2):
        assert tagger.predict(corpus) == tagger.predict(X)
    np.testing.assert_array_equal(tagger.confidence(corpus), tagger.confidence(X))
    few = corpus.select(np.array([2, 0]))
    assert tagger.predict(few) == tagger.predict([X[2], X[0]])


def test_score_is_token_accuracy_with_weights():
    tagger = weft.Tagger(weft.CRF(c2=0.01)).fit(X, Y)
    assert tagger.score(["ab", "a"], ["xx", "x"]) == pytest.approx(2 / 3)
    assert tagger.score(["ab", "a"], ["xx", "x"], sample_weight=[3, 1]) == pytest.approx(4 / 7)


def test_labels_that_training_lacked_are_errors_at_score():
    """A fold of a cross-validation may lack a rare label."""
    tagger = weft.Tagger(n_jobs=1).fit(X, Y)
    predicted = tagger.predict(["ab", "b"])
    labels = [[predicted[0][0], "new"], predicted[1]]
    with pytest.warns(UserWarning, match=r"y\[0\]\[1\] is the label 'new', unseen in training; .*counts as an error"):
        assert tagger.score(["ab", "b"], labels) == 2 / 3
    with pytest.warns(UserWarning, match="unseen"):
        assert tagger.score(tagger.encode(["ab", "b"]), labels, sample_weight=[1, 2]) == 3 / 4
    rare = [["x", "x"], ["x", "y"], ["y", "x"], ["rare", "y"]] * 2
    with pytest.warns(UserWarning, match="unseen"):
        scores = cross_val_score(weft.Tagger(n_jobs=1), ["ab"] * 7 + ["ba"], [*rare[:3] * 2, rare[0], rare[3]], cv=4)
    assert np.isfinite(scores).all()


def test_history_counts_iterations():
    tagger = weft.Tagger(validation_fraction=0.3, random_state=0).fit(X, Y)
    assert tagger.n_iter_ == len(tagger.history_) > 0
    assert [entry["iteration"] for entry in tagger.history_] == list(range(1, tagger.n_iter_ + 1))
    objectives = [entry["objective"] for entry in tagger.history_]
    assert objectives == sorted(objectives, reverse=True)
    assert all(0 <= entry["score"] <= 1 for entry in tagger.history_)
    seconds = [entry["seconds"] for entry in tagger.history_]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0


def test_development_data_is_scored_but_not_learned_from():
    plain = weft.Tagger().fit(X, Y)
    watched = weft.Tagger().fit(X, Y, X_dev=["ab"], y_dev=["xy"])
    np.testing.assert_array_equal(plain.weights_, watched.weights_)
    assert "score" not in plain.history_[-1]
    assert watched.history_[-1]["score"] == watched.score(["ab"], ["xy"])


def test_patience_keeps_the_best_weights():
    rng = np.random.default_rng(0)
    noisy_X = ["".join(rng.choice(list("abcdefgh"), size=6)) for _ in range(30)]
    noisy_y = [[str(rng.choice(["x", "y"])) for _ in range(6)] for _ in range(30)]
    tagger = weft.Tagger(weft.CRF(c2=0.0), order=2, patience=3)
    tagger.fit(noisy_X[:15], noisy_y[:15], X_dev=noisy_X[15:], y_dev=noisy_y[15:])
    scores = [entry["score"] for entry in tagger.history_]
    assert tagger.score(noisy_X[15:], noisy_y[15:]) == pytest.approx(max(scores))
    assert len(scores) == scores.index(max(scores)) + 1 + 3


def test_warm_start_from_the_optimum_needs_hardly_an_iteration():
    tagger = weft.Tagger(weft.CRF(tol=1e-10), warm_start=True, n_jobs=1).fit(X, Y)
    optimum, n_cold = tagger.weights_, tagger.n_iter_
    tagger.set_params(learner__tol=1e-5).fit(X, Y)
    assert tagger.n_iter_ <= 11 < n_cold
    np.testing.assert_allclose(tagger.weights_, optimum, atol=1e-5)


def test_warm_start_takes_new_labels_and_symbols_along():
    tagger = weft.Tagger(weft.CRF(max_iter=1), warm_start=True).fit(X, Y)
    tagger.fit([*X, "cab"], [*Y, list("zxy")])
    assert tagger.classes_.tolist() == ["x", "y", "z"]
    assert ("c", "z") in tagger.feature_names_
    assert tagger.set_params(learner=weft.CRF(c2=0.01)).fit([*X, "cab"], [*Y, list("zxy")]).predict(["ca"]) == [
        ["z", "x"]
    ]


def test_threads_agree():
    rng = np.random.default_rng(0)
    many_X = ["".join(rng.choice(list("abcd"), size=rng.integers(1, 9))) for _ in range(40)]
    many_y = [["xyz"[(ord(c) + i) % 3] for i, c in enumerate(sequence)] for sequence in many_X]
    one, two = (weft.Tagger(weft.CRF(max_iter=20), n_jobs=n_jobs).fit(many_X, many_y) for n_jobs in (1, 2))
    np.testing.assert_allclose(one.weights_, two.weights_, rtol=1e-7, atol=1e-10)
    assert one.history_[-1]["objective"] == pytest.approx(two.history_[-1]["objective"], rel=1e-9)
    assert one.predict(many_X) == two.predict(many_X)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@pytest.mark.parametrize("order", [1, 2])
def test_predictions_are_legal_under_any_weights(scheme, order):
    rng = np.random.default_rng(order)
    if scheme == "BIO":
        y = [["B-X", "I-X", "O", "B-Y"], ["B-Y", "I-Y", "B-X"]]
    else:
        y = [["B-X", "I-X", "E-X", "O"], ["B-Y", "I-Y", "E-Y"], ["S-X", "S-Y", "B-Y", "E-Y"]]
    x = [list(range(len(labels))) for labels in y]
    tagger = weft.Tagger(weft.CRF(max_iter=1), constraints=scheme, order=order, pairs="all", boundary=True).fit(x, y)
    sequences = [rng.integers(0, 6, size=n).tolist() for n in (1, 2, 5, 9)]
    for scale in (1.0, 1000.0):
        tagger.weights_ = scale * rng.normal(size=tagger.weights_.shape)
        for sequence, labels in zip(sequences, tagger.predict(sequences), strict=True):
            assert_legal(scheme, labels)
            ranked = tagger.predict_kbest([sequence], 5)[0]
            assert ranked[0][0] == labels
            for path, _ in ranked:
                assert_legal(scheme, path)
        for table in tagger.predict_proba(sequences):
            np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-9)
            illegal_starts = [i for i, label in enumerate(tagger.classes_) if label[0] in "IE"]
            assert not table[0, illegal_starts].any()


def assert_legal(scheme, labels):
    opened = None
    for label in labels:
        prefix, _, kind = label.partition("-")
        if prefix in "IE":
            assert kind == opened, labels
        elif scheme == "BIOES":
            assert opened is None, labels
        opened = kind if prefix in "BI" else None
    assert scheme == "BIO" or opened is None, labels


def test_progress_goes_to_standard_error(capsys):
    weft.Tagger(verbose=1).fit(X, Y)
    captured = capsys.readouterr()
    assert "CRF" in captured.err
    assert captured.out == ""


def test_features_transform_at_fit_and_predict():
    tagger = weft.Tagger(weft.CRF(c2=0.01), WindowFeatures(width=1)).fit(["ab", "cb"], ["xy", "xz"])
    assert tagger.predict(["ab", "cb"]) == [["x", "y"], ["x", "z"]]
    assert tagger.score(["ab", "cb"], ["xy", "xz"]) == 1.0
    assert tagger.predict(tagger.encode(["cb"])) == [["x", "z"]]


def test_a_batch_of_the_fitted_chain_is_what_predict_uses():
    tagger = weft.Tagger().fit(X, Y)
    batch = ChainBatch(tagger.chain_, tagger.encode(X))
    labels, scores = batch.argmax(tagger.weights_)
    assert [tagger.classes_[z] for z in labels] == [label for sequence in tagger.predict(X) for label in sequence]
    np.testing.assert_allclose(scores, batch.scores(tagger.weights_, labels))


@pytest.mark.parametrize("k", [1, 3])
def test_one_label_has_probability_one_and_no_more(k):
    sequence = "abc" * 9
    tagger = weft.Tagger().fit([sequence], [["x"] * 27])
    tagger.weights_ = np.full_like(tagger.weights_, 0.1)  # the sums of path and partition round differently
    ((labels, probability),) = tagger.predict_kbest([sequence], k)[0]
    assert labels == ["x"] * 27
    assert 1 - 1e-12 < probability <= 1
    assert 1 - 1e-12 < tagger.confidence([sequence])[0] <= 1


@pytest.mark.parametrize(
    ("form", "c2"),
    [
        (lambda x: x, 0.1),
        (lambda x: [[f"is {symbol}", "any"] for symbol in x], 0.1),
        (lambda x: [{symbol: 1.0} for symbol in x], 0.1),
        (lambda x: np.eye(2)[["ab".index(symbol) for symbol in x]], 1.0),
    ],
    ids=["symbols", "attributes", "dicts", "arrays"],
)
def test_an_open_penalty_suits_the_form_of_the_tokens(form, c2, tmp_path):
    sequences = list(map(form, X))
    left_open, given = (weft.Tagger(weft.CRF(c2=each), n_jobs=1).fit(sequences, Y) for each in (None, c2))
    assert (left_open.learner.c2, left_open.learner_.c2) == (None, c2)
    np.testing.assert_array_equal(left_open.weights_, given.weights_)
    np.testing.assert_array_equal(left_open.weights_, weft.Tagger(n_jobs=1).fit(sequences, Y).weights_)
    weft.save(left_open, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").learner.c2 is None


def test_an_open_penalty_is_the_same_for_examples_in_parts(tmp_path):
    parted = weft.Tagger(n_jobs=1).fit(Examples.from_lists(X, Y, 3), spill=tmp_path / "spill")
    assert parted.learner_.c2 == 0.1


def test_an_open_penalty_towards_a_prior_is_one():
    prior = np.zeros(len(weft.Tagger().fit(X, Y).weights_))
    assert weft.Tagger(weft.CRF(prior=prior)).fit(X, Y).learner_.c2 == 1.0


WORDS = [["the", "cat", "sleeps"], ["a", "dog", "barks"]], [["D", "N", "V"], ["D", "N", "V"]]


@pytest.mark.parametrize(
    "tagger",
    [
        weft.Tagger(),
        weft.Tagger(features=weft.WindowFeatures()),
        weft.Tagger(n_features=64),
        weft.Tagger(min_count=1, warm_start=True),
        weft.StackedTagger(features=weft.WindowFeatures(), n_folds=2),
        weft.SpectralTagger(order=2),
    ],
    ids=str,
)
def test_a_string_is_no_list_of_words(tagger, tmp_path):
    """Its characters would pass for tokens; a model that is saved and loaded knows that too."""
    fitted = clone(tagger).fit(*WORDS)
    if tagger.get_params().get("warm_start"):
        fitted.fit(*WORDS)
    weft.save(fitted, tmp_path / "model.weft")
    for model in (fitted, weft.load(tmp_path / "model.weft"), pickle.loads(pickle.dumps(fitted))):
        for ask in (model.predict, model.encode, model.confidence, lambda X, model=model: model.score(X, ["DN"])):
            with pytest.raises(InputError, match=r"X has a string, 'El', but training had lists of tokens; split it"):
                ask(["El"])
        assert model.predict([["a", "cat"]]) == [["D", "N"]]


def test_a_list_of_words_to_a_model_of_characters_is_told():
    tagger = weft.Tagger().fit(["abc", "ab"], ["xyx", "xy"])
    assert tagger.predict(["ab", ["a", "b"], ("a", "?")]) == [["x", "y"]] * 3  # warnings are errors
    with pytest.warns(
        UserWarning, match="the token 'El', but training had single characters; .*: pass strings"
    ) as seen:
        tagger.predict([["El", "presidente"]])
    assert seen[0].filename == __file__


def test_streams_and_mixtures_of_strings_and_lists():
    stream = weft.Tagger(weft.Perceptron()).partial_fit([["a", "b"]], [["x", "y"]], classes=["x", "y"])
    assert stream.predict(["ab"]) == [["x", "y"]]
    stream.partial_fit([["the", "b"]], [["x", "y"]])
    with pytest.raises(InputError, match="training had lists of tokens"):
        stream.predict(["ab"])
    mixed = weft.Tagger().fit(["ab", ["the", "b"]], ["xy", "xy"])
    assert mixed.predict(["ab", ["the"]]) == [["x", "y"], ["x"]]

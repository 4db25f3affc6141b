"""partial_fit: a stream of examples with a growing vocabulary."""

import numpy as np
import pytest

import weft

X = [["the", "cat", "sleeps"], ["a", "dog", "barks"], ["cats", "sleep"]]
Y = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]


def stream_tagger(**parameters):
    return weft.Tagger(weft.Perceptron(), random_state=0, n_jobs=1, **parameters)


def test_a_failed_call_leaves_the_model_as_it_was():
    tagger = stream_tagger().partial_fit(X[:1], Y[:1], classes=["D", "N", "V"])
    before = tagger.predict(X)
    with pytest.raises(weft.InputError, match="unseen in training"):
        tagger.partial_fit([["new", "words"]], [["D", "UNSEEN"]])
    with pytest.raises(weft.InputError, match="pass the form of training"):
        tagger.partial_fit([[["other", "form"]]], [["D"]])
    assert tagger.predict(X) == before
    tagger.partial_fit(X[1:], Y[1:])
    assert "dog" in tagger.encoder_.feature_names
    assert "new" not in tagger.encoder_.feature_names


def test_a_failed_warm_start_leaves_the_model_as_it_was():
    tagger = weft.Tagger(weft.CRF(), warm_start=True, n_jobs=1).fit(X[:1], Y[:1])
    before = tagger.predict_proba(X[:1])[0]
    with pytest.raises(weft.InputError, match="tokens but"):
        tagger.fit([["new", "word"]], [["D"]])
    np.testing.assert_array_equal(tagger.predict_proba(X[:1])[0], before)


def test_a_stream_goes_on_after_fit_and_after_load(tmp_path):
    tagger = stream_tagger().partial_fit(X[:1], Y[:1], classes=["D", "N", "V"])
    tagger.fit(X, Y)
    fitted = dict(zip(tagger.feature_names_, tagger.weights_, strict=True))
    weft.save(tagger, tmp_path / "model.weft")
    for each in (tagger, weft.load(tmp_path / "model.weft")):
        each.partial_fit(X[:2], Y[:2])  # no mistake left to learn from, so the weights stay
        assert dict(zip(each.feature_names_, each.weights_, strict=True)) == pytest.approx(fitted)
        assert each.predict(X) == Y


def test_the_first_call_needs_classes_and_a_perceptron():
    with pytest.raises(weft.InputError, match=r"the first partial_fit needs classes=\[\.\.\.\]"):
        stream_tagger().partial_fit(X, Y)
    with pytest.raises(weft.InputError, match=r"learner is CRF; use Tagger\(learner=weft.Perceptron\(\)\)"):
        weft.Tagger(weft.CRF()).partial_fit(X, Y, classes=["D", "N", "V"])


def test_classes_may_never_come():
    tagger = stream_tagger().partial_fit(X[2:], Y[2:], classes=["D", "N", "V", "X"])
    assert tagger.classes_.tolist() == ["D", "N", "V", "X"]
    assert tagger.predict_proba(X[:1])[0].shape == (3, 4)


def test_history_and_vocabulary_grow():
    tagger = stream_tagger().partial_fit(X[:1], Y[:1], classes=["D", "N", "V"])
    tagger.partial_fit(X[1:], Y[1:])
    assert len(tagger.history_) == tagger.n_iter_ == 2
    assert set(tagger.encoder_.feature_names) == {word for sequence in X for word in sequence}
    assert len(tagger.weights_) == len(tagger.feature_names_)


def test_a_corpus_encoded_before_the_vocabulary_grew_still_fits():
    tagger = stream_tagger().partial_fit(X[:1], Y[:1], classes=["D", "N", "V"])
    corpus = tagger.encode(X[:1])
    tagger.partial_fit(X[1:], Y[1:])
    assert tagger.predict(corpus) == tagger.predict(X[:1])

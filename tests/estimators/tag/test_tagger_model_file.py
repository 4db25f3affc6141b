import numpy as np
import pytest

import weft
from weft import model_file
from weft.learners.monitor import untimed

X = ["ab", "ba", "aab"]
Y = [list("xy"), list("yx"), list("xxy")]
BIO = [["B-X", "I-X"], ["O", "B-X"], ["O", "B-X", "I-X"]]

MODELS = {
    "symbols": (weft.Tagger(weft.CRF(c2=0.1)), X, Y),
    "order 3": (weft.Tagger(order=3, boundary=True, pairs="observed"), X, Y),
    "sparse": (weft.Tagger(weft.CRF(c1=0.3)), X, Y),
    "constraints": (weft.Tagger(constraints="BIO", boundary=True), X, BIO),
    "pairs": (weft.Tagger(constraints=[(None, "y"), ("x", "x")]), ["ab", "aba"], [list("xy"), list("xyx")]),
    "perceptron": (weft.Tagger(weft.Perceptron(), random_state=3), X, Y),
    "dicts": (weft.Tagger(), [[{"w": c, "n": 0.5} for c in s] for s in X], Y),
    "vectors": (weft.Tagger(), [np.eye(2)[[ord(c) - 97 for c in s]] for s in X], Y),
    "no attribute": (weft.Tagger(), [[[] for _ in s] for s in X], Y),
    "single tokens": (weft.Tagger(order=2, pairs="observed"), ["a", "b"], [["x"], ["y"]]),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    tagger, X, y = MODELS[name]
    tagger.fit(X, y)
    path = tmp_path / "model.weft"
    weft.save(tagger, path)
    loaded = weft.load(path, expected="Tagger")
    assert loaded.predict_kbest(X, 3) == tagger.predict_kbest(X, 3)
    np.testing.assert_array_equal(loaded.weights_, tagger.weights_)
    assert loaded.feature_names_ == tagger.feature_names_
    assert loaded.transition_features_ == tagger.transition_features_
    assert loaded.history_ == untimed(tagger.history_)
    assert loaded.n_iter_ == tagger.n_iter_
    assert repr(loaded) == repr(tagger)
    assert type(loaded.learner_) is type(tagger.learner_)
    again = tmp_path / "again.weft"
    weft.save(loaded, again)
    assert again.read_bytes() == path.read_bytes()


def test_the_header_tells_what_was_learned(tmp_path):
    tagger = weft.Tagger(validation_fraction=0.4, random_state=0).fit(X, Y)
    weft.save(tagger, tmp_path / "model.weft")
    summary = model_file.read_header(tmp_path / "model.weft").summary
    assert summary["n_labels"] == 2
    assert summary["n_weights"] == len(tagger.weights_)
    assert summary["n_iterations"] == tagger.n_iter_
    assert summary["score"] == tagger.history_[-1]["score"]


def test_a_loaded_model_takes_a_warm_start(tmp_path):
    tagger = weft.Tagger(weft.CRF(tol=1e-10), warm_start=True).fit(X, Y)
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft").set_params(learner__tol=1e-5).fit(X, Y)
    assert loaded.n_iter_ < tagger.n_iter_
    np.testing.assert_allclose(loaded.weights_, tagger.weights_, atol=1e-5)


def test_an_unfitted_tagger_is_not_saved(tmp_path):
    with pytest.raises(weft.ModelFileError, match="not fitted; call fit first"):
        weft.save(weft.Tagger(), tmp_path / "model.weft")
    assert list(tmp_path.iterdir()) == []

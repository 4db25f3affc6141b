"""Every mistake of a user is one line that says what came, what was wanted and what to do."""

import numpy as np
import pytest

import weft

X = ["ab", "ba", "aab"]
Y = [list("xy"), list("yx"), list("xxy")]
NAN = float("nan")


def fit(X=X, y=Y, tagger=None, **arguments):
    return (tagger or weft.Tagger(n_jobs=1)).fit(X, y, **arguments)


def tagger(learner=None, **parameters):
    return weft.Tagger(learner, n_jobs=1, **parameters)


CASES = {
    "fewer label sequences": (lambda: fit(X, Y[:2]), "X has 3 sequences but y has 2 label sequences; each"),
    "fewer labels": (lambda: fit(X, [Y[0], ["y"], Y[2]]), r"X\[1\] has 2 tokens but y\[1\] has 1 labels; one label"),
    "fewer sequences held out": (
        lambda: fit(X, Y[:2], tagger(validation_fraction=0.5)), "X has 3 sequences but y has 2",
    ),
    "empty corpus": (lambda: fit([], []), "X is empty; at least one sequence is needed"),
    "empty y": (lambda: fit(X, []), "y is empty"),
    "empty sequence": (lambda: fit(["ab", ""], [Y[0], []]), r"X\[1\] has length 0; drop empty sequences"),
    "empty labels": (lambda: fit(X[:1], [[]]), r"y\[0\] has length 0; drop empty sequences"),
    "string X": (lambda: fit("ab", Y), r"X is one string, 'ab'; a list of sequences is needed: wrap it as \[X\]"),
    "string y": (lambda: fit(X, "xy"), r"y is one string, 'xy'; a list of sequences is needed: wrap it as \[y\]"),
    "flat y": (lambda: fit(X, [1, 2, 3]), r"y\[0\] is 1 of type int; a sequence"),
    "no y": (lambda: fit(X, None), "y is None, but CRF needs label sequences"),
    "nan in dicts": (lambda: fit([[{"a": NAN}]], [["x"]]), r"X\[0\]\[0\] has 'a' = nan; finite numbers of at most"),
    "nan in arrays": (lambda: fit([np.array([[0.0, NAN]])], [["x"]]), r"X\[0\]\[0, 1\] is nan; finite numbers"),
    "floats as attributes": (lambda: fit([[[0.5, 1.5]]], [["x"]]), r"X\[0\]\[0\] has an attribute of type float"),
    "nested labels": (lambda: fit(["a"], [[["x"]]]), r"y\[0\] holds a label of type list; labels are"),
    "illegal BIO": (
        lambda: fit(X[:1], [["O", "I-A"]], tagger(constraints="BIO")),
        r"y\[0\]\[1\] breaks the constraints: 'O' before 'I-A' is forbidden; fix the labels",
    ),
    "illegal BIO start": (
        lambda: fit(X[:1], [["I-A", "O"]], tagger(constraints="BIO")), r"y\[0\]\[0\] breaks .* 'I-A' at the start",
    ),
    "unknown scheme": (lambda: fit(tagger=tagger(constraints="IOB")), "constraints is 'IOB'; use 'BIO', 'BIOES'"),
    "labels of no scheme": (lambda: fit(tagger=tagger(constraints="BIO")), "label 'x' does not fit constraints='BIO'"),
    "negative c2": (lambda: fit(tagger=tagger(weft.CRF(c2=-1))), "c2 of CRF is -1; a finite number >= 0"),
    "nan c1": (lambda: fit(tagger=tagger(weft.CRF(c1=NAN))), "c1 of CRF is nan; a finite number >= 0"),
    "text c2": (lambda: fit(tagger=tagger(weft.CRF(c2="1"))), "c2 of CRF is '1'; a finite number >= 0"),
    "negative tol": (lambda: fit(tagger=tagger(weft.CRF(tol=-1e-3))), "tol of CRF is -0.001; a finite number"),
    "unknown solver": (lambda: fit(tagger=tagger(weft.CRF(solver="sgd"))), "solver of CRF is 'sgd'; use 'lbfgs' or"),
    "newton with l1": (lambda: fit(tagger=tagger(weft.CRF(c1=1, solver="newton"))), "no L1 penalty; use solver="),
    "no iteration": (lambda: fit(tagger=tagger(weft.CRF(max_iter=0))), "max_iter of CRF is 0; a whole number"),
    "no pass": (lambda: fit(tagger=tagger(weft.Perceptron(max_iter=0))), "max_iter of Perceptron is 0; a whole"),
    "order 0": (lambda: fit(tagger=tagger(order=0)), "order is 0; .* use order=1 or more"),
    "order 1.5": (lambda: fit(tagger=tagger(order=1.5)), "order is 1.5; .* use order=1 or more"),
    "order with observed pairs": (
        lambda: fit(tagger=tagger(order="2", pairs="observed")), "order is '2'; .* use order=1 or more",
    ),
    "unknown pairs": (lambda: fit(tagger=tagger(pairs="some")), "pairs is 'some'; use 'observed', 'all' or None"),
    "fraction": (lambda: fit(tagger=tagger(validation_fraction=1.5)), "validation_fraction is 1.5; a number between"),
    "patience alone": (lambda: fit(tagger=tagger(patience=2)), "patience needs held-out data; pass X_dev"),
    "X_dev alone": (lambda: fit(X_dev=X), "y is None, but a score needs label sequences"),
    "dev label": (lambda: fit(X_dev=["ab"], y_dev=["xz"]), r"y.*\[0\]\[1\] is the label 'z', unseen in training"),
    "weights of another length": (lambda: fit(sample_weight=[1.0]), r"sample_weight has shape \(1,\); one number per"),
    "weights of another shape": (lambda: fit(sample_weight=np.ones((3, 1))), r"sample_weight has shape \(3, 1\)"),
    "negative weights": (lambda: fit(sample_weight=[1, -1, 1]), "sample_weight holds negative or non-finite"),
    "nan weights": (lambda: fit(sample_weight=[1, NAN, 1]), "sample_weight holds negative or non-finite"),
    "no weights": (lambda: fit(sample_weight=[0, 0, 0]), "sample_weight is zero everywhere; at least one"),
    "text weights": (lambda: fit(sample_weight=["a", "b", "c"]), "sample_weight is .*; one number per sequence"),
    "no learner": (lambda: fit(tagger=tagger("crf")), "learner is 'crf'; .*weft.CRF"),
    "missing label at score": (lambda: fit().score(["ab"], [["x", None]]), r"y\[0\]\[1\] is the label None, unseen"),
    "lengths at score": (lambda: fit().score(X, Y[:1]), "X has 3 sequences but y has 1"),
    "weights at score": (lambda: fit().score(X, Y, sample_weight=[0, 0, 0]), "sample_weight is zero everywhere"),
    "string at predict": (lambda: fit().predict("ab"), "X is one string, 'ab'"),
    "empty at predict": (lambda: fit().predict([]), "X is empty"),
    "other form at predict": (lambda: fit().predict([[{"a": 1}]]), "X holds dicts but the model was fitted on symbols"),
    "k 0": (lambda: fit().predict_kbest(X, 0), "k is 0; a whole number of at least 1 is needed"),
    "k 1.5": (lambda: fit().predict_kbest(X, 1.5), "k is 1.5; a whole number of at least 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_line_says_what_came_and_what_was_wanted(case):
    call, message = CASES[case]
    with pytest.raises(weft.InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 320


@pytest.mark.parametrize("other", [["ab"], ["abcdef"], ["ba"]])
def test_a_corpus_of_another_model_is_refused(other):
    corpus = weft.Tagger().fit(other, [["x"] * len(other[0])]).encode(other)
    with pytest.raises(weft.InputError, match="this corpus was encoded by another model; encode X again with this one"):
        fit().predict(corpus)


def test_a_failed_fit_leaves_no_model():
    model = tagger(constraints="BIO")
    with pytest.raises(weft.InputError):
        model.fit(["ab"], [["O", "I-A"]])
    assert not [name for name in vars(model) if name.endswith("_")]
    good = fit()
    before = good.predict(X)
    with pytest.raises(weft.InputError):
        good.fit(X, Y[:1])
    assert good.predict(X) == before


def test_features_that_transform_nothing_are_refused():
    with pytest.raises(weft.InputError, match=r"features is 1\.5; a transformer of sequences is needed"):
        weft.Tagger(features=1.5).fit(["ab"], ["xy"])

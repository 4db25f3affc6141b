"""Weights of grams beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import weft
from weft.automata import Automaton
from weft.errors import InputError

TEXTS = ["abab abba", "the cat", "a cat sat", "banana bandana", "", "cat cat cat", "ta"]
NEW = ["a banana", "xyz cat", "qqq", "abc the the the"]


def oracle(min_n, n, idf, sublinear, norm=None):
    return TfidfVectorizer(
        analyzer="char", lowercase=False, ngram_range=(min_n, n), use_idf=idf, sublinear_tf=sublinear, norm=norm
    ).fit(TEXTS)


@pytest.mark.parametrize(("idf", "sublinear"), [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("min_n", [1, 3])
def test_values_are_those_of_scikit_learn(idf, sublinear, min_n):
    kernel = weft.NGramKernel(3, min_n, idf=idf, sublinear=sublinear)
    wanted = oracle(min_n, 3, idf, sublinear)
    train, new = wanted.transform(TEXTS), wanted.transform(NEW)
    assert np.allclose(kernel.gram(TEXTS), (train @ train.T).toarray())
    mapped, rows = kernel.feature_map(TEXTS)
    assert np.allclose((mapped.transform(NEW) @ rows.T).toarray(), (new @ train.T).toarray())
    again = kernel.restore_feature_map(mapped.to_state())
    assert (again.transform(NEW) != mapped.transform(NEW)).nnz == 0


@pytest.mark.parametrize("sublinear", [False, True])
def test_cosines_are_those_of_scikit_learn(sublinear):
    mapped, rows = weft.Normalized(weft.NGramKernel(2, idf=True, sublinear=sublinear)).feature_map(TEXTS)
    wanted = oracle(2, 2, True, sublinear, "l2")
    products = (wanted.transform(NEW) @ wanted.transform(TEXTS).T).toarray()
    assert np.allclose((mapped.transform(NEW) @ rows.T).toarray(), products)


def test_lengths_without_idf_include_grams_that_training_lacks():
    kernel = weft.NGramKernel(2, sublinear=True)
    mapped, _ = kernel.feature_map(TEXTS)
    assert np.allclose(mapped.transform_with_norms(NEW)[1], kernel.diagonal(NEW))
    assert kernel.diagonal(["ababq"])[0] == pytest.approx((1 + np.log(2)) ** 2 + 2)


@pytest.mark.parametrize(
    "plain",
    [
        weft.NGramKernel(2),
        weft.NGramKernel(12),
        weft.GappyKernel(2, 1.0, 1),
        weft.MismatchKernel(2, 1),
        weft.GappedKMerKernel(3, 2),
    ],
    ids=repr,
)
def test_every_kernel_weighs_its_counts(plain):
    texts = [[f"w{(i * k) % 97}" for i in range(30)] for k in range(1, 6)]
    kernel = type(plain)(**{**plain.get_params(deep=False), "idf": True, "sublinear": True})
    counts = plain.features(texts).toarray()
    logs = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    idf = 1 + np.log((1 + len(texts)) / (1 + (counts > 0).sum(axis=0)))
    mapped, rows = kernel.feature_map(texts)
    assert np.allclose(rows.toarray(), logs * idf)
    assert np.allclose(mapped.transform(texts).toarray(), rows.toarray())
    assert mapped.names() == plain.feature_map(texts)[0].names()


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
def test_a_classifier_keeps_its_weights(tmp_path):
    kernel = weft.Normalized(weft.NGramKernel(2, idf=True, sublinear=True))
    svc = weft.SequenceSVC(kernel, C=1.0, random_state=0).fit(TEXTS, list("xyyxxyx"))
    weft.save(svc, tmp_path / "svc.weft")
    again = weft.load(tmp_path / "svc.weft")
    assert again.decision_function(NEW).tolist() == svc.decision_function(NEW).tolist()
    # One new text has the value that it has among others.
    assert again.decision_function(NEW[:1])[0] == pytest.approx(svc.decision_function(NEW)[0])


LATTICE = Automaton.from_arcs([(0, "a", 1, 1.0)], final={1: 1.0})
IDF = weft.NGramKernel(1, idf=True)


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (lambda: IDF.gram([LATTICE]), "counts are expectations"),
        (lambda: weft.NGramKernel(1, sublinear=True).gram([LATTICE]), "counts are expectations"),
        (lambda: IDF.gram(["a"], ["b"]), "learns its weights from training data"),
        (lambda: weft.MismatchKernel(2, 1, idf=True).gram(["ab"], ["ba"]), "learns its weights"),
        (lambda: weft.Normalized(IDF).gram(["a"], ["b"]), "learns its weights"),
        (lambda: (IDF + IDF).gram(["a"], ["b"]), "learns its weights"),
        (lambda: weft.RBFOver(IDF).gram(["a"]), "learns its weights"),
        (lambda: IDF.diagonal(["a"]), "learns its weights"),
        (lambda: weft.KernelDependencyEstimator(IDF, alpha=0.1).fit(["a", "b"], ["a", "b"]), "learns its weights"),
        (lambda: weft.GappyKernel(2, 0.5, sublinear=True).gram(["ab"]), "use decay=1"),
        (lambda: weft.NGramKernel(1, idf="smooth").gram(["a"]), "need True or False"),
        (lambda: weft.SequenceSVC(IDF * IDF).fit(["a", "b"], [0, 1]), "idf=True given inside KernelProduct"),
        (lambda: IDF.feature_map(["a"])[0].grown(["b"]), "partial_fit given with idf=True"),
    ],
)
def test_what_cannot_be_meant_is_refused(refused, said):
    with pytest.raises(InputError, match=said):
        refused()

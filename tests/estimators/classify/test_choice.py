"""Tests of `weft.estimators.classify.choice`."""

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import weft
from weft.estimators.classify.choice import MOST, area_under_curve, kernel_scores
from weft.estimators.classify.state import svc_from_state, svc_to_state
from weft.kernel_methods.svm.problems import COST_FOLDS, folds_of


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30))
def test_the_area_is_that_of_scikit_learn_also_with_ties(pairs):
    signs, decisions = (np.array(each, dtype=float) for each in zip(*pairs, strict=True))
    if 0 < signs.sum() < len(signs):
        assert area_under_curve(2 * signs - 1, decisions) == pytest.approx(roc_auc_score(signs, decisions))


def test_folds_have_as_many_of_each_class():
    targets = np.random.default_rng(0).integers(0, 3, size=200)
    fold = folds_of(targets, 3)
    for label in range(3):
        assert np.ptp(np.bincount(fold[targets == label], minlength=COST_FOLDS)) <= 1
    assert folds_of(np.array([0, 0, 1]), 2).tolist() == [0, 1, -1]  # the only one of a class is learned from


class Recorded:
    """Problems that note what they are asked, and decide by whether a text has an a, or not at all."""

    asked: ClassVar[list] = []

    def __init__(self, knows, texts):
        self.knows, self.texts = knows, texts

    def held_out_decisions(self, tasks, kept, held_out):
        self.asked.append((set(kept.tolist()), set(held_out.tolist()), len(self.texts)))
        assert len(tasks[0].signs) == len(kept)
        return np.array([[float(self.knows and "a" in self.texts[i]) for i in held_out]])


def test_kernels_are_scored_on_what_they_did_not_see():
    Recorded.asked = []
    texts = ["xa", "xb"] * 9
    targets, costs = np.array([1, 0] * 9), np.ones(18)
    costs[-2:] = 0.0
    assert kernel_scores(Recorded, [False, True], texts, targets, 2, costs).tolist() == [0.5, 1.0]
    assert all(not kept & held_out for kept, held_out, _ in Recorded.asked)
    assert sorted(i for _, held_out, _ in Recorded.asked for i in held_out) == sorted([*range(16)] * 2)
    assert kernel_scores(Recorded, [False, True], texts, np.array([1] + [0] * 17), 2, np.ones(18)).tolist() == [0, 0]


def test_of_many_examples_some_are_taken():
    Recorded.asked = []
    texts = ["xa", "xb"] * MOST
    targets = np.array([1, 0] * MOST)  # every other one is of one class
    scores = kernel_scores(Recorded, [True, False], texts, targets, 2, np.ones(2 * MOST))
    assert {n for _, _, n in Recorded.asked} == {MOST}
    assert scores.tolist() == [1.0, 0.5]


def test_rare_features_are_left_out_of_the_model_not_of_the_choice():
    X, y = ["xa", "xb"] * 60, [1, 0] * 60
    svc = weft.SequenceSVC([weft.NGramKernel(1), weft.NGramKernel(2)], C=1.0, min_count=60, random_state=0)
    assert svc.fit(X, y).score(X, y) == 1.0


def test_a_classifier_takes_the_kernel_that_tells_the_classes_apart():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, size=60)
    X = ["".join(random.permutation(list("xyz"))) + ("ab" if label else "ba") for label in y]
    svc = weft.SequenceSVC([weft.NGramKernel(1), weft.NGramKernel(2)], C=1.0, random_state=0).fit(X, y)
    assert svc.kernel_.n == 2
    assert svc.kernel_scores_[1] == 1.0 > svc.kernel_scores_[0]
    alone = weft.SequenceSVC(weft.NGramKernel(2), C=1.0, random_state=0).fit(X, y)
    assert alone.kernel_scores_ is None
    assert np.array_equal(alone.weights_, svc.weights_)
    # Of equal kernels the first is taken.
    twice = [weft.NGramKernel(2, n_jobs=1), weft.NGramKernel(2, n_jobs=2)]
    assert weft.SequenceSVC(twice, C=1.0, random_state=0).fit(X, y).kernel_.n_jobs == 1
    assert weft.SequenceSVC(twice[::-1], C=1.0, random_state=0).fit(X, y).kernel_.n_jobs == 2


def test_several_classes_choose_too(tmp_path):
    X, y = ["aab", "bab", "cac", "acc", "dda", "add"] * 4, ["b", "b", "c", "c", "d", "d"] * 4
    svc = weft.SequenceSVC([weft.NGramKernel(3), weft.NGramKernel(1)], random_state=0).fit(X, y)
    assert svc.kernel_scores_.shape == (2,)
    weft.save(svc, tmp_path / "m.weft")
    again = weft.load(tmp_path / "m.weft")
    assert repr(again.kernel_) == repr(svc.kernel_)
    assert np.array_equal(again.kernel_scores_, svc.kernel_scores_)
    assert again.predict(X).tolist() == svc.predict(X).tolist()


@pytest.mark.parametrize("kernel", [[], [None], [weft.NGramKernel(2), "ngram"], (weft.NGramKernel(2),), "ngram"])
def test_what_is_no_kernel_is_refused(kernel):
    with pytest.raises(weft.InputError, match="a list of some to choose from"):
        weft.SequenceSVC(kernel).fit(["ab", "ba"], [0, 1])


def test_a_stream_needs_one_kernel():
    svc = weft.SequenceSVC([weft.NGramKernel(1), weft.NGramKernel(2)])
    with pytest.raises(weft.InputError, match="2 kernels given, and to choose one"):
        svc.partial_fit(["ab", "ba"], [0, 1], classes=[0, 1])


def test_a_kernel_without_features_is_left_out_of_the_choice():
    """It may be the first of the list, and the data too few to be scored."""
    X, y = ["ab", "ba", "aab", "bba"] * 5, [0, 1] * 10
    long, short = weft.NGramKernel(8), weft.NGramKernel(2)
    for some, labels in ((X, y), (X[:2], y[:2])):
        with pytest.warns(UserWarning, match=r"has a feature of NGramKernel\(n=8\); left out of the choice"):
            svc = weft.SequenceSVC([long, short]).fit(some, labels)
        assert svc.kernel_.n == 2
        assert svc.kernel_scores_[1] > svc.kernel_scores_[0] == 0.0
        assert svc.predict(["ab", "ba"]).tolist() == [0, 1]
    with pytest.raises(weft.InputError, match="no sequence has a feature of"):
        weft.SequenceSVC([long, weft.NGramKernel(9)]).fit(X, y)


def test_scores_that_name_another_kernel_are_refused():
    """Columns of one n-gram kernel pass for those of another one, and match nothing."""
    X, y = ["aab", "bab", "cac", "acc"] * 4, ["b", "b", "c", "c"] * 4
    svc = weft.SequenceSVC([weft.NGramKernel(2), weft.NGramKernel(1)], random_state=0).fit(X, y)
    state, arrays = svc_to_state(svc)
    svc_from_state(weft.SequenceSVC(svc.kernel), state, arrays)
    scores = np.zeros(2)
    scores[1 - state["chosen"]] = 1.0
    with pytest.raises(weft.ModelFileError, match="was chosen, but scores are best for"):
        svc_from_state(weft.SequenceSVC(svc.kernel), state, {**arrays, "kernel_scores": scores})

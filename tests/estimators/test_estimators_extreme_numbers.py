"""Numbers that are none, or so large that sums leave the range of floats: one clear error, for every estimator."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzzing"))
from model_zoo import ZOO

QUESTIONS = (
    "predict",
    "predict_kbest",
    "predict_marginals",
    "predict_proba",
    "confidence",
    "z_score",
    "decision_function",
)
WEIGHTED = [
    "tagger",
    "tagger of order 2",
    "spectral tagger",
    "aligner",
    "aligner of matches",
    "folder",
    "folder of loops",
    "parser",
    "classifier",
    "classifier by support",
]


def weights_of(model):
    """The array itself that predictions use."""
    return model.models_[0].weights if isinstance(model, weft.Rewriter) else model.weights_


@pytest.mark.parametrize("name", [*WEIGHTED, "rewriter"])
def test_weights_that_no_fit_ends_with_are_refused_by_every_question(name):
    animal = ZOO[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = animal.make()
    kept = weights_of(model).copy()
    for value in (np.nan, np.inf, 1e300, -1e300):
        weights_of(model).flat[0] = value
        for question in QUESTIONS:
            if hasattr(model, question):
                with pytest.raises(weft.InputError, match=r"weights_ has .*fit again"):
                    getattr(model, question)(animal.inputs, *([2] if question == "predict_kbest" else []))
    weights_of(model)[:] = kept
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unseen symbols
        model.predict(animal.inputs)


def test_gaps_without_a_score_are_no_matrix():
    matrix = SubstitutionMatrix(("A", "C"), np.eye(2), np.nan, -0.5)
    with pytest.raises(weft.InputError, match="weights_ has nan"):
        weft.Aligner.from_matrix(matrix)


HUGE = 10**400
FAR = np.array([[1e300, 1.0]])


@pytest.mark.parametrize(
    ("model", "X", "y"),
    [
        (weft.Tagger(), [[{"a": HUGE}, {"a": 1}]], [["x", "y"]]),
        (weft.Tagger(), [[{"a": {"b": -HUGE}}, {"a": 1}]], [["x", "y"]]),
        (weft.KernelDependencyEstimator(weft.LinearKernel()), [[HUGE, 1.0], [1.0, 1.0]], ["a", "b"]),
        (weft.KernelDependencyEstimator(), [[[HUGE, 1], [1, 1]], [[1, 1]]], ["a", "b"]),
        (weft.StringRegressor(), [[[HUGE, 1.0]], [[1.0, 1.0]]], ["ab", "ba"]),
        (weft.SequenceSVC(weft.LinearKernel()), [[HUGE], [1]], ["a", "b"]),
        (weft.SequenceSVC(weft.SumKernel()), [[[HUGE]], [[1]]], ["a", "b"]),
        (weft.Tagger(), [FAR, FAR], [["x"], ["y"]]),
        (weft.Tagger(), [[{"a": 1e300}, {"a": 1}]], [["x", "y"]]),
        (weft.StringRegressor(), [FAR, FAR], ["ab", "ba"]),
        (weft.KernelDependencyEstimator(), np.repeat(FAR, 2, axis=0), ["a", "b"]),
    ],
)
def test_numbers_beyond_floats_or_beyond_what_sums_can_hold_are_no_features(model, X, y):
    with pytest.raises(weft.InputError, match=r"finite|numbers") as error:
        model.fit(X, y)
    assert len(str(error.value)) < 300


def test_a_prediction_that_overflows_is_refused():
    X = np.array([[1.0], [2.0], [3.0]]) * 1e-60
    model = weft.KernelDependencyEstimator(weft.LinearKernel(), alpha=1e-130).fit(X, ["a", "b", "c"])
    with pytest.raises(weft.InputError, match="the prediction has"):
        model.predict(np.array([[1e99]]))

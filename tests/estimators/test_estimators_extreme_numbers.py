"""Numbers that are none, or so large that sums leave the range of floats: one clear error, for every estimator."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

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
    "stacked tagger",
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
        (weft.StackedTagger(first=weft.Perceptron(), n_folds=2), [[{"a": HUGE}]] * 2, [["x"], ["y"]]),
        (weft.StackedTagger(first=weft.Perceptron(), n_folds=2), [[{"a": 1e300}]] * 2, [["x"], ["y"]]),
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


GRAMMAR = "S -> A B\nA -> a\nB -> b"
WORDS, ALIGNED = ["abab", "baba"], [("AC", "AC"), ("AC", "A-")]
WITH_SAMPLE_WEIGHT = {
    "Tagger": (weft.Tagger(weft.Perceptron()), WORDS, ["xyxy", "yxyx"]),
    "SpectralTagger": (weft.SpectralTagger(), WORDS, ["xyxy", "yxyx"]),
    "StackedTagger": (
        weft.StackedTagger(weft.Perceptron(), first=weft.Perceptron(), n_folds=2, random_state=0),
        WORDS,
        ["xyxy", "yxyx"],
    ),
    "Aligner": (weft.Aligner(learner=weft.Perceptron()), [("AC", "AC"), ("AC", "A")], ALIGNED),
    "Folder": (weft.Folder(learner=weft.Perceptron()), ["GAAAC", "GAAAC"], ["(...)", "(...)"]),
    "Parser": (weft.Parser(GRAMMAR, learner=weft.Perceptron()), [["a", "b"]] * 2, ["(S (A a) (B b))"] * 2),
    "Rewriter": (weft.Rewriter(), WORDS, WORDS),
    "SequenceSVC": (weft.SequenceSVC(weft.NGramKernel(2)), WORDS, [0, 1]),
    "ChunkAligner": (weft.ChunkAligner(), list(zip(WORDS, WORDS, strict=True)), None),
}

STREAMLESS = ("SpectralTagger", "StackedTagger")
"""These have a `partial_fit` that only refuses."""


@pytest.mark.parametrize("name", WITH_SAMPLE_WEIGHT)
@pytest.mark.parametrize("question", ["fit", "partial_fit", "score"])
def test_sample_weights_that_sums_cannot_hold_are_refused(name, question):
    given, X, y = WITH_SAMPLE_WEIGHT[name]
    model = clone(given)
    if not hasattr(model, question) or (question == "partial_fit" and name in STREAMLESS):
        pytest.skip(f"{name} has no {question}, or refuses it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if question == "score":
            model.fit(X, y)
        classes = {"Tagger": ["x", "y"], "SequenceSVC": [0, 1]}
        extra = {"classes": classes[name]} if question == "partial_fit" and name in classes else {}
        for value, why in (
            (1e300, r"has 1e\+300; at most 1e\+15 is needed: divide all"),
            (np.nan, "negative or non-finite"),
            (np.inf, "negative or non-finite"),
            (-1.0, "negative or non-finite"),
            (10**400, "numbers|number"),
        ):
            with pytest.raises(weft.InputError, match=why):
                getattr(model, question)(X, y, sample_weight=[value, 1.0], **extra)
        with pytest.raises(weft.InputError, match="has 1e-300; at least 1e-15 for one of them is needed"):
            getattr(model, question)(X, y, sample_weight=[1e-300, 0.0], **extra)
        least = 1e-15 if name == "StackedTagger" else 1e-300  # its first tagger learns from either one alone
        getattr(model, question)(X, y, sample_weight=[1e15, least], **extra)


@pytest.mark.parametrize("value", [1e300, 10**400, np.inf])
@pytest.mark.parametrize(
    "make",
    [
        lambda value: weft.Tagger(weft.CRF(c2=value)).fit(["ab"], ["xy"]),
        lambda value: weft.Tagger(weft.StructuredSVM(C=value)).fit(["ab"], ["xy"]),
        lambda value: weft.Tagger(weft.Generative(smoothing=value)).fit(["ab"], ["xy"]),
        lambda value: weft.SequenceSVC(weft.NGramKernel(2), C=value).fit(WORDS, [0, 1]),
        lambda value: weft.SequenceSVC(weft.NGramKernel(2), class_weight={0: value}).fit(WORDS, [0, 1]),
        lambda value: weft.StringRegressor(alpha=value).fit(WORDS, WORDS),
        lambda value: weft.KernelDependencyEstimator(alpha=value).fit(WORDS, WORDS),
    ],
)
def test_parameters_that_sums_cannot_hold_are_refused(make, value):
    with pytest.raises(weft.InputError, match=r"at most 1e\+1") as error:
        make(value)
    assert len(str(error.value)) < 200

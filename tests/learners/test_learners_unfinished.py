"""Whoever stops a fit before its tolerance is reached says so."""

import subprocess
import sys
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

import weft

X, Y = ["abab", "bbaa", "abba", "aab"], ["xyxy", "yyxx", "xxyx", "xyy"]

SHORT = {
    "CRF": weft.CRF(c2=0.001, max_iter=2),
    "CRF by Newton": weft.CRF(c2=0.001, solver="newton", max_iter=1),
    "EM": weft.EM(max_iter=2, tol=0.0),
    "ExpectedLoss": weft.ExpectedLoss(c2=0.001, max_iter=1, tol=0.0),
    "StructuredSVM": weft.StructuredSVM(C=100.0, max_iter=2),
    "ZScore": weft.ZScore(max_iter=2),
    "SODA": weft.SODA(max_iter=2),
    "Spectral": weft.Spectral(order=2, tau=0.1, loss="log", max_iter=2),
}


@pytest.mark.parametrize("name", SHORT)
def test_max_iter_is_heard_of(name):
    with pytest.warns(ConvergenceWarning, match=rf"{type(SHORT[name]).__name__} stopped after max_iter=\d, before tol"):
        weft.Tagger(SHORT[name], random_state=0).fit(X, Y)


@pytest.mark.parametrize("learner", [weft.Perceptron(max_iter=1), weft.MomentSteps(n_steps=1)], ids=str)
def test_passes_that_are_made_as_asked_are_no_failure(learner):
    """`docs/reference/learners.md` says why."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = weft.Tagger(learner, random_state=0).fit(X, Y)
    assert fitted.n_iter_ >= 1


def test_conjugate_gradients_tell_their_residual_and_the_svm_its_gap():
    with pytest.warns(ConvergenceWarning, match=r"the residual is [0-9.e-]+ of the right side"):
        weft.Tagger(weft.SODA(max_iter=2)).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match=r"the gap is [0-9.e+]+, [0-9.]+%"):
        weft.Tagger(weft.StructuredSVM(C=100.0, max_iter=2), random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "learner", [weft.CRF(), weft.ZScore(), weft.MomentSteps(), weft.MomentLearner(), weft.ExpectedLoss()], ids=str
)
def test_a_fit_that_ends_by_itself_is_quiet(learner):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weft.Tagger(learner, random_state=0).fit(X, Y)


def test_who_has_not_loaded_scikit_learn_gets_the_warning_without_it():
    code = (
        "import sys, warnings, weft\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        f"    weft.Tagger(weft.CRF(c2=0.001, max_iter=2)).fit({X}, {Y})\n"
        "print([warning.category.__name__ for warning in said], 'sklearn' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "['ConvergenceWarning'] False\n"

"""What scikit-learn's estimator suite would check if it took sequences: one named function per promise."""

from __future__ import annotations

import copy
import pickle
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from weft.annotations import Predictor
from weft.errors import InputError
from weft.model_file import load, save

__all__ = ["SEQUENCE_CHECKS", "check_sequence_estimator"]

UNSEEN = "\N{SNOWMAN}\N{MATHEMATICAL FRAKTUR CAPITAL A}"
"""Two characters that no training data holds, one of them outside the basic plane."""


def check_sequence_estimator(estimator: Predictor, X: list[Any], y: list[Any]) -> None:
    """Run every check of `SEQUENCE_CHECKS` on an estimator that labels sequences.

    Parameters
    ----------
    estimator : estimator with ``fit``, ``predict`` and ``score``; it is cloned, never fitted itself
    X : list of sequences of symbols
        At least six, so that cross-validation has something to split.
    y : list of label sequences

    Raises
    ------
    AssertionError
        Its message names the check that failed.

    Examples
    --------
    >>> import weft
    >>> X, y = ["ab", "ba", "aab", "b", "abab", "bb"], ["xy", "yx", "xxy", "y", "xyxy", "yy"]
    >>> check_sequence_estimator(weft.Tagger(weft.CRF(c2=0.1), random_state=0), X, y)
    """
    for check in SEQUENCE_CHECKS:
        try:
            check(clone(estimator), copy.deepcopy(X), copy.deepcopy(y))
        except Exception as error:
            reason = str(error) or "the assertion does not hold"
            raise AssertionError(f"{check.__name__} failed for {estimator!r}: {reason}") from error


def _expect(condition: Any, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def _weights(estimator: Any) -> Any:
    return np.asarray(estimator.weights_)


def _params(estimator: Any, but: Sequence[str] = ()) -> dict[str, Any]:
    """Parameters at all depths, components by their type and not by their identity."""
    return {
        name: type(value) if hasattr(value, "get_params") else value
        for name, value in estimator.get_params(deep=True).items()
        if name.split("__")[-1] not in but
    }


def _fitted_names(estimator: Any) -> set[str]:
    return {name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")}


def _expect_input_error(call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except InputError as error:
        _expect("\n" not in str(error), f"the error for {what} has several lines: {error}")
        return
    raise AssertionError(f"{what} was accepted; an InputError of one line is needed")


def check_clone(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """A clone has the same parameters and nothing that was learned."""
    before = _params(estimator)
    other = clone(estimator.fit(X, y))
    _expect(_params(other) == before, f"clone has parameters {_params(other)}, not {before}")
    _expect(not _fitted_names(other), f"clone kept {sorted(_fitted_names(other))}")


def check_set_params(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Parameters go round through get_params and set_params, those of components too."""
    parameters = estimator.get_params(deep=True)
    _expect(estimator.set_params(**parameters) is estimator, "set_params does not return the estimator")
    again = estimator.get_params(deep=True)
    _expect(all(again[name] is value for name, value in parameters.items()), "set_params changed a parameter")
    for name, value in parameters.items():
        if "__" in name and type(value) is float:
            estimator.set_params(**{name: value + 0.5})
            _expect(estimator.get_params()[name] == value + 0.5, f"set_params({name}=...) did not reach the component")


def check_fit_returns_self(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Fitting returns the estimator."""
    _expect(estimator.fit(X, y) is estimator, "fit does not return the estimator")


def check_fit_keeps_parameters_and_inputs(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Fitting and predicting change neither parameters nor data, and do not fit the component that was passed."""
    before, copies = _params(estimator), (copy.deepcopy(X), copy.deepcopy(y))
    estimator.fit(X, y).predict(X)
    _expect(_params(estimator) == before, "fit changed a parameter")
    _expect((X, y) == copies, "fit or predict changed its inputs")
    for name, value in estimator.get_params().items():
        if hasattr(value, "get_params"):
            _expect(not _fitted_names(value), f"fit left {sorted(_fitted_names(value))} on the parameter {name}")


def check_fitted_names(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """What fit adds ends in an underscore, or starts with one."""
    before = set(vars(estimator))
    added = set(vars(estimator.fit(X, y))) - before
    wrong = {name for name in added if not name.endswith("_") and not name.startswith("_")}
    _expect(added and not wrong, f"fit added {sorted(wrong or added)}")


def check_fits_are_repeatable(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Two fits with the same random_state give the same weights."""
    first, second = clone(estimator), clone(estimator)
    for each in (first, second):
        each.set_params(random_state=7).fit(X, y)
    _expect(np.array_equal(_weights(first), _weights(second)), "two fits with one random_state differ")
    weights = _weights(first).copy()
    first.fit(X, y)
    _expect(np.array_equal(_weights(first), weights), "a second fit of the same estimator differs")


def check_not_fitted(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Predicting before fitting raises NotFittedError."""
    for name in ("predict", "predict_proba", "predict_marginals", "confidence"):
        if hasattr(estimator, name):
            try:
                getattr(estimator, name)(X)
            except NotFittedError:
                continue
            raise AssertionError(f"{name} before fit does not raise NotFittedError")
    try:
        estimator.score(X, y)
    except NotFittedError:
        return
    raise AssertionError("score before fit does not raise NotFittedError")


def check_pickle(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """A pickled estimator predicts the same."""
    other = pickle.loads(pickle.dumps(estimator.fit(X, y)))
    _expect(other.predict(X) == estimator.predict(X), "the unpickled estimator predicts something else")
    _expect(np.array_equal(_weights(other), _weights(estimator)), "the unpickled estimator has other weights")


def check_model_file(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """A saved and loaded estimator predicts the same and has the same parameters, but for threads and progress."""
    estimator.fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        save(estimator, Path(folder) / "model.weft")
        other = load(Path(folder) / "model.weft")
    _expect(other.predict(X) == estimator.predict(X), "the loaded estimator predicts something else")
    _expect(np.array_equal(_weights(other), _weights(estimator)), "the loaded estimator has other weights")
    loaded, own = (_params(each, but=("n_jobs", "verbose")) for each in (other, estimator))
    _expect(loaded == own, "the loaded estimator has other parameters")
    _expect(list(other.classes_) == list(estimator.classes_), "the loaded estimator has other classes")
    _expect(other.feature_names_ == estimator.feature_names_, "the loaded estimator has other feature names")


def check_model_selection(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Grid search over a parameter of the learner and cross-validation run and give scores."""
    scores = cross_val_score(estimator, X, y, cv=2, error_score="raise")
    _expect(np.all((scores >= 0) & (scores <= 1)), f"cross_val_score gives {scores}")
    parameters = estimator.get_params()
    numbers = [name for name in sorted(parameters) if "__" in name and type(parameters[name]) in (int, float)]
    _expect(numbers, "no parameter of a component can be tuned: pass an estimator with a learner")
    name = next((name for name in numbers if parameters[name] > 0), numbers[0])
    value = parameters[name]
    search = GridSearchCV(estimator, {name: [value, value * 2 + 1]}, cv=2, error_score="raise").fit(X, y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*has no feature that the model knows")  # as of n-grams twice as long
        _expect(len(search.predict(X)) == len(X), "the best estimator of a grid search does not predict")


def check_bad_input(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Input that cannot be used is refused in one line, at fit and at predict."""
    cases = {
        "X and y of other lengths": (X[:-1], y),
        "a sequence longer than its labels": (X, [*y[:-1], list(y[-1])[:-1] or list(y[-1]) * 2]),
        "an empty corpus": ([], []),
        "an empty sequence": ([*X[:-1], ""], [*y[:-1], ""]),
        "a bare string as X": ("abc", y),
        "a bare string as y": (X, "abc"),
        "no list at all": (None, y),
    }
    for what, (bad_X, bad_y) in cases.items():
        _expect_input_error(partial(clone(estimator).fit, bad_X, bad_y), what)
    estimator.fit(X, y)
    expected = estimator.predict(X)
    refused = {"an empty corpus": [], "a bare string": "abc"}
    if getattr(estimator, "empty_output", None) is None:  # others answer it with nothing
        refused["an empty sequence"] = [*X, ""]
    for what, bad in refused.items():
        _expect_input_error(partial(estimator.predict, bad), f"{what} at predict")
    _expect_input_error(lambda: estimator.score(X, y[:-1]), "X and y of other lengths at score")
    _expect(estimator.predict(X) == expected, "a refused input changed the estimator")


def check_unseen_symbols(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Symbols unseen in training get some known label each, alone and among others."""
    estimator.fit(X, y)
    known = set(estimator.classes_)
    for sequences in ([UNSEEN], [list(UNSEEN)], [[*X[0], *UNSEEN], UNSEEN[0]]):
        found = estimator.predict(sequences)
        _expect([len(labels) for labels in found] == [len(s) for s in sequences], "a prediction has another length")
        _expect(known.issuperset(label for labels in found for label in labels), "a label came from nowhere")


def check_unicode(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Symbols beyond ASCII are symbols like any others."""
    names: dict[Any, str] = {}
    renamed = [[names.setdefault(symbol, chr(0x1F600 + len(names))) for symbol in sequence] for sequence in X]
    plain = clone(estimator).set_params(random_state=0).fit(X, y)
    other = clone(estimator).set_params(random_state=0).fit(renamed, y)
    _expect(plain.predict(X) == other.predict(renamed), "renamed symbols change the prediction")


def check_single_tokens(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Sequences of length one can be learned from and predicted."""
    tokens = [[symbol] for sequence in X for symbol in sequence]
    labels = [[label] for sequence in y for label in sequence]
    found = estimator.fit(tokens, labels).predict(tokens)
    _expect(all(len(labels) == 1 for labels in found), "a prediction for one token has another length")


def check_one_label(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Training data with one label only gives that label."""
    only = [[y[0][0]] * len(sequence) for sequence in X]
    _expect(estimator.fit(X, only).predict(X) == only, "one label was learned, another predicted")


def check_kbest(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """The first of the k best is the prediction; probabilities fall and sum to at most one."""
    best = estimator.fit(X, y).predict(X)
    for labels, ranked in zip(best, estimator.predict_kbest(X, 4), strict=True):
        _expect(ranked[0][0] == labels, "the first of the k best is not the prediction")
        probabilities = [probability for _, probability in ranked]
        _expect(probabilities == sorted(probabilities, reverse=True), f"probabilities rise: {probabilities}")
        _expect(0 < probabilities[0] <= 1 and sum(probabilities) <= 1 + 1e-9, f"no probabilities: {probabilities}")
        _expect(len({tuple(path) for path, _ in ranked}) == len(ranked), "the k best repeat a labelling")


def check_probabilities(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Label probabilities are one row per token that sums to one; marginals are the same as dicts."""
    tables = estimator.fit(X, y).predict_proba(X)
    for sequence, table in zip(X, tables, strict=True):
        _expect(table.shape == (len(sequence), len(estimator.classes_)), f"probabilities have shape {table.shape}")
        _expect(np.all(table >= 0) and np.allclose(table.sum(axis=1), 1.0, atol=1e-9), "rows do not sum to one")
    for table, dicts in zip(tables, estimator.predict_marginals(X), strict=True):
        _expect([list(row.values()) for row in dicts] == table.tolist(), "predict_marginals differs from predict_proba")
        _expect(all(list(row) == list(estimator.classes_) for row in dicts), "marginals lack a class")


def check_confidence(estimator: Any, X: list[Any], y: list[Any]) -> None:
    """Confidence is the probability of the prediction."""
    confidence = estimator.fit(X, y).confidence(X)
    top = np.array([ranked[0][1] for ranked in estimator.predict_kbest(X, 1)])
    _expect(confidence.shape == (len(X),), f"confidence has shape {confidence.shape}")
    _expect(np.all((confidence > 0) & (confidence <= 1)), "confidence is no probability")
    _expect(np.allclose(confidence, top, rtol=1e-9), "confidence is not the probability of the best labelling")


SEQUENCE_CHECKS: list[Callable[[Any, list[Any], list[Any]], None]] = [
    check_clone,
    check_set_params,
    check_fit_returns_self,
    check_fit_keeps_parameters_and_inputs,
    check_fitted_names,
    check_fits_are_repeatable,
    check_not_fitted,
    check_pickle,
    check_model_file,
    check_model_selection,
    check_bad_input,
    check_unseen_symbols,
    check_unicode,
    check_single_tokens,
    check_one_label,
    check_kbest,
    check_probabilities,
    check_confidence,
]
"""Every check takes a fresh clone, X and y, and raises if its promise does not hold."""

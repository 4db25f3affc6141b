"""Scorers for scikit-learn's searches and cross-validation, under the names of sklearn-crfsuite."""

from __future__ import annotations

from typing import Any

from weft.compat.sklearn_crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score


def flat_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """Share of labels that a fitted estimator predicts right."""
    return flat_accuracy_score(y, estimator.predict(X))


def sequence_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """Share of sequences whose labels a fitted estimator predicts all right."""
    return sequence_accuracy_score(y, estimator.predict(X))

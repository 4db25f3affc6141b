"""Scores of all labels of all sequences together, by scikit-learn, under the names of sklearn-crfsuite.

Arguments beyond `y_true` and `y_pred` go to the function of scikit-learn that has the same name without ``flat_``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.compat.sklearn_crfsuite.utils import flatten
from weft.errors import InputError


def _flat_score(name: str, y_true: Any, y_pred: Any, **options: Any) -> Any:
    from sklearn import metrics

    if len(y_true) != len(y_pred):
        raise InputError(f"y_true has {len(y_true)} sequences and y_pred {len(y_pred)}; the numbers must be equal.")
    for index, (truth, guess) in enumerate(zip(y_true, y_pred, strict=True)):
        if len(truth) != len(guess):
            raise InputError(
                f"y_true[{index}] has {len(truth)} labels and y_pred[{index}] {len(guess)}; the numbers must be equal."
            )
    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), **options)


def flat_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Share of labels that are right.

    Examples
    --------
    >>> flat_accuracy_score([["a", "b"], ["b"]], [["a", "b"], ["a"]])
    0.666...
    """
    return float(_flat_score("accuracy_score", y_true, y_pred))


def flat_precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Share of predictions of a label that are right.

    Examples
    --------
    >>> flat_precision_score([["a", "b"], ["b"]], [["a", "b"], ["a"]], average="macro")
    0.75
    """
    return _flat_score("precision_score", y_true, y_pred, **options)


def flat_recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Share of a label's places that are found.

    Examples
    --------
    >>> flat_recall_score([["a", "b"], ["b"]], [["a", "b"], ["a"]], average="macro")
    0.75
    """
    return _flat_score("recall_score", y_true, y_pred, **options)


def flat_f1_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Harmonic mean of precision and recall.

    Examples
    --------
    >>> flat_f1_score([["a", "b"], ["b"]], [["a", "b"], ["a"]], average="weighted", labels=["b"])
    0.666...
    """
    return _flat_score("f1_score", y_true, y_pred, **options)


def flat_fbeta_score(y_true: Any, y_pred: Any, beta: float, **options: Any) -> Any:
    """Weighted harmonic mean of precision and recall.

    Examples
    --------
    >>> flat_fbeta_score([["a", "b"], ["b"]], [["a", "b"], ["a"]], beta=1, average="macro")
    0.666...
    """
    return _flat_score("fbeta_score", y_true, y_pred, beta=beta, **options)


def flat_classification_report(y_true: Any, y_pred: Any, labels: Any = None, **options: Any) -> Any:
    """Precision, recall and F1 of each label as text, or as a dict with ``output_dict=True``.

    Examples
    --------
    >>> report = flat_classification_report([["a", "b"]], [["a", "b"]], output_dict=True)
    >>> report["a"]["recall"]
    1.0
    """
    return _flat_score("classification_report", y_true, y_pred, labels=labels, **options)


def sequence_accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """Share of sequences whose labels are all right; 0 if there are none.

    Examples
    --------
    >>> sequence_accuracy_score([["a", "b"], ["b"]], [["a", "b"], ["a"]])
    0.5
    """
    if len(y_true) != len(y_pred):
        raise InputError(f"y_true has {len(y_true)} sequences and y_pred {len(y_pred)}; the numbers must be equal.")
    if not len(y_true):
        return 0.0
    return sum(list(truth) == list(guess) for truth, guess in zip(y_true, y_pred, strict=True)) / len(y_true)

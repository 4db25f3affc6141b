"""Scores of predictions for cross-validation and tuning; the first one of each kind decides, names say which way.

A score whose name ends in ``error`` is better when it is small, all others when they are large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

__all__ = [
    "alignment_scores",
    "class_scores",
    "fold_scores",
    "label_scores",
    "rank",
    "string_scores",
    "tree_scores",
]

Scores = dict[str, float]


def rank(scores: Mapping[str, float]) -> tuple[float, ...]:
    """Larger is better, compared one by one.

    Examples
    --------
    >>> rank({"accuracy": 0.5}) > rank({"accuracy": 0.4}), rank({"word_error": 0.5}) > rank({"word_error": 0.4})
    (True, False)
    """
    return tuple(-value if name.endswith("error") else value for name, value in scores.items())


def label_scores(truth: Sequence[Any], predicted: Sequence[Any]) -> Scores:
    """Of tokens and of sequences; of chunks first if the labels are those of chunks.

    Examples
    --------
    >>> label_scores(["ab"], ["aa"])
    {'token_accuracy': 0.5, 'sequence_accuracy': 0.0}
    """
    from weft.apps.tagging import chunk_scheme
    from weft.metrics import chunk_scores, sequence_accuracy, token_accuracy

    scores = {}
    scheme = chunk_scheme({label for labels in truth for label in labels})
    if scheme is not None:
        scores["chunk_f1"] = chunk_scores(truth, predicted, scheme).f1
    return {
        **scores,
        "token_accuracy": token_accuracy(truth, predicted),
        "sequence_accuracy": sequence_accuracy(truth, predicted),
    }


def class_scores(truth: Sequence[Any], predicted: Sequence[Any]) -> Scores:
    """Of texts, and the mean over classes.

    Examples
    --------
    >>> class_scores(["a", "b"], ["a", "b"])
    {'accuracy': 1.0, 'macro_f1': 1.0}
    """
    from sklearn.metrics import accuracy_score, f1_score

    labels, guesses = list(map(str, truth)), list(map(str, predicted))
    return {
        "accuracy": float(accuracy_score(labels, guesses)),
        "macro_f1": float(f1_score(labels, guesses, average="macro", zero_division=0.0)),
    }


def string_scores(truth: Sequence[Sequence[Any]], predicted: Sequence[Any]) -> Scores:
    """Of whole strings and of symbols, against the nearest of the references of each.

    Examples
    --------
    >>> string_scores([["ab", "ac"], ["d"]], ["ac", "e"])
    {'string_error': 0.5, 'symbol_error': 0.3333333333333333}
    """
    from weft.metrics import phone_error_rate, word_error_rate

    return {
        "string_error": word_error_rate(truth, predicted, several=True),
        "symbol_error": phone_error_rate(truth, predicted, several=True),
    }


def alignment_scores(truth: Sequence[Any], predicted: Sequence[Any], reliable: Literal["all", "upper"]) -> Scores:
    """Of the known columns without gaps.

    Examples
    --------
    >>> alignment_scores([("AC", "A-")], [("AC", "A-")], "all")
    {'column_accuracy': 1.0}
    """
    from weft.metrics import alignment_accuracy

    return {"column_accuracy": alignment_accuracy(truth, predicted, reliable)}


def fold_scores(truth: Sequence[str], predicted: Sequence[str]) -> Scores:
    """Of base pairs.

    Examples
    --------
    >>> fold_scores(["(...)"], ["(...)"])
    {'f1': 1.0, 'sensitivity': 1.0, 'precision': 1.0}
    """
    from weft.metrics import base_pair_scores

    scores = base_pair_scores(truth, predicted)
    return {"f1": scores.f1, "sensitivity": scores.sensitivity, "precision": scores.ppv}


def tree_scores(truth: Sequence[set[Any]], predicted: Sequence[set[Any]]) -> Scores:
    """Of brackets.

    Examples
    --------
    >>> tree_scores([{("S", 0, 1)}], [{("S", 0, 1)}])
    {'f1': 1.0, 'precision': 1.0, 'recall': 1.0}
    """
    right = sum(len(a & b) for a, b in zip(truth, predicted, strict=True))
    wanted, found = (sum(map(len, each)) for each in (truth, predicted))

    def share(part: int, whole: int) -> float:
        return part / whole if whole else 1.0

    return {"f1": share(2 * right, wanted + found), "precision": share(right, found), "recall": share(right, wanted)}

"""Accuracy of labels, token by token and sequence by sequence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from weft.metrics.validation import check_corpus

Labels = Sequence[Sequence[Hashable]]


def token_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Share of tokens with the right label.

    Parameters
    ----------
    y_true, y_pred : lists of label sequences, pairwise of one length

    Returns
    -------
    float

    Examples
    --------
    >>> token_accuracy([["B", "I"], ["O", "O"]], [["B", "O"], ["O", "O"]])
    0.75
    """
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=True)
    total = sum(len(labels) for labels in y_true)
    right = sum(
        1 for truth, guess in zip(y_true, y_pred, strict=True) for a, b in zip(truth, guess, strict=True) if a == b
    )
    return right / total


def sequence_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Share of sequences that are right as a whole.

    Parameters
    ----------
    y_true, y_pred : lists of label sequences, pairwise of one length

    Returns
    -------
    float

    Examples
    --------
    >>> sequence_accuracy([["B", "I"], ["O", "O"]], [["B", "O"], ["O", "O"]])
    0.5
    """
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=True)
    right = sum(list(truth) == list(guess) for truth, guess in zip(y_true, y_pred, strict=True))
    return right / len(y_true)

"""Error rates of predicted strings, pronunciations and other sequences of any length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import InputError
from weft.losses import edit as edit_distance
from weft.metrics.intervals import ratio_interval
from weft.metrics.validation import check_corpus
from weft.sequences.checks import each_sequence

__all__ = [
    "ErrorRates",
    "edit_distance",
    "error_rates",
    "normalized_edit_similarity",
    "phone_error_rate",
    "word_error_rate",
]


def phone_error_rate(y_true: Sequence[Any], y_pred: Sequence[Any], several: bool = False) -> float:
    """Edit distance to the references over the length of the references.

    Parameters
    ----------
    y_true : list of references
        Each a string or a sequence of symbols; with ``several``, a list of such references, of
        which the nearest counts.
    y_pred : list of strings or of sequences of symbols
    several : bool
        Whether each item of `y_true` holds several references.

    Returns
    -------
    float

    Examples
    --------
    >>> phone_error_rate([["K", "AE", "T"], ["D", "AO", "G"]], [["K", "AE", "T"], ["D", "AA", "G"]])
    0.16666666666666666
    """
    errors, lengths = _edits(_references(y_true, y_pred, several))
    return sum(errors) / sum(lengths)


def word_error_rate(y_true: Sequence[Any], y_pred: Sequence[Any], several: bool = False) -> float:
    """Share of outputs that equal none of their references, as pronunciations are scored.

    Parameters
    ----------
    y_true : list of references
        Each a string or a sequence of symbols; with ``several``, a list of such references, any
        of which is right.
    y_pred : list of strings or of sequences of symbols
    several : bool
        Whether each item of `y_true` holds several references.

    Returns
    -------
    float

    Examples
    --------
    >>> word_error_rate([["either", "eether"], ["cat"]], ["eether", "cut"], several=True)
    0.5
    """
    pairs = _references(y_true, y_pred, several)
    wrong = sum(not any(list(reference) == list(guess) for reference in references) for references, guess in pairs)
    return wrong / len(pairs)


@dataclass(frozen=True)
class ErrorRates:
    """Word and phone error rates with their intervals.

    Attributes
    ----------
    n_words, n_phones : int
    word_error, phone_error : float
    word_interval, phone_interval : (float, float)
    """

    n_words: int
    n_phones: int
    word_error: float
    word_interval: tuple[float, float]
    phone_error: float
    phone_interval: tuple[float, float]


def error_rates(y_true: Sequence[Any], y_pred: Sequence[Any], several: bool = False, level: float = 0.95) -> ErrorRates:
    """`word_error_rate` and `phone_error_rate` with the intervals of `ratio_interval`.

    Parameters
    ----------
    y_true, y_pred, several
        As in `word_error_rate`.
    level : float
        Share of the resampled rates inside the intervals.

    Returns
    -------
    ErrorRates

    Examples
    --------
    >>> rates = error_rates(["cat", "dog"], ["cat", "dig"])
    >>> rates.word_error, rates.phone_error, rates.word_interval
    (0.5, 0.16666666666666666, (0.0945..., 0.9054...))
    """
    pairs = _references(y_true, y_pred, several)
    wrong = [int(not any(list(reference) == list(guess) for reference in refs)) for refs, guess in pairs]
    errors, lengths = _edits(pairs)
    return ErrorRates(
        len(pairs),
        sum(lengths),
        sum(wrong) / len(wrong),
        ratio_interval(wrong, [1] * len(wrong), level),
        sum(errors) / sum(lengths),
        ratio_interval(errors, lengths, level),
    )


def normalized_edit_similarity(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """Mean of one minus the edit distance over the longer length; two empty strings are equal.

    Parameters
    ----------
    y_true, y_pred : lists of strings or of sequences of symbols

    Returns
    -------
    float

    Examples
    --------
    >>> normalized_edit_similarity(["abcd", "x"], ["abcc", "x"])
    0.875
    """
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=False)
    similarities = [
        1.0 - edit_distance(truth, guess) / max(len(truth), len(guess), 1)
        for truth, guess in zip(y_true, y_pred, strict=True)
    ]
    return sum(similarities) / len(similarities)


def _edits(pairs: list[tuple[Sequence[Any], Any]]) -> tuple[list[int], list[int]]:
    """Distance to the nearest reference and its length, for each sequence."""
    errors, lengths = [], []
    for references, guess in pairs:
        # Of equally near references the longest, so that the rate does not depend on their order.
        distance, reference = min(
            ((edit_distance(reference, guess), reference) for reference in references),
            key=lambda pair: (pair[0], -len(pair[1])),
        )
        errors.append(distance)
        lengths.append(len(reference))
    if not sum(lengths):
        raise InputError("every reference is empty, so there is no error rate; give at least one symbol.")
    return errors, lengths


def _references(y_true: Sequence[Any], y_pred: Sequence[Any], several: bool) -> list[tuple[Sequence[Any], Any]]:
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=False)
    pairs = []
    for number, (truth, guess) in enumerate(zip(y_true, y_pred, strict=True)):
        references = truth if several else [truth]
        if isinstance(references, str) or len(references) == 0:
            raise InputError(
                f"references of sequence {number} are {references!r}; "
                "with several=True each item of y_true is a list of at least one reference."
            )
        if several:
            references = each_sequence(list(references), f"y_true[{number}]")
        pairs.append((references, guess))
    return pairs

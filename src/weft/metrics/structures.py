"""Scores of predicted folds and alignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from weft.errors import InputError
from weft.losses import base_pairs
from weft.metrics.validation import check_corpus, precision_recall_f1
from weft.sequences.checks import each_sequence, shown

GAPS = frozenset("-.")


@dataclass(frozen=True)
class BasePairScores:
    """Sensitivity (pairs found), positive predictive value (pairs right) and their F1."""

    sensitivity: float
    ppv: float
    f1: float


def base_pair_scores(
    y_true: Sequence[str], y_pred: Sequence[str], average: Literal["micro", "macro"] = "micro"
) -> BasePairScores:
    """Sensitivity, positive predictive value and F1 of the base pairs of dot-bracket strings.

    Parameters
    ----------
    y_true, y_pred : lists of str, pairwise of one length
    average : "micro" or "macro"
        Count all pairs together, or average the scores of the structures, where a structure
        without pairs that is predicted without pairs scores one.

    Returns
    -------
    BasePairScores

    Examples
    --------
    >>> base_pair_scores(["((..))"], ["(....)"])
    BasePairScores(sensitivity=0.5, ppv=1.0, f1=0.6666666666666666)
    """
    if average not in ("micro", "macro"):
        raise InputError(f"average is {average!r}; needed 'micro' or 'macro'.")
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=True)
    counts = []
    for truth, guess in zip(y_true, y_pred, strict=True):
        wanted, found = base_pairs(truth), base_pairs(guess)
        counts.append((len(wanted), len(found), len(wanted & found)))
    if average == "micro":
        support, predicted, correct = (sum(column) for column in zip(*counts, strict=True))
        ppv, sensitivity, f1 = precision_recall_f1(support, predicted, correct)
        return BasePairScores(sensitivity, ppv, f1)
    each = [precision_recall_f1(*count) if any(count) else (1.0, 1.0, 1.0) for count in counts]
    ppv, sensitivity, f1 = (sum(column) / len(each) for column in zip(*each, strict=True))
    return BasePairScores(sensitivity, ppv, f1)


def alignment_accuracy(
    y_true: Sequence[tuple[Sequence[str], Sequence[str]]],
    y_pred: Sequence[tuple[Sequence[str], Sequence[str]]],
    scored: Literal["all", "upper"] = "all",
) -> float:
    """Share of the scored columns of the reference alignments that the predictions reproduce.

    Parameters
    ----------
    y_true, y_pred : lists of gapped pairs ``(t1, t2)``
        Gaps are ``-`` or ``.``. A column is reproduced when the same two positions are aligned.
    scored : "all" or "upper"
        Score every column without a gap, or only those of two upper-case letters (PREFAB's cores).

    Returns
    -------
    float

    Examples
    --------
    >>> alignment_accuracy([("ACG-T", "A-GGT")], [("ACG-T", "AG-GT")])
    0.6666666666666666
    """
    if scored not in ("all", "upper"):
        raise InputError(f"scored is {scored!r}; needed 'all' or 'upper'.")
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=False)
    total = right = 0
    for number, pair in enumerate(zip(y_true, y_pred, strict=True)):
        truth, guess = (_rows(each, f"{name}[{number}]") for each, name in zip(pair, ("y_true", "y_pred"), strict=True))
        for row in (0, 1):
            if _ungapped(truth[row]) != _ungapped(guess[row]):
                raise InputError(
                    f"alignment {number} predicts another sequence than the reference in row {row + 1}; "
                    "needed the same symbols once gaps are removed."
                )
        columns = _aligned_columns(truth, number, upper_only=scored == "upper")
        total += len(columns)
        right += len(columns & _aligned_columns(guess, number, upper_only=False))
    if total == 0:
        raise InputError("no reference alignment has a scored column; give at least one column without a gap.")
    return right / total


def _rows(pair: Any, name: str) -> tuple[Any, Any]:
    if isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"{name} is {shown(pair)}; a pair of rows is needed, such as ('AC-G', 'A-TG').")
    first, second = each_sequence([pair[0], pair[1]], name)
    if not all(isinstance(symbol, str) for row in (first, second) for symbol in row):
        raise InputError(f"{name} holds symbols that are no strings; letters and gaps '-' or '.' are needed.")
    return first, second


def _ungapped(row: Sequence[str]) -> list[str]:
    return [symbol.upper() for symbol in row if symbol not in GAPS]


def _aligned_columns(pair: tuple[Sequence[str], Sequence[str]], number: int, upper_only: bool) -> set[tuple[int, int]]:
    """Positions (i, j) of the two ungapped sequences that share a column."""
    if len(pair[0]) != len(pair[1]):
        raise InputError(
            f"alignment {number} has rows of {len(pair[0])} and {len(pair[1])} columns; needed one length."
        )
    columns = set()
    i = j = 0
    for a, b in zip(*pair, strict=True):
        if a not in GAPS and b not in GAPS and not (upper_only and (a.islower() or b.islower())):
            columns.add((i, j))
        i += a not in GAPS
        j += b not in GAPS
    return columns

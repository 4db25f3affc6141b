"""What every metric checks and counts the same way."""

from __future__ import annotations

from typing import Any

from weft.errors import InputError
from weft.sequences.checks import as_list, each_sequence


def check_corpus(y_true: Any, y_pred: Any, *, same_lengths: bool) -> tuple[list[Any], list[Any]]:
    """Both corpora as lists of plain sequences; refuse bare strings, empty corpora and lengths that do not match."""
    for name, corpus in (("y_true", y_true), ("y_pred", y_pred)):
        if isinstance(corpus, str):
            raise InputError(f"{name} is one string; needed a list of sequences. Put it in a list: [{name}].")
    y_true = each_sequence(as_list(y_true, "y_true"), "y_true")
    y_pred = each_sequence(as_list(y_pred, "y_pred"), "y_pred")
    if len(y_true) != len(y_pred):
        raise InputError(f"y_true has {len(y_true)} sequences and y_pred {len(y_pred)}; needed one prediction each.")
    if len(y_true) == 0:
        raise InputError("y_true and y_pred are empty; needed at least one sequence.")
    if not same_lengths:
        return y_true, y_pred
    for number, (truth, guess) in enumerate(zip(y_true, y_pred, strict=True)):
        if len(truth) != len(guess):
            raise InputError(
                f"sequence {number} has length {len(truth)} in y_true and {len(guess)} in y_pred; needed one length."
            )
    if not any(len(truth) for truth in y_true):
        raise InputError("every sequence is empty; needed at least one token.")
    return y_true, y_pred


def precision_recall_f1(support: int, predicted: int, correct: int) -> tuple[float, float, float]:
    """Precision, recall and F1 of counts; zero where nothing was predicted, wanted or right."""
    precision = correct / predicted if predicted else 0.0
    recall = correct / support if support else 0.0
    # F1 = 2PR / (P + R), written without the two divisions.
    f1 = 2 * correct / (support + predicted) if correct else 0.0
    return precision, recall, f1

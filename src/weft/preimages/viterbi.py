"""Scores of symbols at each place and an n-gram language model together: the best string, exactly (RG 1.7.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.language_model.model import NGramLanguageModel
from weft.preimages.loops.viterbi import decode_strings

FLOOR = -1e4
"""Log probability of what the language model forbids: finite, so that there is always a best string."""

DENSE_CELLS = 2_000_000
"""Models with fewer contexts times symbols are laid out as one table."""


def viterbi_strings(
    scores: Sequence[Any],
    symbols: Sequence[Any],
    language_model: NGramLanguageModel,
    weight: float = 1.0,
    *,
    floor: float = FLOOR,
    beam_width: int | None = None,
    n_jobs: int | None = -1,
) -> tuple[list[list[Any]], Floats]:
    """Strings y that maximise ``sum_i score_i(y_i) + weight log p(y)``, one symbol for each row of scores.

    Parameters
    ----------
    scores : list of arrays of shape (length, n_symbols)
    symbols : sequence
        What the columns stand for.
    language_model : NGramLanguageModel
    weight : float
        Of the language model; `choose_weight` finds one on held-out data.
    floor : float
        Smallest log probability of one symbol: what the model forbids costs this much.
    beam_width : int, optional
        States that are kept at each place; None keeps all, so that the result is exact.
    n_jobs : int
        Threads.

    Returns
    -------
    strings : list of list of symbols
    values : ndarray of shape (n,)
        What each string attains.

    Examples
    --------
    >>> model = NGramLanguageModel(2, "maximum_likelihood").fit(["ab", "ba"])
    >>> scores = np.array([[1.0, 0.0], [0.6, 0.5]])
    >>> viterbi_strings([scores], "ab", model, weight=0.0)[0]
    [['a', 'a']]
    >>> viterbi_strings([scores], "ab", model, weight=0.5)[0]
    [['a', 'b']]
    """
    tables_of_scores = [np.asarray(each, dtype=np.float64) for each in scores]
    if not tables_of_scores:
        raise InputError("no scores given; give one array of shape (length, n_symbols) for each string.")
    for i, each in enumerate(tables_of_scores):
        if each.ndim != 2 or each.shape[1] != len(symbols):
            raise InputError(f"scores[{i}] has shape {each.shape}; need (length, {len(symbols)}): a column per symbol.")
        if np.isnan(each).any() or (each == np.inf).any():
            raise InputError(f"scores[{i}] holds nan or inf; finite numbers are needed, or -inf to forbid a symbol.")
    if not 0.0 <= weight < np.inf:
        raise InputError(f"weight is {weight!r}; a finite number >= 0 is needed.")
    if not -np.inf < floor < np.inf:
        raise InputError(f"floor is {floor!r}; a finite log probability is needed, such as {FLOOR}.")
    if len(symbols) == 0:
        raise InputError("no symbols given; give what the columns of the scores stand for.")
    beam_width = 0 if beam_width is None else checked_number("beam_width", beam_width)
    numbers, _ = language_model.encode([list(symbols)])
    n_cells = language_model.n_states * (language_model.unknown_ + 1)
    if n_cells <= DENSE_CELLS:
        dense = language_model.conditional_tables()
    else:
        dense = np.empty((0, 1)), np.empty((0, 1), dtype=np.int64)
    model = (language_model.tables_, *dense, language_model.start_state_, language_model.end_, numbers, beam_width)

    def decode(part: list[Floats]) -> tuple[Integers, Floats, Integers]:
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in part])]).astype(np.int64)
        best, values = decode_strings(np.concatenate(part), offsets, float(weight), float(floor), *model)
        return best, values, offsets

    jobs = min(effective_jobs(n_jobs), max(1, len(tables_of_scores) // 16))
    share = -(-len(tables_of_scores) // jobs)
    parts = in_threads(decode, [tables_of_scores[i : i + share] for i in range(0, len(tables_of_scores), share)])
    strings = [
        [symbols[c] for c in best[begin:end].tolist()]
        for best, _, offsets in parts
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    return strings, np.concatenate([values for _, values, _ in parts])


def choose_weight(
    decode: Callable[[float], Sequence[Sequence[Any]]],
    truth: Sequence[Sequence[Any]],
    weights: Sequence[float],
    score: Callable[[Sequence[Any], Sequence[Any]], float],
) -> tuple[float, list[float]]:
    """The weight whose strings have the best score on held-out data; of equal ones the smallest.

    Parameters
    ----------
    decode : callable
        Strings for a weight.
    truth : list of strings
    weights : sequence of float
    score : callable
        ``score(truth, strings)``, larger is better; see `weft.metrics`.

    Returns
    -------
    weight : float
    scores : list of float
        Of each weight.

    Examples
    --------
    >>> from weft.metrics import token_accuracy
    >>> choose_weight(lambda w: [["a", "b" if w > 0.3 else "a"]], [["a", "b"]], [0.1, 0.5, 1.0], token_accuracy)
    (0.5, [0.5, 1.0, 1.0])
    """
    if len(weights) == 0:
        raise InputError("no weights given; give at least one to choose from.")
    scores = [float(score(truth, decode(weight))) for weight in weights]
    best = max(range(len(scores)), key=lambda i: (scores[i], -weights[i]))
    return float(weights[best]), scores

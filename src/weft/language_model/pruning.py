"""Smaller language models: arcs that say almost what backing off says are left out, and the rest is made to sum to one.

An arc for symbol w in context h costs ``P(h) P(w | h) (log P(w | h) - log P(w | h'))`` nats per symbol when it goes,
h' the context to which h backs off (Seymore and Rosenfeld 1996); P(h) is taken from the model itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.jit import jit
from weft.language_model.tables import BackOffTables, check_tables, step


def prune_tables(tables: BackOffTables, start_state: int, threshold: float) -> tuple[BackOffTables, int]:
    """Tables without the arcs that cost less than `threshold`, and the state at the start of a sequence.

    Parameters
    ----------
    tables : BackOffTables
    start_state : int
    threshold : float
        Nats per symbol.

    Returns
    -------
    tables : BackOffTables
    start_state : int

    Examples
    --------
    >>> from weft.language_model import NGramLanguageModel
    >>> model = NGramLanguageModel(3, "witten_bell").fit(["abab", "abb", "ba", "abba"])
    >>> smaller, _ = prune_tables(model.tables_, model.start_state_, 0.02)
    >>> len(smaller.scores) < len(model.tables_.scores)
    True
    """
    check_tables(tables, int(tables.offsets[1]))
    n_states = len(tables.back_off_states)
    levels = _levels(tables.back_off_states)
    sources = np.repeat(np.arange(n_states), np.diff(tables.offsets))
    grows = levels[tables.targets] == levels[sources] + 1
    probabilities = np.exp(tables.scores)
    visits = np.zeros(n_states)
    visits[0] = 1.0
    for level in range(int(levels.max(initial=0))):
        arcs = np.flatnonzero(grows & (levels[sources] == level))
        visits[tables.targets[arcs]] = visits[sources[arcs]] * probabilities[arcs]
    visits[start_state] = 1.0
    with np.errstate(invalid="ignore"):
        gains = np.nan_to_num(tables.scores - _lower_scores(tables), nan=0.0)
    kept = (visits[sources] * probabilities * np.abs(gains) >= threshold) | (sources == 0)
    # Longer contexts are reached through shorter ones.
    for level in range(int(levels.max(initial=0)), -1, -1):
        has_arcs = np.zeros(n_states, dtype=bool)
        has_arcs[sources[kept]] = True
        kept |= grows & (levels[sources] == level) & has_arcs[tables.targets]
    return _without(tables, start_state, kept, sources)


def _levels(back_off_states: Integers) -> Integers:
    """How often each state can back off."""
    levels, states = np.zeros(len(back_off_states), dtype=np.int64), np.arange(len(back_off_states))
    while states.any():
        levels += states > 0
        states = np.where(states > 0, back_off_states[states], 0)
    return levels


def _without(tables: BackOffTables, start_state: int, kept: Any, sources: Integers) -> tuple[BackOffTables, int]:
    """Tables of the arcs that are kept; states without any are one with the state to which they back off."""
    n_states = len(tables.back_off_states)
    stays = np.zeros(n_states, dtype=bool)
    stays[sources[kept]] = True
    stays[0] = True
    stand_in = np.arange(n_states)
    while not stays[stand_in].all():
        stand_in = np.where(stays[stand_in], stand_in, tables.back_off_states[stand_in])
    numbers = np.cumsum(stays) - 1
    moved = numbers[stand_in]
    counts = np.bincount(numbers[sources[kept]], minlength=int(stays.sum()))
    smaller = BackOffTables(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        tables.symbols[kept],
        tables.scores[kept],
        moved[tables.targets[kept]],
        np.where(np.flatnonzero(stays) > 0, moved[tables.back_off_states[stays]], 0),
        np.zeros(len(counts)),
    )
    back_off_scores = smaller.back_off_scores
    _normalise(smaller, tables.back_off_scores[stays], back_off_scores)
    return smaller, int(moved[start_state])


@jit
def _lower_scores(tables: Any) -> Floats:
    """What backing off says of every arc."""
    scores = np.zeros(len(tables.scores))
    for state in range(1, len(tables.back_off_states)):
        for arc in range(tables.offsets[state], tables.offsets[state + 1]):
            scores[arc] = step(tables, tables.back_off_states[state], tables.symbols[arc])[0]
    return scores


@jit
def _normalise(tables: Any, before: Any, back_off_scores: Any) -> None:
    """Back-off scores under which the probabilities of every state sum to one; shorter contexts come first."""
    back_off_scores[0] = before[0]
    for state in range(1, len(tables.back_off_states)):
        own, lower = 0.0, 0.0
        for arc in range(tables.offsets[state], tables.offsets[state + 1]):
            own += np.exp(tables.scores[arc])
            lower += np.exp(step(tables, tables.back_off_states[state], tables.symbols[arc])[0])
        if own < 1.0 and lower < 1.0:
            back_off_scores[state] = np.log(1.0 - own) - np.log(1.0 - lower)
        else:
            back_off_scores[state] = before[state]

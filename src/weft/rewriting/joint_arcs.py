"""The n-gram model of candidates as the search reads it.

What one look at a state or an arc needs lies side by side, so that it comes from memory in one go, and the arcs of a
state are in the order of candidates: those of an input symbol's candidates follow each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft.arrays import Floats, Integers
from weft.language_model.tables import BackOffTables

HALF = 32
"""Two numbers are one: the first above so many bits, the second below."""


class JointArcs(NamedTuple):
    """States and arcs; an argument for compiled functions.

    Attributes
    ----------
    states : ndarray of shape (n_states + 1, 2)
        First arc and back-off state as one number; bits of the back-off score.
    back_offs : ndarray of the same shape
        The same memory as floats.
    arcs : ndarray of shape (n_arcs, 2)
        Candidate and target as one number; bits of the score. State 0 has an arc for every candidate, in order, and one
        for the end, whose number is that after the last candidate.
    scores : ndarray of the same shape
        The same memory as floats.
    start : int
        State at the beginning of a sequence.
    """

    states: Integers
    back_offs: Floats
    arcs: Integers
    scores: Floats
    start: int


def joint_arcs(tables: BackOffTables, numbers: Integers, unknown: int, start: int) -> JointArcs:
    """Tables of a model in the order of candidates.

    Parameters
    ----------
    tables : BackOffTables
    numbers : ndarray of shape (n_candidates,)
        Number of each candidate in the model.
    unknown : int
        Number of what the model does not know; the end has the one before it.
    start : int

    Examples
    --------
    >>> from weft.language_model import NGramLanguageModel
    >>> model = NGramLanguageModel(2).fit([[1, 0], [1, 1]])
    >>> model.symbols_
    [1, 0]
    >>> made = joint_arcs(model.tables_, np.array([1, 0]), model.unknown_, model.start_state_)
    >>> (made.arcs[:3, 0] >> HALF).tolist(), bool(made.scores[0, 1] == model.tables_.scores[1])
    ([0, 1, 2], True)
    """
    n_candidates, n_states = len(numbers), len(tables.back_off_states)
    candidates = np.full(unknown + 1, -1, dtype=np.int64)
    known = np.flatnonzero(numbers != unknown)
    candidates[numbers[known]] = known
    candidates[unknown - 1] = n_candidates
    sources = np.repeat(np.arange(n_states), np.diff(tables.offsets))
    found = candidates[tables.symbols]
    used = np.flatnonzero((found >= 0) & (sources > 0))
    order = used[np.argsort(sources[used] * (n_candidates + 1) + found[used], kind="stable")]
    order = np.concatenate([numbers, [unknown - 1], order])
    found = np.concatenate([np.arange(n_candidates + 1), found[order[n_candidates + 1 :]]])
    counts = np.bincount(sources[used], minlength=n_states)
    counts[0] = n_candidates + 1
    arcs, states = np.empty((len(order), 2), dtype=np.int64), np.zeros((n_states + 1, 2), dtype=np.int64)
    scores, back_offs = arcs.view(np.float64), states.view(np.float64)
    arcs[:, 0] = (found << HALF) | tables.targets[order]
    scores[:, 1] = tables.scores[order]
    states[1:, 0] = np.cumsum(counts) << HALF
    states[:-1, 0] |= tables.back_off_states
    back_offs[:-1, 1] = tables.back_off_scores
    return JointArcs(states, back_offs, arcs, scores, int(start))

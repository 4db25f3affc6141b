"""The k best secondary structures of a sequence."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.semirings import MaxPlus
from weft.core.ties import TieLevels, ordered
from weft.structures.rna.loops.tracebacks import NO_STATE, PAIRED, SUFFIX, best_pairs, list_choices, most_choices
from weft.structures.rna.queries import NO_BONUS, NO_CODES, Codes, Pairs, fill_chart, no_structure

State = tuple[int, int, int]
Open = tuple[State, "Open"] | None
"""States that are still to be derived, as a linked list: candidates share their tails."""


def best_structures(
    symbols: NDArray[np.int32], scores: Floats, least: int, k: int, codes: Codes = NO_CODES
) -> list[tuple[Pairs, float]]:
    """The k best structures with their scores, best first; fewer if fewer exist.

    A best-first search from the whole sequence down. What is still open can be derived exactly as well as the chart
    says, so that candidates come off the heap in the order of the best structure that they lead to; and because they
    lead to different ones, no more of them need be kept than structures are missing. Of equal candidates
    (`weft.core.ties`) the one opened last comes first, and of its choices the first: so the first structure found is
    that of `best_structure`.
    """
    n = len(symbols)
    score, special, *made = fill_chart(MaxPlus(), symbols, scores, NO_BONUS, least, codes)
    choices, values = np.empty((int(most_choices(n)), 6), dtype=np.int64), np.empty(int(most_choices(n)))
    tolerance = float(best_pairs(symbols, special, scores, NO_BONUS, least, *made)[1])
    level = TieLevels(tolerance)
    start = -float(score)
    # Level of the cost, minus the number of states opened before, place of the choice; cost, pairs, what is open.
    heap: list[tuple[float, int, int, float, tuple[State, ...], Open]]
    heap = [(level(start), 0, 0, start, (), ((SUFFIX, 0, n), None))]
    found: list[tuple[Pairs, float]] = []
    n_opened = 0
    worst = start
    while heap and len(found) < k:
        _, _, _, cost, pairs, todo = heapq.heappop(heap)
        if todo is None:
            worst = max(worst, cost)
            found.append((np.array(sorted(pair[1:] for pair in pairs), dtype=np.int32).reshape(-1, 2), -worst))
            continue
        state, rest = todo
        if state[0] == PAIRED:
            pairs = (*pairs, state)
        count = list_choices(
            MaxPlus(), symbols, special, scores, NO_BONUS, least, made[0], made[1], np.array(state), choices, values
        )
        if count == 0:
            continue  # sums of huge scores are infinite: nothing follows from here
        order = ordered(values[:count], tolerance)[: k - len(found)]
        best = values[order[0]]
        n_opened += 1
        for place in order.tolist():
            later = rest
            for first in (3, 0):
                following = tuple(choices[place, first : first + 3].tolist())
                if following[0] != NO_STATE and following != (SUFFIX, n, n):
                    later = (following, later)
            reached = cost + float(best - values[place])
            heapq.heappush(heap, (level(reached), -n_opened, place, reached, pairs, later))
        if len(heap) > 4 * k:
            heap = heapq.nsmallest(k - len(found), heap)
    if not found:
        raise no_structure()
    return found

"""Expected numbers of grams in a lattice with cycles, where the sum over its paths converges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy  # which loads its sparse at first use: not to predict

from weft.arrays import Floats
from weft.automata import Automaton, remove_epsilon, shortest_distance
from weft.kernels.symbols import SymbolTable


def count_in_cycles(
    lattice: Automaton, table: SymbolTable, n: int, decay: float, max_gap: int | None
) -> dict[int, float]:
    """What `count_in_lattice` gives, by matrices: A_s has the weights of the arcs that read s, and A is their sum.

    A gram s t has the weight ``before A_s S A_t after``, where S = (I - decay A)^-1 sums over what may be skipped.

    Examples
    --------
    >>> loop = Automaton.from_arcs([(0, "a", 0, 0.5)], final={0: 0.5})
    >>> count_in_cycles(loop, SymbolTable("tokens", ["a"]), 2, 0.0, 0)
    {4: 0.5}
    """
    lattice = remove_epsilon(lattice)
    if lattice.n_arcs == 0:
        return {}
    before, after = shortest_distance(lattice), shortest_distance(lattice, to_end=True)
    shape = (lattice.n_states, lattice.n_states)
    steps: dict[int, scipy.sparse.csr_array] = {}
    for label in np.unique(lattice.labels).tolist():
        arcs = np.flatnonzero(lattice.labels == label)
        places = lattice.sources[arcs], lattice.targets[arcs]
        number = table.number(lattice.symbols[label])  # symbols that the table lacks share one
        steps[number] = steps.get(number, 0) + scipy.sparse.csr_array((lattice.weights[arcs], places), shape=shape)
    # Rows tell numbers of skipped symbols apart, where these are bounded.
    skip = _skipping(decay * sum(steps.values()), max_gap if decay > 0 else 0)
    begun: dict[int, Floats] = {0: np.vstack([before, np.zeros((max_gap or 0, lattice.n_states))])}
    for length in range(n):
        reached = {gram: skip(rows) if length else rows for gram, rows in begun.items()}
        begun = {
            gram * table.base + number: further
            for gram, rows in reached.items()
            for number, step in steps.items()
            if (further := rows @ step).any()
        }
    return {gram: float((rows @ after).sum()) for gram, rows in begun.items()}


def _skipping(skipped: scipy.sparse.csr_array, max_gap: int | None) -> Callable[[Floats], Floats]:
    """What leads from weights of paths to those after any number of symbols that are skipped."""
    if max_gap is None:
        from scipy.sparse.linalg import splu

        factors = splu((scipy.sparse.eye_array(skipped.shape[0]) - skipped).tocsc())
        return lambda rows: factors.solve(rows.T, trans="T").T

    def skip(rows: Floats) -> Floats:
        after = rows.copy()
        for gap in range(1, len(rows)):
            after[gap] += after[gap - 1] @ skipped
        return after

    return skip

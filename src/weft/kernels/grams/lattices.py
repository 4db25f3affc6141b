"""Expected numbers of grams in a lattice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.automata import Automaton, connect, posterior, shortest_distance
from weft.kernels.grams.cyclic_lattices import count_in_cycles
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable


def occurrences_in_lattices(
    X: Sequence[Automaton], table: SymbolTable, n: int, decay: float = 0.0, max_gap: int | None = 0
) -> Occurrences:
    """Grams of some lattices with their expected numbers; parameters as for `count_in_lattice`."""
    counts = [count_in_lattice(lattice, table, n, decay, max_gap) for lattice in X]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in counts], dtype=np.int64)])
    keys = np.array([key for each in counts for key in each], dtype=np.uint64)
    weights = np.array([weight for each in counts for weight in each.values()], dtype=np.float64)
    return Occurrences(keys, weights, offsets)


def count_in_lattice(
    lattice: Automaton, table: SymbolTable, n: int, decay: float = 0.0, max_gap: int | None = 0
) -> dict[int, float]:
    """Sum over the paths of a lattice of path weight times the number of each gram on the path.

    This is X ∘ T, determinised as it is built, for T the counter of n-grams (LK section 4): grams that have begun
    travel along the arcs, and those that are complete are met by the weight of all ways to go on.

    Parameters
    ----------
    lattice : Automaton
        Costs become probabilities of paths (`posterior`); around cycles, sums must converge.
    table : SymbolTable
    n : int
        Symbols in a gram.
    decay : float
        Factor for each symbol skipped inside a gram; 0 allows none.
    max_gap : int, optional
        Skipped symbols at the most.

    Returns
    -------
    dict from int to float

    Examples
    --------
    >>> lattice = Automaton.from_arcs([(0, "a", 1, 0.5), (0, "b", 1, 0.5), (1, "b", 2, 1.0)], final={2: 1.0})
    >>> count_in_lattice(lattice, SymbolTable("tokens", ["a", "b"]), 2)
    {6: 0.5, 10: 0.5}
    """
    lattice, base = connect(posterior(lattice)), table.base
    if not lattice.is_acyclic:
        return count_in_cycles(lattice, table, n, decay, max_gap)
    before, after = shortest_distance(lattice).tolist(), shortest_distance(lattice, to_end=True).tolist()
    numbers = [0, *map(table.number, lattice.symbols[1:])]
    labels, targets, weights = lattice.labels.tolist(), lattice.targets.tolist(), lattice.weights.tolist()
    offsets = lattice.offsets.tolist()
    # Grams that have begun: (symbols so far as a number, how many, skipped) -> weight of the paths to here.
    begun: list[dict[tuple[int, int, int], float]] = [{} for _ in range(lattice.n_states)]
    counts: dict[int, float] = {}
    for state in lattice.topological_order().tolist():
        own, begun[state] = begun[state], {}
        for arc in range(offsets[state], offsets[state + 1]):
            number, target, weight = numbers[labels[arc]], targets[arc], weights[arc]
            ahead = begun[target]
            if number == 0:
                for key, value in own.items():
                    ahead[key] = ahead.get(key, 0.0) + value * weight
                continue
            rest = after[target]
            for (gram, length, skipped), value in [*own.items(), ((0, 0, 0), before[state])]:
                longer = gram * base + number
                if length + 1 == n:
                    counts[longer] = counts.get(longer, 0.0) + value * weight * rest
                else:
                    key = (longer, length + 1, skipped)
                    ahead[key] = ahead.get(key, 0.0) + value * weight
                if decay > 0 and length > 0 and (max_gap is None or skipped < max_gap):
                    # Without a bound the number of skipped symbols need not be told apart.
                    key = (gram, length, skipped if max_gap is None else skipped + 1)
                    ahead[key] = ahead.get(key, 0.0) + value * weight * decay
    return counts

"""Small random machines, and their strings by enumeration of paths: nothing of the library but `arcs`."""

from __future__ import annotations

import math
from collections import defaultdict

from hypothesis import strategies as st

from weft.automata import Automaton, Transducer

WEIGHTS = st.sampled_from([1.0, -1.0, 0.5, 2.0, -0.25, 3.0])
COSTS = st.sampled_from([0.0, 0.5, 1.0, 2.25, -0.5])


def paths(machine):
    """All accepting paths of an acyclic machine as (input, output, weight)."""
    leaving = defaultdict(list)
    for arc in machine.arcs():
        leaving[arc.source].append(arc)

    def walk(state):
        if machine.final[state] != machine.zero:
            yield (), (), float(machine.final[state])
        for arc in leaving[state]:
            pair = arc.label if isinstance(machine, Transducer) else (arc.label, arc.label)
            read, written = (() if label is None else (label,) for label in pair)
            for rest_read, rest_written, weight in walk(arc.target):
                product = arc.weight * weight if machine.semiring == "real" else arc.weight + weight
                yield read + rest_read, written + rest_written, product

    return list(walk(machine.start))


def add(semiring, weights):
    if semiring == "real":
        return math.fsum(weights)
    if semiring == "tropical":
        return min(weights, default=math.inf)
    least = min(weights, default=math.inf)
    if least == math.inf:
        return least
    return least - math.log(math.fsum(math.exp(least - weight) for weight in weights))


def series(machine):
    """Weight of every pair of strings, those of weight zero left out."""
    found = defaultdict(list)
    for read, written, weight in paths(machine):
        found[read, written].append(weight)
    sums = {pair: add(machine.semiring, weights) for pair, weights in found.items()}
    zero = machine.zero
    return {pair: weight for pair, weight in sums.items() if abs(weight - zero) > 1e-12 or math.isinf(weight - zero)}


def assert_same(left, right):
    assert left.keys() == right.keys()
    for key, weight in left.items():
        assert math.isclose(weight, right[key], rel_tol=1e-9, abs_tol=1e-9), key


@st.composite
def machines(draw, kind=Automaton, semiring="real", epsilon=True, max_states=5, max_arcs=8, symbols="ab"):
    """Acyclic machines; arcs lead to higher states, or to lower ones, so that numbers are no topological order."""
    weight = WEIGHTS if semiring == "real" else COSTS
    n_states = draw(st.integers(1, max_states))
    # Epsilons twice as often as other labels: where they meet, paths are counted twice or lost.
    label = st.sampled_from([*symbols, None, None] if epsilon else list(symbols))
    down = draw(st.booleans())
    arcs = []
    for _ in range(draw(st.integers(0, max_arcs)) if n_states > 1 else 0):
        ends = sorted(draw(st.lists(st.integers(0, n_states - 1), min_size=2, max_size=2, unique=True)), reverse=down)
        name = draw(label) if kind is Automaton else (draw(label), draw(label))
        arcs.append((ends[0], name, ends[1], draw(weight)))
    final = draw(st.dictionaries(st.integers(0, n_states - 1), weight, max_size=3))
    start = n_states - 1 if down else 0
    return kind.from_arcs(arcs, final, start=start, semiring=semiring)

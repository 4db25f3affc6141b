"""Paths by name: all strings of an acyclic machine, random paths, shortest paths."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from weft.automata.arc_arrays import FloatArray, is_count
from weft.automata.automaton import Automaton
from weft.automata.connection import connect
from weft.automata.distances import shortest_distance
from weft.automata.machine import Machine, require_machine
from weft.automata.semirings import plus, times
from weft.core.ties import TIE_TOLERANCE, TieLevels, larger_size, usual_size
from weft.errors import InputError


class Path(NamedTuple):
    """What an accepting path reads and writes, without epsilons, and its weight."""

    input: tuple[str, ...]
    output: tuple[str, ...]
    weight: float


def strings_and_weights(machine: Machine, *, max_strings: int = 1_000_000) -> dict[Any, float]:
    """Weight of every string that an acyclic machine accepts.

    Parameters
    ----------
    machine : Automaton or Transducer
    max_strings : int
        More strings than this from any state are an error.

    Returns
    -------
    dict
        From tuples of symbols, in sorted order, to weights; for a transducer, from pairs (input, output) of such
        tuples. Strings whose weights cancel stay, with weight 0.

    Examples
    --------
    >>> from weft.automata import Automaton, strings_and_weights
    >>> strings_and_weights(Automaton.from_arcs([(0, "a", 1, 0.5), (0, "a", 2, 0.5), (2, "b", 1)], final={1: 2.0}))
    {('a',): 1.0, ('a', 'b'): 1.0}
    """
    require_machine(machine, "machine")
    machine = connect(machine)
    code = machine.semiring_code
    is_automaton = isinstance(machine, Automaton)
    reads: list[tuple[str, ...]] = [() if name is None else (name,) for name in machine.input_symbols]
    writes: list[tuple[str, ...]] = [() if name is None else (name,) for name in machine.output_symbols]
    ahead: list[dict[tuple[tuple[str, ...], tuple[str, ...]], float]] = [{} for _ in range(machine.n_states)]
    for state in machine.topological_order()[::-1]:
        strings = ahead[state]
        if machine.final[state] != machine.zero:
            strings[((), ())] = float(machine.final[state])
        for arc in range(machine.offsets[state], machine.offsets[state + 1]):
            read, written = reads[machine.inputs[arc]], writes[machine.outputs[arc]]
            weight = float(machine.weights[arc])
            for (rest_read, rest_written), rest in ahead[machine.targets[arc]].items():
                key = (read + rest_read, () if is_automaton else written + rest_written)
                value = times(code, weight, rest)
                strings[key] = plus(code, strings[key], value) if key in strings else value
            if len(strings) > max_strings:
                raise InputError(
                    f"state {state} has more than {max_strings} strings; need fewer: raise max_strings, or ask for "
                    "random_paths or shortest_paths"
                )
    found = sorted(ahead[machine.start].items())
    return {key[0]: weight for key, weight in found} if is_automaton else dict(found)


def random_paths(
    machine: Machine, n_samples: int, *, random_state: int | np.random.Generator | None = None
) -> list[Path]:
    """Paths drawn at random, each with probability proportional to its weight.

    Parameters
    ----------
    machine : Automaton or Transducer
        Real weights must not be negative; costs stand for weights of ``exp(-cost)``.
    n_samples : int
        Number of paths.
    random_state : int or Generator, optional

    Returns
    -------
    list of Path

    Examples
    --------
    >>> from weft.automata import Automaton, random_paths
    >>> coin = Automaton.from_arcs([(0, "h", 1, 0.5), (0, "t", 1, 0.5)], final={1: 1.0})
    >>> len(random_paths(coin, 3, random_state=0))
    3
    """
    _check_count(n_samples)
    trimmed = _accepting(machine)
    costs, ends, ahead = _costs(trimmed, "log")
    random = np.random.default_rng(random_state)
    # Cumulative probabilities of the arcs of each state; what is left is the chance to end.
    shares = np.exp(ahead[trimmed.sources] - costs - ahead[trimmed.targets])
    offsets, targets = trimmed.offsets.tolist(), trimmed.targets.tolist()
    bounds = [np.cumsum(shares[begin:end]).tolist() for begin, end in pairwise(offsets)]
    end_shares = np.exp(ahead - ends).tolist()
    paths = []
    for _ in range(n_samples):
        state, arcs = trimmed.start, []
        while True:
            inner = bounds[state]
            total = (inner[-1] if inner else 0.0) + end_shares[state]
            place = bisect_right(inner, random.random() * total)
            if place == len(inner):
                if end_shares[state] > 0:
                    break
                place -= 1  # the draw fell on the last bound
            arcs.append(offsets[state] + place)
            state = targets[arcs[-1]]
        paths.append(_named(trimmed, arcs, state))
    return paths


def shortest_paths(machine: Machine, k: int = 1) -> list[Path]:
    """The k best paths: those of least cost, or of largest weight for real weights.

    Two paths can spell one string; `determinize` the machine first if strings are wanted. Of equal paths
    (`weft.core.ties`) the one with fewer arcs comes first, then the one of earlier arcs.

    Parameters
    ----------
    machine : Automaton or Transducer
        Real weights must not be negative.
    k : int

    Returns
    -------
    list of Path
        Best first; fewer than k if there are no more.

    Examples
    --------
    >>> from weft.automata import Automaton, shortest_paths
    >>> lattice = Automaton.from_arcs([(0, "l", 1, 0.25), (0, "1", 1, 0.75)], final={1: 1.0})
    >>> shortest_paths(lattice)
    [Path(input=('1',), output=('1',), weight=0.75)]
    """
    _check_count(k)
    trimmed = _accepting(machine)
    costs, ends, ahead = _costs(trimmed, "tropical")
    # Best-first search with the exact cost ahead: a state is left at most k times.
    n_left = np.zeros(trimmed.n_states, dtype=np.int64)
    level = TieLevels(TIE_TOLERANCE * _size(trimmed, costs, ahead))
    waiting: list[tuple[float, int, float, int, Any]]
    waiting = [(level(float(ahead[trimmed.start])), 0, 0.0, trimmed.start, None)]
    n_pushed = 1
    paths: list[Path] = []
    while waiting and len(paths) < k:
        _, _, cost, state, trail = heapq.heappop(waiting)
        if state < 0:
            arcs = []
            last = -state - 1
            while trail is not None:
                arcs.append(trail[0])
                trail = trail[1]
            paths.append(_named(trimmed, arcs[::-1], last))
            continue
        if n_left[state] == k:
            continue
        n_left[state] += 1
        if ends[state] < math.inf:
            heapq.heappush(waiting, (level(cost + float(ends[state])), n_pushed, cost, -state - 1, trail))
            n_pushed += 1
        for arc in range(trimmed.offsets[state], trimmed.offsets[state + 1]):
            target = int(trimmed.targets[arc])
            reached = cost + float(costs[arc])
            heapq.heappush(waiting, (level(reached + float(ahead[target])), n_pushed, reached, target, (arc, trail)))
            n_pushed += 1
    return paths


def _size(machine: Machine, costs: FloatArray, ahead: FloatArray) -> float:
    """Size of the costs along a best path."""
    state, size = machine.start, larger_size(usual_size(costs), float(ahead[machine.start]))
    for _ in range(machine.n_states):
        arcs = slice(machine.offsets[state], machine.offsets[state + 1])
        if arcs.start == arcs.stop:
            break
        state = int(machine.targets[arcs][np.argmin(costs[arcs] + ahead[machine.targets[arcs]])])
        size = larger_size(size, float(ahead[state]))
    return float(size)


def _accepting(machine: Machine) -> Machine:
    """The connected machine, which accepts something, with no weight below 0 if weights are real."""
    require_machine(machine, "machine")
    trimmed = connect(machine)
    if not (trimmed.final != trimmed.zero).any():
        raise InputError("the machine accepts nothing; need at least one path: check its final states and symbols")
    if trimmed.semiring == "real" and ((trimmed.weights < 0).any() or (trimmed.final < 0).any()):
        raise InputError(
            "the machine has negative weights, so its paths have no probabilities or order; need weights of at least 0"
        )
    return trimmed


def _costs(machine: Machine, semiring: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Costs of the arcs, of ending in each state, and of all that is ahead of it."""
    costs, ends = machine.weights, machine.final
    if machine.semiring == "real":
        with np.errstate(divide="ignore"):
            costs, ends = -np.log(costs), -np.log(ends)
    as_costs = replace(machine, weights=costs, final=ends, semiring=semiring)
    return costs, ends, shortest_distance(as_costs, to_end=True)


def _named(machine: Machine, arcs: list[int], last: int) -> Path:
    join = np.prod if machine.semiring == "real" else np.sum
    weight = float(join(machine.weights[arcs])) if arcs else machine.one
    weight = times(machine.semiring_code, weight, float(machine.final[last]))
    read = (machine.input_symbols[label] for label in machine.inputs[arcs].tolist()) if arcs else ()
    written = (machine.output_symbols[label] for label in machine.outputs[arcs].tolist()) if arcs else ()
    return Path(
        tuple(name for name in read if name is not None), tuple(name for name in written if name is not None), weight
    )


def _check_count(n: Any) -> None:
    if not is_count(n):
        raise InputError(f"{n!r} paths given; need an integer of at least 1: ask for one or more")

"""Costs as probabilities: what is left of a lattice of costs when its paths share out a weight of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from weft.automata.connection import connect
from weft.automata.distances import shortest_distance
from weft.automata.machine import Machine, require_machine

M = TypeVar("M", bound=Machine)


def posterior(machine: M) -> M:
    """The machine over the real semiring, each path weighing its probability.

    A path of cost c has ``exp(-c) / Z``, where Z sums over all paths: tropical costs are negative logarithms like
    log ones, they only ask for the best path. Each arc weighs ``exp(-(cost + d(target) - d(source)))``, d being the
    log distance to the end, so that what leaves a state sums to one. Costs may be large, and there may be cycles if
    their sums converge.

    Parameters
    ----------
    machine : Automaton or Transducer
        Of costs; one of the real semiring comes back as it is, for its weights may have any sum and sign.

    Returns
    -------
    of the same kind
        Connected.

    Examples
    --------
    >>> from weft.automata import Automaton, posterior, strings_and_weights
    >>> lattice = Automaton.from_arcs([(0, "a", 1, 900.0), (0, "b", 1, 900.0)], {1: 7.0}, semiring="tropical")
    >>> {string: round(weight, 6) for string, weight in strings_and_weights(posterior(lattice)).items()}
    {('a',): 0.5, ('b',): 0.5}
    """
    require_machine(machine, "machine")
    if machine.semiring == "real":
        return machine
    machine = connect(replace(machine, semiring="log"))
    ahead = shortest_distance(machine, to_end=True)
    if not np.isfinite(ahead).all():  # nothing is accepted
        return replace(machine, semiring="real", final=np.zeros(machine.n_states))
    weights = np.exp(ahead[machine.sources] - machine.weights - ahead[machine.targets])
    return replace(machine, semiring="real", weights=weights, final=np.exp(ahead - machine.final))

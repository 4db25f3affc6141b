"""Weights of all strings that a composition writes."""

from __future__ import annotations

import numpy as np

from weft.automata.machine import Machine
from weft.errors import InputError

Strings = dict[tuple[str, ...], float]


def output_weights(machine: Machine, max_strings: int) -> Strings:
    """Weight of every string that a machine writes, summed over its paths.

    Strings travel along the arcs from the start. A string is counted where its last symbol is written, by the weight
    of all ways to end from there without writing, and travels on only if more can be written: so a counter's last
    loop does not drag all that it has counted along.

    Parameters
    ----------
    machine : Automaton or Transducer
        Acyclic.
    max_strings : int
        More strings than this are an error.

    Returns
    -------
    dict from tuple of str to float

    Examples
    --------
    >>> from weft.automata import Automaton, compose, ngram_transducer
    >>> output_weights(compose(Automaton.from_string("ababa"), ngram_transducer("ab", 2)), 100)
    {('a', 'b'): 2.0, ('b', 'a'): 2.0}
    """
    order = machine.topological_order().tolist()
    offsets, targets = machine.offsets.tolist(), machine.targets.tolist()
    outputs, weights = machine.outputs.tolist(), machine.weights.tolist()
    names = machine.output_symbols
    silent_end, writes = machine.final.tolist(), np.zeros(machine.n_states, dtype=bool).tolist()
    for state in reversed(order):
        for arc in range(offsets[state], offsets[state + 1]):
            if outputs[arc] == 0:
                silent_end[state] += weights[arc] * silent_end[targets[arc]]
                writes[state] = writes[state] or writes[targets[arc]]
            else:
                writes[state] = True
    travelling: list[Strings] = [{} for _ in order]
    found: Strings = {}
    if order:
        travelling[machine.start][()] = 1.0
        if machine.final.any() and silent_end[machine.start] != 0:
            found[()] = silent_end[machine.start]
    for state in order:
        own, travelling[state] = travelling[state], {}
        for arc in range(offsets[state], offsets[state + 1]):
            target, weight = targets[arc], weights[arc]
            ahead, goes_on = travelling[target], writes[target]
            if outputs[arc] == 0:
                if goes_on:
                    for string, value in own.items():
                        ahead[string] = ahead.get(string, 0.0) + value * weight
                continue
            symbol, end = names[outputs[arc]], silent_end[target]
            for string, value in own.items():
                longer = (*string, str(symbol))
                if goes_on:
                    ahead[longer] = ahead.get(longer, 0.0) + value * weight
                if end != 0:
                    found[longer] = found.get(longer, 0.0) + value * weight * end
            if max(len(found), len(ahead)) > max_strings:
                raise InputError(
                    f"a sequence composed with the transducer writes more than {max_strings} strings; need fewer for "
                    "explicit features: raise max_strings, or set method='composition'."
                )
    return dict(sorted(found.items()))

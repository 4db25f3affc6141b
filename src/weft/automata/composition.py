"""Composition: the relation that applies one transducer after another."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from weft.automata.arc_arrays import IntArray, Symbols, sort_arcs
from weft.automata.automaton import Automaton
from weft.automata.connection import connect
from weft.automata.loops.composing import compose_arcs
from weft.automata.machine import Machine, require_machine
from weft.automata.transducer import Transducer
from weft.errors import InputError


@overload
def compose(left: Automaton, right: Automaton) -> Automaton: ...
@overload
def compose(left: Machine, right: Machine) -> Transducer | Automaton: ...
def compose(left: Machine, right: Machine) -> Transducer | Automaton:
    """Composition: weight of (x, y) is the sum over z of left(x, z) times right(z, y).

    An automaton stands for the transducer that copies its strings. Epsilons on both sides are matched through a
    filter with three states, so that each pair of paths counts once. Symbols are matched by name. Only states on a
    path from the start to an end are kept.

    Parameters
    ----------
    left, right : Automaton or Transducer

    Returns
    -------
    Transducer, or Automaton if both are automata

    Examples
    --------
    The bigram kernel of LK section 2.2, as X ∘ T ∘ T⁻¹ ∘ X:

    >>> from weft.automata import compose, invert, ngram_transducer, total_weight
    >>> text, counter = Automaton.from_string("ababa"), ngram_transducer("ab", 2)
    >>> total_weight(compose(compose(compose(text, counter), invert(counter)), text))
    8.0
    """
    require_machine(left, "left")
    require_machine(right, "right")
    if left.semiring != right.semiring:
        raise InputError(
            f"left has semiring {left.semiring!r}, right {right.semiring!r}; need the same: build both with one"
        )
    if left.n_states * right.n_states >= 2**61:
        raise InputError(f"machines of {left.n_states} and {right.n_states} states given; their product is too large")
    middle = renumbering(left.output_symbols, right.input_symbols)
    arcs, weights, final = compose_arcs(
        _arrays(left, middle[left.outputs]), _arrays(right, right.outputs), left.semiring_code
    )
    sources, inputs, outputs, targets = arcs.reshape(-1, 4).T
    offsets, inputs, outputs, targets, weights = sort_arcs(sources, inputs, outputs, targets, weights, len(final))
    arrays: dict[str, Any] = {"offsets": offsets, "targets": targets, "weights": weights, "final": final}
    if isinstance(left, Automaton) and isinstance(right, Automaton):
        return connect(Automaton(**arrays, labels=inputs, symbols=left.symbols, semiring=left.semiring))
    return connect(
        Transducer(
            **arrays,
            inputs=inputs,
            outputs=outputs,
            input_symbols=left.input_symbols,
            output_symbols=right.output_symbols,
            semiring=left.semiring,
        )
    )


def intersect(left: Automaton, right: Automaton) -> Automaton:
    """Product of two automata: the weight of a string is the product of its two weights.

    Parameters
    ----------
    left, right : Automaton

    Returns
    -------
    Automaton

    Examples
    --------
    >>> from weft.automata import intersect, total_weight
    >>> left = Automaton.from_arcs([(0, "a", 0, 0.5), (0, "b", 0, 2.0)], final={0: 1.0})
    >>> total_weight(intersect(left, Automaton.from_string("abb", weight=-1.0)))
    -2.0
    """
    require_machine(left, "left", Automaton)
    require_machine(right, "right", Automaton)
    return compose(left, right)


def renumbering(source: Symbols, target: Symbols) -> IntArray:
    """Number in `target` of every symbol of `source`; -1 for those it lacks.

    Examples
    --------
    >>> renumbering([None, "a", "b"], [None, "b"])
    array([ 0, -1,  1], dtype=int32)
    """
    if source is target or source == target:
        return np.arange(len(source), dtype=np.int32)
    numbers = {symbol: number for number, symbol in enumerate(target)}
    return np.array([numbers.get(symbol, -1) for symbol in source], dtype=np.int32)


def _arrays(machine: Machine, outputs: IntArray) -> tuple[Any, ...]:
    return (
        machine.offsets,
        machine.inputs,
        outputs,
        machine.targets,
        machine.weights,
        machine.final,
        machine.start,
    )

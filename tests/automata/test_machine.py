"""Automata and transducers from strings, arcs, lattices and arrays, and what is no machine."""

import pickle

import numpy as np
import pytest

from weft.automata import Automaton, strings_and_weights, total_weight
from weft.errors import InputError


def test_topological_order_of_states_numbered_backwards():
    machine = Automaton.from_arcs([(2, "a", 1), (1, "a", 0)], final={0: 1.0}, start=2)
    assert machine.is_acyclic
    assert machine.topological_order().tolist() == [2, 1, 0]


def test_machines_are_frozen_and_picklable():
    machine = Automaton.from_string("ab")
    with pytest.raises(AttributeError):
        machine.start = 1
    assert strings_and_weights(pickle.loads(pickle.dumps(machine))) == {("a", "b"): 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.array([0, 1])}, "offsets is int64 of shape"),
        ({"offsets": np.array([0, 2, 1])}, "offsets do not rise"),
        ({"labels": np.array([1])}, "inputs is int64"),
        ({"labels": np.array([2], dtype=np.int32)}, "the input label of an arc is outside 0 to 1"),
        ({"targets": np.array([2], dtype=np.int32)}, "the target of an arc is outside 0 to 1"),
        ({"symbols": ["a", "b"]}, "does not begin with None"),
        ({"start": 2}, "start=2 given; need one of the 2 states"),
        ({"weights": np.array([np.nan])}, "arc 0 has weight nan"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    arrays = {
        "offsets": np.array([0, 1, 1]),
        "labels": np.array([1], dtype=np.int32),
        "targets": np.array([1], dtype=np.int32),
        "weights": np.array([1.0]),
        "final": np.array([0.0, 1.0]),
        "symbols": [None, "a"],
    }
    assert total_weight(Automaton(**arrays)) == 1.0
    with pytest.raises(InputError, match=message):
        Automaton(**{**arrays, **change})

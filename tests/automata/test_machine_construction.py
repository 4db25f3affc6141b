"""Automata and transducers from strings, arcs, lattices and arrays, and what is no machine."""

import json
import math
import pickle

import numpy as np
import pytest

from weft.automata import Automaton, Transducer, strings_and_weights, total_weight
from weft.errors import InputError

LATTICE = {
    "nodes": ["s", "m", "e"],
    "start": "s",
    "final": {"e": 0.5},
    "arcs": [
        {"source": "s", "target": "m", "label": "a", "weight": 0.25},
        {"source": "s", "target": "m", "label": None, "log_weight": -1.0},
        {"source": "m", "target": "e", "label": "b", "time": 3},
    ],
}


def test_strings_tokens_and_the_empty_string():
    assert strings_and_weights(Automaton.from_string("abca")) == {tuple("abca"): 1.0}
    assert strings_and_weights(Automaton.from_string(["to", "be"], weight=-2.0)) == {("to", "be"): -2.0}
    assert strings_and_weights(Automaton.from_string("")) == {(): 1.0}
    assert total_weight(Automaton.from_string("ab", semiring="log")) == 0.0
    assert strings_and_weights(Transducer.from_string("ab", "c")) == {(("a", "b"), ("c",)): 1.0}


def test_arcs_are_sorted_by_source_and_label():
    machine = Automaton.from_arcs([(1, "b", 0), (0, "b", 1, 2.0), (0, None, 1, 3.0)], final={1: 1.0}, symbols="ab")
    assert [tuple(arc) for arc in machine.arcs()] == [(0, None, 1, 3.0), (0, "b", 1, 2.0), (1, "b", 0, 1.0)]
    assert machine.offsets.tolist() == [0, 2, 3]
    assert not machine.is_acyclic
    assert repr(machine) == "Automaton(2 states, 3 arcs, 1 final state, semiring='real')"
    with pytest.raises(InputError, match="has a cycle"):
        machine.topological_order()


def test_topological_order_of_states_numbered_backwards():
    machine = Automaton.from_arcs([(2, "a", 1), (1, "a", 0)], final={0: 1.0}, start=2)
    assert machine.is_acyclic
    assert machine.topological_order().tolist() == [2, 1, 0]


def test_machines_are_frozen_and_picklable():
    machine = Automaton.from_string("ab")
    with pytest.raises(AttributeError):
        machine.start = 1
    assert strings_and_weights(pickle.loads(pickle.dumps(machine))) == {("a", "b"): 1.0}


def test_lattices_with_weights_and_log_weights(tmp_path):
    expected = {("a", "b"): 0.125, ("b",): 0.5 * math.exp(-1.0)}
    assert strings_and_weights(Automaton.from_lattice(LATTICE)) == pytest.approx(expected)
    assert strings_and_weights(Automaton.from_json(json.dumps(LATTICE))) == pytest.approx(expected)
    path = tmp_path / "lattice.json"
    path.write_text(json.dumps(LATTICE), encoding="utf-8")
    costs = strings_and_weights(Automaton.from_json(path, semiring="log"))
    assert costs == pytest.approx({text: -math.log(weight) for text, weight in expected.items()})


def test_a_lattice_may_name_nodes_by_integers():
    arcs = [{"source": 10, "target": 20, "label": "a"}]
    assert strings_and_weights(Automaton.from_json(json.dumps({"arcs": arcs, "final": {20: 2.0}}))) == {("a",): 2.0}
    assert strings_and_weights(Automaton.from_lattice({"arcs": arcs, "final": [20]})) == {("a",): 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arcs": None}, "no list 'arcs'"),
        ({"final": None}, "no 'final'"),
        ({"nodes": 3}, "'nodes' of the lattice is no list"),
        ({"start": "q"}, "'start' names node 'q', which 'nodes' lacks"),
        ({"arcs": [{"source": "s", "target": "m"}]}, "arc 0 of the lattice is"),
        ({"arcs": [{"source": "s", "target": 1.5, "label": "a"}]}, "names node 1.5; want a string or an integer"),
        ({"arcs": [{"source": "s", "target": "m", "label": 3}]}, "label 3 is of type int"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "weight": "x"}]}, "has weight 'x'; want a number"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "weight": 1, "log_weight": 0}]}, "has both weight and"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "log_weight": 1e4}]}, "want at most 709"),
    ],
)
def test_bad_lattices_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        Automaton.from_lattice({**LATTICE, **change})


def test_negative_weights_are_no_costs():
    arcs = [{"source": 0, "target": 1, "label": "a", "weight": -1.0}]
    with pytest.raises(InputError, match="a cost wants a weight of at least 0"):
        Automaton.from_lattice({"arcs": arcs, "final": [1]}, semiring="log")


@pytest.mark.parametrize(("text", "message"), [("{", "is not JSON"), ("[1]", "holds a list")])
def test_bad_json_is_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        Automaton.from_json(text)
    with pytest.raises(InputError, match="cannot read"):
        Automaton.from_json(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("arcs", "final", "message"),
    [
        ([(0, "a")], {0: 1.0}, r"arc 0 is \(0, 'a'\); want \(source, label, target, weight\)"),
        ([(0, "a", -1)], {0: 1.0}, "arc 0 has target -1; states are integers from 0"),
        ([("x", "a", 1)], {0: 1.0}, "arc 0 has source 'x'"),
        ([(0, "a", 2_000_000_000)], {0: 1.0}, "state 2000000000 came with 1 arcs; want states numbered from 0 without"),
        ([(0, 5, 1)], {0: 1.0}, "arc 0: label 5 is of type int"),
        ([(0, ["a"], 1)], {0: 1.0}, "arc 0: label .* is of type list"),
        ([(0, "a", 1, "w")], {0: 1.0}, "arc 0 has weight 'w'"),
        ([(0, "a", 1, math.nan)], {0: 1.0}, "arc 0 has weight nan"),
        ([(0, "a", 1, math.inf)], {0: 1.0}, "arc 0 has weight inf; semiring 'real' wants a finite number"),
        ([(0, "a", 1)], {"x": 1.0}, "final holds state 'x'"),
        ([(0, "a", 1)], [1], "final is a list"),
    ],
)
def test_bad_arcs_are_refused(arcs, final, message):
    with pytest.raises(InputError, match=message):
        Automaton.from_arcs(arcs, final)


def test_other_bad_input_is_refused():
    with pytest.raises(InputError, match="label 'c' is not among the 2 symbols given"):
        Automaton.from_string("abc", symbols="ab")
    with pytest.raises(InputError, match="semiring='max' came; want 'real', 'log' or 'tropical'"):
        Automaton.from_string("abc", semiring="max")
    with pytest.raises(InputError, match="symbols hold 'a' twice"):
        Automaton.from_string("a", symbols="aa")
    with pytest.raises(InputError, match="symbols hold 3 of type int"):
        Automaton.from_string("a", symbols=["a", 3])
    with pytest.raises(InputError, match="arc 0 has label 'a'; a transducer wants"):
        Transducer.from_arcs([(0, "a", 1)], {1: 1.0})
    with pytest.raises(InputError, match="start is -1"):
        Automaton.from_arcs([], {0: 1.0}, start=-1)
    with pytest.raises(InputError, match="semiring 'log' wants a number above -inf"):
        Automaton.from_arcs([(0, "a", 1, -math.inf)], {1: 0.0}, semiring="log")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.array([0, 1])}, "offsets is int64 of shape"),
        ({"offsets": np.array([0, 2, 1])}, "offsets do not rise"),
        ({"labels": np.array([1])}, "inputs is int64"),
        ({"labels": np.array([2], dtype=np.int32)}, "the input label of an arc is outside 0 to 1"),
        ({"targets": np.array([2], dtype=np.int32)}, "the target of an arc is outside 0 to 1"),
        ({"symbols": ["a", "b"]}, "does not begin with None"),
        ({"start": 2}, "start=2 came; want one of the 2 states"),
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

"""Tests of `weft.automata.lattice_json`."""

import json
import math

import pytest

from weft.automata import Automaton, strings_and_weights
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
        ({"nodes": 3}, "'nodes' of the lattice is not a list"),
        ({"start": "q"}, "'start' names node 'q', which 'nodes' lacks"),
        ({"arcs": [{"source": "s", "target": "m"}]}, "arc 0 of the lattice is"),
        ({"arcs": [{"source": "s", "target": 1.5, "label": "a"}]}, "names node 1.5; need a string or an integer"),
        ({"arcs": [{"source": "s", "target": "m", "label": 3}]}, "label 3 is of type int"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "weight": "x"}]}, "has weight 'x'; need a number"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "weight": 1, "log_weight": 0}]}, "has both weight and"),
        ({"arcs": [{"source": "s", "target": "m", "label": "a", "log_weight": 1e4}]}, "need at most 709"),
    ],
)
def test_bad_lattices_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        Automaton.from_lattice({**LATTICE, **change})


def test_negative_weights_are_no_costs():
    arcs = [{"source": 0, "target": 1, "label": "a", "weight": -1.0}]
    with pytest.raises(InputError, match="a cost needs a weight of at least 0"):
        Automaton.from_lattice({"arcs": arcs, "final": [1]}, semiring="log")


@pytest.mark.parametrize(("text", "message"), [("{", "is not JSON"), ("[1]", "holds a list")])
def test_bad_json_is_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        Automaton.from_json(text)
    with pytest.raises(InputError, match="cannot read"):
        Automaton.from_json(tmp_path / "missing.json")

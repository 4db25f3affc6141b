"""Machines of pynini, as they are in memory."""

import sys

import pytest

import weft
from weft.automata import Automaton, Transducer, from_openfst, strings_and_weights

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pynini has no wheels for Windows")


def machine(words, weights, **options):
    import pynini

    return pynini.union(
        *(pynini.accep(word, weight=weight, **options) for word, weight in zip(words, weights, strict=True))
    )


def test_strings_and_costs_are_those_of_the_machine():
    found = from_openfst(machine(["cat", "dög"], [0.5, 2.0], token_type="utf8"))
    assert isinstance(found, Automaton)
    assert found.semiring == "tropical"
    assert {"".join(s): c for s, c in strings_and_weights(found).items()} == {"cat": 0.5, "dög": 2.0}


def test_symbol_tables_and_transducers():
    import pynini

    words = pynini.SymbolTable()
    words.add_symbol("<eps>", 0)
    words.add_symbol("well", 7)
    named = pynini.Fst()
    begin, end = named.add_state(), named.add_state()
    named.set_start(begin)
    named.set_final(end)
    named.add_arc(begin, pynini.Arc(7, 7, 0.25, end))
    named.set_input_symbols(words)
    named.set_output_symbols(words)
    assert [tuple(s) for s, _ in strings_and_weights(from_openfst(named)).items()] == [("well",)]
    assert isinstance(from_openfst(pynini.cross("a", "b")), Transducer)


def test_a_classifier_takes_them_as_lattices():
    X = [machine(["aab", "abb"], [0.1, 1.0]), machine(["bba", "baa"], [0.2, 0.5]), machine(["aab"], [0.0])]
    svc = weft.SequenceSVC(weft.NGramKernel(2)).fit(X, ["x", "y", "x"])
    assert svc.predict(X).tolist() == ["x", "y", "x"]
    ours = weft.SequenceSVC(weft.NGramKernel(2)).fit([from_openfst(x) for x in X], ["x", "y", "x"])
    assert svc.decision_function(X) == pytest.approx(ours.decision_function([from_openfst(x) for x in X]), abs=0.01)


def test_what_is_none_is_refused():
    with pytest.raises(weft.InputError, match="a str given; need a machine of pynini or OpenFst"):
        from_openfst("abc")

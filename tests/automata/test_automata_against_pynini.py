"""The same machines in OpenFst, by way of pynini: log and tropical costs."""

import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import COSTS, machines, series
from weft.automata import (
    Automaton,
    Transducer,
    closure,
    compose,
    concatenate,
    determinize,
    invert,
    minimize,
    ngram_transducer,
    project,
    read_att,
    remove_epsilon,
    shortest_paths,
    total_weight,
    union,
    write_att,
)

pynini = pytest.importorskip("pynini", reason="pynini, the oracle, has no wheels for this system")
pywrapfst = pytest.importorskip("pywrapfst", reason="pywrapfst comes with pynini")

LETTERS = "abc"


def openfst(machine, arc_type="log64"):
    """The machine as OpenFst compiles it from our text."""
    table = pywrapfst.SymbolTable()
    for symbol in ["<eps>", *LETTERS]:
        table.add_symbol(symbol)
    stream = io.StringIO()
    write_att(machine, stream)
    is_automaton = isinstance(machine, Automaton)
    compiler = pywrapfst.Compiler(
        arc_type="standard" if arc_type == "tropical" else arc_type,
        isymbols=table,
        osymbols=table,
        acceptor=is_automaton,
        keep_state_numbering=True,
    )
    compiler.write(stream.getvalue())
    return compiler.compile()


def oracle_total(fst):
    distance = pywrapfst.shortestdistance(fst, reverse=True, delta=1e-9)
    # States that no path leads to an end from are left off at the end of the list.
    return float(distance[fst.start()]) if 0 <= fst.start() < len(distance) else math.inf


def assert_equal_totals(machine, fst):
    assert total_weight(machine) == pytest.approx(oracle_total(fst), abs=1e-6)


@given(st.data(), st.sampled_from([Automaton, Transducer]), st.sampled_from([Automaton, Transducer]))
@settings(max_examples=80)
def test_composition(data, left_kind, right_kind):
    left = data.draw(machines(left_kind, "log", symbols=LETTERS))
    right = data.draw(machines(right_kind, "log", symbols=LETTERS))
    first, second = openfst(left).arcsort("olabel"), openfst(right).arcsort("ilabel")
    assert_equal_totals(compose(left, right), pywrapfst.compose(first, second))


@given(machines(Transducer, "log", symbols=LETTERS), machines(Transducer, "log", symbols=LETTERS))
@settings(max_examples=50)
def test_rational_operations(left, right):
    first, second = openfst(left), openfst(right)
    assert_equal_totals(left, first)
    assert_equal_totals(union(left, right), first.copy().union(second))
    assert_equal_totals(concatenate(left, right), first.copy().concat(second))
    assert_equal_totals(invert(left), first.copy().invert())
    other = pywrapfst.arcmap(second, map_type="identity")
    pair = compose(project(left), project(right, "input"))
    first.project("output")
    other.project("input")
    assert_equal_totals(pair, pywrapfst.compose(first.arcsort("olabel"), other.arcsort("ilabel")))


@given(machines(Automaton, "log", symbols=LETTERS))
@settings(max_examples=60)
def test_smaller_machines_have_as_many_states(machine):
    fst = openfst(machine).rmepsilon()
    assert_equal_totals(remove_epsilon(machine), fst)
    if fst.start() < 0:
        return
    deterministic = pywrapfst.determinize(fst)
    assert_equal_totals(determinize(machine), deterministic)
    deterministic.minimize(delta=1e-9)
    assert_equal_totals(minimize(machine), deterministic)
    assert minimize(machine).n_states <= deterministic.num_states()


@st.composite
def cyclic_costs(draw):
    """Machines whose cycles converge: every arc costs more than log of the number of arcs."""
    n_states = draw(st.integers(1, 4))
    state = st.integers(0, n_states - 1)
    label = st.sampled_from([*LETTERS, None])
    arcs = draw(st.lists(st.tuples(state, label, state, COSTS.map(lambda cost: cost + 3.0)), max_size=8))
    return Automaton.from_arcs(arcs, draw(st.dictionaries(state, COSTS, min_size=1)), semiring="log")


@given(cyclic_costs())
@settings(max_examples=80)
def test_cycles(machine):
    fst = openfst(machine)
    assert_equal_totals(machine, fst)
    assert_equal_totals(remove_epsilon(machine), fst)
    if total_weight(machine) > 0.1:  # else the series of powers diverges
        assert_equal_totals(closure(machine), fst.copy().closure())


@given(machines(Transducer, "tropical", symbols=LETTERS), st.integers(1, 5))
@settings(max_examples=50)
def test_shortest_paths(machine, k):
    fst = openfst(machine, "tropical")
    assert total_weight(machine) == pytest.approx(oracle_total(fst), abs=1e-5)
    if math.isinf(total_weight(machine)):
        return
    best = pywrapfst.shortestpath(fst, nshortest=k)
    found = sorted(float(weight) for _, _, weight in _paths(best))
    assert [path.weight for path in shortest_paths(machine, k)] == pytest.approx(found, abs=1e-5)


def _paths(fst):
    paths = pynini.Fst.from_pywrapfst(fst).paths(input_token_type="byte", output_token_type="byte")
    while not paths.done():
        yield None, None, paths.weight()
        paths.next()


def test_a_lattice_with_an_n_gram_counter():
    arcs = [
        (place, letter, place + 1, 0.1 * (index + 1)) for place in range(40) for index, letter in enumerate(LETTERS)
    ]
    lattice = Automaton.from_arcs(arcs, final={40: 0.0}, semiring="log")
    counter = ngram_transducer(LETTERS, 3, semiring="log")
    expected = pywrapfst.compose(openfst(lattice).arcsort("olabel"), openfst(counter).arcsort("ilabel"))
    assert_equal_totals(compose(lattice, counter), expected)
    assert_equal_totals(minimize(project(compose(lattice, counter))), expected)


@given(st.data(), st.sampled_from([Automaton, Transducer]), st.booleans())
@settings(max_examples=60)
def test_files_that_openfst_prints_are_read(data, kind, numeric):
    machine = data.draw(machines(kind, "log", symbols=[*LETTERS]))
    fst = openfst(machine)
    table = pywrapfst.SymbolTable()
    for number, symbol in enumerate(["<epsilon>", *LETTERS]):
        table.add_symbol(symbol, number)
    named = {} if numeric else {"isymbols": table, "osymbols": table}
    text = fst.print(acceptor=kind is Automaton, **named)
    symbols = {0: "<epsilon>"} | dict(enumerate(LETTERS, start=1))
    tables = {} if numeric else {"input_symbols": symbols, "output_symbols": symbols}
    again = read_att(io.StringIO(text), kind.__name__.lower(), semiring="log", numeric=numeric, **tables)
    expected = series(machine)
    if numeric:  # OpenFst numbers the letters from 1
        numbers = {letter: str(number) for number, letter in symbols.items()}
        expected = {tuple(tuple(map(numbers.get, side)) for side in pair): cost for pair, cost in expected.items()}
    assert series(again) == pytest.approx(expected, abs=1e-6)

"""AT&T text: round trips, OpenFst's conventions, and errors that name the line."""

import io
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import assert_same, machines, series
from weft.automata import Automaton, Transducer, read_att, read_symbols, total_weight, write_att, write_symbols
from weft.errors import InputError

SEMIRINGS = ["real", "log", "tropical"]


def text_of(machine, **options):
    stream = io.StringIO()
    write_att(machine, stream, **options)
    return stream.getvalue()


@given(st.data(), st.sampled_from([Automaton, Transducer]), st.sampled_from(SEMIRINGS), st.booleans())
@settings(deadline=None, max_examples=100)
def test_what_is_written_is_read_back(data, kind, semiring, numeric):
    machine = data.draw(machines(kind, semiring, symbols=["a", " ", "é"]))
    tables = {"input_symbols": machine.input_symbols, "output_symbols": machine.output_symbols} if numeric else {}
    text = text_of(machine, numeric=numeric)
    again = read_att(io.StringIO(text), kind.__name__.lower(), semiring=semiring, numeric=numeric, **tables)
    assert type(again) is kind
    assert_same(series(again), series(machine))
    if again.n_states == machine.n_states:
        # Without a table, symbols are numbered as they appear, which can turn the order of lines.
        assert sorted(text_of(again, numeric=numeric).splitlines()) == sorted(text.splitlines())


def test_weights_keep_every_bit(tmp_path):
    machine = Automaton.from_arcs([(0, "a", 1, 0.1 + 0.2), (0, "b", 1, -1e-300)], final={1: 1 / 3})
    write_att(machine, tmp_path / "machine.txt")
    again = read_att(tmp_path / "machine.txt", "automaton")
    assert list(again.arcs()) == list(machine.arcs())
    assert again.final.tolist() == machine.final.tolist()


def test_the_first_line_names_the_start_and_numbers_may_have_gaps():
    machine = read_att(io.StringIO("7 3 a x 2\n3 7 <eps> <space>\n3 0.5\n"))
    assert (machine.n_states, machine.start) == (2, 0)
    assert [arc.label for arc in machine.arcs()] == [("a", "x"), (None, " ")]
    backwards = read_att(io.StringIO("1 0 a\n0\n"), "automaton")
    assert (backwards.start, total_weight(backwards)) == (1, 1.0)


def test_a_start_without_arcs_stays_the_start():
    machine = Automaton.from_arcs([(0, "a", 1)], final={1: 1.0}, start=1)
    again = read_att(io.StringIO(text_of(machine)), "automaton")
    assert total_weight(again) == 1.0
    nothing = Automaton.from_arcs([(0, "a", 1)], final={1: 1.0}, start=2)
    assert text_of(nothing).startswith("2\t0.0\n")
    assert total_weight(read_att(io.StringIO(text_of(nothing)), "automaton")) == 0.0
    assert read_att(io.StringIO(""), semiring="log").n_states == 1


def test_infinity_is_a_cost():
    machine = read_att(io.StringIO("0 1 a a Infinity\n0 1 b b 0.5\n1\n"), semiring="tropical")
    assert machine.weights.tolist() == [math.inf, 0.5]
    assert "Infinity" in text_of(machine)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("0 1 a b\n0 1 a\n", "transducer", "line 2: 3 columns; an arc of transducer wants 4, or 5 with a weight"),
        ("0 1 a b c d\n", "transducer", "line 1: 6 columns"),
        ("0 1 a b c\n", "automaton", "line 1: 5 columns"),
        ("\n0 1 a b heavy\n", "transducer", "line 2: weight 'heavy'; want a finite number"),
        ("0 1 a b nan\n", "transducer", "line 1: weight 'nan'"),
        ("0 1 a b inf\n", "transducer", "line 1: weight 'inf'"),
        ("zero 1 a b\n", "transducer", "line 1: state 'zero'; want an integer"),
        ("0 -1 a b\n", "transducer", "line 1: state '-1'"),
        ("0 1 a b\n1\n1 0.5\n", "transducer", "line 3: state 1 ends a second time"),
        (
            "99999999999 1 a b\n",
            "transducer",
            "line 1: state '99999999999'; want an integer from 0 with at most 9 digits",
        ),
    ],
)
def test_a_malformed_line_is_named(tmp_path, text, kind, message):
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_att(path, kind)
    assert str(error.value).startswith(f"{path}, {message}")
    assert "\n" not in str(error.value)


def test_labels_outside_the_symbol_table_are_named():
    with pytest.raises(InputError, match="line 1: label 'c' is not in the symbol table"):
        read_att(io.StringIO("0 1 c\n"), "automaton", input_symbols="ab")
    with pytest.raises(InputError, match="line 1: label '3'; want a number below 3"):
        read_att(io.StringIO("0 1 3\n"), "automaton", input_symbols="ab", numeric=True)
    with pytest.raises(InputError, match="numeric=True came without symbol tables"):
        read_att(io.StringIO("0 1 3\n"), "automaton", numeric=True)
    with pytest.raises(InputError, match="kind='acceptor' came"):
        read_att(io.StringIO(""), "acceptor")


@given(
    st.lists(
        st.lists(
            st.sampled_from(["0", "1", "22", "a", "<eps>", "-1", "0.5", "nan", "é", "\x00", "1e999", "٣"]), max_size=6
        )
    )
)
@settings(deadline=None, max_examples=200)
def test_any_text_is_read_or_refused_with_a_line(lines):
    text = "\n".join("\t".join(line) for line in lines)
    for kind in ("automaton", "transducer"):
        machine, message = attempt(io.StringIO(text), kind)
        if machine is None:
            assert ", line " in message
        else:
            again = read_att(io.StringIO(text_of(machine)), kind)
            assert again.n_arcs == machine.n_arcs
            assert sorted(again.weights.tolist()) == sorted(machine.weights.tolist())


def attempt(stream, kind):
    try:
        return read_att(stream, kind), ""
    except InputError as error:
        return None, str(error)


@given(st.binary(max_size=60))
@settings(deadline=None, max_examples=100)
def test_any_bytes_are_read_or_refused(content):
    machine, message = attempt(io.BytesIO(content), "transducer")
    assert (machine is None) == bool(message)
    assert "\n" not in message


@pytest.mark.parametrize("symbol", ["a b", "", "<eps>", "<space>", "a\tb", "\n"])
def test_symbols_that_columns_cannot_hold_are_refused_and_the_old_file_stays(tmp_path, symbol):
    path = tmp_path / "machine.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written as AT&T text"):
        write_att(Automaton.from_string([symbol]), path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in Path(tmp_path).iterdir()] == ["machine.txt"]


def test_symbol_tables_go_out_and_in(tmp_path):
    symbols = [None, "a", " ", "ü"]
    write_symbols(symbols, tmp_path / "symbols.txt")
    assert read_symbols(tmp_path / "symbols.txt") == symbols
    assert read_symbols(io.StringIO("b 2\na 1\n<eps> 0\n")) == [None, "a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n", "line 1: 'a'; want a symbol and its number"),
        ("a x\n", "line 1: 'a x'"),
        ("<eps> 0\na 1\nb 1\n", "line 3: number 1 comes twice"),
        ("<eps> 0\na 2\n", "none with number 1"),
        ("a 1\na 2\n", "'a' twice"),
    ],
)
def test_bad_symbol_tables_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_symbols(io.StringIO(text))

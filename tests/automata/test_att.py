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
@settings(max_examples=100)
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
    again = read_att(tmp_path / "machine.txt", semiring="real")
    assert list(again.arcs()) == list(machine.arcs())
    assert again.final.tolist() == machine.final.tolist()


def test_the_first_line_names_the_start_and_numbers_may_have_gaps():
    machine = read_att(io.StringIO("7 3 a x 2\n3 7 <eps> <space>\n3 0.5\n"), semiring="real")
    assert (machine.n_states, machine.start) == (2, 0)
    assert [arc.label for arc in machine.arcs()] == [("a", "x"), (None, " ")]
    backwards = read_att(io.StringIO("1 0 a\n0\n"), semiring="real")
    assert (backwards.start, total_weight(backwards)) == (1, 1.0)


def test_a_start_without_arcs_stays_the_start():
    machine = Automaton.from_arcs([(0, "a", 1)], final={1: 1.0}, start=1)
    again = read_att(io.StringIO(text_of(machine)), semiring="real")
    assert total_weight(again) == 1.0
    nothing = Automaton.from_arcs([(0, "a", 1)], final={1: 1.0}, start=2)
    assert text_of(nothing).startswith("2\t0.0\n")
    assert total_weight(read_att(io.StringIO(text_of(nothing)), semiring="real")) == 0.0
    assert read_att(io.StringIO(""), semiring="log").n_states == 1


def test_infinity_is_a_cost():
    machine = read_att(io.StringIO("0 1 a a Infinity\n0 1 b b 0.5\n1\n"), semiring="tropical")
    assert machine.weights.tolist() == [math.inf, 0.5]
    assert "Infinity" in text_of(machine)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("0 1 a b\n0 1 a\n", "transducer", "line 2: 3 columns; an arc of a transducer needs 4, or 5 with a weight"),
        ("0 1 a b c d\n", "transducer", "line 1: 6 columns"),
        ("0 1 a b c\n", "automaton", "line 1: 5 columns"),
        ("\n0 1 a b heavy\n", "transducer", "line 2: weight 'heavy'; need a finite number"),
        ("0 1 a b nan\n", "transducer", "line 1: weight 'nan'"),
        ("0 1 a b inf\n", "transducer", "line 1: weight 'inf'"),
        ("zero 1 a b\n", "transducer", "line 1: state 'zero'; need an integer"),
        ("0 -1 a b\n", "transducer", "line 1: state '-1'"),
        ("0 1 a b\n1\n1 0.5\n", "transducer", "line 3: state 1 ends a second time"),
        (
            "99999999999 1 a b\n",
            "transducer",
            "line 1: state '99999999999'; need an integer from 0 with at most 9 digits",
        ),
    ],
)
def test_a_malformed_line_is_named(tmp_path, text, kind, message):
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_att(path, kind, semiring="real")
    assert str(error.value).startswith(f"{path}, {message}")
    assert "\n" not in str(error.value)


def test_labels_outside_the_symbol_table_are_named():
    with pytest.raises(InputError, match="line 1: label 'c' is not in the symbol table"):
        read_att(io.StringIO("0 1 c\n"), semiring="real", input_symbols="ab")
    with pytest.raises(InputError, match="line 1: label '3' is not a number of the symbol table"):
        read_att(io.StringIO("0 1 3\n"), semiring="real", input_symbols="ab", numeric=True)
    with pytest.raises(InputError, match="line 1: label 'a' is not a number"):
        read_att(io.StringIO("0 1 a\n"), semiring="real", numeric=True)
    with pytest.raises(InputError, match="kind='acceptor' given"):
        read_att(io.StringIO(""), "acceptor", semiring="real")


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["0 1 a", "1 2 b 0.5", "2 0"], Automaton),
        (["0 1 a b", "1 2 a b 0.5", "2 0"], Transducer),
        (["0 1 a b", "1 2 b c", "2"], Transducer),
        (["0 1 a 0.5", "1 2 b 3", "2"], Automaton),
        (["0 1 a 1", "1 2 b c", "2"], Transducer),
        (["0 1 a Infinity", "0 2 b 1", "2"], Automaton),
        (["0"], Automaton),
    ],
)
def test_columns_tell_an_acceptor_from_a_transducer(lines, kind):
    assert type(read_att(io.StringIO("\n".join(lines)), semiring="tropical")) is kind


def test_columns_that_do_not_tell_are_asked_about():
    both = "0 1 a 1\n1 2 b 2\n2\n"
    with pytest.raises(InputError, match=r"line 1: column 4 may be a weight or an output; .*kind='automaton'"):
        read_att(io.StringIO(both), semiring="tropical")
    assert read_att(io.StringIO(both), "automaton", semiring="tropical").weights.tolist() == [1.0, 2.0]
    assert read_att(io.StringIO(both), "transducer", semiring="tropical").output_symbols == [None, "1", "2"]
    assert isinstance(read_att(io.StringIO(both), semiring="tropical", output_symbols=["1", "2"]), Transducer)
    with pytest.raises(InputError, match="line 2: 5 columns; line 1 is an arc of an automaton, with 3"):
        read_att(io.StringIO("0 1 a\n1 2 a b 0.5\n"), semiring="tropical")


def test_weights_are_costs_or_probabilities_as_the_caller_says():
    text = "0 1 a 0.5\n1 2 b 0.25\n2 0\n"
    with pytest.raises(InputError, match=r"semiring is missing; .*'log' or 'tropical' for costs.*'real' for prob"):
        read_att(io.StringIO(text))
    assert total_weight(read_att(io.StringIO(text), semiring="tropical")) == 0.75
    # Read as a probability the 0 would take the only end away.
    with pytest.raises(InputError, match=r"line 3: state 2 ends with weight 0.*'log' or 'tropical'"):
        read_att(io.StringIO(text), semiring="real")


def test_numbers_stand_for_themselves_and_0_is_epsilon():
    text = "0 1 7 0 0.5\n1 2 0 12\n2 0\n"
    machine = read_att(io.StringIO(text), semiring="tropical", numeric=True)
    assert [arc.label for arc in machine.arcs()] == [("7", None), (None, "12")]
    assert text_of(machine, epsilon="0").splitlines() == ["0\t1\t7\t0\t0.5", "1\t2\t0\t12", "2"]
    with pytest.raises(InputError, match=r"line 2: label '0' may be epsilon or a symbol; .*numeric=True"):
        read_att(io.StringIO(text), semiring="tropical")
    assert series(read_att(io.StringIO(text), semiring="tropical", epsilon="0")) == series(machine)
    digits = read_att(io.StringIO("0 1 2\n1 2 0\n2\n"), semiring="real", numeric=False)
    assert series(digits) == series(Automaton.from_string("20"))


@given(
    st.lists(
        st.lists(
            st.sampled_from(["0", "1", "22", "a", "<eps>", "-1", "0.5", "nan", "é", "\x00", "1e999", "٣"]), max_size=6
        )
    )
)
@settings(max_examples=200)
def test_any_text_is_read_or_refused_with_a_line(lines):
    text = "\n".join("\t".join(line) for line in lines)
    for kind in (None, "automaton", "transducer"):
        machine, message = attempt(io.StringIO(text), kind)
        if machine is None:
            assert ", line " in message
        else:
            again = read_att(io.StringIO(text_of(machine)), kind, semiring="real", numeric=False)
            assert again.n_arcs == machine.n_arcs
            assert sorted(again.weights.tolist()) == sorted(machine.weights.tolist())


def attempt(stream, kind):
    try:
        return read_att(stream, kind, semiring="real"), ""
    except InputError as error:
        return None, str(error)


@given(st.binary(max_size=60))
@settings(max_examples=100)
def test_any_bytes_are_read_or_refused(content):
    machine, message = attempt(io.BytesIO(content), None)
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
    assert read_symbols(tmp_path / "symbols.txt") == {0: "<eps>", 1: "a", 2: " ", 3: "ü"}
    assert read_symbols(io.StringIO("b 2\na 1\n<eps> 0\n")) == {0: "<eps>", 1: "a", 2: "b"}


def test_symbol_tables_may_have_gaps_and_name_epsilon_as_they_like(tmp_path):
    text = "<epsilon> 0\na 3\nb 900000000\n"
    table = read_symbols(io.StringIO(text))
    write_symbols(table, tmp_path / "symbols.txt")
    assert read_symbols(tmp_path / "symbols.txt") == table
    tables = {"input_symbols": table, "output_symbols": table, "semiring": "tropical"}
    by_number = read_att(io.StringIO("0 1 3 0 0.5\n1 2 0 900000000\n2\n"), numeric=True, **tables)
    by_name = read_att(io.StringIO("0 1 a <epsilon> 0.5\n1 2 <epsilon> b\n2\n"), **tables)
    assert by_number.input_symbols == by_name.output_symbols == [None, "a", "b"]
    assert series(by_number) == series(by_name) == {(("a",), ("b",)): 0.5}
    with pytest.raises(InputError, match="line 1: label '1' is not a number of the symbol table"):
        read_att(io.StringIO("0 1 1 0\n"), numeric=True, **tables)
    assert Automaton.from_arcs([(0, "b", 1)], {1: 1.0}, symbols=table).symbols == [None, "a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n", "line 1: 'a'; need a symbol and its number"),
        ("a x\n", "line 1: 'a x'"),
        ("<eps> 0\na 1\nb 1\n", "line 3: number 1 comes twice"),
        ("a 1\na 2\n", "'a' twice"),
    ],
)
def test_bad_symbol_tables_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_symbols(io.StringIO(text))

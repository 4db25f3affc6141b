"""Tests of `weft.structures.grammar.text`."""

import pytest

from weft.errors import InputError
from weft.structures import Grammar


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("S -> L S | L\nL -> a | Q", {}, "nonterminal Q has no rules"),
        ("S -> a b2", {"terminals": ["a"]}, "unknown symbol 'b2'"),
        ("S -> A\nA -> B\nB -> A | a", {}, "form a cycle"),
        ("S -> a\nA -> b", {}, "'A -> b' is unreachable from S"),
        ("S -> a | A\nA -> A S", {}, "nonterminal A derives no string"),
        ("S -> a | a", {}, "stands twice"),
        ("S -> a b c", {}, "a form that is not known"),
        ("S -> a ~ a a", {}, "a form that is not known"),
        ("S -> ", {}, "empty right side"),
        ("S a", {}, "line 1 of the grammar has no rule"),
        ("# nothing", {}, "no rules"),
        ("S -> a '", {}, "stray quote"),
        ("S -> a", {"start": "T"}, "start is 'T'"),
        ("S -> a", {"min_inside": -1}, "min_inside is -1"),
        (3, {}, "the grammar is a int"),
    ],
)
def test_bad_grammars_are_refused_with_a_reason(text, options, message):
    with pytest.raises(InputError, match=message):
        Grammar(text, **options)


def test_text_forms():
    grammar = Grammar("# comment\nS -> 'The' S\n  | \"x\" S y\n  | z", start="S")
    assert grammar.symbols == ["The", "x", "y", "z"]
    assert grammar.feature_names == ["S -> The S", "S -> x S y", "S -> z"]
    clone = Grammar(**grammar.get_params())
    assert clone.feature_names == grammar.feature_names
    assert "1 nonterminals, 3 rules, 4 terminals" in repr(grammar)

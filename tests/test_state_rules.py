"""Every kind of rule, and what breaks it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from weft.errors import ModelFileError
from weft.state_rules import (
    HISTORY,
    SYMBOLS,
    boolean,
    check_arrays,
    check_state,
    choice,
    flags,
    floats,
    integers,
    list_of,
    offsets,
    optional,
    packed_symbols,
    part,
    real,
    rest,
    whole,
)

RULES = {
    "labels": integers("n", low=-1, below="n_labels", dtype="int32"),
    "rows": offsets("n_rows+1", "n"),
    "weights": floats("n", 2),
    "logs": floats("n_rows", impossible=True),
    "keys": integers(3, order="distinct"),
    "mask": optional(flags("n_rows")),
}


def arrays(**changes):
    whole_set = {
        "labels": np.array([0, 3, -1, 1], dtype=np.int32),
        "rows": np.array([0, 1, 1, 4]),
        "weights": np.ones((4, 2)),
        "logs": np.array([0.0, -np.inf, -2.0]),
        "keys": np.array([1, 5, 6]),
    }
    return {**whole_set, **changes}


def test_what_keeps_the_rules_passes_and_gives_sizes():
    assert check_arrays("it", arrays(), RULES, n_labels=4) == {"n_labels": 4, "n": 4, "n_rows": 3}
    check_arrays("it", arrays(mask=np.array([True, False, True])), RULES, n_labels=4)
    check_arrays("it", arrays(logs=np.full(3, -np.inf)), RULES, n_labels=4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": np.array([0, 4, 0, 0], dtype=np.int32)}, "'labels' of it has entries from 0 to 4; needed -1 to 3"),
        ({"labels": np.array([0, -2, 0, 0], dtype=np.int32)}, "entries from -2 to 0; needed -1 to 3"),
        ({"labels": np.array([0, 1, 0, 0])}, "'labels' of it has type int64; needed int32"),
        ({"rows": np.array([0, 2, 1, 4])}, "'rows' of it does not rise from 0 to 4"),
        ({"rows": np.array([1, 1, 1, 4])}, "does not rise from 0 to 4"),
        ({"rows": np.array([0, 1, 1, 5])}, "does not rise from 0 to 4"),
        ({"rows": np.zeros(0, dtype=np.int64)}, r"has shape \(0,\); needed \(n_rows\+1\)"),
        ({"weights": np.ones((3, 2))}, r"has shape \(3, 2\); needed \(n, 2\) with n = 4"),
        ({"weights": np.ones(8)}, r"has shape \(8,\)"),
        ({"weights": np.full((4, 2), np.nan)}, "entries from nan to nan; needed -1e[+]100 to 1e[+]100"),
        ({"weights": np.array([[1.0, np.nan]] * 4)}, "entries from nan"),
        ({"weights": np.full((4, 2), np.inf)}, "to inf"),
        ({"weights": np.full((4, 2), -np.inf)}, "from -inf"),
        ({"weights": np.full((4, 2), -1e308)}, "from -1e[+]308"),
        ({"logs": np.array([0.0, np.inf, -np.inf])}, "'logs'.* to inf; needed .* or -inf"),
        ({"logs": np.array([0.0, np.nan, -np.inf])}, "'logs'"),
        ({"logs": np.array([0.0, -1e200, -np.inf])}, "from -1e[+]200"),
        ({"keys": np.array([1, 1, 6])}, "'keys' of it is not sorted without repeats"),
        ({"mask": np.zeros(3)}, "'mask' of it has type float64; needed bool"),
        ({"other": np.zeros(3)}, "it has an array 'other'; needed only labels, rows"),
    ],
)
def test_what_breaks_a_rule_is_named(changes, message):
    with pytest.raises(ModelFileError, match=message) as caught:
        check_arrays("it", arrays(**changes), RULES, n_labels=4)
    assert "\n" not in str(caught.value)


def test_a_missing_array_is_named():
    without = arrays()
    del without["keys"]
    with pytest.raises(ModelFileError, match="it lacks the array 'keys'"):
        check_arrays("it", without, RULES, n_labels=4)


def test_rows_that_may_not_be_empty():
    rules = {"rows": offsets("n+1", 4, empty=False)}
    check_arrays("it", {"rows": np.array([0, 1, 4])}, rules)
    with pytest.raises(ModelFileError, match="does not rise"):
        check_arrays("it", {"rows": np.array([0, 1, 1, 4])}, rules)


def test_packed_symbols_have_as_many_kinds_as_offsets():
    rules = packed_symbols("names", "n")
    fine = {
        "names.data": np.zeros(3, np.uint8),
        "names.offsets": np.array([0, 1, 3]),
        "names.kinds": np.zeros(2, np.uint8),
    }
    assert check_arrays("it", fine, rules)["n"] == 2
    with pytest.raises(ModelFileError, match=r"names\.offsets"):
        check_arrays("it", {**fine, "names.kinds": np.zeros(3, np.uint8)}, rules)


def test_parts_and_the_rest_are_all():
    everything = {"a.x": np.zeros(1), "a.b.x": np.zeros(2), "ab": np.zeros(3)}
    assert set(part(everything, "a")) == {"x", "b.x"}
    assert set(rest(everything, "a")) == {"ab"}


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (whole(1, 5), [1, 5], [0, 6, True, 1.0, "1", None]),
        (real(0.0), [0, 0.5, 1e90], [-1, float("nan"), float("inf"), True, "0"]),
        (boolean(), [True, False], [0, 1, None, "true"]),
        (choice("a", None), ["a", None], ["b", 0, False, []]),
        (choice(True), [True], [1, False]),
        (list_of(whole(), 1), [[1], (2, 3)], [[], [-1], "1", {1: 2}, None]),
        (HISTORY, [[], [{"objective": 1.0, "score": None}]], [[1], [{"objective": [1]}], {}, [{1: 2}]]),
        (SYMBOLS, [["a", 1, None, ("x", 2)]], [[["a"]], [{}], "ab"]),
    ],
)
def test_rules_for_plain_values(rule, good, bad):
    for value in good:
        check_state("it", {"value": value}, {"value": rule})
    for value in bad:
        with pytest.raises(ModelFileError, match="'value' of it is") as caught:
            check_state("it", {"value": value}, {"value": rule})
        assert "\n" not in str(caught.value)


def test_states_have_exactly_the_values_of_the_rules():
    rules = {"a": whole(), "b": optional(whole())}
    check_state("it", {"a": 1}, rules)
    with pytest.raises(ModelFileError, match="it lacks the value 'a'"):
        check_state("it", {"b": 1}, rules)
    with pytest.raises(ModelFileError, match="it has a value 'c'; needed only a, b"):
        check_state("it", {"a": 1, "c": 1}, rules)
    with pytest.raises(ModelFileError, match="the state of it is a list"):
        check_state("it", [], rules)
    assert replace(rules["b"], optional=False) == replace(rules["a"], accepts=rules["b"].accepts)

"""Tests of `weft.structures.hankel.bi_symbols`."""

import pytest

import weft
from hankel_problems import CLASSES, X, make
from weft.errors import InputError
from weft.structures.hankel.bi_symbols import BiSymbols, symbol_columns


def test_arrays_and_attributes_without_symbol_are_refused():
    with pytest.raises(InputError, match="X holds arrays"):
        symbol_columns("vectors", [0, 1], "")
    with pytest.raises(InputError, match="no attribute begins with symbol='w='"):
        symbol_columns("dicts", ["word:a"], "w=")


def test_rare_symbols_count_as_unseen():
    encoder, _, corpus, labels = make()
    columns = symbol_columns("symbols", encoder.feature_names, "")
    pairs = BiSymbols.collect(columns, corpus, labels, 3, min_count=5)
    assert pairs.symbols(corpus).tolist().count(-1) == sum(word.count("c") for word in X)
    assert {name for name, _ in pairs.names(encoder.feature_names, CLASSES)} == {"a", "b"}


def test_a_least_count_that_no_symbol_has_is_refused():
    with pytest.raises(InputError, match=r"no symbol has min_count=9 tokens or more; lower min_count"):
        weft.SpectralTagger(min_count=9).fit([["a", "b"]], [["x", "y"]])

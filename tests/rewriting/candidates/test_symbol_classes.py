"""Tests of `weft.rewriting.candidates.symbol_classes`."""

import numpy as np

from weft.rewriting.candidates.symbol_classes import alternating_classes, neighbour_classes


def test_classes_of_symbols():
    words = ["banana", "tomato", "potato", "binomi", "topaz", "mona"]
    letters = sorted(set("".join(words)))
    symbols = np.array([letters.index(c) for word in words for c in word], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    classes = alternating_classes(symbols, offsets, len(letters))
    assert {c for c, vowel in zip(letters, classes, strict=True) if vowel} == {"a", "o", "i"}
    assert neighbour_classes(symbols[:1], np.array([0, 1]), 1, 3).tolist() == [0]

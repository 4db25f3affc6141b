"""Which attributes and steps of a tagger have weights."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.tag.features import choose_features, features_of_parts
from weft.sequences.encoder import TokenEncoder

SYMBOLS = [["a", "b"], ["b"]]
LABELS = np.array([0, 1, 1], dtype=np.int32)
CLASSES = np.array(["x", "y"], dtype=object)
ATTRIBUTES = [[["a"], ["b"]], [["b"]]]


def chosen(X, **options):
    encoder = TokenEncoder()
    corpus = encoder.encode_training(X)
    chain = choose_features(weft.Tagger(**options), corpus, LABELS, CLASSES, encoder)
    return list(chain.names(encoder.feature_names, CLASSES))


PAIRS = [(symbol, label) for symbol in "ab" for label in "xy"]
STEPS = [(first, second) for first in "xy" for second in "xy"]


def test_all_pairs_of_symbols_and_the_observed_ones_of_attributes():
    assert chosen(SYMBOLS) == PAIRS + STEPS
    assert chosen(ATTRIBUTES) == [("a", "x"), ("b", "y"), ("x", "y")]


def test_options_decide_over_the_form():
    assert chosen(SYMBOLS, pairs="observed") == [("a", "x"), ("b", "y"), ("x", "y")]
    assert chosen(SYMBOLS, pairs="observed", transitions="all") == [("a", "x"), ("b", "y"), *STEPS]
    assert chosen(ATTRIBUTES, min_frequency=2.0) == [("b", "y")]


def test_parts_say_together_what_was_seen():
    encoder = TokenEncoder()
    encoder.encode_training(ATTRIBUTES)
    mask, grams = np.eye(2, dtype=bool), [np.array([[0, 1]])]
    chain = features_of_parts(weft.Tagger(), encoder, CLASSES, mask, grams)
    assert list(chain.names(encoder.feature_names, CLASSES)) == chosen(ATTRIBUTES)
    with pytest.raises(InputError, match=r"min_frequency is 2\.0, which is not counted over parts"):
        features_of_parts(weft.Tagger(min_frequency=2.0), encoder, CLASSES, mask, grams)

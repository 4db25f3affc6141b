"""Alignments by whole numbers are those of the pass over floats, move by move, and no other scores more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_oracle import all_moves, feature_vector
from weft.structures.alignment.loops import integers
from weft.structures.alignment.loops.integers import decode_integers
from weft.structures.alignment.loops.pairs import decode_pairs
from weft.structures.alignment.pair_corpus import Alignments
from weft.structures.alignment.structure import Alignment

NO_COLUMNS = np.empty(0, dtype=np.int32)
STRUCTURE = Alignment("substitution", "ABCD")


def room(corpus):
    found = Alignments.empty(corpus)
    found.n_moves[:] = -1
    return found


def in_integers(corpus, weights, dtype):
    pairs, opening, _ = STRUCTURE.reduced(weights, corpus.n_symbols)
    found = room(corpus)
    table = pairs.astype(dtype)
    decode_integers(0, len(corpus), corpus.arrays, table, int(opening), found.moves, found.offsets, found.n_moves)
    return found


def in_floats(corpus, weights):
    pairs, opening, _ = STRUCTURE.reduced(weights, corpus.n_symbols)
    found = room(corpus)
    decode_pairs(
        0, len(corpus), corpus.arrays, pairs, opening, (1.0, 1.0), NO_COLUMNS, 0.0,
        found.moves, found.offsets, found.n_moves,
    )  # fmt: skip
    return found


def drawn_weights(random, size=4):
    """Small numbers, so that many alignments score alike; an opening is not better than an extension."""
    weights = random.integers(-size, size + 1, size=STRUCTURE.n_features).astype(float)
    weights[-2:] = np.sort(random.integers(-2 * size, 2, size=2))
    return weights


def mutated(random, text, rate):
    """The text with letters replaced, left out and put in, now and then many at once."""
    out = []
    for letter in text:
        kind = random.random() / rate
        if kind > 1.0:
            out.append(letter)
        elif kind < 0.5:
            out.append(random.choice(list("ABCD")))
        elif kind < 0.75:
            out.extend([letter, *random.choice(list("ABCD"), size=random.geometric(0.5))])
    return "".join(out) or "A"


@pytest.mark.nojit
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@given(st.text("ABCD", max_size=4), st.text("ABCD", max_size=4), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_no_alignment_scores_more(dtype, first, second, seed):
    weights = drawn_weights(np.random.default_rng(seed))
    corpus = STRUCTURE.encode([(first, second)])
    moves = in_integers(corpus, weights, dtype)[0]
    outputs = all_moves(len(first), len(second))
    scores = [feature_vector(STRUCTURE, (first, second), each) @ weights for each in outputs]
    assert scores[outputs.index(tuple(moves))] == max(scores)
    np.testing.assert_array_equal(moves, in_floats(corpus, weights)[0])


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("seed", range(6))
def test_moves_are_those_of_the_pass_over_floats(dtype, seed):
    random = np.random.default_rng(seed)
    weights = drawn_weights(random, size=1 + 2 * seed)
    lengths = random.integers(1, 140, size=(60, 2))
    pairs = [tuple("".join(random.choice(list("ABCD"), size=size)) for size in both) for both in lengths]
    pairs += [(text, mutated(random, text, 0.3)) for text, _ in pairs]
    corpus = STRUCTURE.encode([*pairs, ("", "AB"), ("AB", "")])
    found, wanted = in_integers(corpus, weights, dtype), in_floats(corpus, weights)
    for i in range(len(corpus)):
        np.testing.assert_array_equal(found[i], wanted[i])


@pytest.mark.parametrize("seed", range(6))
def test_bands_change_no_move(seed):
    """Similar pairs, a block of one sequence moved, lost or doubled: a band is too narrow for some of them."""
    random = np.random.default_rng(seed)
    matches = np.where([a == b for a, b in STRUCTURE.feature_names[:-2]], 5.0, -4.0 + seed % 3)
    weights = np.array([*matches, -8.0 + seed, -1.0])
    pairs = []
    for rate in (0.02, 0.1, 0.3):
        for _ in range(4):
            text = "".join(random.choice(list("ABCD"), size=random.integers(400, 900)))
            place, size = random.integers(50, 300), random.integers(0, 90)
            block, rest = text[place : place + size], text[:place] + text[place + size :]
            pairs += [(text, mutated(random, other, rate)) for other in (text, rest, text + block, rest + block)]
    pairs += [(second, first) for first, second in pairs]
    corpus = STRUCTURE.encode(pairs)
    found, wanted = in_integers(corpus, weights, np.int16), in_floats(corpus, weights)
    for i in range(len(corpus)):
        np.testing.assert_array_equal(found[i], wanted[i])


def test_a_band_says_when_it_is_too_narrow():
    """A long gap goes and comes back: a narrow band finds another alignment, and asks for more."""
    random = np.random.default_rng(3)
    text, block = ("".join(random.choice(list("ABCD"), size=size)) for size in (600, 60))
    corpus = STRUCTURE.encode([(block + text, text + block)])
    weights = np.array([*np.where([a == b for a, b in STRUCTURE.feature_names[:-2]], 5.0, -4.0), -8.0, -1.0])
    pairs, opening, _ = STRUCTURE.reduced(weights, 4)
    table, opening = pairs.astype(np.int16), int(opening)
    letters, second = corpus.first.astype(np.int64), corpus.second
    kinds, tops, moves = np.arange(4), table.max(axis=1).astype(np.int64), np.empty(2000, dtype=np.uint8)
    fixed, low = (letters, kinds, second, table, opening), -32768 - 2 * opening
    n_moves, needed = integers._in_band(*fixed, low, tops, int(tops.min()), 32, moves)
    assert n_moves == -1
    assert needed > 2 * 60
    n_moves, width = integers._in_band(*fixed, low, tops, int(tops.min()), needed, moves)
    assert width == needed
    np.testing.assert_array_equal(moves[:n_moves], in_floats(corpus, weights)[0])


def test_scores_beyond_sixteen_bits_are_left_to_wider_ones():
    pairs = [("A" * 300, "A" * 299), ("A" * 60, "AB" * 20)]
    weights = np.array([*[200.0, *[-200.0] * (STRUCTURE.n_features - 3)], -300.0, -100.0])
    corpus = STRUCTURE.encode(pairs)
    narrow = in_integers(corpus, weights, np.int16)
    assert narrow.n_moves[0] == -1
    assert narrow.n_moves[1] > 0
    wide, wanted = in_integers(corpus, weights, np.int32), in_floats(corpus, weights)
    for i in range(2):
        np.testing.assert_array_equal(wide[i], wanted[i])

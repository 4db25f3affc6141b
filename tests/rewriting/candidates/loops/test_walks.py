"""Tests of `weft.rewriting.candidates.loops.walks`: all walks in turn find what one walk after the other does."""

import itertools

import numpy as np
import pytest

from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import JoinedViews, View
from weft.rewriting.candidates.loops.chains import score_positions
from weft.rewriting.candidates.loops.walks import AT_ONCE

N_SYMBOLS = 5
CLASSES = np.array([0, 1, 0, 1, 2])


def plain_contexts(contexts, symbols, begin, end, t):
    """Numbers of the contexts of one position, each looked for in the list of all keys."""
    view = contexts.view
    _, classes, boundary = view.packed
    known = {int(key): contexts.n_roots + i for i, key in enumerate(contexts.keys)}
    found = []
    for start in (*range(-view.width, 1), *range(2, view.width + 1)):
        node = (start + view.width) * view.n_symbols + int(view.middle[symbols[t]])
        for offset in range(start, view.width + 1):
            place = t + offset
            if offset == 0 and start < 0:
                continue
            if begin <= place < end:
                symbol = int(symbols[place]) if abs(offset) <= view.radius else int(classes[symbols[place]])
            elif place in (begin - 1, end):
                symbol = boundary
            else:
                break
            node = known.get(node * (boundary + 1) + symbol, -1)
            if node < 0:
                break
            found.append(node - contexts.n_roots)
    return found


@pytest.fixture
def words():
    random = np.random.default_rng(3)
    lengths = random.permutation([1, 2, 3, 5, 8, 13, AT_ONCE, 3 * AT_ONCE + 1, 1, 4] * 6)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return random.integers(0, N_SYMBOLS, offsets[-1]).astype(np.int32), offsets


def views():
    return [View(3, 3, CLASSES), View(2, 0, CLASSES), View(1, 1, CLASSES, CLASSES), View(0, 0, CLASSES)]


def test_all_contexts_are_found_in_order(words):
    symbols, offsets = words
    contexts = tuple(view.collect(symbols, offsets, 2) for view in views())
    rows, numbers = JoinedViews(contexts).find(symbols, offsets)
    before = np.cumsum([0, *map(len, contexts)])
    for begin, end in itertools.pairwise(offsets):
        for t in range(begin, end):
            wanted = [
                number + first
                for each, first in zip(contexts, before, strict=False)
                for number in plain_contexts(each, symbols, begin, end, t)
            ]
            assert numbers[rows[t] : rows[t + 1]].tolist() == wanted


def test_sequences_of_a_part_and_empty_ones(words):
    symbols, offsets = words
    contexts = tuple(view.collect(symbols, offsets, 2) for view in views())
    joined = JoinedViews(contexts)
    rows, numbers = joined.find(symbols, offsets)
    doubled = np.sort(np.concatenate([offsets, offsets[[0, 7, 7, -1]]]))
    again_rows, again = joined.find(symbols, doubled)
    assert (again_rows == rows).all()
    assert (again == numbers).all()


def test_a_symbol_that_is_none_has_no_contexts(words):
    symbols, offsets = words
    contexts = tuple(view.collect(symbols, offsets, 2) for view in views())
    symbols = symbols.copy()
    symbols[::7] = -1
    rows, _ = JoinedViews(contexts).find(symbols, offsets)
    counts = np.diff(rows)
    assert (counts[::7] == 0).all()
    assert (counts[symbols >= 0] > 0).all()


def test_scores_are_those_of_contexts_one_by_one(words):
    """To the last bit, for weights are added in the same order."""
    symbols, offsets = words
    random = np.random.default_rng(5)
    n_candidates = np.array([3, 1, 4, 2, 5])
    first = np.concatenate([[0], np.cumsum(n_candidates)])
    candidates = first[symbols] + random.integers(0, n_candidates[symbols])
    labels = np.arange(first[-1], dtype=np.int32)
    traits = [random.permutation(6)[: random.integers(0, 4)].tolist() for _ in labels]
    chain, _ = CandidateChain.collect(
        symbols, offsets, candidates, first, labels, views=views()[:2], trait_views=views()[2:], traits=traits
    )
    weights = random.normal(size=chain.n_features)
    entries = (chain.entry_offsets, chain.entry_places, chain.split(weights)[0])
    wanted, scores = np.zeros((2, len(symbols), chain.most_candidates))
    kinds = (chain.first, chain.classes, chain.trait_offsets, chain.traits)
    score_positions((symbols, *chain.find(symbols, offsets)), kinds, entries, wanted)
    own = (chain.first, chain.trait_offsets, chain.traits)
    chain.joined_views.score(symbols, offsets[:20], own, chain.n_places, entries, scores)
    chain.joined_views.score(symbols, offsets[19:], own, chain.n_places, entries, scores)
    assert np.abs(scores).max() > 1.0
    assert scores.tobytes() == wanted.tobytes()

"""EM over chunk alignments against enumeration of all paths."""

import itertools
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_pairs import make_pairs
from weft.datasets import load_g2p_cmudict
from weft.errors import InputError
from weft.rewriting.chunks.alignment import ChunkAlignment, allowed_steps, possible_pairs

STEPS = allowed_steps(2, 2)


def paths(n, m, i=0, j=0):
    """All ways from (i, j) to (n, m), as lists of steps."""
    if (i, j) == (n, m):
        yield []
    for k, (a, b) in enumerate(STEPS.tolist()):
        if i + a <= n and j + b <= m:
            for rest in paths(n, m, i + a, j + b):
                yield [k, *rest]


def chunks(pair, path):
    i = j = 0
    for k in path:
        a, b = STEPS[k]
        yield tuple(pair[0][i : i + a]), tuple(pair[1][j : j + b])
        i, j = i + a, j + b


words = st.lists(st.integers(0, 2), min_size=1, max_size=4)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=4).filter(
    lambda pairs: all(len(y) <= 2 * len(x) for x, y in pairs)
)


@settings(max_examples=15)
@given(corpora)
def test_counts_and_best_paths_equal_enumeration(sequences):
    alignment = ChunkAlignment(make_pairs(sequences), STEPS, n_jobs=1).learn(max_iter=2, tol=0.0)
    logs, names = {}, {}
    for pair in sequences:
        for path in paths(len(pair[0]), len(pair[1])):
            for chunk in chunks(pair, path):
                names.setdefault(chunk, None)
    # The model gives its probabilities back through the best paths of single chunks.
    counts, total = alignment._lattices.expected_chunks(alignment.probabilities)
    expected_total, n_steps = 0.0, 0.0
    for chunk in names:
        single = make_pairs([chunk]) if chunk[1] else None
        if single is not None:
            fresh = [k for k, (a, b) in enumerate(STEPS.tolist()) if (a, b) == (len(chunk[0]), len(chunk[1]))]
            assert len(fresh) == 1
        logs[chunk] = chunk_log_probability(alignment, chunk)
    for index, pair in enumerate(sequences):
        scores = [
            (sum(logs[chunk] for chunk in chunks(pair, path)), path) for path in paths(len(pair[0]), len(pair[1]))
        ]
        partition = np.logaddexp.reduce([score for score, _ in scores])
        expected_total += partition
        n_steps += sum(np.exp(score - partition) * len(path) for score, path in scores)
        assert alignment.best()[1][index] == pytest.approx(max(score for score, _ in scores))
    assert total == pytest.approx(expected_total)
    assert counts.sum() == pytest.approx(n_steps)


def chunk_log_probability(alignment, chunk):
    """The number of a chunk pair is the place of its symbols."""
    for place, (first, second) in enumerate(zip(*alignment.chunks(), strict=True)):
        if (tuple(first[first >= 0]), tuple(second[second >= 0])) == chunk:
            return np.log(alignment.probabilities[place])
    raise AssertionError(chunk)


def test_likelihood_without_penalty_never_falls(monkeypatch):
    monkeypatch.setattr("weft.rewriting.chunks.alignment.LONG_CHUNK_PENALTY", 0.0)
    random = np.random.default_rng(0)
    sequences = [(random.integers(0, 4, 5).tolist(), random.integers(0, 4, 6).tolist()) for _ in range(30)]
    likelihoods = ChunkAlignment(make_pairs(sequences), STEPS, n_jobs=2).learn(8, 0.0).log_likelihoods
    assert np.all(np.diff(likelihoods) >= -1e-9)


def test_long_sequences_do_not_underflow():
    random = np.random.default_rng(0)
    word = random.integers(0, 20, 1000).tolist()
    pairs = make_pairs([(word, word), *(([k], [k]) for k in range(20))])
    alignment = ChunkAlignment(pairs, STEPS, n_jobs=1).learn(4)
    assert np.isfinite(alignment.log_likelihoods).all()
    assert np.mean(STEPS[alignment.best()[0][: len(word)]] == [1, 1]) > 0.9


def test_which_pairs_are_possible():
    pairs = make_pairs([([0], [0, 1]), ([0], [0, 1, 1]), ([], [0]), ([0], []), ([0, 0, 0], [1])])
    assert possible_pairs(pairs, STEPS).tolist() == [True, False, False, False, True]
    with pytest.raises(InputError, match="no pair"):
        ChunkAlignment(pairs.select(np.empty(0, dtype=np.int64)), STEPS)


@pytest.mark.needs_data("g2p_cmudict")
@pytest.mark.slow
def test_a_whole_dictionary_in_a_minute_and_memory_linear_in_it():
    lexicon = load_g2p_cmudict("train")
    sides = []
    for side in (lexicon.inputs, lexicon.outputs):
        numbers = {symbol: number for number, symbol in enumerate(sorted(set(itertools.chain(*side))))}
        sides.append([[numbers[symbol] for symbol in sequence] for sequence in side])
    pairs = make_pairs(list(zip(*sides, strict=True)))
    pairs = pairs.select(np.flatnonzero(possible_pairs(pairs, STEPS)))
    assert len(pairs) > 113_000
    ChunkAlignment(pairs.select(np.arange(100)), STEPS).learn().best()  # compiles
    began = time.process_time()  # of all threads
    alignment = ChunkAlignment(pairs, STEPS).learn()
    alignment.best()
    assert time.process_time() - began < 60.0
    assert alignment.log_likelihoods[-1] > alignment.log_likelihoods[0]
    peaks = []
    for step in (16, 4):
        part = pairs.select(np.arange(0, len(pairs), step))
        tracemalloc.start()
        ChunkAlignment(part, STEPS, n_jobs=1).learn(2).best()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * 4 * peaks[0]

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
from weft.rewriting.chunks.loops import log_space_counts

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


def in_logarithms(pair, alignment, steps):
    """Log-likelihood of a pair and expected count of each chunk pair, row by row in logarithms."""
    n, m = map(len, pair)
    inputs, outputs = ({tuple(row[row >= 0]) for row in side} for side in alignment.chunks())
    inputs, outputs = ({chunk: place for place, chunk in enumerate(sorted(side))} for side in (inputs, outputs))
    numbers = np.full((len(inputs), len(outputs)), -1)  # of the chunk pairs
    for number, (x, y) in enumerate(zip(*alignment.chunks(), strict=True)):
        numbers[inputs[tuple(x[x >= 0])], outputs[tuple(y[y >= 0])]] = number
    with np.errstate(divide="ignore"):
        logs = np.log(alignment.probabilities)
    columns = {b: [outputs[tuple(pair[1][j : j + b])] for j in range(m + 1 - b)] for b in set(steps[:, 1].tolist())}
    edges = [(i, a, b) for i in range(n) for a, b in steps.tolist() if i + a <= n]

    def row(i, a, b):
        """Chunk pairs that a step from row i takes, for all columns."""
        return numbers[inputs[tuple(pair[0][i : i + a])]][columns[b]]

    backward = np.full((n + 1, m + 1), -np.inf)
    forward = backward.copy()
    backward[n, m] = forward[0, 0] = 0.0
    for i, a, b in reversed(edges):
        through = logs[row(i, a, b)] + backward[i + a, b:]
        backward[i, : m + 1 - b] = np.logaddexp(backward[i, : m + 1 - b], through)
    for i, a, b in edges:
        through = forward[i, : m + 1 - b] + logs[row(i, a, b)]
        forward[i + a, b:] = np.logaddexp(forward[i + a, b:], through)
    assert forward[n, m] == pytest.approx(backward[0, 0], rel=1e-9)
    counts = np.zeros(len(logs))
    for i, a, b in edges:
        edge = row(i, a, b)
        posterior = np.exp(forward[i, : m + 1 - b] + logs[edge] + backward[i + a, b:] - backward[0, 0])
        counts += np.bincount(edge, posterior, len(logs))
    return backward[0, 0], counts


def long_pair(length, kind):
    """One letter again and again, where any cell looks like any other; or letters that say what belongs together."""
    if kind == "one letter":
        return [0] * length, [0] * length
    random = np.random.default_rng(length)
    word = random.integers(0, 5, length)
    return word.tolist(), np.delete(word, np.arange(0, length, 7)).tolist()


def words_beside():
    """With many chunk pairs each is improbable, so that ways of few steps win by far in the rows of a long pair."""
    random = np.random.default_rng(0)
    words = [random.integers(0, 20, random.integers(3, 10)).tolist() for _ in range(40)]
    return [(word, word) for word in words]


@pytest.mark.parametrize("kind", ["one letter", "letters"])
@pytest.mark.parametrize("length", [5, 500, 1000, pytest.param(3000, marks=pytest.mark.slow)])
def test_pairs_of_any_length_equal_a_plain_pass_in_logarithms(length, kind):
    """Also when an iteration has made probabilities uneven."""
    sequences = [long_pair(length, kind), *words_beside()]
    weights = np.linspace(0.5, 2.0, len(sequences))
    alignment = ChunkAlignment(make_pairs(sequences), STEPS, weights, n_jobs=1)
    for max_iter in (0, 1) if length == 5 else (1,):
        alignment.learn(max_iter, tol=0.0)
        counts, total = alignment._lattices.expected_chunks(alignment.probabilities)
        wanted = [in_logarithms(pair, alignment, STEPS) for pair in sequences]
        assert total == pytest.approx(weights @ [each for each, _ in wanted], rel=1e-9)
        np.testing.assert_allclose(counts, weights @ [each for _, each in wanted], rtol=1e-6, atol=1e-12)
        read = [float(side @ counts) for side in alignment.table.lengths()]  # every symbol is in one chunk
        lengths = np.array([[len(x), len(y)] for x, y in sequences])
        assert read == pytest.approx((weights @ lengths).tolist(), rel=1e-9)


@settings(max_examples=40)
@given(st.data())
def test_probabilities_of_any_size_equal_a_plain_pass_in_logarithms(data):
    """Some of them so small that rows of cells lose what counts."""
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, size = data.draw(st.integers(2, 40)), data.draw(st.sampled_from([5.0, 50.0, 300.0, 700.0]))
    pair = random.integers(0, 3, n).tolist(), random.integers(0, 3, data.draw(st.integers(n // 2 + 1, 2 * n))).tolist()
    alignment = ChunkAlignment(make_pairs([pair]), STEPS, n_jobs=1)
    alignment.probabilities = np.exp(-size * random.random(len(alignment.probabilities)))
    counts, total = alignment._lattices.expected_chunks(alignment.probabilities)
    log_likelihood, wanted = in_logarithms(pair, alignment, STEPS)
    assert total == pytest.approx(log_likelihood, rel=1e-9)
    np.testing.assert_allclose(counts, wanted, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("length", [5, 60, 800])
def test_the_two_compiled_passes_are_equal(length, monkeypatch):
    pairs = make_pairs([long_pair(length, "letters"), ([0, 1, 2], [0, 1])])
    alignment = ChunkAlignment(pairs, STEPS, n_jobs=1)
    counts, total = alignment._lattices.expected_chunks(alignment.probabilities)
    lattices, own = alignment._lattices.keep_numbers(), np.zeros(len(counts))
    own_total, steps = 0.0, alignment.steps
    for w in range(2):
        n, m = (int(np.diff(offsets)[w]) for offsets in (pairs.input_offsets, pairs.output_offsets))
        numbers = lattices._numbers[lattices._starts[w] : lattices._starts[w + 1]].reshape(n, m + 1, len(steps))
        room = np.empty((n, m + 1, len(steps))), np.empty((n + 1, m + 1)), np.empty((n + 1, m + 1))
        own_total += log_space_counts(n, m, steps, numbers, alignment.probabilities, -np.inf, 1.0, *room, own)
    assert total == pytest.approx(own_total, rel=1e-10)
    np.testing.assert_allclose(counts, own, rtol=1e-8, atol=1e-13)


@pytest.mark.parametrize("length", [30, 800])
def test_the_likelihood_never_falls_whatever_is_among_the_pairs(length):
    """Nor with penalties, which are the same factors at every iteration."""
    sequences = [long_pair(length, "one letter"), *words_beside()]
    found = ChunkAlignment(make_pairs(sequences), STEPS, n_jobs=2).learn(12, 0.0)
    likelihoods = np.array(found.log_likelihoods)
    assert np.all(np.diff(likelihoods) >= -1e-9 * np.abs(likelihoods[1:]))
    assert (STEPS[found.best()[0]] == [1, 1]).all()


def test_a_fall_is_not_taken_for_convergence():
    alignment = ChunkAlignment(make_pairs([([0, 1], [0, 1])]), STEPS, n_jobs=1)
    ask, totals = alignment._lattices.expected_chunks, iter([-10.0, -20.0, -15.0, -15.0 - 1e-12, -15.0])
    alignment._lattices.expected_chunks = lambda probabilities: (ask(probabilities)[0], next(totals))
    assert alignment.learn(5).converged
    assert alignment.log_likelihoods == [-10.0, -20.0, -15.0, -15.0 - 1e-12]


def test_pairs_whose_probability_sank_to_zero_still_count():
    """No chunk pair of the second pair is left; each of its symbols is still in one chunk."""
    alignment = ChunkAlignment(make_pairs([([0, 0], [0, 0]), ([1, 1, 1], [1, 1, 1])]), STEPS, n_jobs=1)
    inputs = alignment.chunks()[0]
    alignment.probabilities[inputs[:, 0] == 1] = 0.0
    counts, total = alignment._lattices.expected_chunks(alignment.probabilities)
    assert np.isfinite(total)
    assert float(alignment.table.lengths()[0] @ counts) == pytest.approx(5.0)
    np.testing.assert_array_equal(np.isfinite(alignment.learn().probabilities), True)


def test_pairs_without_weight_say_nothing_and_counts_are_finite():
    sequences = [([0, 0], [0, 0]), ([1, 1, 1], [1, 1, 1])]
    alone = ChunkAlignment(make_pairs(sequences), STEPS, np.array([1.0, 0.0]), n_jobs=1).learn()
    assert alone.probabilities[alone.chunks()[0][:, 0] == 1].sum() == 0.0
    assert np.isfinite(alone.log_likelihoods).all()
    for weights in ([0.0, 0.0], [np.inf, 1.0], [np.nan, 1.0]):
        with pytest.raises(InputError, match="give finite sample weights"):
            ChunkAlignment(make_pairs(sequences), STEPS, np.array(weights), n_jobs=1).learn()

"""Decisions do not hang on rounding: errors in the last digits of the weights change no output, whatever decodes it.

Weights are tenths of small whole numbers, so that many outputs score alike and sums of tenths round. A weight that is
wrong in its last digits stands for a sum that another processor adds in another order.
"""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from weft import core
from weft.automata import Automaton, shortest_paths
from weft.language_model import NGramLanguageModel
from weft.preimages import GramSpace, nearest_strings, viterbi_strings
from weft.preimages.candidates import nearest_candidates
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import View
from weft.rewriting.model import RewriteModel
from weft.sequences.encoder import TokenEncoder
from weft.structures import Alignment, Grammar
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.chain.batch import ChainBatch, sparse_tokens
from weft.structures.chain.features import ChainFeatures
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.grammar.expected_f1 import largest_f1, nested_marks
from weft.structures.grammar.loops.accuracy import most_accurate_pairs
from weft.structures.graph_batch import GraphBatch
from weft.structures.hankel.batch import HankelBatch
from weft.structures.hankel.bi_symbols import BiSymbols, symbol_columns
from weft.structures.hankel.chain import HankelChain
from weft.structures.rna.kbest import best_structures
from weft.structures.rna.queries import best_structure
from weft.structures.rna.tables import N_VALUES
from weft.testing.strategies import derivation_graphs

SEEDS = st.integers(0, 2**32 - 1)
K = 5
N_WOBBLES = 3
few_examples = settings(max_examples=25)


def tenths(random, size):
    return 0.1 * random.integers(-3, 4, size)


def wobbled(values, random):
    """The values with errors in their last digits."""
    return values * (1.0 + 1e-15 * random.integers(-2, 3, np.shape(values)))


def as_lists(output):
    if isinstance(output, np.ndarray):
        return output.tolist()
    return [as_lists(each) for each in output] if isinstance(output, (list, tuple)) else output


def check(decode, size, seed):
    """`decode` gives the same for wobbled weights; it returns outputs only, not their scores."""
    random = np.random.default_rng(seed)
    weights = tenths(random, size)
    expected = as_lists(decode(weights))
    for _ in range(N_WOBBLES):
        assert as_lists(decode(wobbled(weights, random))) == expected
    return expected


def with_first_of_list(best, ranked):
    """Both, once the first of each list of the k best has been seen to be the best output."""
    assert as_lists([row[0] for row in ranked]) == as_lists(best)
    return ranked


@few_examples
@given(derivation_graphs(), SEEDS)
def test_graphs(graph, seed):
    if core.log_count(graph) == -np.inf:
        return
    batch = GraphBatch([graph], [scipy.sparse.eye_array(graph.n_parts)])

    def decode(weights):
        ranked = [[parts for parts, _ in own] for own in batch.kbest(weights, K)]
        return with_first_of_list(batch.argmax(weights)[0], ranked)

    check(decode, graph.n_parts, seed)


X = ["abca", "ab", "c", "bbac", "acbabca"]
Y = [[0, 1, 2, 1], [2, 1], [0], [1, 0, 0, 2], [1, 2, 1, 0, 2, 2, 0]]


def ranked_labels(batch, weights):
    ranked = batch.kbest(weights, K)
    scores = [[score for _, score in own] for own in ranked]
    assert all(sorted(own, reverse=True) == own for own in scores)
    assert batch.argmax(weights)[0].tolist() == batch.join([own[0][0] for own in ranked]).tolist()
    return [[labels for labels, _ in own] for own in ranked]


@pytest.mark.parametrize("order", [1, 2])
@few_examples
@given(seed=SEEDS)
def test_chains(order, seed):
    corpus, labels = TokenEncoder().encode_training(X), np.concatenate(Y).astype(np.int32)
    features = ChainFeatures.collect(sparse_tokens(corpus), labels, corpus.offsets, 3, order=order)
    batch = ChainBatch(features, corpus, labels)

    def decode(weights):
        return ranked_labels(batch, weights)

    check(decode, features.n_features, seed)


@pytest.mark.parametrize("order", [2, 3])
@few_examples
@given(seed=SEEDS)
def test_hankel_chains(order, seed):
    encoder = TokenEncoder()
    corpus, labels = encoder.encode_training(X), np.concatenate(Y).astype(np.int32)
    base = ChainFeatures.collect(sparse_tokens(corpus), labels, corpus.offsets, 3, pairs="observed", boundary=True)
    pairs = BiSymbols.collect(symbol_columns("symbols", encoder.feature_names, ""), corpus, labels, 3)
    chain = HankelChain(base, pairs, order, False, True, False)
    batch = HankelBatch(chain, corpus, labels)

    def decode(weights):
        return ranked_labels(batch, weights)

    check(decode, batch.n_features, seed)


PAIRS = [("ABAB", "BAB"), ("AA", "ABAA"), ("ABBABA", "BABB"), ("A", "BBB")]


@pytest.mark.parametrize("gaps", ["linear", "affine"])
@few_examples
@given(seed=SEEDS)
@example(seed=4786443)  # reduced scores cancel
@example(seed=19476)  # scores of the best alignment are all zero
def test_alignments(gaps, seed):
    structure = Alignment("substitution", "AB", gaps=gaps)
    batch = AlignmentBatch(structure, structure.encode(PAIRS))

    def decode(weights):
        ranked = [[moves for moves, _ in own] for own in batch.kbest(weights, K)]
        accurate = [batch.split(batch.most_accurate(weights, gamma)) for gamma in (1.0, np.inf)]
        return with_first_of_list(batch.split(batch.argmax(weights)[0]), ranked), accurate

    check(decode, batch.n_features, seed)


@few_examples
@given(seed=SEEDS)
def test_grammars(seed):
    grammar = Grammar.g6()
    batch = GrammarBatch(grammar, [grammar.encode(x) for x in ("ggaacc", "gcaaagc", "ggcaaagcuc")])

    def decode(weights):
        ranked = [[steps for steps, _ in own] for own in batch.kbest(weights, K)]
        return with_first_of_list(batch.argmax(weights)[0], ranked)

    check(decode, batch.n_features, seed)


@few_examples
@given(seed=SEEDS)
def test_loops(seed):
    symbols = np.random.default_rng(seed).integers(0, 4, 22).astype(np.int32)

    def decode(weights):
        ranked = [pairs for pairs, _ in best_structures(symbols, weights, 3, K)]
        return with_first_of_list([best_structure(symbols, weights, 3)[0]], [ranked])

    check(decode, N_VALUES, seed)


@few_examples
@given(seed=SEEDS, gamma=st.sampled_from([0.5, 1.0, 4.0]))
def test_most_accurate_pairs(seed, gamma):
    n = 10
    random = np.random.default_rng(seed)
    probabilities = np.triu(0.1 * random.integers(0, 4, (n, n)) * (random.random((n, n)) < 0.2), 1)
    expected = most_accurate_pairs(probabilities, gamma).tolist()
    for _ in range(N_WOBBLES):
        assert most_accurate_pairs(wobbled(probabilities, random), gamma).tolist() == expected


@few_examples
@given(seed=SEEDS)
def test_pairs_of_the_largest_f1(seed):
    n = 10
    random = np.random.default_rng(seed)
    probabilities = np.triu(0.1 * random.integers(0, 4, (n, n)) * (random.random((n, n)) < 0.2), 1)
    expected = largest_f1(probabilities[None], nested_marks)[0].tolist()
    for _ in range(N_WOBBLES):
        assert largest_f1(wobbled(probabilities, random)[None], nested_marks)[0].tolist() == expected


@pytest.fixture(scope="module")
def candidates():
    random = np.random.default_rng(0)
    first, labels = np.array([0, 2, 5, 6]), np.array([0, 1, 0, 2, 3, 4], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(random.integers(1, 6, 12))]).astype(np.int64)
    symbols = random.integers(0, 3, offsets[-1]).astype(np.int32)
    chosen = first[symbols] + random.integers(0, np.diff(first)[symbols])
    classes = np.array([0, 1, 0])
    chain, found = CandidateChain.collect(
        symbols, offsets, chosen, first, labels,
        views=[View(2, 2, classes)], trait_views=[View(1, 1, classes, classes)],
        traits=[[0], [1], [0, 2], [1], [2], []], min_count=1,
    )  # fmt: skip
    return CandidateBatch(chain, symbols, offsets, found, (chosen - first[symbols]).astype(np.int16), n_jobs=2)


@few_examples
@given(seed=SEEDS)
def test_chains_of_candidates(candidates, seed):
    check(lambda weights: candidates.argmax(weights)[0], candidates.n_features, seed)


@few_examples
@given(seed=SEEDS, width=st.sampled_from([2, 5, 20]))
def test_beams_of_candidates(candidates, seed, width):
    def decode(weights):
        joint = NGramLanguageModel(2).fit([[0]])  # has no weight in the mixture
        spelled = np.arange(6), np.arange(5)
        model = RewriteModel(candidates.chain, weights, *spelled, joint, (1.0, 0.0, 0.0, 0.0, 0.0))
        return model.decode(candidates.symbols, candidates.offsets, 3, beam_width=width).candidates

    check(decode, candidates.n_features, seed)


@few_examples
@given(seed=SEEDS, width=st.sampled_from([None, 2]))
@example(seed=7, width=2)
def test_strings_under_a_language_model(seed, width):
    model = NGramLanguageModel(2, "maximum_likelihood").fit(["abc", "cab", "bca"])

    def decode(weights):
        return viterbi_strings([weights.reshape(6, 3)], "abc", model, weight=0.5, beam_width=width)[0]

    check(decode, 18, seed)


def test_a_beam_keeps_the_best_among_ties():
    """Of the states with values 1, 1, 1 and 5 a beam of two keeps the 5 and the first of the others."""
    model = NGramLanguageModel(2, "maximum_likelihood").fit(["abcd", "dcba", "badc", "cdab"])
    scores = np.array([[1.0, 1.0, 1.0, 5.0], [0.0, 0.0, 0.0, 0.0]])
    assert viterbi_strings([scores], "abcd", model, weight=0.0, beam_width=2)[0] == [["d", "a"]]


@few_examples
@given(seed=SEEDS, width=st.sampled_from([2, 40]))
@example(seed=10162, width=2)
def test_nearest_strings(seed, width):
    space = GramSpace.learn(["abc", "cab", "bca", "aab"], [2])

    def decode(weights):
        return nearest_strings([0.5 + weights], space, k=3, beam_width=width, max_length=5).strings

    check(decode, space.n_grams, seed)


@few_examples
@given(seed=SEEDS)
def test_nearest_candidates(seed):
    images = 0.1 * np.random.default_rng(seed).integers(-2, 3, (30, 3))

    def decode(weights):
        point = weights[:3][None]
        noisy = images * (1.0 + 1e-15 * np.sign(weights[3]))
        return nearest_candidates(point, noisy)[0], nearest_candidates(point, noisy, k=K)[0]

    check(decode, 4, seed)


@few_examples
@given(seed=SEEDS)
def test_shortest_paths(seed):
    random = np.random.default_rng(seed)
    ends = random.integers(1, 3, 12)

    def decode(weights):
        arcs = [(i % 6, "abc"[i % 3], min(i % 6 + int(ends[i]), 6), float(weights[i])) for i in range(12)]
        machine = Automaton.from_arcs(arcs, final={6: 0.0}, semiring="tropical")
        return [path.input for path in shortest_paths(machine, K)]

    check(decode, 12, seed)

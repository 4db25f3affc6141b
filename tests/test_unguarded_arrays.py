"""Arrays that compiled loops must never see: wrong lengths, types and ranges, and scores that lead a walk astray.

Each case is an `InputError` of one line. Without the check it reads or writes foreign memory, which
``NUMBA_BOUNDSCHECK=1`` (with a cache folder of its own) shows as an `IndexError`, or answers in silence.
"""

import numpy as np
import pytest
import scipy.sparse

import weft
from weft import core
from weft.core import DerivationGraph
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.vectors import add_scaled, dot
from weft.errors import InputError
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.sparse_rows import SparseRows
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import new_storage, sorted_rows
from weft.kernels.grams.numbering import number_keys
from weft.language_model import BackOffTables, NGramLanguageModel, dense_rows, step
from weft.preimages import DeBruijnGraph, EulerDecoder, GramSpace, nearest_strings, viterbi_strings
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import Contexts, View
from weft.rewriting.chunks.alignment import ChunkAlignment, Pairs, allowed_steps
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures import Alignment, Grammar, GraphBatch, LoopModel
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.references import References
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.label_grams import LabelGrams
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.hankel.batch import HankelBatch
from weft.structures.hankel.bi_symbols import BiSymbols
from weft.structures.hankel.chain import HankelChain
from weft.structures.rna.batch import LoopBatch

INF = np.inf


def int32(*values):
    return np.array(values, dtype=np.int32)


def int64(*values):
    return np.array(values, dtype=np.int64)


class Frame(list):
    """Says another length than it has, as a data frame does whose rows outnumber its columns."""

    def __len__(self):
        return 1000


# ------------------------------------------------------------------------------------------------ graphs


def graph():
    return DerivationGraph.build([0, 0, 1], [[-1, -1], [-1, -1], [0, -1]], [0, 1, 2], n_nodes=2, n_parts=3)


def made(offsets=(0, 2, 3), tails=((-1, -1), (-1, -1), (0, -1)), parts=(0, 1, 2)):
    return DerivationGraph(int64(*offsets), np.array(tails, dtype=np.int32).reshape(-1, 2), int32(*parts), 3)


def graph_batch(references=((0, 2),)):
    return GraphBatch([graph()], [scipy.sparse.eye_array(3)], references)


def broken_features():
    matrix = scipy.sparse.csr_array(np.eye(3))
    matrix.indices = int32(0, 1, 900)
    return matrix


TABLE = np.zeros(2)
GRAPHS = {
    "offsets that fall": lambda: made(offsets=(0, 9, 3)),
    "offsets that begin late": lambda: made(offsets=(1, 2, 3)),
    "a tail beyond the nodes": lambda: made(tails=((-1, -1), (-1, -1), (500, -1))),
    "a tail that is its head": lambda: made(tails=((-1, -1), (-1, -1), (1, -1))),
    "a tail below -1": lambda: made(tails=((-1, -1), (-1, -1), (-900, -1))),
    "a part beyond the parts": lambda: made(parts=(0, 1, 900)),
    "a part below -1": lambda: made(parts=(0, 1, -2)),
    "inside of few scores": lambda: core.inside(core.Log(), graph(), np.zeros(1)),
    "inside of a short projection": lambda: core.inside(core.Dual(np.zeros(1)), graph(), np.zeros(3)),
    "outside of few scores": lambda: core.outside(core.Log(), graph(), np.zeros(1), TABLE),
    "outside of a short table": lambda: core.outside(core.Log(), graph(), np.zeros(3), np.zeros(1)),
    "posterior of few scores": lambda: core.posterior(core.Log(), graph(), np.zeros(1), TABLE),
    "posterior of a short table": lambda: core.posterior(core.Log(), graph(), np.zeros(3), np.zeros(1)),
    "posterior of a table of another type": lambda: core.posterior(core.Dual(np.zeros(3)), graph(), np.zeros(3), TABLE),
    "traceback of few scores": lambda: core.traceback(core.MaxPlus(), graph(), np.zeros(1), TABLE),
    "traceback of a short table": lambda: core.traceback(core.MaxPlus(), graph(), np.zeros(3), np.zeros(1)),
    "traceback of a graph without derivations": lambda: core.traceback(
        core.MaxPlus(), made(offsets=(0, 0, 0), tails=(), parts=()), np.zeros(3), TABLE
    ),
    "argmax of sums that are no numbers": lambda: core.argmax(
        DerivationGraph.build([0, 2, 3, 3], [[-1, -1], [0, 1], [2, 0], [1, -1]], [0, 0, 0, -1], n_nodes=4, n_parts=1),
        [1e308],
    ),
    "features beyond their columns": lambda: core.moments(graph(), np.zeros(3), broken_features()),
    "weights of a graph batch": lambda: graph_batch().argmax(np.zeros(2)),
    "a direction of a graph batch": lambda: graph_batch().covariance_with(np.zeros(3), np.zeros(2)),
    "parts of a graph batch beyond its graphs": lambda: graph_batch().features_of([int32(900)]),
    "negative parts of a graph batch": lambda: graph_batch().losses([int32(-900)]),
    "references of a graph batch beyond its graphs": lambda: graph_batch([int32(900)]),
    "sample_weight of a graph batch": lambda: graph_batch().weighted(np.ones(2)),
    "inputs beyond a graph batch": lambda: graph_batch().select([900]),
    "no inputs of a graph batch": lambda: graph_batch().select([]),
}


# ------------------------------------------------------------------------------------------------ chains


def features():
    return ChainFeatures(int64(0, 2, 4), int32(0, 1, 0, 1), LabelGrams.build(2, 1))


def corpus(ids=(0, 1, 0), offsets=(0, 2, 3), n_columns=2):
    tokens = SparseTokens(np.arange(len(ids) + 1), int32(*ids), np.empty(0), n_columns)
    return Corpus(int64(*offsets), tokens)


def chain(**arguments):
    return ChainBatch(features(), corpus(), **{"references": int32(0, 1, 0), "n_jobs": 1, **arguments})


WEIGHTS = np.zeros(8)
CHAINS = {
    "ids beyond the columns": lambda: corpus(ids=(0, 1, 900)),
    "negative ids": lambda: corpus(ids=(0, 1, -900)),
    "offsets of tokens that fall": lambda: SparseTokens(int64(0, 9, 3), int32(0, 1, 0), np.empty(0), 2),
    "fewer values than ids": lambda: SparseTokens(int64(0, 3), int32(0, 1, 0), np.ones(1), 2),
    "offsets beyond the tokens": lambda: corpus(offsets=(0, 2, 900)),
    "an empty sequence": lambda: ChainBatch(features(), corpus(offsets=(0, 0, 3))),
    "no sequence": lambda: ChainBatch(features(), corpus(ids=(), offsets=(0,))),
    "columns that the chain lacks": lambda: ChainBatch(features(), corpus(ids=(0, 900, 0), n_columns=901)),
    "pair labels beyond the labels": lambda: ChainFeatures(int64(0, 2), int32(0, 900), LabelGrams.build(2, 1)),
    "pair offsets beyond the pairs": lambda: ChainFeatures(int64(0, 900), int32(0, 1), LabelGrams.build(2, 1)),
    "labels to collect out of range": lambda: ChainFeatures.collect(
        corpus().tokens, int32(0, 900, 0), int64(0, 2, 3), 2
    ),
    "labels to collect of another length": lambda: ChainFeatures.collect(
        corpus().tokens, int32(*[0] * 900), int64(0, 2, 3), 2
    ),
    "reference labels out of range": lambda: chain(references=int32(0, 900, 0)),
    "negative reference labels": lambda: chain(references=int32(0, -900, 0)),
    "fewer reference labels": lambda: chain(references=int32(0)),
    "reference labels of floats": lambda: chain(references=np.zeros(3)),
    "sample_weight of another length": lambda: chain(sample_weight=np.ones(1)),
    "another sample_weight": lambda: chain().weighted(np.ones(1)),
    "labels to observe": lambda: chain().observed(int32(0, 900, 0)),
    "labels with features": lambda: chain().features_of(int32(0, 900, 0)),
    "labels with losses": lambda: chain().losses(int32(0)),
    "labels to join": lambda: chain().join([int32(0, 900), int32(0)]),
    "sequences to select": lambda: chain().select([900]),
    "labels to score": lambda: chain().scores(WEIGHTS, int32(0, 900, 0)),
    "few labels to score": lambda: chain().scores(WEIGHTS, int32(0)),
    "no ranks": lambda: chain().kbest(WEIGHTS, 0),
    "no draws": lambda: chain().sample(WEIGHTS, 0, np.random.default_rng(0)),
    "few weights to draw with": lambda: chain().sample(np.zeros(3), 1, np.random.default_rng(0)),
    "few weights of partitions": lambda: chain().log_partitions(np.zeros(3)),
    "few weights of score moments": lambda: chain().score_moments(np.ones(3)),
    "few weights": lambda: chain().argmax(np.zeros(3)),
    "many weights": lambda: chain().argmax(np.zeros(9)),
    "few weights of the mean": lambda: chain().log_partition_and_mean(np.zeros(3)),
    "few weights of marginals": lambda: chain().marginals(np.zeros(3)),
    "few weights of scores": lambda: chain().scores(np.zeros(3), int32(0, 1, 0)),
    "few weights of a covariance": lambda: chain().covariance_product(np.zeros(3), WEIGHTS),
    "a short direction": lambda: chain().covariance_product(WEIGHTS, np.zeros(3)),
    "vectors of two lengths": lambda: dot(np.zeros(900), np.zeros(1)),
    "vectors of two lengths to add": lambda: add_scaled(np.zeros(900), 1.0, np.zeros(1)),
}


# ----------------------------------------------------------------------------------------------- windows


def pairs(symbol_of_column=(0, 1), begins=(0, 2, 3), labels=(0, 1, 1, -1, 0, 1)):
    return BiSymbols(int32(*symbol_of_column), int64(*begins), int32(*labels))


def hankel(**arguments):
    windows = HankelChain(features(), pairs(), 2)
    return HankelBatch(windows, corpus(), **{"references": int32(0, 1, 0), "n_jobs": 1, **arguments})


CELLS = np.zeros(8 + 4 * 4)
WINDOWS = {
    "symbols beyond the bi-symbols": lambda: pairs(symbol_of_column=(0, 900)),
    "bi-symbols beyond their labels": lambda: pairs(begins=(0, 2, 900)),
    "a symbol without bi-symbols": lambda: pairs(begins=(0, 3, 3)),
    "labels of bi-symbols out of range": lambda: HankelChain(features(), pairs(labels=(0, 900, 1, -1, 0, 1)), 2),
    "no labels for unseen symbols": lambda: HankelChain(features(), pairs(labels=(0, 1, 1, -1)), 2),
    "windows of one": lambda: HankelChain(features(), pairs(), 1),
    "few weights": lambda: hankel().argmax(np.zeros(9)),
    "labels to score": lambda: hankel().scores(CELLS, int32(0, 900, 0)),
    "labels with features": lambda: hankel().features_of(int32(0, 900, 0)),
    "labels never seen with their symbol": lambda: hankel().features_of(int32(0, 0, 0)),
    "few weights to draw with": lambda: hankel().sample(np.zeros(9), 1, np.random.default_rng(0)),
    "a short direction": lambda: hankel().covariance_with(CELLS, np.zeros(9)),
    "few predicted labels": lambda: hankel().window_steps(int32(0)),
    "sequences beyond the corpus": lambda: hankel().window_steps(int32(0, 1, 0), int64(900)),
    "violations beyond the corpus": lambda: hankel().most_violating(CELLS, int64(-1)),
    "no ranks": lambda: hankel().kbest(CELLS, 0),
}


# -------------------------------------------------------------------------------------------- alignments


def pair_corpus(first=(0, 1), second=(1,), n_symbols=2):
    return PairCorpus(int32(*first), int64(0, len(first)), int32(*second), int64(0, len(second)), n_symbols)


def alignment():
    return AlignmentBatch(Alignment("match"), pair_corpus(), n_jobs=1)


def moves(*each):
    return Alignments.join(pair_corpus(), [np.array(each, dtype=np.uint8)])


ALIGNMENTS = {
    "symbols out of range": lambda: pair_corpus(first=(0, 900)),
    "negative symbols": lambda: pair_corpus(second=(-900,)),
    "offsets beyond the symbols": lambda: PairCorpus(int32(0), int64(0, 900), int32(0), int64(0, 1), 1),
    "sequences without a partner": lambda: PairCorpus(int32(0), int64(0, 1), int32(0, 0), int64(0, 1, 2), 1),
    "symbols beyond the alphabet": lambda: AlignmentBatch(
        Alignment("substitution", alphabet="AC"), pair_corpus(first=(0, 6), n_symbols=7)
    ),
    "moves that leave the pair": lambda: alignment().scores(np.zeros(4), moves(0, 0, 0)),
    "moves that do not reach the end": lambda: alignment().scores(np.zeros(4), moves(0)),
    "moves that are none": lambda: alignment().scores(np.zeros(4), moves(0, 9)),
    "more moves than symbols": lambda: moves(1, 1, 1, 1),
    "alignments of another corpus": lambda: alignment().losses(Alignments(np.zeros(3, np.uint8), int64(0), int64())),
    "too many moves": lambda: Alignment("match").count(
        pair_corpus(), Alignments(np.zeros(3, np.uint8), int64(0, 3), int64(900))
    ),
    "fewer alignments than pairs": lambda: Alignment("match").count(
        pair_corpus(), Alignments(np.zeros(3, np.uint8), int64(0), int64())
    ),
    "sample_weight of alignments": lambda: Alignment("match").count(pair_corpus(), moves(0, 1), np.ones(0)),
    "sample_weight of a batch": lambda: AlignmentBatch(Alignment("match"), pair_corpus(), sample_weight=np.ones(0)),
    "references of another corpus": lambda: AlignmentBatch(
        Alignment("match"), pair_corpus(), References.build(pair_corpus((0,), (0,)), [np.zeros(1, np.uint8)])
    ),
    "references beyond the second sequence": lambda: AlignmentBatch(
        Alignment("match"), pair_corpus(), References(moves(0, 1), int32(900, -1), int64(1), None, int64())
    ),
    "few weights": lambda: alignment().argmax(np.zeros(2)),
    "many weights": lambda: alignment().argmax(np.zeros(9)),
    "few weights of the mean": lambda: alignment().log_partition_and_mean(np.zeros(2)),
}


# ----------------------------------------------------------------------------------------- trees and RNA


def trees(symbols=(0, 0, 0), **arguments):
    return GrammarBatch(Grammar("S -> S S | a"), [int32(*symbols)], n_jobs=1, **arguments)


def loops(symbols=(2, 2, 0, 0, 0, 0, 1), **arguments):
    return LoopBatch(LoopModel(), [int32(*symbols)], n_jobs=1, **arguments)


def loop_weights(**values):
    weights = np.zeros(LoopModel().n_features)
    for name, value in values.items():
        weights[LoopModel().feature_names.index(name)] = value
    return weights


G = LoopModel().encode("gggaaaaccc")
LONG = LoopModel().encode("g" + "a" * 40 + "gaaac" + "a" * 40 + "c")
TREES = {
    "symbols out of range": lambda: trees(symbols=(0, 900)),
    "negative symbols": lambda: trees(symbols=(-900,)),
    "symbols of floats": lambda: GrammarBatch(Grammar("S -> a"), [np.zeros(1)]),
    "an empty sequence": lambda: trees(symbols=()),
    "no sequence": lambda: GrammarBatch(Grammar("S -> a"), []),
    "fewer references": lambda: trees(references=[]),
    "sample_weight": lambda: trees(sample_weight=np.ones(3)),
    "few weights": lambda: trees().argmax(np.zeros(1)),
    "weights in two columns": lambda: trees().argmax(np.zeros((2, 2))),
    "weights that are NaN": lambda: trees().argmax(np.array([np.nan, 0.0])),
    "weights that are inf": lambda: trees().argmax(np.array([INF, 0.0])),
    "weights whose sums are no numbers": lambda: Grammar("S -> A B\nA -> A A | C\nC -> a\nB -> b").best(
        "aab", np.full(5, 1.7e308)
    ),
    "a direction in two columns": lambda: trees().covariance_with(np.zeros(2), np.zeros((2, 2))),
    "steps of unknown rules": lambda: trees().features_of([np.array([[900, 0, 2]])]),
    "steps beyond the sequence": lambda: trees(references=[np.array([[0, 0, 900]])]).argmax(np.zeros(2), 1.0),
    "steps before the sequence": lambda: trees(references=[np.array([[0, -900, 0]])]).argmax(np.zeros(2), 1.0),
    "sequences beyond the batch": lambda: trees().select([900]),
    "the best tree": lambda: Grammar("S -> S S | a").best("aa", np.zeros(1)),
    "no ranks of trees": lambda: trees().kbest(np.zeros(2), 0),
    "letters out of range": lambda: loops(symbols=(2, 900, 0)),
    "no ranks of structures": lambda: loops().kbest(loop_weights(), 0),
    "few weights of loops": lambda: loops().argmax(np.zeros(3)),
    "weights of loops that are NaN": lambda: loops().argmax(loop_weights(exterior_base=np.nan)),
    "unpaired bases forbidden": lambda: loops((0, 0, 0)).argmax(loop_weights(exterior_base=-INF)),
    "unpaired bases at a huge cost": lambda: loops((0, 0, 0)).argmax(loop_weights(exterior_base=-1e308)),
    "unpaired bases forbidden, ranked": lambda: loops((0, 0, 0)).kbest(loop_weights(exterior_base=-INF), 2),
    "unpaired bases forbidden, in all": lambda: loops((0, 0, 0)).log_partition_and_mean(
        loop_weights(exterior_base=-INF)
    ),
    "references beyond the sequence": lambda: loops(references=[np.array([[0, 900]])]).argmax(loop_weights(), 1.0),
    "the best structure": lambda: LoopModel().best("aaa", loop_weights(exterior_base=-1e308)),
    "few weights of the best structure": lambda: LoopModel().best("aaa", np.zeros(2)),
    "pairs beyond the sequence": lambda: LoopModel().counts(G, [[0, 900]]),
    "negative pairs": lambda: LoopModel().counts(G, [[-900, 9]]),
    "crossing pairs": lambda: LoopModel().counts(G, [[0, 8], [1, 9]]),
    "unsorted pairs": lambda: LoopModel().counts(G, [[1, 8], [0, 9]]),
    "a base in two pairs": lambda: LoopModel().counts(G, [[0, 9], [1, 9]]),
    "letters that do not pair": lambda: LoopModel().counts(G, [[0, 3]]),
    "loops that are too long": lambda: LoopModel().counts(LONG, [[0, 86], [41, 45]]),
    "pairs of three": lambda: LoopModel().counts(G, [[0, 1, 2]]),
}


# ---------------------------------------------------------------------------------- candidates and chunks


def candidates(**changes):
    arrays = {
        "first": int64(0, 2, 3),
        "labels": int32(0, 1, 1),
        "classes": int32(0, 1, 2),
        "trait_offsets": int64(0, 0, 0, 0),
        "traits": int32(),
        "contexts": (),
        "entry_offsets": int64(0),
        "entry_places": np.empty(0, dtype=np.int16),
    }
    return CandidateChain(**{**arrays, **changes})


NOTHING_FOUND = (int64(0, 0, 0, 0), int32())


def candidate_batch(symbols=(0, 1, 0), offsets=(0, 2, 3), found=NOTHING_FOUND, **arguments):
    return CandidateBatch(candidates(), int32(*symbols), int64(*offsets), found, n_jobs=1, **arguments)


def view(**arguments):
    return View(1, 1, **{"classes": int64(0, 0), **arguments})


def contexts():
    return Contexts.collect(int32(0, 1, 0, 1), int64(0, 2, 4), view())


def chunks(inputs=(0, 1), input_offsets=(0, 2), outputs=(0, 1), output_offsets=(0, 2), **arguments):
    both = Pairs(int32(*inputs), int64(*input_offsets), int32(*outputs), int64(*output_offsets))
    return ChunkAlignment(both, **{"steps": allowed_steps(2, 2), **arguments})


CANDIDATES = {
    "candidates beyond the labels": lambda: candidates(first=int64(0, 2, 900)),
    "fewer classes": lambda: candidates(classes=int32(0)),
    "negative classes": lambda: candidates(classes=int32(0, -900, 0)),
    "traits beyond their end": lambda: candidates(trait_offsets=int64(0, 0, 0, 900)),
    "negative traits": lambda: candidates(trait_offsets=int64(0, 0, 0, 1), traits=int32(-900)),
    "entries without contexts": lambda: candidates(entry_offsets=int64(0, 1), entry_places=np.zeros(1, np.int16)),
    "entries beyond the candidates": lambda: candidates(
        contexts=(contexts(),), entry_offsets=np.minimum(np.arange(9), 1), entry_places=np.full(1, 900, np.int16)
    ),
    "symbols out of range": lambda: candidate_batch(symbols=(0, 900, 0)),
    "offsets of symbols": lambda: candidate_batch(offsets=(0, 2, 900)),
    "an empty sequence": lambda: candidate_batch(offsets=(0, 0, 3)),
    "contexts that do not exist": lambda: candidate_batch(found=(int64(0, 1, 1, 1), int32(900))),
    "contexts of other symbols": lambda: candidate_batch(found=(int64(0, 0), int32())),
    "places beyond the candidates": lambda: candidate_batch(references=np.array([0, 1, 0], dtype=np.int16)),
    "sample_weight": lambda: candidate_batch(sample_weight=np.ones(1)),
    "few weights": lambda: candidate_batch().argmax(np.zeros(2)),
    "many weights": lambda: candidate_batch().argmax(np.zeros(10)),
    "few weights of marginals": lambda: candidate_batch().marginals(np.zeros(2)),
    "weights of 32 bits": lambda: candidate_batch().argmax(np.zeros(9, dtype=np.float32)),
    "roots of other symbols": lambda: view(roots=int64(0)),
    "negative roots": lambda: view(roots=int64(0, -900)),
    "negative classes of a view": lambda: view(classes=int64(0, -900)),
    "symbols that a view lacks": lambda: contexts().find(int32(0, 900), int64(0, 2)),
    "symbols to collect that a view lacks": lambda: Contexts.collect(int32(0, 900), int64(0, 2), view()),
    "offsets of contexts": lambda: contexts().find(int32(0, 1), int64(0, 900)),
    "negative inputs": lambda: chunks(inputs=(0, -900)),
    "offsets of inputs": lambda: chunks(input_offsets=(0, 900)),
    "inputs without outputs": lambda: chunks(output_offsets=(0, 1, 2)),
    "pairs without an alignment": lambda: chunks(outputs=(0,) * 9, output_offsets=(0, 9)),
    "steps that stand still": lambda: chunks(steps=int64(0, 1, 1, 0).reshape(2, 2)),
    "sample_weight of pairs": lambda: chunks(sample_weight=np.ones(3)),
}


# ------------------------------------------------------------------------- language models and pre-images


def model():
    return NGramLanguageModel(2).fit(["ab", "ba"])


def space(*grams):
    return GramSpace("ab", [np.array(grams, dtype=np.int64)])


EULER = GramSpace.learn(["abc", "cab"], [2])
HUGE = np.full((1, EULER.n_grams), 2**62)
STRINGS = {
    "a symbol that the model lacks": lambda: step(model().tables_, 0, 900),
    "a negative symbol": lambda: step(model().tables_, 0, -900),
    "a state that the model lacks": lambda: step(model().tables_, 900, 0),
    "rows that the model lacks": lambda: dense_rows(model().tables_, 900, 2),
    "columns that the model lacks": lambda: dense_rows(model().tables_, 1, 900),
    "targets that the model lacks": lambda: dense_rows(
        BackOffTables(int64(0, 1), int64(0), np.zeros(1), int64(900), int64(0), np.zeros(1)), 1, 1
    ),
    "a state that backs off to itself": lambda: dense_rows(
        BackOffTables(int64(0, 1, 1), int64(0), np.zeros(1), int64(0), int64(0, 1), np.zeros(2)), 1, 1
    ),
    "a frame to fit a language model to": lambda: NGramLanguageModel(2).fit([Frame("a")]),
    "a frame to score": lambda: model().log_probability([Frame("ab")]),
    "an infinite weight": lambda: viterbi_strings([np.zeros((2, 2))], "ab", model(), weight=INF),
    "a floor of NaN": lambda: viterbi_strings([np.zeros((2, 2))], "ab", model(), floor=np.nan),
    "half a state": lambda: viterbi_strings([np.zeros((2, 2))], "ab", model(), beam_width=1.5),
    "no symbols": lambda: viterbi_strings([np.zeros((2, 0))], "", model()),
    "n-grams of symbols that the space lacks": lambda: space((0, 1), (1, 900)),
    "n-grams with negative symbols": lambda: space((-900, 1)),
    "unsorted n-grams": lambda: space((1, 1), (0, 1)),
    "counts whose sum overflows": lambda: EulerDecoder(EULER).decode(HUGE),
    "counts of a graph whose sum overflows": lambda: DeBruijnGraph({"ab": 2**62, "ba": 2**62, "bb": 2**63 + 2}),
    "a count of NaN": lambda: DeBruijnGraph({"ab": np.nan}),
    "a count that no search reaches": lambda: nearest_strings(np.full((1, EULER.n_grams), 1e17), EULER),
}


# ------------------------------------------------------------------------------- kernels and their machines


def rows():
    return SparseRows.from_matrix(scipy.sparse.csr_array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]))


def broken(indices=(0, 1, 1, 2), indptr=(0, 2, 4)):
    matrix = scipy.sparse.csr_array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])
    matrix.indices, matrix.indptr = int32(*indices), int32(*indptr)
    return matrix


def storage(kind):
    keys = KeySet.from_names(["aa", "ab", "bb"])
    return new_storage(kind, keys, sorted_rows(scipy.sparse.csr_matrix([[1.0, 2.0, 0.0]]), keys))


def columns(*numbers):
    return np.array(numbers, dtype=np.uint32)


TOKENS = [Frame(["a", "b"]), Frame(["a"])]
KERNELS = {
    "a frame of tokens": lambda: weft.NGramKernel(2).gram(TOKENS),
    "a frame of tokens, its subsequences": lambda: weft.SubsequenceKernel(2).gram(TOKENS),
    "a frame of tokens, its diagonal": lambda: weft.GappyKernel(2, max_gap=1).diagonal(TOKENS),
    "columns beyond the matrix": lambda: solve_svm(broken(indices=(0, 1, 1, 900)), [1, -1]),
    "negative columns": lambda: solve_svm(broken(indices=(0, 1, 1, -9)), [1, -1]),
    "rows beyond the entries": lambda: solve_svm(broken(indptr=(0, 2, 900)), [1, -1]),
    "a short base": lambda: solve_svm(rows(), [1, -1], base=np.zeros(1)),
    "a short start": lambda: solve_svm(rows(), [1, -1], alpha=np.zeros(1)),
    "weights of other columns": lambda: rows() @ np.zeros(1),
    **{
        f"{what} of a {kind} storage": lambda kind=kind, given=given: storage(kind).dot(*given)
        for kind in ("array", "naive", "trie", "minimal")
        for what, given in {
            "a column": (columns(900), np.ones(1, np.float32)),
            "fewer values": (columns(0, 1), np.ones(1, np.float32)),
        }.items()
    },
    **{
        f"a column to add to a {kind} storage": lambda kind=kind: storage(kind).add(0, columns(900), np.ones(1), 1.0)
        for kind in ("array", "trie", "minimal")
    },
    "unsorted columns of a minimal storage": lambda: storage("minimal").add(0, columns(2, 0), np.ones(2), 1.0),
}

CASES = {
    f"{area}: {name}": case
    for area, cases in {
        "graphs": GRAPHS,
        "chains": CHAINS,
        "windows": WINDOWS,
        "alignments": ALIGNMENTS,
        "trees": TREES,
        "candidates": CANDIDATES,
        "strings": STRINGS,
        "kernels": KERNELS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_is_refused_in_one_line(case):
    with pytest.raises(InputError) as caught:
        case()
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------- what is odd and still an answer


@pytest.mark.parametrize("weights", [[-INF, -INF, -INF, -INF], [np.nan] * 4, [0.0, 0.0, -INF, 0.0], [-1e308] * 4])
def test_the_best_alignment_stays_within_its_pair(weights):
    # Where no score is finite, any alignment will do, as long as it uses up both sequences.
    pair = Alignment("match").encode([("A", "ACGTACGT"), ("ACGTACGT", "A"), ("", "A"), ("A", "")])
    batch = AlignmentBatch(Alignment("match"), pair, n_jobs=1)
    with np.errstate(invalid="ignore", over="ignore"):
        found = batch.argmax(np.array(weights))[0]
    assert [int((each != 2).sum()) for each in map(found.__getitem__, range(4))] == [1, 8, 0, 1]
    assert [int((each != 1).sum()) for each in map(found.__getitem__, range(4))] == [8, 1, 1, 0]


def test_drawn_alignments_stay_within_their_pair():
    # Gaps so dear that their weight is zero: two sequences of different lengths have no other way.
    structure = Alignment("match", gaps="affine")
    batch = AlignmentBatch(structure, structure.encode([("ACGT", "A"), ("A", "ACGT")]), n_jobs=1)
    for opening in (-700.0, -740.0, -800.0):
        try:
            (drawn,) = batch.sample(np.array([0.0, 0.0, opening, 0.0]), 1, np.random.default_rng(0))
        except InputError:
            continue
        assert [int((drawn[i] != 2).sum()) for i in range(2)] == [4, 1]
        assert [int((drawn[i] != 1).sum()) for i in range(2)] == [1, 4]


def test_symbols_that_are_all_forbidden_still_have_a_way_back():
    scores = [np.zeros((3, 2)), np.array([[0.0, 0.0], [-INF, -INF], [0.0, -INF]]), np.full((40, 2), -INF)]
    strings, values = viterbi_strings(scores, "ab", model())
    assert [len(string) for string in strings] == [3, 3, 40]
    assert set("".join("".join(string) for string in strings)) <= {"a", "b"}
    assert np.isfinite(values[0])
    assert np.isneginf(values[1:]).all()


def test_a_search_without_a_finite_score_says_so():
    rewriter = weft.Rewriter(random_state=0).fit(["ab", "ba", "aab", "bb"], ["xy", "yx", "xxy", "yy"])
    part = rewriter.models_[0]
    symbols, offsets = int32(0, 1), int64(0, 2)
    part.weights[:] = -INF
    outputs = part.decode(symbols, offsets, 2)
    assert np.isneginf(outputs.totals).all()
    with pytest.raises(InputError, match="symbols"):
        part.decode(int32(0, 900), offsets)
    with pytest.raises(InputError, match="k="):
        part.decode(symbols, offsets, 0)


def test_arrays_that_fit_are_taken_as_they_are():
    for array, checked in (
        (np.zeros(3), checked_floats("a", np.zeros(3), (3,), "")),
        (int32(0, 1), checked_numbers("a", int32(0, 1), 2, "")),
        (int64(0, 2), checked_offsets("a", int64(0, 2), 2, "")),
    ):
        assert checked.dtype == array.dtype
    weights, labels, offsets = np.zeros(3), int32(0, 1), int64(0, 2)
    assert checked_floats("weights", weights, (3,), "") is weights
    assert checked_numbers("labels", labels, 2, "") is labels
    assert checked_offsets("offsets", offsets, 2, "") is offsets
    weights.flags.writeable = False  # read-only memory, such as that of a file, is fine
    assert checked_floats("weights", weights, (3,), "") is weights


def test_arrays_of_another_layout_are_copied():
    labels = np.arange(6, dtype=np.int64)[::2]
    assert checked_numbers("labels", labels, 5, "").flags.c_contiguous
    assert checked_floats("weights", np.arange(6)[::2], (3,), "").tolist() == [0.0, 2.0, 4.0]
    assert checked_numbers("labels", [], 5, "").dtype == np.int32
    reversed_weights = np.zeros(16)[::2]
    assert chain().argmax(reversed_weights)[0].tolist() == chain().argmax(WEIGHTS)[0].tolist()


def test_too_many_grams_to_number_are_refused():
    keys = np.broadcast_to(np.zeros(1, dtype=np.uint64), 1 << 31)  # takes no memory
    with pytest.raises(InputError, match="2147483648 grams"):
        number_keys([keys], 1)

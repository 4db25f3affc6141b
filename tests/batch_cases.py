"""Small batches of every structure, with all their outputs listed by other means than the batch's own.

A case knows, of each sequence, every output, its features and its distance from the reference, all of them counted by
hand or by recursion; a question to the batch then has an answer that is a sum over a list.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

import alignment_oracle
import candidate_oracle
import chain_oracle
import hankel_problems
from rna_oracle import structures
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import View
from weft.rewriting.candidates.lists import ListBatch
from weft.structures import Alignment, Chain, Grammar, GraphBatch, LoopModel
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.references import References
from weft.structures.chain.batch import ChainBatch
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.hankel.batch import HankelBatch
from weft.structures.rna.batch import LoopBatch
from weft.testing.oracles import enumerate_derivations

SAMPLE_WEIGHT = np.array([1.0, 0.5, 2.0])


@dataclass
class Case:
    """A batch of three sequences and, of each, all outputs.

    Attributes
    ----------
    outputs : list of lists
    features : list of ndarrays of shape (n_outputs, n_features)
    losses : list of ndarrays of shape (n_outputs,)
    agreeing : list of lists of int
        Numbers of the outputs that agree with the reference: one, or more of a reference that is known in part.
    parts : callable
        What the marginals of a sequence are about, counted in one output.
    gain : callable, optional
        What `most_accurate` maximises, from the parts of an output and the marginals of its sequence.
    """

    structure: str
    batch: Any
    outputs: list
    features: list
    losses: list
    agreeing: list
    parts: Callable[[int, Any], np.ndarray]
    gain: Callable | None = None
    weights: np.ndarray = field(init=False)

    def __post_init__(self):
        self.weights = np.random.default_rng(7).normal(scale=0.6, size=self.batch.n_features)

    def probabilities(self, weights):
        """Of all outputs of each sequence."""
        found = []
        for features in self.features:
            scores = features @ weights
            shares = np.exp(scores - scores.max())
            found.append(shares / shares.sum())
        return found

    def rounds(self):
        """Outputs of all sequences, as often as it takes for each to be there once."""
        for j in range(max(map(len, self.outputs))):
            yield [j % len(own) for own in self.outputs]


def summed(parts, marginals):
    """Probabilities of the parts of an output."""
    return float((parts * marginals).sum())


def right_symbols(parts, marginals):
    """Symbols of two sequences that are expected to be right, paired or not."""
    unpaired = [(1.0 - marginals.sum(axis=a), 1.0 - parts.sum(axis=a)) for a in (0, 1)]
    return 2.0 * summed(parts, marginals) + sum(float(p @ own) for p, own in unpaired)


def right_bases(parts, marginals):
    """The same for pairs of one sequence, each base of which is in one pair at the most."""
    both = [each[0] + each[0].T for each in (parts, marginals)]
    unpaired, own = 1.0 - both[1].sum(axis=0), 1.0 - both[0].sum(axis=0)
    return 2.0 * summed(parts, marginals) + float(unpaired @ own)


# --------------------------------------------------------------------- chains


def chain(**settings):
    random = np.random.default_rng(3)
    problem = chain_oracle.random_problem(random, 3, settings.pop("order", 1), [3, 1, 4], **settings)
    found = [chain_oracle.labellings(problem, i) for i in range(3)]
    outputs = [[np.array(labels, dtype=np.int32) for labels in every] for every, _ in found]
    agreeing = [[int(random.integers(len(own)))] for own in outputs]
    references = np.concatenate([own[k] for own, (k,) in zip(outputs, agreeing, strict=True)])
    batch = ChainBatch(problem.features, problem.corpus, references, SAMPLE_WEIGHT, n_jobs=2)
    losses = [
        np.array([np.sum(labels != own[k]) for labels in own], dtype=float)
        for own, (k,) in zip(outputs, agreeing, strict=True)
    ]
    return Case(
        "chain", batch, outputs, [rows for _, rows in found], losses, agreeing,
        lambda i, labels: np.eye(3)[labels], summed,
    )  # fmt: skip


def hankel():
    _, structure, corpus, labels = hankel_problems.make(order=2)
    corpus, right = corpus.select(np.arange(3)), np.split(labels, corpus.offsets[1:-1])[:3]
    batch = HankelBatch(structure, corpus, np.concatenate(right), SAMPLE_WEIGHT, n_jobs=2)
    symbols = np.split(structure.pairs.symbols(corpus), corpus.offsets[1:-1])
    outputs = [hankel_problems.labellings(structure, own) for own in symbols]
    features = [
        np.array([hankel_problems.features(structure, own, each.tolist()) for each in every])
        for own, every in zip(symbols, outputs, strict=True)
    ]
    losses = [
        np.array([np.sum(each != wanted) for each in every], dtype=float)
        for every, wanted in zip(outputs, right, strict=True)
    ]
    agreeing = [[int(np.argmin(own))] for own in losses]
    return Case(
        "Hankel chain", batch, outputs, features, losses, agreeing, lambda i, each: np.eye(3)[each], summed
    )  # fmt: skip


# ----------------------------------------------------------------- alignments

PAIRS = [("acb", "ab"), ("b", "ca"), ("abc", "cab")]


def alignment(partial=False):
    structure = Alignment("substitution", "abc", gaps="affine")
    corpus = structure.encode(PAIRS)
    outputs, features, losses, agreeing, chosen, masks = [], [], [], [], [], []
    for k, pair in zip((5, 3, 40), PAIRS, strict=True):
        every = alignment_oracle.all_moves(len(pair[0]), len(pair[1]))
        features.append(np.array([alignment_oracle.feature_vector(structure, pair, moves) for moves in every]))
        right = alignment_oracle.aligned(every[k])
        known = right[:1] if partial else right
        pairs = [set(alignment_oracle.aligned(moves)) for moves in every]
        losses.append(np.array([len(set(known) - own) for own in pairs], dtype=float))
        agreeing.append([j for j, own in enumerate(pairs) if set(known) <= own] if partial else [k])
        outputs.append([np.array(moves, dtype=np.uint8) for moves in every])
        chosen.append(outputs[-1][k])
        mask = np.array(every[k]) == 0
        mask[np.cumsum(mask) > 1] = False
        masks.append(mask)
    references = References.build(corpus, chosen, masks if partial else None)
    batch = AlignmentBatch(structure, corpus, references, SAMPLE_WEIGHT, n_jobs=2)

    def parts(i, moves):
        found = np.zeros((len(PAIRS[i][0]), len(PAIRS[i][1])))
        for a, b in alignment_oracle.aligned(moves.tolist()):
            found[a, b] = 1.0
        return found

    name = "alignment, known in part" if partial else "alignment"
    return Case(name, batch, outputs, features, losses, agreeing, parts, right_symbols)


# ---------------------------------------------------------------------- trees


def grammar():
    rules = Grammar("S -> S S | a S b | a | b\nS -> T\nT -> a T | b")
    words = ["abab", "ab", "aabb"]
    outputs, features, losses, agreeing = [], [], [], []
    for word in words:
        graph = rules.compile(rules.encode(word))
        every = [
            rules.steps([int(part) for part in graph.parts[list(edges)] if part >= 0])
            for edges in enumerate_derivations(graph)
        ]
        counts = np.array([np.bincount(steps[:, 0], minlength=len(rules.productions)) for steps in every])
        features.append(counts @ rules.rule_features.toarray())
        outputs.append(every)
        agreeing.append([len(every) // 2])
        marks = [_pairs_of(rules, steps) for steps in every]
        losses.append(np.array([len(own ^ marks[len(every) // 2]) for own in marks], dtype=float))
    references = [own[k] for own, (k,) in zip(outputs, agreeing, strict=True)]
    batch = GrammarBatch(rules, [rules.encode(word) for word in words], references, SAMPLE_WEIGHT, n_jobs=2)

    def parts(i, steps):
        found = np.zeros((1, len(words[i]), len(words[i])))
        for a, b in _pairs_of(rules, steps):
            found[0, a, b] = 1.0
        return found

    return Case("grammar", batch, outputs, features, losses, agreeing, parts, right_bases)


def _pairs_of(rules, steps):
    """Spans that a rule A -> a B b derives."""
    wrapped = [number for number, rule in enumerate(rules.productions) if rule.left and rule.right]
    return {(int(a), int(b)) for number, a, b in steps if number in wrapped}


def loops():
    model = LoopModel(1)
    words = ["gacauc", "gac", "gcacgac"]
    symbols = [model.encode(word) for word in words]
    outputs, features, losses, agreeing = [], [], [], []
    for own in symbols:
        every = structures(own, 1)
        features.append(np.array([model.rule_features.T @ model.counts(own, pairs) for pairs in every]))
        outputs.append(every)
        agreeing.append([len(every) - 1])
        marks = [set(map(tuple, pairs.tolist())) for pairs in every]
        losses.append(np.array([len(each ^ marks[-1]) for each in marks], dtype=float))
    references = [own[-1] for own in outputs]
    batch = LoopBatch(model, symbols, references, SAMPLE_WEIGHT, n_jobs=2)

    def parts(i, pairs):
        found = np.zeros((1, len(words[i]), len(words[i])))
        found[0, pairs[:, 0], pairs[:, 1]] = 1.0
        return found

    return Case("loops of RNA", batch, outputs, features, losses, agreeing, parts, right_bases)


def graph():
    structure = Chain(n_labels=2, n_symbols=3)
    X = [[0, 1, 2, 0], [2, 1], [1]]
    graphs, rows = [structure.compile(len(x)) for x in X], [structure.part_features(x) for x in X]
    outputs = [
        [parts[parts >= 0] for parts in (each.parts[list(edges)] for edges in enumerate_derivations(each))]
        for each in graphs
    ]
    counts = [
        np.array([np.bincount(parts, minlength=each.n_parts) for parts in own], dtype=float)
        for each, own in zip(graphs, outputs, strict=True)
    ]
    features = [own @ each.toarray() for own, each in zip(counts, rows, strict=True)]
    agreeing = [[len(own) // 3] for own in outputs]
    losses = [np.abs(own - own[k]).sum(axis=1) for own, (k,) in zip(counts, agreeing, strict=True)]
    references = [own[k] for own, (k,) in zip(outputs, agreeing, strict=True)]
    batch = GraphBatch(graphs, rows, references, SAMPLE_WEIGHT, n_jobs=2)
    return Case(
        "any graph", batch, outputs, features, losses, agreeing,
        lambda i, parts: np.bincount(parts, minlength=graphs[i].n_parts).astype(float),
    )  # fmt: skip


# ----------------------------------------------------------------- candidates


def candidates():
    random = np.random.default_rng(0)
    first = candidate_oracle.FIRST
    offsets = np.array([0, 3, 4, 8])
    symbols = random.integers(0, 3, 8).astype(np.int32)
    chosen = first[symbols] + random.integers(0, np.diff(first)[symbols])
    vowels = np.array([0, 1, 0])
    structure, found = CandidateChain.collect(
        symbols, offsets, chosen, first, candidate_oracle.LABELS,
        views=[View(2, 2, vowels), View(2, 0, vowels)], trait_views=[View(1, 1, vowels, vowels)],
        traits=[[0], [1], [0, 2], [1], [2], []], min_count=1,
    )  # fmt: skip
    places = (chosen - first[symbols]).astype(np.int16)
    batch = CandidateBatch(structure, symbols, offsets, found, places, SAMPLE_WEIGHT, n_jobs=2)
    outputs = [candidate_oracle.labellings(batch, i) for i in range(3)]
    features = [np.array([candidate_oracle.features(batch, i, each) for each in own]) for i, own in enumerate(outputs)]
    right = np.split(places, offsets[1:-1])
    losses = [
        np.array([np.sum(each != wanted) for each in own], dtype=float)
        for own, wanted in zip(outputs, right, strict=True)
    ]
    agreeing = [[int(np.flatnonzero(own == 0)[0])] for own in losses]
    return Case(
        "candidates", batch, outputs, features, losses, agreeing, lambda i, each: np.eye(3)[each], summed
    )  # fmt: skip


def lists():
    random = np.random.default_rng(5)
    owners = np.repeat(np.arange(3), [4, 1, 3])
    matrix = random.integers(0, 2, (8, 4)).astype(float)
    scores = random.normal(size=8)
    shares = np.array([0, 1, 0, 0, 1, 0, 0, 1], dtype=float)
    batch = ListBatch(sparse.csr_matrix(matrix), scores, owners, shares, SAMPLE_WEIGHT)
    rows = np.split(np.column_stack([matrix, scores]), [4, 5])
    right = np.split(shares, [4, 5])
    return Case(
        "lists", batch, [list(range(len(own))) for own in rows], rows, [1.0 - own for own in right],
        [[int(np.argmax(own))] for own in right], lambda i, place: np.eye(len(rows[i]))[place],
    )  # fmt: skip


CASES = {
    "chain": chain,
    "chain of order 2 with constraints": lambda: chain(order=2, boundary=True, forbid=True, weighted=True),
    "Hankel chain": hankel,
    "alignment": alignment,
    "alignment, known in part": lambda: alignment(partial=True),
    "grammar": grammar,
    "loops of RNA": loops,
    "any graph": graph,
    "candidates": candidates,
    "lists": lists,
}

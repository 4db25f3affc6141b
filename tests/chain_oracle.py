"""Chains by brute force: list all labellings of a short sequence with their feature vectors."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from weft.core import DerivationGraph
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures.chain.features import ChainFeatures, ForbiddenLabels
from weft.structures.chain.label_grams import LabelGrams


@dataclass
class Problem:
    """A chain model, encoded sequences and the same tokens as dicts {attribute: value}."""

    features: ChainFeatures
    corpus: Corpus
    sequences: list
    weights: np.ndarray

    def __repr__(self):
        grams = self.features.grams
        return (
            f"Problem(n_labels={grams.n_labels}, order={grams.order}, boundary={self.features.boundary}, "
            f"forbidden={self.features.forbidden}, sequences={self.sequences}, weights={self.weights.tolist()})"
        )


def encode_tokens(sequences, n_columns, weighted):
    rows = [token for sequence in sequences for token in sequence]
    offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    ids = np.array([a for row in rows for a in row], dtype=np.int32)
    values = np.array([v for row in rows for v in row.values()], dtype=np.float64) if weighted else np.empty(0)
    starts = np.cumsum([0] + [len(sequence) for sequence in sequences]).astype(np.int64)
    return Corpus(starts, SparseTokens(offsets, ids, values, n_columns))


def random_problem(
    rng, n_labels, order, lengths, *, boundary=False, forbid=False, weighted=False, n_columns=3, observed=False
):
    """A model with random features; weights are left at zero."""
    sequences = [
        [
            {
                int(a): float(rng.choice([0.5, 2.0, -1.0])) if weighted else 1.0
                for a in np.flatnonzero(rng.random(n_columns) < 0.6)
            }
            for _ in range(length)
        ]
        for length in lengths
    ]
    corpus = encode_tokens(sequences, n_columns, weighted)
    mask = (
        rng.random((n_columns, n_labels)) < rng.choice([0.2, 0.7, 1.0])
        if observed
        else np.ones((n_columns, n_labels), bool)
    )
    pair_offsets = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    pair_labels = (np.flatnonzero(mask) % n_labels).astype(np.int32)
    grams = None
    if observed:
        grams = []
        for length in range(2, order + 2):
            every = np.array(list(itertools.product(range(n_labels), repeat=length)), dtype=np.int64)
            grams.append(every[rng.random(len(every)) < 0.6])
    forbidden = None
    if forbid:
        forbidden = ForbiddenLabels(
            rng.random((n_labels, n_labels)) < 0.3, rng.random(n_labels) < 0.2, rng.random(n_labels) < 0.2
        )
    features = ChainFeatures(pair_offsets, pair_labels, LabelGrams.build(n_labels, order, grams), boundary, forbidden)
    return Problem(features, corpus, sequences, np.zeros(features.n_features))


def allowed(forbidden, labels):
    if forbidden is None:
        return True
    steps = any(forbidden.steps[p, z] for p, z in itertools.pairwise(labels))
    return not (steps or forbidden.start[labels[0]] or forbidden.end[labels[-1]])


def feature_vector(features, tokens, labels):
    """Features of one labelling, from the names of the weights alone."""
    place = {}
    for number, (a, z) in enumerate(zip(features.pair_attributes, features.pair_labels, strict=True)):
        place["pair", int(a), int(z)] = number
    for number, gram in enumerate(features.grams.grams, start=features.n_pairs):
        place["gram", gram] = number
    vector = np.zeros(features.n_features)
    for token, label in zip(tokens, labels, strict=True):
        for attribute, value in token.items():
            if ("pair", attribute, label) in place:
                vector[place["pair", attribute, label]] += value
    for end in range(1, len(labels)):
        for length in range(2, min(end + 1, features.grams.order + 1) + 1):
            gram = tuple(labels[end + 1 - length : end + 1])
            if ("gram", gram) in place:
                vector[place["gram", gram]] += 1
    if features.boundary:
        vector[features.n_features - 2 * features.n_labels + labels[0]] += 1
        vector[features.n_features - features.n_labels + labels[-1]] += 1
    return vector


def labellings(problem, index):
    """All allowed labellings of a sequence, and their features as rows."""
    tokens = problem.sequences[index]
    features = problem.features
    every = [
        labels
        for labels in itertools.product(range(features.n_labels), repeat=len(tokens))
        if allowed(features.forbidden, labels)
    ]
    rows = [feature_vector(features, tokens, labels) for labels in every]
    return every, np.array(rows).reshape(len(every), features.n_features)


def log_sum(values):
    top = max(values, default=-math.inf)
    return top + math.log(math.fsum(math.exp(v - top) for v in values)) if top > -math.inf else top


def first_order_graph(emissions, arcs, start, end):
    """The same chain as a derivation graph: one part per emission and per step, boundaries in the emissions.

    Returns the graph and its part scores; part ``t * n_labels + z`` is label z at position t.
    """
    length, n_labels = emissions.shape
    scores = emissions.copy()
    scores[0] += start
    scores[-1] += end
    heads, tails, parts = [], [], []
    n_emissions = length * n_labels

    def state(t, z):  # node of (position, label), after a node for each step into it
        return t * (n_labels * n_labels + n_labels) + n_labels * n_labels + z

    def step(t, p, z):
        return t * (n_labels * n_labels + n_labels) + p * n_labels + z

    for t in range(length):
        for z in range(n_labels):
            if t == 0:
                heads.append(state(t, z)), tails.append([-1, -1]), parts.append(z)
            for p in range(n_labels):
                if t:
                    heads.append(step(t, p, z)), tails.append([state(t - 1, p), -1])
                    parts.append(n_emissions + p * n_labels + z)
                    heads.append(state(t, z)), tails.append([step(t, p, z), -1]), parts.append(t * n_labels + z)
    root = state(length - 1, n_labels - 1) + 1
    for z in range(n_labels):
        heads.append(root), tails.append([state(length - 1, z), -1]), parts.append(-1)
    graph = DerivationGraph.build(heads, tails, parts, root + 1, n_emissions + n_labels * n_labels)
    return graph, np.concatenate([scores.reshape(-1), arcs.reshape(-1)])

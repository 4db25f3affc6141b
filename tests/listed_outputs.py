"""Small batches with references, and beside them all outputs of their sequences as a list."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.structures import Chain, Grammar, GraphBatch
from weft.structures.grammar.batch import GrammarBatch
from weft.testing.oracles import enumerate_derivations

SAMPLE_WEIGHT = np.array([1.0, 0.5, 2.0, 0.0])


@dataclass(frozen=True)
class Listed:
    """A batch; for each of its sequences the features and losses of all outputs, and which of them is right."""

    batch: Any
    features: list[Any]
    losses: list[Any]
    right: list[int]


def listed_trees(seed: int, marks: str) -> Listed:
    """Trees of an ambiguous grammar."""
    grammar = Grammar("S -> S S | a S b | A\nA -> a A | a | b")
    X = ["aab", "abab", "ab", "aabb"]
    trees = []
    for x in X:
        graph = grammar.compile(x)
        trees.append([grammar.steps(graph.parts[list(edges)].tolist()) for edges in enumerate_derivations(graph)])

    def marked(steps):
        named = ((grammar.productions[rule], s, t) for rule, s, t in steps.tolist())
        if marks == "pairs":
            return {(s, t) for rule, s, t in named if rule.is_pair}
        return {(rule.head, s, t) for rule, s, t in named}

    right = _chosen(trees, seed)
    references = [own[place] for own, place in zip(trees, right, strict=True)]
    batch = GrammarBatch(grammar, [grammar.encode(x) for x in X], references, SAMPLE_WEIGHT, 1, marks)
    features = [np.array([grammar.features(steps) for steps in own]) for own in trees]
    return Listed(batch, features, _losses(trees, right, marked), right)


def listed_labels(seed: int) -> Listed:
    """Labels of a chain, as graphs."""
    chain = Chain(n_labels=2, n_symbols=3)
    X = [[0, 1, 2, 0], [2, 1], [1, 1, 0], [0]]
    graphs, rows = [chain.compile(len(x)) for x in X], [chain.part_features(x) for x in X]
    outputs = [
        [parts[parts >= 0] for parts in (graph.parts[list(edges)] for edges in enumerate_derivations(graph))]
        for graph in graphs
    ]
    right = _chosen(outputs, seed)
    references = [own[place] for own, place in zip(outputs, right, strict=True)]
    features = [
        np.array([own.T @ np.bincount(parts, minlength=own.shape[0]) for parts in listed])
        for own, listed in zip(rows, outputs, strict=True)
    ]
    batch = GraphBatch(graphs, rows, references, SAMPLE_WEIGHT)
    return Listed(batch, features, _losses(outputs, right, lambda parts: set(parts.tolist())), right)


def _chosen(outputs, seed):
    random = np.random.default_rng(seed)
    return [int(random.integers(len(own))) for own in outputs]


def _losses(outputs, right, marked):
    return [
        np.array([len(marked(output) ^ marked(own[place])) for output in own], dtype=float)
        for own, place in zip(outputs, right, strict=True)
    ]


LISTED = {
    "trees with pairs": lambda seed: listed_trees(seed, "pairs"),
    "trees with nodes": lambda seed: listed_trees(seed, "nodes"),
    "graphs": listed_labels,
}

"""Brute force: every query on a small derivation graph, answered by listing its derivations.

Slow on purpose and without compiled code, so that it can be believed. Counts are exact integers and uniform
moments exact fractions.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from weft.arrays import Floats
from weft.core import DerivationGraph

__all__ = [
    "derivation_scores",
    "enumerate_derivations",
    "exact_count",
    "exact_uniform_moments",
    "feature_moments",
    "part_occurrences",
    "probabilities",
]

Edges = tuple[int, ...]


def enumerate_derivations(graph: DerivationGraph, scores: npt.ArrayLike | None = None) -> list[Edges]:
    """List all derivations, each as its edges in top-down, left to right order.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,), optional
        If given, derivations with a part of score ``-inf`` are left out.

    Returns
    -------
    list of tuple of int

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0, 1], [[-1, -1], [-1, -1], [0, 0]], [0, 1, -1], 2, 2)
    >>> enumerate_derivations(graph)
    [(2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)]
    """
    allowed = _allowed_parts(graph, scores)
    of_node: list[list[Edges]] = []
    for node in range(graph.n_nodes):
        found: list[Edges] = []
        for edge in range(int(graph.offsets[node]), int(graph.offsets[node + 1])):
            part = int(graph.parts[edge])
            if part < 0 or allowed[part]:
                choices: list[Edges] = [(edge,)]
                for tail in graph.tails[edge]:
                    if tail >= 0:
                        choices = [start + rest for start in choices for rest in of_node[tail]]
                found.extend(choices)
        of_node.append(found)
    return of_node[-1]


def exact_count(graph: DerivationGraph, scores: npt.ArrayLike | None = None) -> int:
    """Count the derivations as a Python integer of any size.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,), optional
        If given, derivations with a part of score ``-inf`` are left out.

    Returns
    -------
    int

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0, 1], [[-1, -1], [-1, -1], [0, 0]], [0, 1, -1], 2, 2)
    >>> exact_count(graph), exact_count(graph, [0.0, -np.inf])
    (4, 1)
    """
    allowed = _allowed_parts(graph, scores)
    counts: list[int] = []
    for node in range(graph.n_nodes):
        count = 0
        for edge in range(int(graph.offsets[node]), int(graph.offsets[node + 1])):
            part = int(graph.parts[edge])
            if part < 0 or allowed[part]:
                count += math.prod(counts[tail] for tail in graph.tails[edge] if tail >= 0)
        counts.append(count)
    return counts[-1]


def derivation_scores(graph: DerivationGraph, scores: npt.ArrayLike, derivations: list[Edges]) -> list[float]:
    """Score of each derivation.

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> derivation_scores(graph, [1.0, 2.0], [(0,), (1,)])
    [1.0, 2.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    return [
        math.fsum(float(values[graph.parts[edge]]) for edge in edges if graph.parts[edge] >= 0) for edges in derivations
    ]


def probabilities(graph: DerivationGraph, scores: npt.ArrayLike, derivations: list[Edges]) -> list[float]:
    """Probability of each derivation, in proportion to ``exp(score)``.

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> probabilities(graph, np.log([1.0, 3.0]), [(0,), (1,)])
    [0.25, 0.75]
    """
    values = derivation_scores(graph, scores, derivations)
    largest = max(values)
    weights = [math.exp(value - largest) for value in values]
    return [weight / math.fsum(weights) for weight in weights]


def part_occurrences(graph: DerivationGraph, derivations: list[Edges]) -> Floats:
    """Occurrences of each part in each derivation, shape (n_derivations, n_parts).

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 1], [[-1, -1], [0, 0]], [0, -1], n_nodes=2, n_parts=2)
    >>> part_occurrences(graph, [(1, 0, 0)])
    array([[2., 0.]])
    """
    rows = np.zeros((len(derivations), graph.n_parts))
    for row, edges in zip(rows, derivations, strict=True):
        for edge in edges:
            if graph.parts[edge] >= 0:
                row[graph.parts[edge]] += 1
    return rows


def feature_moments(graph: DerivationGraph, scores: npt.ArrayLike, features: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the features of a random derivation, from the list of all.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
    features : ndarray of shape (n_parts, d)

    Returns
    -------
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> feature_moments(graph, [0.0, 0.0], np.array([[0.0], [2.0]]))
    (array([1.]), array([[1.]]))
    """
    derivations = enumerate_derivations(graph, scores)
    weights = np.array(probabilities(graph, scores, derivations))
    rows = part_occurrences(graph, derivations) @ features
    mean = weights @ rows
    centred = rows - mean
    return mean, (centred.T * weights) @ centred


def exact_uniform_moments(
    graph: DerivationGraph, features: npt.ArrayLike
) -> tuple[int, list[Fraction], list[list[Fraction]]]:
    """Count, mean and covariance over all derivations alike, for integer features and without rounding.

    Parameters
    ----------
    graph : DerivationGraph
    features : array-like of int, shape (n_parts, d)

    Returns
    -------
    count : int
    mean : list of Fraction
    covariance : list of list of Fraction

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> exact_uniform_moments(graph, [[0], [1]])
    (2, [Fraction(1, 2)], [[Fraction(1, 4)]])
    """
    rows = np.asarray(features, dtype=object)
    derivations = enumerate_derivations(graph)
    vectors = []
    for edges in derivations:
        counts = Counter(int(graph.parts[edge]) for edge in edges if graph.parts[edge] >= 0)
        vectors.append([sum(n * int(rows[part, j]) for part, n in counts.items()) for j in range(rows.shape[1])])
    total = len(derivations)
    mean = [Fraction(sum(column), total) for column in zip(*vectors, strict=True)]
    covariance = [
        [
            Fraction(sum(vector[i] * vector[j] for vector in vectors), total) - mean[i] * mean[j]
            for j in range(len(mean))
        ]
        for i in range(len(mean))
    ]
    return total, mean, covariance


def _allowed_parts(graph: DerivationGraph, scores: npt.ArrayLike | None) -> list[bool]:
    if scores is None:
        return [True] * graph.n_parts
    return [bool(score > -math.inf) for score in np.asarray(scores, dtype=np.float64)]

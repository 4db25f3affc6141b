"""Mean and centred covariance of feature vectors over a weighted set: the semiring and its graph pass.

The semiring of a set is ``(log weight, mean, centred covariance)``; there are no raw second moments, so
nothing overflows and nothing cancels. Run as an inside pass it would keep a d x d matrix at every node. Its
sum rule adds, at each node, the spread of the edge means around the node mean, and every product passes
covariances on unchanged, so the recursion unrolls (law of total variance):

    C = sum over edges e of  p_e (m_e - m_head(e)) (m_e - m_head(e))^T

with ``p_e`` the expected occurrences of the edge and ``m_e`` the mean over derivations that start with it.
The graph pass computes this sum with blocks of outer products and keeps only means of nodes still needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weft.core.graph import DerivationGraph
from weft.core.jit import jit, jit_fast
from weft.core.passes import edge_values, inside, largest_degree
from weft.core.posteriors import posterior
from weft.core.semirings import FloatArray, Log, total_and_shares

if TYPE_CHECKING:
    import scipy.sparse

# Rows of edge means that are squared together; a multiple of four.
BLOCK_ROWS = 64


class Moments(NamedTuple):
    """Log weight, mean and centred covariance of the feature vectors of a non-empty set.

    The empty set is ``None``: it has no mean, and no arithmetic is done on one.

    Parameters
    ----------
    log_weight : float
        Logarithm of the summed weights; of the size of the set if all weights are one.
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)

    Examples
    --------
    A coin that shows feature 0 or feature 1, tossed twice:

    >>> heads, tails = (Moments.one(2).shifted(row) for row in np.eye(2))
    >>> coin = Moments.union([heads, tails, None])
    >>> twice = coin.times(coin)
    >>> twice.mean, twice.covariance
    (array([1., 1.]), array([[ 0.5, -0.5],
                             [-0.5,  0.5]]))
    >>> round(np.exp(twice.log_weight))
    4
    """

    log_weight: float
    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def one(cls, n_features: int) -> Moments:
        """Moments of the set of one member without features, of weight one."""
        return cls(0.0, np.zeros(n_features), np.zeros((n_features, n_features)))

    def shifted(self, features: FloatArray, score: float = 0.0) -> Moments:
        """Moments after every member gains the same features and score."""
        return Moments(self.log_weight + score, self.mean + features, self.covariance)

    def times(self, other: Moments | None) -> Moments | None:
        """Moments of the pairs of one member from each of two sets, drawn independently."""
        if other is None:
            return None
        return Moments(self.log_weight + other.log_weight, self.mean + other.mean, self.covariance + other.covariance)

    @staticmethod
    def union(sets: Sequence[Moments | None]) -> Moments | None:
        """Moments of the disjoint union of sets; ``None`` if all are empty."""
        members = [item for item in sets if item is not None]
        if not members:
            return None
        log_weights = np.array([item.log_weight for item in members])
        weights = np.exp(log_weights - log_weights.max())
        log_weight = float(log_weights.max() + np.log(weights.sum()))
        weights /= weights.sum()
        means = np.array([item.mean for item in members])
        mean = weights @ means
        spread = means - mean
        covariance = (spread.T * weights) @ spread
        for weight, item in zip(weights, members, strict=True):
            covariance += weight * item.covariance
        return Moments(log_weight, mean, covariance)


def graph_moments(graph: DerivationGraph, scores: FloatArray, features: scipy.sparse.csr_array) -> Moments | None:
    """Moments of the summed part features over all derivations, weighted by ``exp(score)``.

    Parameters
    ----------
    graph : DerivationGraph
    scores : ndarray of float64, shape (n_parts,)
    features : scipy.sparse.csr_array of float64, shape (n_parts, d)

    Returns
    -------
    Moments or None
        ``None`` if the graph has no derivation.

    Examples
    --------
    >>> import scipy.sparse
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> graph_moments(graph, np.zeros(2), scipy.sparse.csr_array(np.eye(2))).covariance
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    log_weights = inside(Log(), graph, scores)
    if log_weights[-1] == -np.inf:
        return None
    occurrences, _ = posterior(Log(), graph, scores, log_weights)
    slots, n_slots = _assign_slots(graph.offsets, graph.tails)
    mean = np.zeros(features.shape[1])
    covariance = np.zeros((features.shape[1], features.shape[1]))
    _accumulate(
        Log(), graph.offsets, graph.tails, graph.parts, scores, log_weights, occurrences,
        features.indptr, features.indices, features.data, slots, n_slots, mean, covariance,
    )  # fmt: skip
    return Moments(float(log_weights[-1].real), mean, covariance)


@jit
def _assign_slots(offsets: Any, tails: Any) -> Any:
    """Give each node a row that is free from its computation to its last use; also the number of rows."""
    n_nodes = offsets.shape[0] - 1
    last_use = np.arange(n_nodes)
    for node in range(n_nodes):
        for edge in range(offsets[node], offsets[node + 1]):
            for side in range(2):
                if tails[edge, side] >= 0:
                    last_use[tails[edge, side]] = node
    slots = np.empty(n_nodes, dtype=np.int64)
    free = np.empty(n_nodes, dtype=np.int64)
    n_free = 0
    n_slots = 0
    for node in range(n_nodes):
        if n_free > 0:
            n_free -= 1
            slots[node] = free[n_free]
        else:
            slots[node] = n_slots
            n_slots += 1
        if last_use[node] == node and node < n_nodes - 1:
            free[n_free] = slots[node]
            n_free += 1
        for edge in range(offsets[node], offsets[node + 1]):
            for side in range(2):
                tail = tails[edge, side]
                if tail >= 0 and last_use[tail] == node:
                    free[n_free] = slots[tail]
                    n_free += 1
                    last_use[tail] = n_nodes
    return slots, n_slots


@jit
def _add_edge_mean(
    target: Any,
    weight: float,
    edge: int,
    tails: Any,
    parts: Any,
    row_starts: Any,
    columns: Any,
    values: Any,
    slots: Any,
    means: Any,
) -> None:
    for side in range(2):
        if tails[edge, side] >= 0:
            tail_mean = means[slots[tails[edge, side]]]
            for i in range(target.shape[0]):
                target[i] += weight * tail_mean[i]
    if parts[edge] >= 0:
        for i in range(row_starts[parts[edge]], row_starts[parts[edge] + 1]):
            target[columns[i]] += weight * values[i]


@jit_fast
def _add_squares(covariance: Any, block: Any) -> None:
    """Add ``block.T @ block`` to the upper triangle, four rows at a time."""
    # A BLAS product would start threads, and those of several workers would fight for the cores.
    n_features = covariance.shape[0]
    for first in range(0, block.shape[0], 4):
        for i in range(n_features):
            a, b = block[first, i], block[first + 1, i]
            c, d = block[first + 2, i], block[first + 3, i]
            for j in range(i, n_features):
                covariance[i, j] += (
                    a * block[first, j] + b * block[first + 1, j] + c * block[first + 2, j] + d * block[first + 3, j]
                )


@jit
def _accumulate(
    semiring: Any,
    offsets: Any,
    tails: Any,
    parts: Any,
    scores: Any,
    log_weights: Any,
    occurrences: Any,
    row_starts: Any,
    columns: Any,
    values: Any,
    slots: Any,
    n_slots: int,
    root_mean: Any,
    covariance: Any,
) -> None:
    """Write the mean of the root and the sum of ``p_e (m_e - m_head) (m_e - m_head)^T``."""
    n_nodes = offsets.shape[0] - 1
    n_features = root_mean.shape[0]
    means = np.zeros((n_slots, n_features))
    block = np.zeros((BLOCK_ROWS, n_features))
    n_rows = 0
    buffer = np.empty(largest_degree(offsets))
    for node in range(n_nodes):
        mean = means[slots[node]]
        mean[:] = 0.0
        if occurrences[node] == 0.0:
            # Its mean is never asked for, and may not exist.
            continue
        start = offsets[node]
        count = offsets[node + 1] - start
        edge_values(buffer, log_weights, tails, parts, scores, start, count)
        total_and_shares(semiring, buffer, 0, count)
        for i in range(count):
            if buffer[i] > 0.0:
                _add_edge_mean(mean, buffer[i], start + i, tails, parts, row_starts, columns, values, slots, means)
        if count == 1:
            # One edge has no spread around its own mean.
            continue
        for i in range(count):
            if buffer[i] > 0.0:
                row = block[n_rows]
                row[:] = 0.0
                _add_edge_mean(row, 1.0, start + i, tails, parts, row_starts, columns, values, slots, means)
                weight = math.sqrt(occurrences[node] * buffer[i])
                for j in range(n_features):
                    row[j] = weight * (row[j] - mean[j])
                n_rows += 1
                if n_rows == BLOCK_ROWS:
                    _add_squares(covariance, block)
                    n_rows = 0
    block[n_rows:] = 0.0
    _add_squares(covariance, block)
    for i in range(n_features):
        root_mean[i] = means[slots[n_nodes - 1], i]
        for j in range(i):
            covariance[i, j] = covariance[j, i]

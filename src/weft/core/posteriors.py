"""Expected occurrences of nodes and parts, top-down from the root, and their derivatives.

Given that a node occurs, the choice of its edge is independent of the rest of the derivation, and its
probability is the share of the edge in the inside weight of the node. So one downward pass of products and
sums gives every expectation, without outside logarithms: no large log-weights are subtracted from each other,
and each node passes on what it received. With `Dual` the same pass carries derivatives, which are
covariances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.graph import DerivationGraph
from weft.core.jit import jit
from weft.core.passes import checked_table, edge_values, graph_values, largest_degree
from weft.core.semirings import Dual, FloatArray, Log, ValueArray, by_semiring, total_and_shares


def posterior(
    semiring: Any, graph: DerivationGraph, scores: FloatArray, inside_table: ValueArray
) -> tuple[ValueArray, ValueArray]:
    """Count how often every node and every part is expected to occur in a random derivation.

    Parameters
    ----------
    semiring : Log or Dual
    graph : DerivationGraph
    scores : ndarray of float64, shape (n_parts,)
    inside_table : ndarray
        What `inside` returned for the same semiring, graph and scores.

    Returns
    -------
    nodes : ndarray of shape (n_nodes,)
    parts : ndarray of shape (n_parts,)
        Of float64. For `Dual` of complex128, where the imaginary part is the derivative of the real part in
        the direction of the projections: the covariance of the number of occurrences with the projection of
        the derivation. All is zero when there is no derivation.

    Examples
    --------
    >>> from weft.core import DerivationGraph, Log, inside
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> scores = np.log([1.0, 3.0])
    >>> posterior(Log(), graph, scores, inside(Log(), graph, scores))[1]
    array([0.25, 0.75])
    """
    values, inside_table = graph_values(semiring, graph, scores), checked_table(semiring, graph, inside_table)
    nodes, parts = _posterior(semiring, graph.offsets, graph.tails, graph.parts, values, inside_table)
    return nodes, parts


def _log_share(semiring: Any, received: Any, probability: Any) -> Any:
    return received * probability


def _dual_share(semiring: Any, received: Any, probability: Any) -> Any:
    # (p q)' = p' q + p q'
    return complex(
        received.real * probability.real,
        received.imag * probability.real + received.real * probability.imag,
    )


@by_semiring({Log: _log_share, Dual: _dual_share})
def share_of(semiring: Any, received: Any, probability: Any) -> Any:
    """What an edge receives of the occurrences of its head."""


@jit
def _posterior(semiring: Any, offsets: Any, tails: Any, parts: Any, values: Any, inside_table: Any) -> Any:
    n_nodes = offsets.shape[0] - 1
    of_nodes = np.zeros(n_nodes, dtype=values.dtype)
    of_parts = np.zeros(values.shape[0], dtype=values.dtype)
    buffer = np.empty(largest_degree(offsets), dtype=values.dtype)
    if inside_table[n_nodes - 1].real > -np.inf:
        of_nodes[n_nodes - 1] = 1.0
    for node in range(n_nodes - 1, -1, -1):
        received = of_nodes[node]
        if received == 0.0:
            continue
        start = offsets[node]
        count = offsets[node + 1] - start
        edge_values(buffer, inside_table, tails, parts, values, start, count)
        total_and_shares(semiring, buffer, 0, count)
        for i in range(count):
            edge = start + i
            share = share_of(semiring, received, buffer[i])
            if tails[edge, 0] >= 0:
                of_nodes[tails[edge, 0]] += share
            if tails[edge, 1] >= 0:
                of_nodes[tails[edge, 1]] += share
            if parts[edge] >= 0:
                of_parts[parts[edge]] += share
    return of_nodes, of_parts

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
from weft.core.loops import expect
from weft.core.passes import checked_table, graph_values
from weft.core.semirings import FloatArray, ValueArray


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
    values = graph_values(semiring, graph, scores)
    checked_table(semiring, graph, inside_table)
    nodes, shares = np.empty(graph.n_nodes, dtype=values.dtype), np.empty(graph.n_edges, dtype=values.dtype)
    parts = np.zeros(graph.n_parts, dtype=values.dtype)
    expect(semiring, graph.offsets, graph.tails, graph.parts, values, nodes, shares, parts)
    return nodes, parts

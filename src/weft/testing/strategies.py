"""Hypothesis strategies for small derivation graphs, scores and features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse
from hypothesis import strategies as st

from weft.core import DerivationGraph

__all__ = ["derivation_graphs", "feature_matrices", "part_scores"]


@st.composite
def derivation_graphs(
    draw: st.DrawFn, max_nodes: int = 6, max_edges: int = 4, max_parts: int = 5, max_count: int = 60
) -> DerivationGraph:
    """Draw graphs with unary and binary edges, dead nodes, shared tails, repeated parts and bare edges.

    Edges arrive shuffled. An edge that would give its head more than `max_count` derivations is left out, so
    every graph can be enumerated.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(derivation_graphs(), lambda graph: graph.n_edges > 0).n_nodes
    1
    """
    n_nodes = draw(st.integers(1, max_nodes))
    n_parts = draw(st.integers(1, max_parts))
    counts: list[int] = []
    sizes: list[int] = []
    edges: list[tuple[int, int, int, int]] = []
    for head in range(n_nodes):
        count, size = 0, 0
        tail = st.integers(-1, head - 1)
        for _ in range(draw(st.integers(0, max_edges))):
            left, right = draw(tail), draw(tail)
            tails = [node for node in (left, right) if node >= 0]
            added = int(np.prod([counts[node] for node in tails], dtype=np.int64))
            length = 1 + sum(sizes[node] for node in tails)
            if count + added <= max_count and length <= 40:
                edges.append((head, left, right, draw(st.integers(-1, n_parts - 1))))
                count, size = count + added, max(size, length)
        counts.append(count)
        sizes.append(size)
    table = np.array(draw(st.permutations(edges)), dtype=np.int64).reshape(-1, 4)
    return DerivationGraph.build(table[:, 0], table[:, 1:3], table[:, 3], n_nodes, n_parts)


@st.composite
def part_scores(
    draw: st.DrawFn, graph: DerivationGraph, forbid: bool = True, offset: float = 0.0
) -> npt.NDArray[np.float64]:
    """Draw a score for every part: ties are common, some parts are forbidden, all are moved by `offset`.

    Examples
    --------
    >>> from hypothesis import find
    >>> graph = DerivationGraph.build([0], [[-1, -1]], [0], n_nodes=1, n_parts=1)
    >>> find(part_scores(graph, forbid=False), lambda scores: True)
    array([0.])
    """
    values = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-5, 5, width=32)
    if forbid:
        values = values | st.just(-np.inf)
    scores = draw(st.lists(values, min_size=graph.n_parts, max_size=graph.n_parts))
    return np.array(scores, dtype=np.float64) + offset


@st.composite
def feature_matrices(draw: st.DrawFn, graph: DerivationGraph, max_features: int = 4) -> scipy.sparse.csr_array:
    """Draw a sparse feature matrix with a row for every part, some of them empty.

    Examples
    --------
    >>> from hypothesis import find
    >>> graph = DerivationGraph.build([0], [[-1, -1]], [0], n_nodes=1, n_parts=1)
    >>> find(feature_matrices(graph), lambda features: True).shape
    (1, 1)
    """
    n_features = draw(st.integers(1, max_features))
    size = graph.n_parts * n_features
    numbers = st.sampled_from([0.0, 0.0, 1.0, 2.0, -1.0]) | st.floats(-3, 3, width=32)
    values = draw(st.lists(numbers, min_size=size, max_size=size))
    return scipy.sparse.csr_array(np.array(values).reshape(graph.n_parts, n_features))

"""One derivation, read top-down from inside values: the best one or a random one.

No back-pointers are stored. The edges of the nodes on the derivation are looked at again, which costs far
less than writing one pointer per node, and the same code then serves best derivations and samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.array_checks import checked_floats
from weft.core.graph import DerivationGraph, IntArray
from weft.core.jit import jit
from weft.core.passes import checked_table, edge_values, largest_degree
from weft.core.semirings import Draw, FloatArray, MaxPlus, ValueArray, by_semiring, total_and_shares
from weft.core.ties import TIE_TOLERANCE, first_best, larger_size, usual_size
from weft.errors import InputError

# A tail that is used twice doubles a derivation, so a small graph may derive an astronomically large one.
LARGEST_DERIVATION = 2**27


def traceback(semiring: Any, graph: DerivationGraph, scores: FloatArray, inside_table: ValueArray) -> IntArray:
    """Edges of one derivation, each before those of its left and then its right tail.

    Parameters
    ----------
    semiring : MaxPlus or Draw
        `MaxPlus` takes the best edge of each node, the first one among equals (`weft.core.ties`); `Draw` takes a
        random one.
    graph : DerivationGraph
        With at least one derivation.
    scores : ndarray of float64, shape (n_parts,)
    inside_table : ndarray of shape (n_nodes,)
        What `inside` returned for the same semiring (`Log` will do for `Draw`), graph and scores.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> from weft.core import DerivationGraph, MaxPlus, inside
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> scores = np.array([1.0, 2.0])
    >>> traceback(MaxPlus(), graph, scores, inside(MaxPlus(), graph, scores))
    array([1])
    """
    scores = checked_floats("scores", scores, (graph.n_parts,), "give one score per part")
    inside_table = checked_table(semiring, graph, inside_table)
    arrays = (graph.offsets, graph.tails, graph.parts, scores, inside_table, LARGEST_DERIVATION)
    tolerance = tie_tolerance(graph, scores, inside_table) if isinstance(semiring, MaxPlus) else 0.0
    edges: IntArray = walk_down(semiring, *arrays, tolerance)[0]
    check_size(len(edges))
    return edges


def tie_tolerance(graph: DerivationGraph, scores: FloatArray, inside_table: ValueArray) -> float:
    """Tolerance of ties, from the size of the scores on a best derivation."""
    arrays = (graph.offsets, graph.tails, graph.parts, scores, inside_table, LARGEST_DERIVATION)
    return TIE_TOLERANCE * max(float(walk_down(MaxPlus(), *arrays, 0.0)[1]), usual_size(scores))


def check_size(n_edges: int, where: str = "") -> None:
    """Refuse a derivation that was cut off at `LARGEST_DERIVATION` edges, or that came to a node without edges."""
    if n_edges == 0:
        raise InputError(
            f"{where}the walk down the graph given to a node without edges; need a graph with a derivation of finite "
            "score: give what inside() returned for it, allow more parts, or use smaller scores"
        )
    if n_edges >= LARGEST_DERIVATION:
        raise InputError(
            f"{where}a derivation has over {LARGEST_DERIVATION} edges, more than fit in memory: "
            "nodes are shared as both tails of an edge too often; compile a graph with fewer repeats"
        )


@jit
def grown(array: Any, needed: int) -> Any:
    """Return the array itself if it has room for `needed` numbers, else a copy of at least twice its size."""
    if needed <= array.shape[0]:
        return array
    larger = np.empty(max(2 * array.shape[0], needed), dtype=array.dtype)
    for i in range(array.shape[0]):  # compiles in a fraction of the time of a slice assignment
        larger[i] = array[i]
    return larger


def _max_choose(semiring: Any, buffer: Any, count: Any, tolerance: Any) -> Any:
    return first_best(buffer, count, tolerance)


def _draw_choose(semiring: Any, buffer: Any, count: Any, tolerance: Any) -> Any:
    total_and_shares(semiring, buffer, 0, count)
    remaining = semiring.generator.random()
    # Rounding may leave a remainder after the last edge, so the answer is the last one with any weight.
    chosen = 0
    for i in range(count):
        if buffer[i] > 0.0:
            chosen = i
            remaining -= buffer[i]
            if remaining < 0.0:
                break
    return chosen


@by_semiring({MaxPlus: _max_choose, Draw: _draw_choose})
def _choose(semiring: Any, buffer: Any, count: Any, tolerance: Any) -> Any:
    """Number of one of the first `count` edges, whose values are in `buffer`."""


@jit
def chosen_edge(
    semiring: Any,
    offsets: Any,
    tails: Any,
    parts: Any,
    scores: Any,
    table: Any,
    buffer: Any,
    node: int,
    tolerance: float,
) -> Any:
    """Edge that the semiring chooses at one node, -1 if it has none; `buffer` has room for its edges."""
    start = offsets[node]
    count = offsets[node + 1] - start
    if count <= 1:
        return start if count == 1 else -1
    edge_values(buffer, table, tails, parts, scores, start, count)
    return start + _choose(semiring, buffer, count, tolerance)


@jit
def walk_down(
    semiring: Any, offsets: Any, tails: Any, parts: Any, scores: Any, table: Any, limit: int, tolerance: float
) -> Any:
    """Edges of a derivation, and the size of the scores on it."""
    size = 0.0
    buffer = np.empty(largest_degree(offsets))
    edges = np.empty(64, dtype=np.int64)
    n_edges = 0
    stack = np.empty(64, dtype=np.int64)
    stack[0] = offsets.shape[0] - 2
    depth = 1
    while depth > 0 and n_edges < limit:
        depth -= 1
        size = larger_size(size, table[stack[depth]])
        edge = chosen_edge(semiring, offsets, tails, parts, scores, table, buffer, stack[depth], tolerance)
        if edge < 0:
            return edges[:0].copy(), size
        edges = grown(edges, n_edges + 1)
        edges[n_edges] = edge
        n_edges += 1
        stack = grown(stack, depth + 2)
        for side in range(1, -1, -1):
            if tails[edge, side] >= 0:
                stack[depth] = tails[edge, side]
                depth += 1
    return edges[:n_edges].copy(), size

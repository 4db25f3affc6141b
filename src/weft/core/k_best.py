"""The k best derivations, found lazily.

Huang and Chiang (2005, Algorithm 3): the next best derivation of a node is the best of its candidates, and a
candidate enters only when the one it follows has been taken. Best scores of all nodes come from the inside
pass, so nodes off the found derivations are never opened. Recursion is replaced by a stack of nodes that
still owe one more derivation; it only ever grows downwards in topological order.

A candidate, an *entry*, is an edge with one found entry for each tail. All entries live in one pool, and each
node keeps its untaken ones in a pairing heap threaded through that pool.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.graph import DerivationGraph, IntArray
from weft.core.jit import jit
from weft.core.passes import inside, largest_degree
from weft.core.semirings import FloatArray, MaxPlus
from weft.core.tracebacks import LARGEST_DERIVATION, check_size, chosen_edge, grown, tie_tolerance

# Columns of the pool: the edge, the entry of its left and right tail, the entry of the same node found next,
# and the heap links.
EDGE, LEFT, RIGHT, NEXT, CHILD, SIBLING = range(6)
NONE = -1
# As the entry of a tail: the best derivation of that tail, which need not have been opened for it.
FIRST = -1


def best_derivations(graph: DerivationGraph, scores: FloatArray, k: int) -> tuple[list[IntArray], FloatArray]:
    """Edges and scores of the k best derivations, best first; fewer if there are fewer.

    Equal scores (`weft.core.ties`) are ordered by the first edge, then by the order in which they were met, so the
    answer depends only on the graph and the scores.

    Parameters
    ----------
    graph : DerivationGraph
    scores : ndarray of float64, shape (n_parts,)
    k : int

    Returns
    -------
    edges : list of ndarray of int64
        Each edge before those of its left and then its right tail.
    scores : ndarray of float64

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> best_derivations(graph, np.array([1.0, 2.0]), k=5)
    ([array([1]), array([0])], array([2., 1.]))
    """
    semiring = MaxPlus()
    table = inside(semiring, graph, scores)
    arrays = (graph.offsets, graph.tails, graph.parts, scores, table)
    tolerance = tie_tolerance(graph, scores, table) if table[-1] > -np.inf else 0.0
    found, pool, pool_scores, first = find_entries(k, *arrays, tolerance)
    derivations = []
    for entry in found:
        edges = entry_edges(semiring, entry, pool, first, *arrays, LARGEST_DERIVATION, tolerance)
        check_size(len(edges))
        derivations.append(edges)
    # Equal scores may come in any order of their last digits.
    return derivations, np.minimum.accumulate(pool_scores[found])


@jit
def _grown_pool(pool: Any, needed: int) -> Any:
    if needed <= pool.shape[0]:
        return pool
    larger = np.empty((2 * pool.shape[0], pool.shape[1]), dtype=pool.dtype)
    for entry in range(pool.shape[0]):
        for column in range(pool.shape[1]):
            larger[entry, column] = pool[entry, column]
    return larger


@jit
def _meld(pool: Any, pool_scores: Any, one: int, other: int, tolerance: float) -> Any:
    """Top of the union of two heaps."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if pool_scores[other] > pool_scores[one] + tolerance or (
        pool_scores[other] >= pool_scores[one] - tolerance
        and (pool[other, EDGE] < pool[one, EDGE] or (pool[other, EDGE] == pool[one, EDGE] and other < one))
    ):
        one, other = other, one
    pool[other, SIBLING] = pool[one, CHILD]
    pool[one, CHILD] = other
    return one


@jit
def _without_top(pool: Any, pool_scores: Any, top: int, tolerance: float) -> Any:
    """Top of the heap that is left when the top is taken: meld its children in pairs, then all pairs."""
    pairs = NONE
    child = pool[top, CHILD]
    while child != NONE:
        partner = pool[child, SIBLING]
        rest = NONE
        pool[child, SIBLING] = NONE
        if partner != NONE:
            rest = pool[partner, SIBLING]
            pool[partner, SIBLING] = NONE
        pair = _meld(pool, pool_scores, child, partner, tolerance)
        pool[pair, SIBLING] = pairs
        pairs = pair
        child = rest
    heap = NONE
    while pairs != NONE:
        rest = pool[pairs, SIBLING]
        pool[pairs, SIBLING] = NONE
        heap = _meld(pool, pool_scores, heap, pairs, tolerance)
        pairs = rest
    return heap


@jit
def _entry_score(tails: Any, parts: Any, scores: Any, table: Any, pool: Any, pool_scores: Any, entry: int) -> Any:
    # The order of additions is that of the inside pass, so that equal derivations have equal scores.
    edge = pool[entry, EDGE]
    score = 0.0
    if parts[edge] >= 0:
        score = scores[parts[edge]]
    for side in range(2):
        tail = tails[edge, side]
        if tail >= 0:
            sub_entry = pool[entry, LEFT + side]
            score += table[tail] if sub_entry == FIRST else pool_scores[sub_entry]
    return score


@jit
def _advances(tails: Any, pool: Any, entry: int, side: int) -> Any:
    """Whether the entry has a successor that takes the next derivation of the tail on one side."""
    # Pairs of ranks (i, j) are reached once each: i grows while j is first, then j grows.
    return tails[pool[entry, EDGE], side] >= 0 and (side == 1 or pool[entry, RIGHT] == FIRST)


@jit
def _owing_tail(tails: Any, pool: Any, first: Any, exhausted: Any, entry: int) -> Any:
    """Find a tail that must yield one more derivation before the successors of an entry are known."""
    edge = pool[entry, EDGE]
    for side in range(2):
        if not _advances(tails, pool, entry, side):
            continue
        tail = tails[edge, side]
        current = pool[entry, LEFT + side]
        if current == FIRST:
            current = first[tail]
        if current == NONE or (pool[current, NEXT] == NONE and not exhausted[tail]):
            return tail
    return NONE


@jit
def find_entries(k: int, offsets: Any, tails: Any, parts: Any, scores: Any, table: Any, tolerance: float) -> Any:
    """Entries of the k best derivations of the root; of all entries numbers and scores, and the first of each node."""
    n_nodes = offsets.shape[0] - 1
    root = n_nodes - 1
    heaps = np.empty(n_nodes, dtype=np.int64)
    first = np.empty(n_nodes, dtype=np.int64)
    last = np.empty(n_nodes, dtype=np.int64)
    for node in range(n_nodes):
        heaps[node] = first[node] = last[node] = NONE
    exhausted = np.zeros(n_nodes, dtype=np.bool_)
    pool = np.empty((256, 6), dtype=np.int64)
    pool_scores = np.empty(256)
    size = 0
    found = np.empty(16, dtype=np.int64)
    n_found = 0
    stack = np.empty(64, dtype=np.int64)
    depth = 0
    while n_found < k:
        # The root owes one more derivation; so may, in turn, the tails that its next candidates need.
        stack[0] = root
        depth = 1
        while depth > 0:
            node = stack[depth - 1]
            previous = last[node]
            if previous == NONE:
                for edge in range(offsets[node], offsets[node + 1]):
                    pool = _grown_pool(pool, size + 1)
                    pool_scores = grown(pool_scores, size + 1)
                    pool[size, :] = NONE
                    pool[size, EDGE] = edge
                    pool_scores[size] = _entry_score(tails, parts, scores, table, pool, pool_scores, size)
                    if pool_scores[size] > -np.inf:
                        heaps[node] = _meld(pool, pool_scores, heaps[node], size, tolerance)
                        size += 1
            else:
                owing = _owing_tail(tails, pool, first, exhausted, previous)
                if owing != NONE:
                    stack = grown(stack, depth + 1)
                    stack[depth] = owing
                    depth += 1
                    continue
                edge = pool[previous, EDGE]
                for side in range(2):
                    if not _advances(tails, pool, previous, side):
                        continue
                    tail = tails[edge, side]
                    current = pool[previous, LEFT + side]
                    following = pool[first[tail] if current == FIRST else current, NEXT]
                    if following != NONE:
                        pool = _grown_pool(pool, size + 1)
                        pool_scores = grown(pool_scores, size + 1)
                        for column in range(pool.shape[1]):
                            pool[size, column] = pool[previous, column] if column < NEXT else NONE
                        pool[size, LEFT + side] = following
                        pool_scores[size] = _entry_score(tails, parts, scores, table, pool, pool_scores, size)
                        heaps[node] = _meld(pool, pool_scores, heaps[node], size, tolerance)
                        size += 1
            depth -= 1
            top = heaps[node]
            if top == NONE:
                exhausted[node] = True
                continue
            heaps[node] = _without_top(pool, pool_scores, top, tolerance)
            last[node] = top
            if previous == NONE:
                first[node] = top
            else:
                pool[previous, NEXT] = top
        if exhausted[root]:
            break
        found = grown(found, n_found + 1)
        found[n_found] = last[root]
        n_found += 1
    return found[:n_found].copy(), pool, pool_scores, first


@jit
def entry_edges(
    semiring: Any,
    entry: int,
    pool: Any,
    first: Any,
    offsets: Any,
    tails: Any,
    parts: Any,
    scores: Any,
    table: Any,
    limit: int,
    tolerance: float,
) -> Any:
    """Edges of the derivation that an entry of the root stands for; none if it comes to a node without edges."""
    buffer = np.empty(largest_degree(offsets))
    edges = np.empty(64, dtype=np.int64)
    n_edges = 0
    stack = np.empty(64, dtype=np.int64)
    stack[0] = offsets.shape[0] - 2
    stack[1] = entry
    depth = 1
    while depth > 0 and n_edges < limit:
        depth -= 1
        node = stack[2 * depth]
        current = stack[2 * depth + 1]
        if current == FIRST:
            current = first[node]
        if current == NONE:
            edge = chosen_edge(semiring, offsets, tails, parts, scores, table, buffer, node, tolerance)
            if edge < 0:  # sums of huge scores are infinite or no numbers: nothing was found
                return edges[:0].copy()
        else:
            edge = pool[current, EDGE]
        edges = grown(edges, n_edges + 1)
        edges[n_edges] = edge
        n_edges += 1
        stack = grown(stack, 2 * depth + 4)
        for side in range(1, -1, -1):
            if tails[edge, side] >= 0:
                stack[2 * depth] = tails[edge, side]
                stack[2 * depth + 1] = FIRST if current == NONE else pool[current, LEFT + side]
                depth += 1
    return edges[:n_edges].copy()

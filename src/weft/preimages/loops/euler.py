"""Compiled loops over de Bruijn graphs.

Edges are sorted by source: ``offsets[v]`` to ``offsets[v + 1]`` are the places in `order` of the edges that leave
vertex v, in the order in which they are examined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.jit import jit


@jit
def walk(
    offsets: Any,
    order: Any,
    sources: Any,
    targets: Any,
    left: Any,
    pointers: Any,
    start: Any,
    path: Any,
    n: Any,
) -> Any:
    """Append to `path` the edges of EULER(start), RG 1.4.6, and return the new length; `left` loses their counts.

    `pointers` says for each vertex which of its edges to examine next; a first walk begins with ``offsets[:-1]``.

    The recursion ``path <- e EULER(dest(e)) path`` is a search in depth which lists edges when they are finished, read
    backwards. The stack grows from the far end of `path`, which has room for every edge.
    """
    first = n
    top = len(path)
    vertex = start
    while True:
        place = pointers[vertex]
        while place < offsets[vertex + 1] and left[order[place]] == 0:
            place += 1
        pointers[vertex] = place
        if place < offsets[vertex + 1]:
            edge = order[place]
            left[edge] -= 1
            top -= 1
            path[top] = edge
            vertex = targets[edge]
        elif top == len(path):
            break
        else:
            edge = path[top]
            top += 1
            path[n] = edge
            n += 1
            vertex = sources[edge]
    for k in range((n - first) // 2):
        path[first + k], path[n - 1 - k] = path[n - 1 - k], path[first + k]
    return n


@jit
def _walk_all(
    offsets: Any,
    order: Any,
    sources: Any,
    targets: Any,
    active: Any,
    counts: Any,
    left: Any,
    pointers: Any,
    start: Any,
    path: Any,
) -> Any:
    """Generalised algorithm, RG 1.4.8: from `start`, then from each vertex that still has edges.

    `active` are the edges with a count, sorted by source; nothing else is looked at.
    """
    for edge in active:
        left[edge] = counts[edge]
        pointers[sources[edge]] = offsets[sources[edge]]
        pointers[targets[edge]] = offsets[targets[edge]]
    n = walk(offsets, order, sources, targets, left, pointers, start, path, 0)
    for edge in active:
        if left[edge] > 0:
            n = walk(offsets, order, sources, targets, left, pointers, sources[edge], path, n)
    return n


@jit
def _active(counts: Any, edges: Any) -> Any:
    """Edges with a count, written to the front of `edges`."""
    n = 0
    for edge in range(len(counts)):
        if counts[edge] > 0:
            edges[n] = edge
            n += 1
    return edges[:n]


@jit
def _start(active: Any, counts: Any, sources: Any, targets: Any, preferred: Any, balance: Any) -> Any:
    """Where a walk begins: a preferred vertex, else where more edges leave than arrive, else the first."""
    for edge in active:
        balance[sources[edge]] = 0
        balance[targets[edge]] = 0
    for edge in active:
        balance[sources[edge]] += counts[edge]
        balance[targets[edge]] -= counts[edge]
    most, chosen = 0, sources[active[0]] if len(active) else 0
    for edge in active:
        vertex = sources[edge]
        # Being preferred counts more than any imbalance; among several the largest imbalance decides.
        value = balance[vertex] + (1 << 40 if preferred[vertex] else 0)
        if value > most:
            most, chosen = value, vertex
    return chosen


@jit
def _begins(counts: Any) -> Any:
    """Where the walk of each row begins: as many edges as its counts."""
    begins = np.zeros(len(counts) + 1, dtype=np.int64)
    for i in range(len(counts)):
        total = 0
        for edge in range(counts.shape[1]):
            total += counts[i, edge]
        begins[i + 1] = begins[i] + total
    return begins


@jit
def walks(offsets: Any, order: Any, sources: Any, targets: Any, preferred: Any, counts: Any) -> Any:
    """Edges of the generalised Euler walk of each row of counts, one after the other, and where each begins."""
    begins = _begins(counts)
    edges = np.empty(begins[-1], dtype=np.int64)
    balance, pointers = np.zeros(len(offsets) - 1, dtype=np.int64), np.zeros(len(offsets) - 1, dtype=np.int64)
    left, room = np.zeros(len(sources), dtype=np.int64), np.empty(len(sources), dtype=np.int64)
    for i in range(len(counts)):
        active = _active(counts[i], room)
        start = _start(active, counts[i], sources, targets, preferred, balance)
        path = edges[begins[i] : begins[i + 1]]
        if len(path):
            _walk_all(offsets, order, sources, targets, active, counts[i], left, pointers, start, path)
    return edges, begins

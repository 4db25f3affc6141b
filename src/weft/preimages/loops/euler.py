"""Compiled loops over de Bruijn graphs.

Edges are sorted by source: ``offsets[v]`` to ``offsets[v + 1]`` are the places in `order` of the edges that leave
vertex v, in the order in which they are examined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE
from weft.language_model.tables import step

__all__ = ["best_walks", "walk", "walks"]


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
        while place < offsets[vertex + 1] and (order[place] < 0 or left[order[place]] == 0):
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


@jit
def _n_orders(offsets: Any, order: Any, counts: Any, limit: Any) -> Any:
    """How many orders of examination there are; `limit` + 1 if more than `limit`."""
    n = 1
    for vertex in range(len(offsets) - 1):
        alive = 0
        for place in range(offsets[vertex], offsets[vertex + 1]):
            if counts[order[place]] > 0:
                alive += 1
                n *= alive
                if n > limit:
                    return limit + 1
    return n


@jit
def _set_order(offsets: Any, order: Any, counts: Any, number: Any, exhaustive: Any, chosen: Any, noise: Any) -> None:
    """The order of that number: digits of a mixed base say which edge comes next; random digits if there are too many.

    The digits' bases grow with the edges alive at a vertex (Lehmer code), so that each number gives another order.
    """
    for vertex in range(len(offsets) - 1):
        alive = 0
        begin = offsets[vertex]
        for place in range(begin, offsets[vertex + 1]):
            edge = order[place]
            if counts[edge] == 0:
                continue
            alive += 1
            if exhaustive:
                digit = number % alive
                number //= alive
            else:
                # The first order stays as it is; xorshift (Marsaglia, 2003) draws the others.
                noise[0] ^= noise[0] << np.uint64(13)
                noise[0] ^= noise[0] >> np.uint64(7)
                noise[0] ^= noise[0] << np.uint64(17)
                digit = np.int64(noise[0] >> np.uint64(33)) % alive if number > 0 else 0
            # Insert before the last `digit` edges.
            for k in range(digit):
                chosen[begin + alive - 1 - k] = chosen[begin + alive - 2 - k]
            chosen[begin + alive - 1 - digit] = edge
        for place in range(begin + alive, offsets[vertex + 1]):
            chosen[place] = -1


@jit
def _read(path: Any, last_symbols: Any, prefix: Any, text: Any) -> Any:
    """Symbols of a walk without boundaries (number 0)."""
    n = 0
    for k in range(len(prefix)):
        if prefix[k] > 0:
            text[n] = prefix[k]
            n += 1
    for k in range(len(path)):
        symbol = last_symbols[path[k]]
        if symbol > 0:
            text[n] = symbol
            n += 1
    return n


@jit
def best_walks(
    offsets: Any,
    order: Any,
    sources: Any,
    targets: Any,
    preferred: Any,
    counts: Any,
    last_symbols: Any,
    vertex_symbols: Any,
    tables: Any,
    start_state: Any,
    end: Any,
    model_symbols: Any,
    limit: Any,
    seed: Any,
) -> Any:
    """Of the walks in up to `limit` orders of examination, the one whose string is the most probable.

    Of equal ones (`weft.core.ties`) it is that of the first order.
    """
    noise = np.full(1, (np.uint64(seed) << np.uint64(1)) + np.uint64(0x9E3779B97F4A7C15), dtype=np.uint64)
    begins = _begins(counts)
    edges = np.empty(begins[-1], dtype=np.int64)
    balance, pointers = np.zeros(len(offsets) - 1, dtype=np.int64), np.zeros(len(offsets) - 1, dtype=np.int64)
    left, room = np.zeros(len(sources), dtype=np.int64), np.empty(len(sources), dtype=np.int64)
    # Edges without a count are left out of an order; -1 fills their places.
    chosen = order.copy()
    for i in range(len(counts)):
        length = begins[i + 1] - begins[i]
        path = np.empty(length, dtype=np.int64)
        text = np.empty(length + vertex_symbols.shape[1], dtype=np.int64)
        active = _active(counts[i], room)
        if length == 0:
            continue
        start = _start(active, counts[i], sources, targets, preferred, balance)
        total = _n_orders(offsets, order, counts[i], limit)
        exhaustive = total <= limit
        best = -np.inf
        for number in range(min(total, limit)):
            _set_order(offsets, order, counts[i], number, exhaustive, chosen, noise)
            _walk_all(offsets, chosen, sources, targets, active, counts[i], left, pointers, start, path)
            n = _read(path, last_symbols, vertex_symbols[start], text)
            score, state = 0.0, start_state
            for k in range(n):
                value, state = step(tables, state, model_symbols[text[k]])
                score += value
            value, state = step(tables, state, end)
            score += value
            if number == 0 or score > best + TIE_TOLERANCE * abs(best):
                best = score
                edges[begins[i] : begins[i + 1]] = path
    return edges, begins

"""The most probable of all paths through n-grams, by a beam that knows what it dropped; compiled.

A path lists every n-gram as often as its count says. Where one does not begin with the last symbols of the one before
it, the path jumps; paths with the fewest jumps are searched, Euler paths wherever there are any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, larger_size, mean_size
from weft.language_model.tables import step


@jit
def _root(parents: Any, vertex: Any) -> Any:
    while parents[vertex] != vertex:
        parents[vertex] = parents[parents[vertex]]
        vertex = parents[vertex]
    return vertex


@jit
def _n_jumps(sources: Any, targets: Any, left: Any, vertex: Any, parents: Any, balance: Any, surplus: Any) -> Any:
    """Fewest jumps of a path that goes on from `vertex` through all edges that are left.

    Edges of one component make max(1, P) trails, P the sum of all surpluses of leaving over entering edges. All but
    one trail need a jump; that one too, unless the path stands in the component and may leave it from there.
    """
    for e in range(len(left)):
        for v in (sources[e], targets[e]):
            parents[v], balance[v], surplus[v] = v, 0, -1
    for e in range(len(left)):
        if left[e] > 0:
            parents[_root(parents, sources[e])] = _root(parents, targets[e])
            balance[sources[e]] += left[e]
            balance[targets[e]] -= left[e]
            surplus[sources[e]] = 0
            surplus[targets[e]] = 0
    # Each vertex counts once: its balance is moved to the root and cleared.
    here, is_free = -1, True
    if vertex >= 0 and surplus[vertex] == 0:
        here, is_free = _root(parents, vertex), balance[vertex] > 0
    n = 0
    for e in range(len(left)):
        if left[e] > 0:
            for v in (sources[e], targets[e]):
                surplus[_root(parents, v)] += max(balance[v], 0)
                balance[v] = 0
    for e in range(len(left)):
        if left[e] > 0:
            root = _root(parents, sources[e])
            if surplus[root] >= 0:
                n += max(surplus[root], 1)
                if root == here and (is_free or surplus[root] == 0):
                    n -= 1
                surplus[root] = -1
    return n


@jit
def _same(left: Any, first: Any, first_edge: Any, second: Any, second_edge: Any) -> Any:
    """Whether two paths, each with one more edge, have used the same edges."""
    same = True
    for e in range(left.shape[1]):
        same &= left[first, e] - (e == first_edge) == left[second, e] - (e == second_edge)
    return same


@jit
def _best_path(
    sources: Any,
    targets: Any,
    counts: Any,
    symbols: Any,
    prefixes: Any,
    is_start: Any,
    limits: Any,
    slack: Any,
    model: Any,
    width: Any,
    path: Any,
) -> Any:
    """Fill `path` with the best path found; return its score and a bound for all that were dropped.

    `limits` has for each edge the largest log probability of its symbol after its vertex, and `slack` how much more one
    edge may have after a jump. Of equal paths (`weft.core.ties`) the one that was met first is kept.
    """
    tables, start_state, end, model_symbols, floor = model
    m, n = len(counts), len(path)
    n_vertices = len(is_start)
    parents, balance = np.zeros(n_vertices, dtype=np.int64), np.zeros(n_vertices, dtype=np.int64)
    surplus = np.zeros(n_vertices, dtype=np.int64)
    allowed = np.int64(n)
    for e in range(m):
        if is_start[sources[e]]:
            allowed = min(allowed, _n_jumps(sources, targets, counts, sources[e], parents, balance, surplus))
    rest = 0.0
    for e in range(m):
        rest += counts[e] * limits[e]
    tolerance = TIE_TOLERANCE * larger_size(mean_size(limits), rest)

    left, after = np.empty((width, m), dtype=np.int64), np.empty((width, m), dtype=np.int64)
    vertices, states = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    jumps, hashes = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.uint64)
    scores, rests = np.empty(width), np.empty(width)
    backs, taken = np.empty((n, width), dtype=np.int32), np.empty((n, width), dtype=np.int32)
    room = width * m
    owners, edges = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    new_states, new_jumps = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    new_scores, ranks = np.empty(room), np.empty(room)
    new_hashes = np.empty(room, dtype=np.uint64)
    size = 16
    while size < 2 * room:
        size *= 2
    table = np.empty(size, dtype=np.int64)

    left[0], vertices[0], states[0], jumps[0] = counts, -1, start_state, allowed
    hashes[0], scores[0], rests[0] = np.uint64(0), 0.0, rest
    n_active, dropped = 1, -np.inf
    for place in range(n):
        n_new = 0
        table[:] = -1
        for h in range(n_active):
            for e in range(m):
                if left[h, e] == 0 or (place == 0 and not is_start[sources[e]]):
                    continue
                remaining = jumps[h] - (place > 0 and sources[e] != vertices[h])
                if remaining < 0:
                    continue
                score, state = scores[h], states[h]
                if place == 0:
                    for symbol in prefixes[sources[e]]:
                        if symbol > 0:
                            value, state = step(tables, state, model_symbols[symbol])
                            score += max(value, floor)
                if symbols[e] > 0:
                    value, state = step(tables, state, model_symbols[symbols[e]])
                    score += max(value, floor)
                left[h, e] -= 1
                is_possible = _n_jumps(sources, targets, left[h], targets[e], parents, balance, surplus) <= remaining
                left[h, e] += 1
                if not is_possible:
                    continue
                # A sum over the edges used: their order does not matter.
                hashed = hashes[h] + np.uint64(e + 1) * np.uint64(0x9E3779B97F4A7C15)
                at = np.int64((hashed ^ (np.uint64(state) * np.uint64(0xD1B54A32D192ED03))) >> np.uint64(20)) % size
                while table[at] >= 0:
                    c = table[at]
                    same = new_hashes[c] == hashed and new_states[c] == state and new_jumps[c] == remaining
                    if same and targets[edges[c]] == targets[e] and _same(left, owners[c], edges[c], h, e):
                        break
                    at = (at + 1) % size
                c = table[at]
                if c >= 0 and score <= new_scores[c] + tolerance:
                    continue
                if c < 0:
                    c = n_new
                    table[at] = c
                    n_new += 1
                owners[c], edges[c], new_states[c], new_jumps[c], new_hashes[c] = h, e, state, remaining, hashed
                new_scores[c] = score
                ranks[c] = score + rests[h] - limits[e] + remaining * slack
        n_kept = n_new
        level = -np.inf
        n_equal = 0
        if n_new > width:
            n_kept = width
            level = np.sort(ranks[:n_new])[n_new - width]
            n_equal = width
            for c in range(n_new):
                n_equal -= ranks[c] > level + tolerance
        a = 0
        for c in range(n_new):
            is_kept = ranks[c] > level + tolerance or n_new <= width
            if not is_kept and ranks[c] >= level - tolerance and n_equal > 0:
                is_kept = True
                n_equal -= 1
            if not is_kept or a == n_kept:
                dropped = max(dropped, ranks[c])
                continue
            h, e = owners[c], edges[c]
            after[a] = left[h]
            after[a, e] -= 1
            backs[place, a], taken[place, a] = h, e
            # In front of what is still read there are only smaller places.
            owners[a], edges[a], new_states[a], new_jumps[a] = h, e, new_states[c], new_jumps[c]
            new_hashes[a], new_scores[a], ranks[a] = new_hashes[c], new_scores[c], rests[h] - limits[e]
            a += 1
        n_active = a
        left, after = after, left
        for a in range(n_active):
            vertices[a], states[a], jumps[a] = targets[edges[a]], new_states[a], new_jumps[a]
            hashes[a], scores[a], rests[a] = new_hashes[a], new_scores[a], ranks[a]
    best, chosen = -np.inf, 0
    for h in range(n_active):
        value, _ = step(tables, states[h], end)
        score = scores[h] + max(value, floor)
        if h == 0 or score > best + tolerance:
            best, chosen = score, h
    for place in range(n - 1, -1, -1):
        path[place] = taken[place, chosen]
        chosen = backs[place, chosen]
    return best, dropped


@jit
def best_paths(
    sources: Any,
    targets: Any,
    counts: Any,
    symbols: Any,
    prefixes: Any,
    is_preferred: Any,
    limits: Any,
    slack: Any,
    model: Any,
    width: Any,
) -> Any:
    """Edges of the best path of each row of counts, one after the other; where each begins; scores; bounds."""
    n_rows, n_vertices = len(counts), len(is_preferred)
    begins = np.zeros(n_rows + 1, dtype=np.int64)
    for i in range(n_rows):
        begins[i + 1] = begins[i] + counts[i].sum()
    edges = np.empty(begins[-1], dtype=np.int64)
    scores, bounds = np.zeros(n_rows), np.full(n_rows, -np.inf)
    numbers, used = np.full(n_vertices, -1, dtype=np.int64), np.empty(n_vertices, dtype=np.int64)
    for i in range(n_rows):
        # Only the edges with a count, and their vertices numbered anew.
        active = np.flatnonzero(counts[i] > 0)
        path = edges[begins[i] : begins[i + 1]]
        n_used = 0
        has_preferred = False
        for e in active:
            has_preferred |= is_preferred[sources[e]]
            for v in (sources[e], targets[e]):
                if numbers[v] < 0:
                    numbers[v] = n_used
                    used[n_used] = v
                    n_used += 1
        is_start = np.zeros(n_used, dtype=np.bool_)
        for e in active:
            is_start[numbers[sources[e]]] = is_preferred[sources[e]] or not has_preferred
        scores[i], bounds[i] = _best_path(
            numbers[sources[active]],
            numbers[targets[active]],
            counts[i][active],
            symbols[active],
            prefixes[used[:n_used]],
            is_start,
            limits[active],
            slack,
            model,
            width,
            path,
        )
        for k in range(len(path)):
            path[k] = active[path[k]]
        for k in range(n_used):
            numbers[used[k]] = -1
    return edges, begins, scores, bounds

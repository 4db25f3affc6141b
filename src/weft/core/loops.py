"""Loops over graphs that are joined (`weft.core.joined`): every input in turn, each with the passes of `weft.core`.

All take the numbers of the first input and of the one after the last. Arrays over parts have one number for each part
of these inputs, one input after the other.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.k_best import entry_edges, find_entries
from weft.core.passes import inside_values
from weft.core.posteriors import share_of
from weft.core.semirings import MaxPlus, total_and_shares
from weft.core.ties import N_LOOKED_AT, TIE_TOLERANCE, larger_size
from weft.core.tracebacks import grown, walk_down

__all__ = ["add_features", "best_outputs", "drawn_outputs", "expected_parts", "part_scores", "ranked_outputs", "roots"]


@jit
def part_scores(joined, weights, begin, end):
    """Score of each part: its features times the weights."""
    first = joined.part_starts[begin]
    scores = np.empty(joined.part_starts[end] - first)
    row_starts, columns, values = joined.row_starts, joined.columns, joined.values
    for i in range(begin, end):
        shift = joined.first_rows[i] - joined.part_starts[i]
        for part in range(joined.part_starts[i], joined.part_starts[i + 1]):
            score = 0.0
            for k in range(row_starts[part + shift], row_starts[part + shift + 1]):
                score += values[k] * weights[columns[k]]
            scores[part - first] = score
    return scores


@jit
def add_features(joined, of_parts, sample_weight, begin, end, rows):
    """Add the features of the parts, each times its number and the sample weight of its input.

    They go to the row of `rows` with the number of the input, or all to the only one.
    """
    first = joined.part_starts[begin]
    row_starts, columns, values = joined.row_starts, joined.columns, joined.values
    for i in range(begin, end):
        row = rows[min(i - begin, rows.shape[0] - 1)]
        shift = joined.first_rows[i] - joined.part_starts[i]
        for part in range(joined.part_starts[i], joined.part_starts[i + 1]):
            factor = sample_weight[i - begin] * of_parts[part - first]
            if factor != 0.0:
                for k in range(row_starts[part + shift], row_starts[part + shift + 1]):
                    row[columns[k]] += factor * values[k]


@jit
def topology(joined, i):
    """Offsets, tails and parts of the graph of one input; its parts count from 0."""
    t = joined.topologies[i]
    edges = slice(joined.edge_starts[t], joined.edge_starts[t + 1])
    offsets = joined.offsets[joined.offset_starts[t] : joined.offset_starts[t + 1]]
    return offsets, joined.tails[edges], joined.parts[edges]


@jit
def own_parts(joined, of_parts, begin, i):
    """Those numbers of an array over parts that belong to one input."""
    first = joined.part_starts[begin]
    return of_parts[joined.part_starts[i] - first : joined.part_starts[i + 1] - first]


@jit
def roots(semiring, joined, values, begin, end):
    """Value of the set of all derivations of each input."""
    found = np.empty(end - begin, dtype=values.dtype)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        found[i - begin] = inside_values(semiring, offsets, tails, parts, own_parts(joined, values, begin, i))[-1]
    return found


@jit
def expected_parts(semiring, joined, values, begin, end):
    """Value of all derivations of each input, and how often each part is expected; with `Dual`, derivatives too.

    As `inside` and `posterior` do it, and with the same digits: but the way up leaves the share of each edge, so that
    the way down takes no exponentials.
    """
    found = np.empty(end - begin, dtype=values.dtype)
    expected = np.zeros(values.shape[0], dtype=values.dtype)
    n_edges, n_nodes = 0, 0
    for i in range(begin, end):
        offsets, _, _ = topology(joined, i)
        n_nodes = max(n_nodes, offsets.shape[0] - 1)
        n_edges = max(n_edges, offsets[-1])
    shares = np.empty(n_edges, dtype=values.dtype)
    of_nodes = np.empty(n_nodes, dtype=values.dtype)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own = own_parts(joined, values, begin, i)
        root = offsets.shape[0] - 2
        # The values of nodes on the way up, how often they occur on the way down.
        for node in range(root + 1):
            for edge in range(offsets[node], offsets[node + 1]):
                value = values.dtype.type(0)
                if parts[edge] >= 0:
                    value += own[parts[edge]]
                if tails[edge, 0] >= 0:
                    value += of_nodes[tails[edge, 0]]
                if tails[edge, 1] >= 0:
                    value += of_nodes[tails[edge, 1]]
                shares[edge] = value
            of_nodes[node] = total_and_shares(semiring, shares, offsets[node], offsets[node + 1])
        found[i - begin] = of_nodes[root]
        of_nodes[: root + 1] = 0.0
        if found[i - begin].real > -np.inf:
            of_nodes[root] = 1.0
        own_expected = own_parts(joined, expected, begin, i)
        for node in range(root, -1, -1):
            received = of_nodes[node]
            if received == 0.0:
                continue
            for edge in range(offsets[node], offsets[node + 1]):
                share = share_of(semiring, received, shares[edge])
                if tails[edge, 0] >= 0:
                    of_nodes[tails[edge, 0]] += share
                if tails[edge, 1] >= 0:
                    of_nodes[tails[edge, 1]] += share
                if parts[edge] >= 0:
                    own_expected[parts[edge]] += share
    return found, expected


@jit
def smallest(values, rank):
    """The value of a rank, which counts from 0; values change places. NumPy's median takes ten seconds to compile."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]


@jit
def tie_size(size, scores):
    """The larger one of a size and of `weft.core.ties.usual_size` of scores; the median is seldom looked for."""
    step = 1 + len(scores) // N_LOOKED_AT
    n_sizes, n_larger = 0, 0
    for i in range(0, len(scores), step):
        absolute = abs(scores[i])
        if 0.0 < absolute < np.inf:
            n_sizes += 1
            n_larger += absolute > size
    # Of an even number of sizes the median is the mean of two.
    if 2 * n_larger < n_sizes - 1 or n_sizes == 0:
        return size
    sizes = np.empty(n_sizes)
    n_sizes = 0
    for i in range(0, len(scores), step):
        absolute = abs(scores[i])
        if 0.0 < absolute < np.inf:
            sizes[n_sizes] = absolute
            n_sizes += 1
    middle = n_sizes // 2
    upper = smallest(sizes, middle)
    lower = upper if n_sizes % 2 else smallest(sizes, middle - 1)
    return max(size, (lower + upper) / 2)


@jit
def walk_best(offsets, tails, parts, scores, table, edges, stack, limit, tolerance):
    """Edges of the best derivation, as `walk_down` with `MaxPlus` takes them.

    Returns
    -------
    edges, stack : ndarray of int64
        Those that came, or larger ones.
    n_edges : int
        0 if the walk came to a node without edges.
    size : float
        That of the scores on the way.
    margin : float
        By how much the tolerance would have to be larger for the walk to be another one.
    """
    size, margin = 0.0, np.inf
    stack[0] = offsets.shape[0] - 2
    depth, n_edges = 1, 0
    while depth > 0 and n_edges < limit:
        depth -= 1
        node = stack[depth]
        best = table[node]
        size = larger_size(size, best)
        edge, stop = offsets[node], offsets[node + 1]
        if edge == stop:
            return edges, stack, 0, size, margin
        if stop - edge > 1:
            # The inside pass added in this order, so that the best edge has the value of the node to the last digit.
            floor = best - tolerance
            while edge < stop:
                value = 0.0
                if parts[edge] >= 0:
                    value += scores[parts[edge]]
                if tails[edge, 0] >= 0:
                    value += table[tails[edge, 0]]
                if tails[edge, 1] >= 0:
                    value += table[tails[edge, 1]]
                if value >= floor:
                    break
                margin = min(margin, floor - value)
                edge += 1
            if edge == stop:  # sums of huge scores are no numbers
                edge = offsets[node]
        edges = grown(edges, n_edges + 1)
        edges[n_edges] = edge
        n_edges += 1
        stack = grown(stack, depth + 2)
        for side in range(1, -1, -1):
            if tails[edge, side] >= 0:
                stack[depth] = tails[edge, side]
                depth += 1
    return edges, stack, n_edges, size, margin


@jit
def tolerance_at(offsets, tails, parts, scores, table, limit):
    """Tolerance of ties of one input, as `weft.core.tracebacks.tie_tolerance` has it."""
    size = walk_down(MaxPlus(), offsets, tails, parts, scores, table, limit, 0.0)[1]
    return TIE_TOLERANCE * tie_size(size, scores)


@jit
def append_parts(outputs, n_outputs, edges, parts):
    """Write the parts of a derivation behind those of others; the array, perhaps a new one, and its end."""
    outputs = grown(outputs, n_outputs + edges.shape[0])
    for edge in edges:
        if parts[edge] >= 0:
            outputs[n_outputs] = parts[edge]
            n_outputs += 1
    return outputs, n_outputs


@jit
def best_outputs(joined, scores, begin, end, limit):
    """Scores of the best derivations, their numbers of edges, their parts, and where those of each input end."""
    n_inputs = end - begin
    found = np.empty(n_inputs)
    n_edges = np.zeros(n_inputs, dtype=np.int64)
    ends = np.zeros(n_inputs, dtype=np.int64)
    outputs = np.empty(64 * n_inputs, dtype=np.int32)
    n_outputs = 0
    edges = np.empty(64, dtype=np.int64)
    stack = np.empty(64, dtype=np.int64)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own = own_parts(joined, scores, begin, i)
        table = inside_values(MaxPlus(), offsets, tails, parts, own)
        found[i - begin] = table[-1]
        if table[-1] > -np.inf:
            edges, stack, count, size, margin = walk_best(offsets, tails, parts, own, table, edges, stack, limit, 0.0)
            tolerance = TIE_TOLERANCE * tie_size(size, own)
            if margin <= tolerance:
                edges, stack, count, size, margin = walk_best(
                    offsets, tails, parts, own, table, edges, stack, limit, tolerance
                )
            n_edges[i - begin] = count
            outputs, n_outputs = append_parts(outputs, n_outputs, edges[:count], parts)
        ends[i - begin] = n_outputs
    return found, n_edges, outputs[:n_outputs].copy(), ends


@jit
def ranked_outputs(joined, scores, k, begin, end, limit):
    """The best derivations of each input, best first: where those of each end; of each, score, edges, parts and end."""
    last = np.zeros(end - begin, dtype=np.int64)
    found = np.empty(end - begin)
    n_edges = np.empty(end - begin, dtype=np.int64)
    ends = np.empty(end - begin, dtype=np.int64)
    n_found = 0
    outputs = np.empty(64 * (end - begin), dtype=np.int32)
    n_outputs = 0
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own = own_parts(joined, scores, begin, i)
        table = inside_values(MaxPlus(), offsets, tails, parts, own)
        if table[-1] > -np.inf:
            tolerance = tolerance_at(offsets, tails, parts, own, table, limit)
            entries, pool, pool_scores, first = find_entries(k, offsets, tails, parts, own, table, tolerance)
            found = grown(found, n_found + entries.shape[0])
            n_edges = grown(n_edges, n_found + entries.shape[0])
            ends = grown(ends, n_found + entries.shape[0])
            lowest = np.inf
            for entry in entries:
                edges = entry_edges(MaxPlus(), entry, pool, first, offsets, tails, parts, own, table, limit, tolerance)
                outputs, n_outputs = append_parts(outputs, n_outputs, edges, parts)
                # Equal scores may come in any order of their last digits.
                lowest = min(lowest, pool_scores[entry])
                found[n_found] = lowest
                n_edges[n_found] = edges.shape[0]
                ends[n_found] = n_outputs
                n_found += 1
        last[i - begin] = n_found
    return last, found[:n_found].copy(), n_edges[:n_found].copy(), outputs[:n_outputs].copy(), ends[:n_found].copy()


@jit
def drawn_outputs(semiring, joined, scores, n_samples, begin, end, limit):
    """Log partitions; of `n_samples` random derivations of each input the numbers of edges, the parts, the ends."""
    found = np.empty(end - begin)
    n_edges = np.zeros((end - begin) * n_samples, dtype=np.int64)
    ends = np.zeros((end - begin) * n_samples, dtype=np.int64)
    outputs = np.empty(64 * (end - begin), dtype=np.int32)
    n_outputs = 0
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own = own_parts(joined, scores, begin, i)
        table = inside_values(semiring, offsets, tails, parts, own)
        found[i - begin] = table[-1]
        if table[-1] > -np.inf:
            for sample in range((i - begin) * n_samples, (i - begin + 1) * n_samples):
                edges = walk_down(semiring, offsets, tails, parts, own, table, limit, 0.0)[0]
                outputs, n_outputs = append_parts(outputs, n_outputs, edges, parts)
                n_edges[sample] = edges.shape[0]
                ends[sample] = n_outputs
    return found, n_edges, outputs[:n_outputs].copy(), ends

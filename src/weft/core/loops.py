"""Loops over graphs that are joined (`weft.core.joined`): every input in turn, each with the passes of `weft.core`.

All take the numbers of the first input and of the one after the last. Arrays over parts have one number for each part
of these inputs, one input after the other.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.k_best import entry_edges, find_entries
from weft.core.passes import inside_values
from weft.core.semirings import MaxPlus, share_of, total_and_shares
from weft.core.ties import N_LOOKED_AT, TIE_TOLERANCE, larger_size
from weft.core.tracebacks import grown, walk_down


@jit
def write_scores(joined, weights, i, scores):
    """Write the score of each part of one input, its features times the weights; False if one is infinite or NaN."""
    first = joined.first_rows[i]
    row_ends, columns, values = joined.row_starts[first + 1 : first + 1 + len(scores)], joined.columns, joined.values
    is_finite = True
    # Numba asks of signed numbers whether they count from the end: here and below, unsigned ones save a third.
    k = np.uint64(joined.row_starts[first])
    for part in range(len(scores)):
        score = 0.0
        row_end = np.uint64(row_ends[part])
        if k < row_end:  # most parts have one feature, which a loop would make dearer
            score += values[k] * weights[np.uint64(columns[k])]
            k += np.uint64(1)
        while k < row_end:
            score += values[k] * weights[np.uint64(columns[k])]
            k += np.uint64(1)
        scores[part] = score
        is_finite &= score < np.inf
    return is_finite


@jit
def part_scores(joined, weights, begin, end):
    """Score of each part."""
    scores = np.empty(joined.part_starts[end] - joined.part_starts[begin])
    for i in range(begin, end):
        write_scores(joined, weights, i, own_parts(joined, scores, begin, i))
    return scores


@jit
def add_own_features(joined, of_parts, factor, i, row):
    """Add the features of the parts of one input, each times its number and a factor."""
    first = joined.first_rows[i]
    row_ends, columns, values = joined.row_starts[first + 1 : first + 1 + len(of_parts)], joined.columns, joined.values
    k = np.uint64(joined.row_starts[first])
    for part in range(len(of_parts)):
        row_end = np.uint64(row_ends[part])
        share = factor * of_parts[part]
        if share == 0.0:
            k = row_end
        while k < row_end:
            row[np.uint64(columns[k])] += share * values[k]
            k += np.uint64(1)


@jit
def add_features(joined, of_parts, sample_weight, begin, end, rows):
    """Add the features of the parts, each times its number and the sample weight of its input.

    They go to the row of `rows` with the number of the input, or all to the only one.
    """
    for i in range(begin, end):
        row = rows[min(i - begin, rows.shape[0] - 1)]
        add_own_features(joined, own_parts(joined, of_parts, begin, i), sample_weight[i - begin], i, row)


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
def largest_sizes(joined, begin, end):
    """Largest numbers of nodes, edges and parts of one input."""
    n_nodes, n_edges, n_parts = 0, 0, 0
    for i in range(begin, end):
        offsets, _, _ = topology(joined, i)
        n_nodes = max(n_nodes, offsets.shape[0] - 1)
        n_edges = max(n_edges, offsets[-1])
        n_parts = max(n_parts, joined.part_starts[i + 1] - joined.part_starts[i])
    return n_nodes, n_edges, n_parts


@jit
def expect(semiring, offsets, tails, parts, values, of_nodes, shares, expected):
    """Value of all derivations of one input; `of_nodes` becomes, and to `expected` is added, how often each occurs.

    The way up is that of `inside`, with the same digits, and leaves the share of each edge, so that the way down takes
    no exponentials.
    """
    root = offsets.shape[0] - 2
    # The values of nodes on the way up, how often they occur on the way down.
    edge = np.uint64(0)
    for node in range(root + 1):
        stop = np.uint64(offsets[node + 1])
        while edge < stop:
            value = values.dtype.type(0)
            if parts[edge] >= 0:
                value += values[np.uint32(parts[edge])]
            if tails[edge, 0] >= 0:
                value += of_nodes[np.uint32(tails[edge, 0])]
            if tails[edge, 1] >= 0:
                value += of_nodes[np.uint32(tails[edge, 1])]
            shares[edge] = value
            edge += np.uint64(1)
        of_nodes[node] = total_and_shares(semiring, shares, offsets[node], offsets[node + 1])
    found = of_nodes[root]
    of_nodes[: root + 1] = 0.0
    if found.real > -np.inf:
        of_nodes[root] = 1.0
    for node in range(root, -1, -1):
        received = of_nodes[node]
        if received == 0.0:
            continue
        edge, stop = np.uint64(offsets[node]), np.uint64(offsets[node + 1])
        while edge < stop:
            share = share_of(semiring, received, shares[edge])
            if tails[edge, 0] >= 0:
                of_nodes[np.uint32(tails[edge, 0])] += share
            if tails[edge, 1] >= 0:
                of_nodes[np.uint32(tails[edge, 1])] += share
            if parts[edge] >= 0:
                expected[np.uint32(parts[edge])] += share
            edge += np.uint64(1)
    return found


@jit
def expected_parts(semiring, joined, values, begin, end):
    """Value of all derivations of each input, and how often each part is expected; with `Dual`, derivatives too."""
    found = np.empty(end - begin, dtype=values.dtype)
    expected = np.zeros(values.shape[0], dtype=values.dtype)
    n_nodes, n_edges, _ = largest_sizes(joined, begin, end)
    of_nodes, shares = np.empty(n_nodes, dtype=values.dtype), np.empty(n_edges, dtype=values.dtype)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own, own_expected = own_parts(joined, values, begin, i), own_parts(joined, expected, begin, i)
        found[i - begin] = expect(semiring, offsets, tails, parts, own, of_nodes, shares, own_expected)
    return found, expected


@jit
def add_expected(semiring, joined, weights, sample_weight, begin, end, row):
    """Value of all derivations of each input; their expected features are added up. And whether all is finite.

    As `part_scores`, `expected_parts` and `add_features` do it, but what is known of an input stays in the cache.
    """
    found = np.empty(end - begin)
    n_nodes, n_edges, n_parts = largest_sizes(joined, begin, end)
    of_nodes, shares, scores, expected = np.empty(n_nodes), np.empty(n_edges), np.empty(n_parts), np.empty(n_parts)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        own_scores = scores[: joined.part_starts[i + 1] - joined.part_starts[i]]
        own_expected = expected[: len(own_scores)]
        if not write_scores(joined, weights, i, own_scores):
            return found, False
        own_expected[:] = 0.0
        found[i - begin] = expect(semiring, offsets, tails, parts, own_scores, of_nodes, shares, own_expected)
        add_own_features(joined, own_expected, sample_weight[i - begin], i, row)
    return found, True


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
    for i in range((len(scores) + step - 1) // step):
        absolute = abs(scores[np.uint64(i * step)])
        is_size = 0.0 < absolute < np.inf
        n_sizes += is_size
        n_larger += is_size and absolute > size
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
        edge, stop = np.uint64(offsets[node]), np.uint64(offsets[node + 1])
        if edge == stop:
            return edges, stack, 0, size, margin
        if stop - edge > 1:
            # The inside pass added in this order, so that the best edge has the value of the node to the last digit.
            floor = best - tolerance
            while edge < stop:
                value = 0.0
                if parts[edge] >= 0:
                    value += scores[np.uint32(parts[edge])]
                if tails[edge, 0] >= 0:
                    value += table[np.uint32(tails[edge, 0])]
                if tails[edge, 1] >= 0:
                    value += table[np.uint32(tails[edge, 1])]
                if value >= floor:
                    break
                if floor - value < margin:
                    margin = floor - value
                edge += np.uint64(1)
            if edge == stop:  # sums of huge scores are no numbers
                edge = np.uint64(offsets[node])
        # The tests are those of `grown`; its calls would take longer than the rest.
        if n_edges == len(edges):
            edges = grown(edges, n_edges + 1)
        edges[n_edges] = edge
        n_edges += 1
        if depth + 2 > len(stack):
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
def best_values(offsets, tails, parts, scores, table):
    """Write the value of every node as `inside_values` with `MaxPlus` has it, without a list of those of its edges."""
    edge = np.uint64(0)
    for node in range(offsets.shape[0] - 1):
        best = -np.inf
        stop = np.uint64(offsets[node + 1])
        while edge < stop:
            value = 0.0
            if parts[edge] >= 0:
                value += scores[np.uint32(parts[edge])]
            if tails[edge, 0] >= 0:
                value += table[np.uint32(tails[edge, 0])]
            if tails[edge, 1] >= 0:
                value += table[np.uint32(tails[edge, 1])]
            if value > best:
                best = value
            edge += np.uint64(1)
        table[node] = best


@jit
def best_outputs(joined, weights, bonus, begin, end, limit):
    """Scores of the best derivations, their numbers of edges, their parts, and where those of each input end.

    Also whether all scores were finite. `bonus` has a number for each part, or none.
    """
    n_inputs = end - begin
    found = np.empty(n_inputs)
    n_edges = np.zeros(n_inputs, dtype=np.int64)
    ends = np.zeros(n_inputs, dtype=np.int64)
    outputs = np.empty(64 * n_inputs, dtype=np.int32)
    n_outputs = 0
    edges = np.empty(64, dtype=np.int64)
    stack = np.empty(64, dtype=np.int64)
    n_nodes, _, n_parts = largest_sizes(joined, begin, end)
    tables, scores = np.empty(n_nodes), np.empty(n_parts)
    for i in range(begin, end):
        offsets, tails, parts = topology(joined, i)
        table = tables[: len(offsets) - 1]
        own = scores[: joined.part_starts[i + 1] - joined.part_starts[i]]
        is_finite = write_scores(joined, weights, i, own)
        if len(bonus):
            own += own_parts(joined, bonus, begin, i)
            is_finite = is_finite and own.max() < np.inf
        if not is_finite:
            return found, n_edges, outputs, ends, False
        best_values(offsets, tails, parts, own, table)
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
    return found, n_edges, outputs[:n_outputs].copy(), ends, True


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

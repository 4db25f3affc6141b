"""Parts of a given secondary structure."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.rna.loops.places import (
    ENDS,
    hairpin_end,
    inner_end,
    interior_kind,
    is_small,
    log_steps,
    outer_end,
    small_loop,
    special_at,
    special_places,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    HAIRPIN_MORE,
    INTERIOR_LENGTH,
    LONGEST_HAIRPIN,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_VALUES,
    PAIR,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["count_parts"]


@jit
def count_parts(symbols, pairs, codes, longest):
    """How often a structure has each part; `pairs` are those of the structure, sorted, of shape (n_pairs, 2).

    `codes` are the hairpins with a value of their own (`special_places`). Loops between two pairs may have up to
    `longest` bases; those of more than LONGEST_LOOP are counted as one of that length and parts HAIRPIN_LOG.

    The result is empty if they are no structure: out of order or of range, crossing, of letters that do not pair, or
    with loops that are too long.
    """
    n = symbols.shape[0]
    counts = np.zeros(N_VALUES)
    partner = np.full(n, -1, dtype=np.int64)
    if not _mark_partners(symbols, pairs, partner):
        return counts[:0]
    special = special_places(symbols, codes)
    branches = np.empty((n, 2), dtype=np.int64)
    for row in range(-1, pairs.shape[0]):
        i, j = -1, n  # no pair: the exterior loop
        if row >= 0:
            i, j = pairs[row]
        n_branches, n_bases, k = 0, 0, i + 1
        while k < j:
            if partner[k] > k:
                branches[n_branches, 0], branches[n_branches, 1] = k, partner[k]
                n_branches += 1
                k = partner[k] + 1
            else:
                n_bases += 1
                k += 1
        if row < 0:
            counts[EXTERIOR_BASE] += n_bases
            _count_ends(symbols, EXTERIOR_BRANCH, branches[:n_branches], counts)
            continue
        pair = PAIR_CODES[symbols[i], symbols[j]]
        counts[PAIR + pair] += 1
        if n_branches == 0:
            counts[hairpin_end(symbols, i, j)] += 1
            counts[HAIRPIN_LENGTH + min(n_bases, LONGEST_HAIRPIN)] += 1
            counts[HAIRPIN_MORE] += max(n_bases - LONGEST_HAIRPIN, 0)
            counts[HAIRPIN_LOG] += log_steps(n_bases)
            if special_at(special, i, j) >= 0:
                counts[special_at(special, i, j)] += 1
        elif n_branches == 1:
            k, m = branches[0]
            left, right = k - i - 1, j - m - 1
            if is_small(left, right):
                counts[small_loop(symbols, i, j, k, m)] += 1
                continue
            if left + right > longest:
                return counts[:0]
            counts[HAIRPIN_LOG] += log_steps(left + right)
            if min(left, right) == 0:
                counts[BULGE_LENGTH + min(left + right, LONGEST_LOOP)] += 1
                counts[BULGE_END + REVERSED[pair]] += 1
                counts[BULGE_END + PAIR_CODES[symbols[k], symbols[m]]] += 1
            else:
                _count_sides(left, right, counts)
                table = ENDS[interior_kind(left, right)]
                counts[inner_end(symbols, table, i, j)] += 1
                counts[outer_end(symbols, table, k, m)] += 1
        else:
            counts[inner_end(symbols, MULTI_CLOSE, i, j)] += 1
            counts[MULTI_BASE] += n_bases
            _count_ends(symbols, MULTI_BRANCH, branches[:n_branches], counts)
    return counts


@jit
def _count_sides(left, right, counts):
    """Bases on both sides of a loop. One that is too long has the same asymmetry; half of two if that is odd."""
    if left + right <= LONGEST_LOOP:
        counts[INTERIOR_LENGTH + left * SIDE + right] += 1
        return
    least = 1 if min(left, right) == 1 else 2
    lopsided = min(abs(left - right), LONGEST_LOOP - 2 * least)
    for other in (lopsided - lopsided % 2, lopsided + lopsided % 2):
        short = (LONGEST_LOOP - other) // 2
        first = short if left < right else LONGEST_LOOP - short
        counts[INTERIOR_LENGTH + first * SIDE + LONGEST_LOOP - first] += 0.5


@jit
def _mark_partners(symbols, pairs, partner):
    """Write down the partner of the first base of each pair; False if the pairs are no structure."""
    n = symbols.shape[0]
    closing = np.empty(pairs.shape[0] + 1, dtype=np.int64)  # where the pairs around the next one end
    closing[0] = n
    depth, before = 1, -1
    for row in range(pairs.shape[0]):
        i, j = pairs[row, 0], pairs[row, 1]
        if not (before < i < j < n) or PAIR_CODES[symbols[i], symbols[j]] < 0:
            return False
        while closing[depth - 1] < i:
            depth -= 1
        if j >= closing[depth - 1] or i == closing[depth - 1]:
            return False
        closing[depth] = j
        depth += 1
        partner[i] = j
        before = i
    return True


@jit
def _count_ends(symbols, table, branches, counts):
    for row in range(branches.shape[0]):
        counts[outer_end(symbols, table, branches[row, 0], branches[row, 1])] += 1

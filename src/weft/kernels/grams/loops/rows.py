"""Compiled loops that turn occurrences of grams into sparse rows."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.kernels.grams.loops.radix_sort import N_STARTS, sort_keys, sort_pairs


@jit
def collapse_rows(keys, offsets, row_keys, row_values, place, ends):
    """Sort the keys of each sequence and count equal ones; write rows from `place` on and where each ends."""
    starts = np.empty(N_STARTS, dtype=np.int64)
    spare = np.empty(_longest(offsets), dtype=np.uint64)
    for i in range(len(offsets) - 1):
        own = keys[offsets[i] : offsets[i + 1]]
        n = len(own)
        sort_keys(own, n, spare, starts)
        j = 0
        while j < n:
            key, begin = own[j], j
            while j < n and own[j] == key:
                j += 1
            row_keys[place] = key
            row_values[place] = j - begin
            place += 1
        ends[i] = place
    return place


@jit
def collapse_weighted_rows(keys, weights, offsets, row_keys, row_values, place, ends):
    """Sort the keys of each sequence and add the weights of equal ones; like `collapse_rows`."""
    starts = np.empty(N_STARTS, dtype=np.int64)
    longest = _longest(offsets)
    spare = np.empty(longest, dtype=np.uint64)
    spare_weights = np.empty(longest, dtype=weights.dtype)
    for i in range(len(offsets) - 1):
        own, own_weights = keys[offsets[i] : offsets[i + 1]], weights[offsets[i] : offsets[i + 1]]
        n = len(own)
        sort_pairs(own, own_weights, n, spare, spare_weights, starts)
        j = 0
        while j < n:
            key, total = own[j], 0.0
            while j < n and own[j] == key:
                total += own_weights[j]
                j += 1
            row_keys[place] = key
            row_values[place] = total
            place += 1
        ends[i] = place
    return place


@jit
def _longest(offsets):
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest


@jit
def _slot(key, mask):
    """First place of a key in a table of 2^k places."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))


@jit
def fill_table(keys, table_keys, table_columns):
    """Put the keys, all different, and their numbers into an empty table (columns -1)."""
    mask = len(table_keys) - 1
    for column in range(len(keys)):
        slot = _slot(keys[column], mask)
        while table_columns[slot] >= 0:
            slot = (slot + 1) & mask
        table_keys[slot], table_columns[slot] = keys[column], column


@jit
def find_columns(keys, table_keys, table_columns, columns):
    """Number of each key, -1 for those that the table lacks."""
    mask = len(table_keys) - 1
    for i in range(len(keys)):
        slot = _slot(keys[i], mask)
        while table_columns[slot] >= 0 and table_keys[slot] != keys[i]:
            slot = (slot + 1) & mask
        columns[i] = table_columns[slot]


@jit
def drop_unknown(columns, values, ends, norms):
    """Drop entries without a column, in place; return how many stay, and sum all squares into `norms`."""
    kept, begin = 0, 0
    for row in range(len(ends)):
        total = 0.0
        for i in range(begin, ends[row]):
            total += np.float64(values[i]) * np.float64(values[i])
            if columns[i] >= 0:
                columns[kept], values[kept] = columns[i], values[i]
                kept += 1
        norms[row] = total
        begin = ends[row]
        ends[row] = kept
    return kept

"""Compiled loops that number millions of keys in sorted order.

One big hash table would miss the cache at every key. So the keys are first dealt out by their leading bits, and each
share is numbered in a table that fits the cache.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.kernels.grams.loops.radix_sort import N_STARTS, sort_pairs


@jit
def count_shares(keys, shift, counts):
    """Number of keys in each share."""
    for i in range(len(keys)):
        counts[keys[i] >> shift] += 1


@jit
def deal(keys, first, shift, places, dealt_keys, dealt_positions):
    """Move the keys, the first of which is number `first`, to their shares, from `places` on."""
    for i in range(len(keys)):
        share = keys[i] >> shift
        place = places[share]
        dealt_keys[place] = keys[i]
        dealt_positions[place] = first + i
        places[share] = place + 1


@jit
def number_shares(dealt_keys, begins, first, last, ranks, n_different):
    """Rank of each key within its share; the different keys of a share come to its front, sorted."""
    largest = 1
    for share in range(first, last):
        largest = max(largest, begins[share + 1] - begins[share])
    size = 2
    while size < 2 * largest:
        size *= 2
    table = np.empty(size, dtype=np.uint64)
    table_ids = np.full(size, -1, dtype=np.int32)
    used = np.empty(largest, dtype=np.int64)
    order, spare_order = np.empty(largest, dtype=np.int32), np.empty(largest, dtype=np.int32)
    spare = np.empty(largest, dtype=np.uint64)
    rank_of = np.empty(largest, dtype=np.int32)
    starts = np.empty(N_STARTS, dtype=np.int64)
    for share in range(first, last):
        begin, end = begins[share], begins[share + 1]
        # A table of twice the share's size, so that small shares stay in the nearest cache.
        mask = 1
        while mask < 2 * (end - begin):
            mask *= 2
        mask -= 1
        n = 0
        for i in range(begin, end):
            key = dealt_keys[i]
            mixed = key * np.uint64(0x9E3779B97F4A7C15)
            slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(mask))
            while table_ids[slot] >= 0 and table[slot] != key:
                slot = (slot + 1) & mask
            if table_ids[slot] < 0:
                table[slot], table_ids[slot] = key, n
                used[n] = slot
                order[n] = n
                # The place before i is free: n never passes the keys read.
                dealt_keys[begin + n] = key
                n += 1
            ranks[i] = table_ids[slot]
        for i in range(n):
            table_ids[used[i]] = -1
        sort_pairs(dealt_keys[begin:end], order, n, spare, spare_order, starts)
        for rank in range(n):
            rank_of[order[rank]] = rank
        for i in range(begin, end):
            ranks[i] = rank_of[ranks[i]]
        n_different[share] = n


@jit
def write_columns(begins, first, last, ranks, dealt_positions, dealt_keys, n_before, columns, different):
    """Column of each key in its old position, and the different keys, sorted."""
    for share in range(first, last):
        begin, end = begins[share], begins[share + 1]
        before = n_before[share]
        for i in range(begin, end):
            columns[dealt_positions[i]] = before + ranks[i]
        for i in range(n_before[share + 1] - before):
            different[before + i] = dealt_keys[begin + i]

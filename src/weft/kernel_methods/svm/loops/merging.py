"""Compiled loops that find equal columns of sparse rows and join them."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

MOST = 255
"""Where counts of rows end."""

# What a column has in place of a number; one that stands for several has JOINED less its number.
ALONE, LEFT_OUT, UNSEEN, JOINED = -1, -2, -3, -4


@jit
def column_counts(columns, n_columns):
    """In how many rows each column is, counted up to `MOST`: in bytes, which keeps the counters in the cache."""
    counts = np.zeros(n_columns, dtype=np.uint8)
    for column in columns:
        seen = counts[column]
        counts[column] = seen + (seen < MOST)
    return counts


@jit
def column_marks(indptr, columns, values, counts, limit):
    """A number of 64 bits for each column in 2 to `limit` rows, the same for columns with equal entries.

    A sum over entries of products of odd numbers that depend on the row and on the value: multiply-shift hashing.
    """
    marks = np.zeros(len(counts), dtype=np.uint64)
    value_bits = np.empty(1, dtype=np.float64)
    bits = value_bits.view(np.uint64)
    for i in range(len(indptr) - 1):
        row = np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
        row *= np.uint64(0xBF58476D1CE4E5B9)
        row ^= row >> np.uint64(32)
        for k in range(indptr[i], indptr[i + 1]):
            column = columns[k]
            if 2 <= counts[column] <= limit:
                value_bits[0] = values[k]
                mark = (bits[0] ^ row) * np.uint64(0x94D049BB133111EB)
                mark ^= mark >> np.uint64(31)
                mark *= row | np.uint64(1)
                marks[column] += mark ^ (mark >> np.uint64(29))
    return marks


@jit
def equal_columns(marks, counts, limit):
    """How many columns each one stands for: 0 if another with the same mark stands for it, and 1 if it has no mark."""
    n_rare = 0
    for column in range(len(counts)):
        n_rare += 2 <= counts[column] <= limit
    size = 2
    while size < 2 * n_rare:
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    stands_for = np.ones(len(counts), dtype=np.int32)
    for column in range(len(counts)):
        if 2 <= counts[column] <= limit:
            place = (marks[column] >> np.uint64(20)) & np.uint64(size - 1)
            while table[place] >= 0 and marks[table[place]] != marks[column]:
                place = (place + np.uint64(1)) & np.uint64(size - 1)
            first = table[place]
            if first < 0:
                table[place] = column
            else:
                stands_for[first] += 1
                stands_for[column] = 0
    return stands_for


@jit
def joined_rows(indptr, columns, values, counts, stands_for):
    """Rows without columns of a single row and without those for which another stands.

    Columns of very many rows are numbered first, the others as rows come: those of one text lie together, and so they
    do in the next text that repeats a passage of it.

    Returns
    -------
    indptr, columns, values, products
        Rows of the columns that are left; products are values times the number of columns they stand for.
    sizes
        How many columns each one stands for.
    own
        Of each row, the squared values in columns that no other row has.
    exact
        Whether the type of the values holds all products.
    """
    n_rows, n_columns = len(indptr) - 1, len(counts)
    number = np.empty(n_columns, dtype=np.int32)
    sizes = np.ones(n_columns)
    n_kept = 0
    for column in range(n_columns):
        if counts[column] == MOST:
            number[column] = n_kept
            n_kept += 1
        elif stands_for[column] == 0:
            number[column] = LEFT_OUT
        else:
            number[column] = ALONE if counts[column] < 2 else UNSEEN
    new_indptr = np.zeros(n_rows + 1, dtype=np.int64)
    new_columns = np.empty(len(columns), dtype=np.uint32)
    new_values, products = np.empty(len(columns), dtype=values.dtype), np.empty(len(columns), dtype=values.dtype)
    own = np.zeros(n_rows)
    exact = True
    end = 0
    for i in range(n_rows):
        for k in range(indptr[i], indptr[i + 1]):
            place = number[columns[k]]
            value = np.float64(values[k])
            if place == UNSEEN:
                size = stands_for[columns[k]]
                place = n_kept if size == 1 else JOINED - n_kept
                number[columns[k]] = place
                sizes[n_kept] = size
                n_kept += 1
            if place >= 0:
                new_columns[end] = place
                new_values[end] = value
                products[end] = value
                end += 1
            elif place <= JOINED:
                new_columns[end] = JOINED - place
                new_values[end] = value
                products[end] = value * sizes[JOINED - place]
                exact &= np.float64(products[end]) == value * sizes[JOINED - place]
                end += 1
            elif place == ALONE:
                own[i] += value * value
        new_indptr[i + 1] = end
    return new_indptr, new_columns[:end], new_values[:end], products[:end], sizes[:n_kept], own, exact

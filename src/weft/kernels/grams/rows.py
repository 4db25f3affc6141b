"""From sequences to sparse rows of grams: in blocks that fit the cache, chunks that fit memory, and threads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.core.threads import in_threads
from weft.kernels.grams.loops.rows import collapse_rows, collapse_weighted_rows, drop_unknown, find_columns
from weft.kernels.grams.numbering import number_keys

BLOCK = 1 << 16
"""Occurrences that are sorted while they are in the cache."""

CHUNK = 1 << 24
"""Occurrences per thread whose keys are in memory at a time."""


class Occurrences(NamedTuple):
    """Room for the grams of a block of sequences; those of sequence i of the block begin at ``offsets[i]``.

    `weights` is empty where every occurrence counts 1.
    """

    keys: NDArray[np.uint64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]

    @classmethod
    def empty(cls, room: int, n_sequences: int, weighted: bool) -> Occurrences:
        """Room for some occurrences."""
        weights = np.empty(room if weighted else 0)
        return cls(np.empty(room, dtype=np.uint64), weights, np.zeros(n_sequences + 1, dtype=np.int64))


class Work(NamedTuple):
    """Sequences whose grams are to be counted.

    Attributes
    ----------
    capacities : ndarray of int64
        Occurrences in each sequence, at the most.
    emit : callable
        Writes the occurrences of sequences ``first`` to ``last - 1`` into a block.
    weighted : bool
    has_unknown : bool
        Whether symbols occur that the table lacks.
    """

    capacities: NDArray[np.int64]
    emit: Callable[[int, int, Occurrences], None]
    weighted: bool
    has_unknown: bool

    @classmethod
    def of_occurrences(cls, found: Occurrences, has_unknown: bool) -> Work:
        """Occurrences that are there already."""

        def emit(first: int, last: int, block: Occurrences) -> None:
            begin, end = found.offsets[first], found.offsets[last]
            block.keys[:] = found.keys[begin:end]
            block.weights[:] = found.weights[begin:end]
            block.offsets[:] = found.offsets[first : last + 1] - begin

        return cls(np.diff(found.offsets), emit, True, has_unknown)


class KeyRows(NamedTuple):
    """Different grams of each sequence, sorted, and their values; row i ends at ``ends[i]``."""

    keys: NDArray[np.uint64]
    values: NDArray[Any]
    ends: NDArray[np.int64]


def collapse(work: Work, dtype: Any, rows: tuple[int, int]) -> KeyRows:
    """Rows of a range of the sequences."""
    capacities, emit, weighted, _ = work
    first, last = rows
    total = _room(capacities, first, last)
    # Pages of these arrays that stay untouched take no memory.
    keys, values = np.empty(total, dtype=np.uint64), np.empty(total, dtype=dtype)
    ends = np.zeros(last - first, dtype=np.int64)
    place = 0
    for begin, end in pairwise(cut_rows(capacities, first, last, BLOCK)):
        block = Occurrences.empty(_room(capacities, begin, end), end - begin, weighted)
        emit(begin, end, block)
        own = ends[begin - first : end - first]
        if weighted:
            place = collapse_weighted_rows(block.keys, block.weights, block.offsets, keys, values, place, own)
        else:
            place = collapse_rows(block.keys, block.offsets, keys, values, place, own)
    return KeyRows(keys[:place], values[:place], ends)


def _room(capacities: NDArray[np.int64], first: int, last: int) -> int:
    """Occurrences in a range of sequences, at the most."""
    return int(capacities[first] if last - first == 1 else capacities[first:last].sum())


def cut_rows(capacities: NDArray[np.int64], first: int, last: int, size: int) -> list[int]:
    """Cut a range of sequences into runs of at most `size` occurrences, or of one sequence."""
    if last - first == 1:
        return [first, last]
    sums = np.cumsum(capacities[first:last])
    cuts, done = [first], 0
    while cuts[-1] < last:
        step = int(np.searchsorted(sums, done + size, side="right"))
        cuts.append(max(first + step, cuts[-1] + 1))
        done = int(sums[cuts[-1] - first - 1])
    return cuts


def halves(capacities: NDArray[np.int64], first: int, last: int, n_threads: int) -> list[tuple[int, int]]:
    """Cut a range of sequences into one part of about equal work per thread."""
    if n_threads == 1 or last - first == 1:
        return [(first, last)]
    sums = np.concatenate([[0], np.cumsum(capacities[first:last])])
    inner = np.searchsorted(sums, np.linspace(0, sums[-1], n_threads + 1)[1:-1]) + first
    cuts = [first, *inner.tolist(), last]
    return [(begin, end) for begin, end in pairwise(cuts) if end > begin] or [(first, last)]


def schedule(work: Work, n_threads: int) -> list[list[tuple[int, int]]]:
    """Chunks of sequences to take one after the other, each as the parts for the threads."""
    cuts = cut_rows(work.capacities, 0, len(work.capacities), min(n_threads * CHUNK, 1 << 30))
    return [halves(work.capacities, first, last, n_threads) for first, last in pairwise(cuts)]


def learn_rows(work: Work, dtype: Any, n_threads: int) -> tuple[NDArray[np.uint64], scipy.sparse.csr_array]:
    """Different grams of all sequences, sorted, and the rows in these columns."""
    chunks: list[Any] = []
    for parts_of_chunk in schedule(work, n_threads):
        parts = in_threads(lambda rows: collapse(work, dtype, rows), parts_of_chunk)
        different, columns = number_keys([part.keys for part in parts], n_threads)
        chunks.append((different, columns, [part.values for part in parts], [part.ends for part in parts]))
        del parts
    if not chunks:
        return np.empty(0, dtype=np.uint64), scipy.sparse.csr_array((0, 0), dtype=dtype)
    if len(chunks) == 1:
        keys = chunks[0][0]
    else:
        keys, ranks = number_keys([different for different, *_ in chunks], n_threads)
    pieces = []
    begin = 0
    for i, (different, columns, values, ends) in enumerate(chunks):
        if len(chunks) > 1:
            rank = ranks[begin : begin + len(different)]
            begin += len(different)
            np.take(rank, columns, out=columns)
        pieces.append((columns, values, ends))
        chunks[i] = None
    return keys, join_rows(pieces, len(keys), dtype)


def join_rows(pieces: list[Any], n_columns: int, dtype: Any) -> scipy.sparse.csr_array:
    """One matrix from pieces of (columns, values by part, ends by part); each piece is freed once copied."""
    total = sum(len(columns) for columns, *_ in pieces)
    indices, data = np.empty(total, dtype=np.int32), np.empty(total, dtype=dtype)
    pointers = [np.zeros(1, dtype=np.int64)]
    place = 0
    for i, (columns, values, ends) in enumerate(pieces):
        indices[place : place + len(columns)] = columns
        for own, own_ends in zip(values, ends, strict=True):
            data[place : place + len(own)] = own
            pointers.append(own_ends + place)
            place += len(own)
        pieces[i] = None
    indptr = np.concatenate(pointers)
    if total < 2**31:
        indptr = indptr.astype(np.int32)
    return csr(data, indices, indptr, n_columns)


def csr(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_columns: int) -> scipy.sparse.csr_array:
    """Matrix of rows that are sorted and have no duplicates."""
    # The shape is checked, the arrays are taken as they are: scipy would look at every index.
    rows = scipy.sparse.csr_array((len(indptr) - 1, n_columns), dtype=data.dtype)
    rows.data, rows.indices, rows.indptr = data, indices, indptr
    rows.has_canonical_format = True
    return rows


def take_logarithms(counts: NDArray[Any]) -> None:
    """Put ``1 + log(count)`` in the place of each count.

    Examples
    --------
    >>> counts = np.array([1.0, 2.0])
    >>> take_logarithms(counts)
    >>> counts.round(3)
    array([1.   , 1.693])
    """
    np.log(counts, out=counts)
    counts += 1.0


def known_row(
    work: Work, dtype: Any, table: tuple[NDArray[np.uint64], NDArray[np.int32]], logarithms: bool = False
) -> tuple[NDArray[Any], NDArray[np.int32], float]:
    """Values and columns of a single row, and its squared norm, as in `known_rows`."""
    part = collapse(work, dtype, (0, 1))
    if logarithms:
        take_logarithms(part.values)
    columns, norms = np.empty(len(part.keys), dtype=np.int32), np.empty(1)
    find_columns(part.keys, *table, columns)
    kept = drop_unknown(columns, part.values, part.ends, norms)
    return part.values[:kept], columns[:kept], float(norms[0])


def known_rows(
    work: Work,
    dtype: Any,
    n_threads: int,
    table: tuple[NDArray[np.uint64], NDArray[np.int32]],
    n_columns: int,
    logarithms: bool = False,
) -> tuple[scipy.sparse.csr_array, NDArray[np.float64]]:
    """Rows in the columns of a table, and the squared norms of the rows with their other grams.

    With `logarithms`, of ``1 + log(count)`` in place of counts.
    """

    def find(rows: tuple[int, int]) -> tuple[Any, Any, Any, Any]:
        part = collapse(work, dtype, rows)
        if logarithms:
            take_logarithms(part.values)
        columns = np.empty(len(part.keys), dtype=np.int32)
        find_columns(part.keys, *table, columns)
        norms = np.empty(len(part.ends))
        kept = drop_unknown(columns, part.values, part.ends, norms)
        return columns[:kept], part.values[:kept], part.ends, norms

    pieces, norms = [], []
    for parts in schedule(work, n_threads):
        for columns, values, ends, own in in_threads(find, parts):
            pieces.append((columns, [values], [ends]))
            norms.append(own)
    return join_rows(pieces, n_columns, dtype), np.concatenate([np.empty(0), *norms])


def row_norms(work: Work, n_threads: int) -> NDArray[np.float64]:
    """Squared norm of each row, without numbering anything."""

    def norms(rows: tuple[int, int]) -> Any:
        part = collapse(work, np.float64, rows)
        found = np.empty(len(part.ends))
        drop_unknown(np.zeros(len(part.keys), dtype=np.int32), part.values, part.ends, found)
        return found

    found = [each for parts in schedule(work, n_threads) for each in in_threads(norms, parts)]
    return np.concatenate([np.empty(0), *found])

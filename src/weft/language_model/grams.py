"""All n-grams of a corpus up to some length, numbered and counted in linear time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Integers
from weft.core.jit import jit


class Grams(NamedTuple):
    """The distinct n-grams of one length, sorted by prefix and last symbol.

    Attributes
    ----------
    prefixes : ndarray
        Number of the gram without its last symbol, among those of one length less; 0 for single symbols.
    symbols : ndarray
        Last symbols.
    suffixes : ndarray
        Number of the gram without its first symbol.
    counts : ndarray
        How often each occurs.
    """

    prefixes: Integers
    symbols: Integers
    suffixes: Integers
    counts: Integers


@jit
def _number(keys: Any) -> Any:
    """Number of each key by first appearance, -1 for negative keys; the distinct keys; their counts."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    mask = size - 1
    table = np.full(size, -1, dtype=np.int64)
    numbers = np.full(len(keys), -1, dtype=np.int64)
    distinct = np.empty(len(keys), dtype=np.int64)
    counts = np.zeros(len(keys), dtype=np.int64)
    n_distinct = 0
    for i in range(len(keys)):
        key = keys[i]
        if key < 0:
            continue
        # A multiplicative hash (2^64 over the golden ratio): its high bits depend on all bits of the key.
        hashed = np.uint64(key) * np.uint64(11400714819323198485)
        place = np.int64(hashed >> np.uint64(20)) & mask
        while table[place] >= 0 and distinct[table[place]] != key:
            place = (place + 1) & mask
        if table[place] < 0:
            table[place] = n_distinct
            distinct[n_distinct] = key
            n_distinct += 1
        numbers[i] = table[place]
        counts[table[place]] += 1
    return numbers, distinct[:n_distinct], counts[:n_distinct]


def count_grams(symbols: Integers, places: Integers, n_symbols: int, n: int) -> list[Grams]:
    """N-grams of lengths 1 to `n` that do not cross the start of a sequence.

    Parameters
    ----------
    symbols : ndarray
        Symbols of all sequences, one after the other.
    places : ndarray
        Place of each symbol within its sequence.
    n_symbols : int
        All symbols are below it; every one of them counts as a 1-gram, seen or not.
    n : int

    Returns
    -------
    list of Grams

    Examples
    --------
    >>> single, double = count_grams(np.array([0, 1, 0, 1]), np.arange(4), 2, 2)
    >>> single.counts, double.counts
    (array([2, 2]), array([2, 1]))
    >>> double.prefixes, double.symbols
    (array([0, 1]), array([1, 0]))
    """
    every = np.arange(n_symbols)
    grams = [Grams(np.zeros_like(every), every, np.zeros_like(every), np.bincount(symbols, minlength=n_symbols))]
    ending = symbols
    for length in range(2, n + 1):
        # The gram that ends at i is the shorter one that ends at i - 1, and the symbol at i.
        keys = np.full(len(symbols), -1, dtype=np.int64)
        inside = np.flatnonzero(places >= length - 1)
        keys[inside] = ending[inside - 1] * n_symbols + symbols[inside]
        numbers, distinct, counts = _number(keys)
        ranks = np.argsort(distinct)
        renumber = np.empty_like(ranks)
        renumber[ranks] = np.arange(len(ranks))
        longer = np.full(len(symbols), -1, dtype=np.int64)
        longer[inside] = renumber[numbers[inside]]
        suffixes = np.empty_like(ranks)
        suffixes[longer[inside]] = ending[inside]
        distinct = distinct[ranks]
        grams.append(Grams(distinct // n_symbols, distinct % n_symbols, suffixes, counts[ranks]))
        ending = longer
    return grams

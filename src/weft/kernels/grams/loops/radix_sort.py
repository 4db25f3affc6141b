"""Sorting of 64-bit keys, compiled: insertion for few, by digits of up to nine bits for many."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

FEW = 40
DIGIT_BITS = 9
N_STARTS = 1 << DIGIT_BITS


@jit
def _digits(keys, n):
    """How many digits tell the keys apart, and how many bits each has; bits above the highest that varies are equal."""
    first, varying = keys[0], np.uint64(0)
    for i in range(1, n):
        varying |= keys[i] ^ first
    n_bits = 0
    while n_bits < 64 and varying >> np.uint64(n_bits) != 0:
        n_bits += 1
    n_digits = (n_bits + DIGIT_BITS - 1) // DIGIT_BITS
    return n_digits, (n_bits + n_digits - 1) // max(n_digits, 1)


@jit
def _starts(keys, n, shift, mask, starts):
    """Where the keys of each digit begin, once sorted by it."""
    starts[: mask + np.uint64(1)] = 0
    for i in range(n):
        starts[(keys[i] >> shift) & mask] += 1
    total = 0
    for value in range(np.int64(mask) + 1):
        count = starts[value]
        starts[value] = total
        total += count


@jit
def sort_keys(keys, n, spare, starts):
    """Sort ``keys[:n]`` in place; `spare` has room for as many keys, `starts` for `N_STARTS` numbers."""
    if n < FEW:
        for i in range(1, n):
            key, place = keys[i], i
            while place > 0 and keys[place - 1] > key:
                keys[place] = keys[place - 1]
                place -= 1
            keys[place] = key
        return
    n_digits, width = _digits(keys, n)
    mask = np.uint64((1 << width) - 1)
    source, target, swapped = keys, spare, False
    for digit in range(n_digits):
        shift = np.uint64(digit * width)
        _starts(source, n, shift, mask, starts)
        for i in range(n):
            value = (source[i] >> shift) & mask
            target[starts[value]] = source[i]
            starts[value] += 1
        source, target, swapped = target, source, not swapped
    if swapped:
        keys[:n] = spare[:n]


@jit
def sort_pairs(keys, payload, n, spare, spare_payload, starts):
    """Sort ``keys[:n]`` in place, stably, and move the payload with them."""
    if n < FEW:
        for i in range(1, n):
            key, carried, place = keys[i], payload[i], i
            while place > 0 and keys[place - 1] > key:
                keys[place], payload[place] = keys[place - 1], payload[place - 1]
                place -= 1
            keys[place], payload[place] = key, carried
        return
    n_digits, width = _digits(keys, n)
    mask = np.uint64((1 << width) - 1)
    source, target, swapped = keys, spare, False
    source_payload, target_payload = payload, spare_payload
    for digit in range(n_digits):
        shift = np.uint64(digit * width)
        _starts(source, n, shift, mask, starts)
        for i in range(n):
            value = (source[i] >> shift) & mask
            place = starts[value]
            target[place], target_payload[place] = source[i], source_payload[i]
            starts[value] = place + 1
        source, target, swapped = target, source, not swapped
        source_payload, target_payload = target_payload, source_payload
    if swapped:
        keys[:n] = spare[:n]
        payload[:n] = spare_payload[:n]

"""Sorting of 64-bit keys, compiled: insertion for few, by bytes for many."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

__all__ = ["sort_keys", "sort_pairs"]

FEW = 40


@jit
def _varying_bits(keys, n):
    """Bits in which some of the keys differ."""
    first, varying = keys[0], np.uint64(0)
    for i in range(1, n):
        varying |= keys[i] ^ first
    return varying


@jit
def _starts(keys, n, shift, starts):
    """Where the keys of each byte value begin, once sorted by it."""
    starts[:] = 0
    for i in range(n):
        starts[(keys[i] >> shift) & np.uint64(255)] += 1
    total = 0
    for value in range(256):
        count = starts[value]
        starts[value] = total
        total += count


@jit
def sort_keys(keys, n, spare, starts):
    """Sort ``keys[:n]`` in place; `spare` has room for as many keys, `starts` for 256 numbers."""
    if n < FEW:
        for i in range(1, n):
            key, place = keys[i], i
            while place > 0 and keys[place - 1] > key:
                keys[place] = keys[place - 1]
                place -= 1
            keys[place] = key
        return
    varying = _varying_bits(keys, n)
    source, target, swapped = keys, spare, False
    for byte in range(8):
        shift = np.uint64(8 * byte)
        if (varying >> shift) & np.uint64(255) == 0:
            continue
        _starts(source, n, shift, starts)
        for i in range(n):
            value = (source[i] >> shift) & np.uint64(255)
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
    varying = _varying_bits(keys, n)
    source, target, swapped = keys, spare, False
    source_payload, target_payload = payload, spare_payload
    for byte in range(8):
        shift = np.uint64(8 * byte)
        if (varying >> shift) & np.uint64(255) == 0:
            continue
        _starts(source, n, shift, starts)
        for i in range(n):
            value = (source[i] >> shift) & np.uint64(255)
            place = starts[value]
            target[place], target_payload[place] = source[i], source_payload[i]
            starts[value] = place + 1
        source, target, swapped = target, source, not swapped
        source_payload, target_payload = target_payload, source_payload
    if swapped:
        keys[:n] = spare[:n]
        payload[:n] = spare_payload[:n]

"""Which weights a structure of loops has, and which parts each of them belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain, count, product

import numpy as np

from weft.structures.grammar.rule_entries import RuleEntries
from weft.structures.rna.loops.places import END
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    BULGE_ONE,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    HAIRPIN_MORE,
    INTERIOR_END,
    INTERIOR_LENGTH,
    LETTERS,
    LONGEST_HAIRPIN,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    N_PAIRS,
    N_VALUES,
    ONE_ONE,
    PAIR,
    PAIRS,
    SIDE,
    STACK,
    TWO_ONE,
    TWO_TWO,
)

COARSE, MIDDLE, FINE = 1.0, 0.5, 0.25
"""Values of features. A weight must be larger where its feature is smaller, so that a squared penalty lets details
move away from the free energies less than what all families share."""
SMALL_SIDE = 4
"""Interior loops with at most so many bases on either side have a weight of their own."""
SHARED = (
    *("hairpin", "bulge", "interior", "multiloop", "multiloop_branch", "multiloop_base"),
    *("exterior_branch", "exterior_base"),
)
"""Features of loops of a kind, whatever their length and letters: with the free energy, what all families share."""
Features = list[tuple[str, float]]
Part = tuple[int, Features]


@cache
def loop_features() -> tuple[list[str], RuleEntries]:
    """Names of learned features, and the value that each part of a structure has of them, shape (n_parts, n_features).

    Lengths are weighed step by step: a loop of length k has the weights of its steps 1 to k, so that a penalty on the
    weights keeps neighbouring lengths alike. Ends of helices have weights for the pair, for the two bases beside it,
    and for both together: what few examples say about the last falls back on the first two. A loop with a place of its
    own has those of its length and of its ends.

    Examples
    --------
    >>> names, entries = loop_features()
    >>> [names[column] for column in entries.columns[entries.rows == STACK]]
    ['stack_au_au']
    """
    parts = list(_parts())
    # A quarter of a million entries, of which most are alike: each fresh process that folds waits for them.
    items: dict[tuple[str, float], int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(items.__getitem__, chain.from_iterable(own for _, own in parts)), dtype=np.int64)
    rows = np.repeat([row for row, _ in parts], [len(own) for _, own in parts])
    names: dict[str, int] = {}
    columns = np.array([names.setdefault(name, len(names)) for name, _ in items])[numbers]
    values = np.array([value for _, value in items])[numbers]
    return list(names), RuleEntries(rows, columns, values, (N_VALUES, len(names)))


def _parts() -> Iterator[Part]:
    for number, pair in enumerate(PAIRS):
        yield PAIR + number, _at(COARSE, f"pair_{min(pair, pair[::-1])}")
        yield BULGE_END + number, _at(COARSE, f"end_{pair}")
    for (outer, a), (inner, b) in product(enumerate(PAIRS), enumerate(PAIRS)):
        yield from _small_loops(outer * N_PAIRS + inner, a, b)
    yield from _lengths()
    for number, pair in enumerate(PAIRS):
        for x, y in product(range(N_LETTERS), repeat=2):
            yield from _ends((number * N_LETTERS + x) * N_LETTERS + y, pair, x, y)
    yield MULTI_BASE, _at(COARSE, "multiloop_base")
    yield EXTERIOR_BASE, _at(COARSE, "exterior_base")


def _small_loops(number: int, outer: str, inner: str) -> Iterator[Part]:
    stack = _at(COARSE, _stack(outer, inner))
    yield STACK + number, stack
    for letter in range(N_LETTERS):
        own = _at(MIDDLE, f"bulge_{LETTERS[letter]}") if letter < len(LETTERS) else []
        yield BULGE_ONE + number * N_LETTERS + letter, stack + _at(COARSE, "bulge") + own
    ends = _at(COARSE, f"end_{outer[::-1]}", f"end_{inner}", "interior") + _at(MIDDLE, _size(1, 1))
    for x, y in product(range(N_LETTERS), repeat=2):
        own = _at(MIDDLE, f"one_one_{min(_two(x, y), _two(y, x))}") if _two(x, y) else []
        yield ONE_ONE + (number * N_LETTERS + x) * N_LETTERS + y, ends + own
    ends = _at(COARSE, f"end_{outer[::-1]}", f"end_{inner}")
    sizes = {(2, 1): ends + _sides(1, 2), (2, 2): ends + _sides(2, 2)}
    mismatches = {
        (pair, x, y): _mismatch("interior", pair, _two(x, y))
        for pair in (outer[::-1], inner)
        for x, y in product(range(N_LETTERS), repeat=2)
    }
    for a, b, c in product(range(N_LETTERS), repeat=3):
        # One base a on the left; b and c on the right, b beside the inner pair.
        own = sizes[2, 1] + mismatches[outer[::-1], c, a] + mismatches[inner, a, b]
        place = (number * N_LETTERS + a) * N_LETTERS + b
        yield TWO_ONE + place * N_LETTERS + c, own
        for d in range(N_LETTERS):
            own = sizes[2, 2] + mismatches[outer[::-1], d, a] + mismatches[inner, b, c]
            yield TWO_TWO + (place * N_LETTERS + c) * N_LETTERS + d, own


def _ends(place: int, pair: str, x: int, y: int) -> Iterator[Part]:
    end, letters = _at(COARSE, f"end_{pair}"), _two(x, y)
    for kind in range(3):
        yield INTERIOR_END + kind * END + place, end + _mismatch("interior", pair, letters)
    for kind in range(3):
        mismatch = _mismatch("hairpin", pair, letters) if kind else []
        tetraloop = _at(MIDDLE, f"tetraloop_{letters}") if kind == 1 and letters else []
        yield HAIRPIN_END + kind * END + place, end + mismatch + tetraloop
    beside = _at(FINE, f"left_{pair}_{LETTERS[x]}") if x < len(LETTERS) else []
    beside += _at(FINE, f"right_{pair}_{LETTERS[y]}") if y < len(LETTERS) else []
    yield MULTI_CLOSE + place, end + beside + _at(COARSE, "multiloop", "multiloop_branch")
    yield MULTI_BRANCH + place, end + beside + _at(COARSE, "multiloop_branch")
    yield EXTERIOR_BRANCH + place, end + beside + _at(COARSE, "exterior_branch")


def _lengths() -> Iterator[Part]:
    for length in range(LONGEST_HAIRPIN + 1):
        yield HAIRPIN_LENGTH + length, _at(COARSE, "hairpin") + _steps("hairpin", length)
    yield HAIRPIN_MORE, []
    yield HAIRPIN_LOG, _at(0.01, "hairpin_more")
    for length in range(2, LONGEST_LOOP + 1):
        yield BULGE_LENGTH + length, _at(COARSE, "bulge") + _steps("bulge", length)
    for left, right in product(range(1, SIDE), repeat=2):
        if 3 < left + right <= LONGEST_LOOP and max(left, right) > 2:
            yield INTERIOR_LENGTH + left * SIDE + right, _sides(left, right)


def _sides(left: int, right: int) -> Features:
    small = _at(MIDDLE, _size(left, right)) if max(left, right) <= SMALL_SIDE else []
    steps = _steps("interior", left + right)[2:] + _steps("lopsided", abs(left - right))
    return _at(COARSE, "interior") + steps + small


def _at(value: float, *names: str) -> Features:
    return [(name, value) for name in names]


def _steps(name: str, length: int) -> Features:
    return _at(FINE, *(f"{name}_{step}" for step in range(1, length + 1)))


def _size(left: int, right: int) -> str:
    return f"interior_{min(left, right)}x{max(left, right)}"


def _stack(outer: str, inner: str) -> str:
    """Name of a stack of two pairs; read from the other strand it is the same stack."""
    return "stack_" + min(f"{outer}_{inner}", f"{inner[::-1]}_{outer[::-1]}")


def _two(x: int, y: int) -> str:
    return LETTERS[x] + LETTERS[y] if max(x, y) < len(LETTERS) else ""


def _mismatch(loop: str, pair: str, letters: str) -> Features:
    if not letters:
        return []
    return _at(MIDDLE, f"{loop}_{letters}") + _at(FINE, f"{loop}_{pair}_{letters}")

"""What a label does to its symbol: it copies it, with something before or after it, or writes something else.

Labels are output chunks, so that "a becomes as" and "t becomes ts" have nothing in common. Where outputs repeat their
inputs, as forms repeat lemmas, both copy and add "s": symbols share that as a trait of their candidates, and a symbol
that training had seldom or never may do what many others do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Ids, Integers

__all__ = ["Candidates", "Change", "change_of", "collect_candidates", "written_by"]

Change = tuple[Any, ...]
"""``("copy", before, after)``, ``("write", output)``, or ``("inside",)`` for a symbol of the chunk before."""

COPY: Change = ("copy", (), ())
DELETE: Change = ("write", ())
INSIDE: Change = ("inside",)

FEWEST_COPYING, FEWEST_WRITING = 2, 3
"""Different symbols that must have a change before all symbols may have it."""


def change_of(own: int, output: tuple[int, ...]) -> Change:
    """What becomes of a symbol whose copy is `own`, when it becomes `output`.

    Examples
    --------
    >>> change_of(5, (5, 7)), change_of(5, (7,)), change_of(-1, ())
    (('copy', (), (7,)), ('write', (7,)), ('write', ()))
    """
    if own >= 0 and own in output:
        place = output.index(own)
        return ("copy", output[:place], output[place + 1 :])
    return ("write", output)


def written_by(change: Change, own: int) -> tuple[int, ...]:
    """The output of a change of a symbol whose copy is `own`.

    Examples
    --------
    >>> written_by(("copy", (), (7,)), 5)
    (5, 7)
    """
    if change[0] == "copy":
        return (*change[1], own, *change[2])
    return tuple(change[1]) if change[0] == "write" else ()


@dataclass(frozen=True)
class Candidates:
    """Candidates of each symbol, what they write, and what they have in common.

    Attributes
    ----------
    first, labels : ndarrays
        As in `weft.rewriting.chunks.labels.Dictionary`.
    label_offsets, label_symbols : ndarrays
        What each label writes.
    traits : list of list of int
    classes : ndarray or None
        Candidates with the same change are of one class; by default each is one of its own.
    of_positions : ndarray
        The candidate at each position; -1 where it is too rare.
    copying : int
        Trait of those that copy their symbol and write nothing else; -1 for none.
    """

    first: Integers
    labels: Ids
    label_offsets: Integers
    label_symbols: Ids
    traits: list[list[int]]
    classes: Ids | None
    of_positions: Integers
    copying: int = -1


def collect_candidates(
    symbols: Ids, labels: Any, own: Integers, fixed: Any, tags: Any, min_count: int, most_classes: int
) -> Candidates:
    """Candidates of every symbol.

    Parameters
    ----------
    symbols : ndarray
        Of all sequences.
    labels : ChunkLabels
        What each becomes.
    own : ndarray of shape (n_symbols,)
        Output symbol that is a copy of each symbol, -1 for none; the last one stands for what training lacks.
    fixed, tags : ndarrays of bool
        Symbols that have only the changes that they were seen with; symbols that write nothing.
    min_count : int
        Times that a symbol must have a label.
    most_classes : int
    """
    n_labels, n_symbols = len(labels.offsets) - 1, len(own)
    bounds = labels.offsets.tolist()
    spelled = [tuple(labels.symbols[bounds[z] : bounds[z + 1]].tolist()) for z in range(n_labels)]
    keys = symbols.astype(np.int64) * n_labels + labels.of_symbols
    seen, numbers, counts = np.unique(keys, return_inverse=True, return_counts=True)
    pairs = [divmod(key, n_labels) for key in seen.tolist()]

    def change(s: int, z: int) -> Change:
        return INSIDE if labels.inside[z] else change_of(int(own[s]), spelled[z])

    found: list[dict[Change, int]] = [{} for _ in range(n_symbols)]
    users: dict[Change, set[int]] = defaultdict(set)
    frequency: Counter[Change] = Counter()
    for (s, z), count in zip(pairs, counts.tolist(), strict=True):
        if count >= min_count or tags[s]:
            each = change(s, z)
            found[s][each] = count
            frequency[each] += count
            if not fixed[s] and not tags[s]:
                users[each].add(s)
    for s in range(n_symbols):
        if tags[s] or (s == n_symbols - 1 and own[s] < 0):
            found[s].setdefault(DELETE, 0)
        elif not fixed[s] and own[s] >= 0:
            for each in (COPY, DELETE, *_common(users)):
                found[s].setdefault(each, 0)
    return _numbered(found, pairs, numbers, change, own, fixed, tags, frequency, most_classes)


def _common(users: dict[Change, set[int]]) -> Iterable[Change]:
    for each, who in sorted(users.items()):
        if len(who) >= (FEWEST_COPYING if each[0] == "copy" else FEWEST_WRITING) and each != INSIDE:
            yield each


def _numbered(
    found: list[dict[Change, int]], pairs: list[tuple[int, int]], numbers: Integers, change: Any, own: Integers,
    fixed: Any, tags: Any, frequency: Counter[Change], most_classes: int,
) -> Candidates:  # fmt: skip
    """Numbers for labels, candidates, traits and classes."""
    written: dict[Any, int] = {}
    label_list: list[tuple[int, ...]] = []
    first: list[int] = [0]
    candidate_labels: list[int] = []
    traits: list[list[int]] = []
    class_keys: list[Any] = []
    trait_numbers: dict[Any, int] = {}
    places: dict[tuple[int, Change], int] = {}
    for s, changes in enumerate(found):
        for each in sorted(changes):
            output = written_by(each, int(own[s]))
            key = (output, each == INSIDE)
            if key not in written:
                written[key] = len(label_list)
                label_list.append(output)
            places[s, each] = len(candidate_labels)
            candidate_labels.append(written[key])
            apart = bool(fixed[s] or tags[s])
            named = [each, *_parts(each)] if not apart else _parts_of_end(s, output) if fixed[s] else []
            traits.append([trait_numbers.setdefault(name, len(trait_numbers)) for name in named])
            class_keys.append((s, each) if apart else each)
        first.append(len(candidate_labels))
    of_pairs = np.array([places.get((s, change(s, z)), -1) for s, z in pairs], dtype=np.int64)
    used = Counter(class_keys[c] for c in of_pairs[numbers].tolist() if c >= 0)
    ranks = {key: min(rank, most_classes - 1) for rank, (key, _) in enumerate(used.most_common())}
    rest = min(len(ranks), most_classes - 1)
    lengths = [len(each) for each in label_list]
    return Candidates(
        np.array(first, dtype=np.int64),
        np.array(candidate_labels, dtype=np.int32),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([symbol for each in label_list for symbol in each], dtype=np.int32),
        traits,
        np.array([ranks.get(key, rest) for key in class_keys], dtype=np.int32),
        of_pairs[numbers],
        trait_numbers.get(COPY, -1),
    )


def _parts_of_end(s: int, output: tuple[int, ...]) -> list[Any]:
    """What a prefix or a suffix has in common with others at the same end: its symbols, how it begins and ends."""
    pieces: list[tuple[Any, ...]] = [("symbol", symbol) for symbol in sorted(set(output))]
    for n in (1, 2, 3):
        if len(output) > n:
            pieces += [("begins", output[:n]), ("ends", output[-n:])]
    return [(s, *each) for each in ([("length", len(output))] + pieces)]


def _parts(change: Change) -> list[Any]:
    """What a change has in common with others."""
    if change[0] == "copy":
        return ["copies", ("before", change[1]), ("after", change[2])]
    return ["writes"]

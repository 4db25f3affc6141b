"""Strings from n-gram counts: the iterative Euler algorithm against the recursion of the paper, in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

N_STRINGS, QUICK = 20_000, 2_000
LENGTH, N_KINDS = 8, 200


@dataclass
class Counts:
    """Bigrams of strings with boundaries: their names, and how often each string has each."""

    space: Any
    names: list[str]
    counts: Any

    @property
    def n_symbols(self) -> int:
        return int(self.counts.sum())


def random_counts(quick: bool) -> Counts:
    import numpy as np

    from weft.preimages import GramSpace

    random = np.random.default_rng(0)
    kinds = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), size=LENGTH)) for _ in range(N_KINDS)]
    space = GramSpace.learn(kinds, [2])
    n = QUICK if quick else N_STRINGS
    counts = np.tile(space.counts(kinds).toarray().astype(np.int64), (n // N_KINDS, 1))
    return Counts(space, space.names(), counts)


def recursive(data: Counts, meter: Meter) -> dict[str, float]:
    """EULER of RG 1.4.6 as it is printed; a twentieth of the strings, which takes long enough."""
    rows = [
        {name: int(count) for name, count in zip(data.names, row, strict=True) if count}
        for row in data.counts[: max(1, len(data.counts) // 20)]
    ]
    with meter.phase("read back", tokens=sum(sum(row.values()) for row in rows)):
        found = [_euler(row) for row in rows]
    return {"symbols in the first string": float(len(found[0]))}


def _euler(counts: dict[str, int]) -> str:
    leaving: dict[str, list[str]] = {}
    for gram, count in counts.items():
        leaving.setdefault(gram[0], []).extend([gram] * count)

    def walk(vertex: str) -> str:
        path = ""
        while leaving.get(vertex):
            edge = leaving[vertex].pop(0)
            path = edge[1] + walk(edge[1]) + path
        return path

    return walk("^").rstrip("^")


def weft_decoder(data: Counts, meter: Meter) -> dict[str, float]:
    from weft.preimages import EulerDecoder

    decoder = EulerDecoder(data.space)
    with meter.phase("read back", tokens=data.n_symbols):
        found = decoder.decode(data.counts)
    with meter.phase("paths alone", tokens=data.n_symbols):
        decoder.paths(data.counts)
    return {"symbols in the first string": float(len(found[0]))}


def warm_up() -> None:
    """Compile all that is measured."""
    from weft.preimages import EulerDecoder, GramSpace

    space = GramSpace.learn(["ab"], [2])
    EulerDecoder(space).decode(space.counts(["ab"]).toarray())


ENTRIES = [
    Entry(
        "euler",
        "Euler pre-images of bigram counts, against the recursion of the paper in Python",
        random_counts,
        Side("recursion", recursive),
        Side("weft", weft_decoder, warm_up),
    )
]

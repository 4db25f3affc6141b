"""PREFAB 4 in halves that share no protein: defaults of the aligner were chosen on the first, not on the second."""

from __future__ import annotations

from weft.datasets import load_protein_prefab4
from weft.structures.alignment.substitution_matrix import AMINO_ACIDS

Pairs = tuple[list[tuple[str, str]], list[tuple[str, str]]]
"""Sequences and alignments."""


def halves(names: list[tuple[str, str]]) -> tuple[list[int], list[int]]:
    """Places of pairs, so that pairs with a common name, or linked by other pairs, are in the same half.

    Examples
    --------
    >>> halves([("a", "b"), ("c", "d"), ("b", "e"), ("f", "g")])
    ([0, 2, 3], [1])
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for first, second in names:
        parent[root(first)] = root(second)
    families: dict[str, list[int]] = {}
    for i, (first, _) in enumerate(names):
        families.setdefault(root(first), []).append(i)
    ordered = sorted(families.values())
    return [i for family in ordered[::2] for i in family], [i for family in ordered[1::2] for i in family]


def pairs_of_halves() -> tuple[Pairs, Pairs]:
    """Pairs of the twenty amino acids: those that defaults were chosen on, and the others."""
    data = load_protein_prefab4()
    kept = [i for i, pair in enumerate(data.sequences) if set("".join(pair)) <= set(AMINO_ACIDS)]
    chosen_on, others = halves([data.names[i] for i in kept])

    def taken(places: list[int]) -> Pairs:
        return [data.sequences[kept[i]] for i in places], [data.alignments[kept[i]] for i in places]

    return taken(chosen_on), taken(others)

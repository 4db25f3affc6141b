"""The alignments of an example are all that its grammar derives, each in one way."""

import runpy
from itertools import combinations, permutations
from pathlib import Path

import pytest

import weft
from weft.testing.oracles import enumerate_derivations, exact_count

names = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "align_inversions.py"))
structure = names["Inversions"]()


def words(n, m):
    return [f"s{i}" for i in range(n)], [f"t{j}" for j in range(m)]


def alignments(n, m):
    """All pairings of some words, but those in which four words stand as 2413 or 3142 (Wu 1997)."""
    for k in range(min(n, m) + 1):
        for targets in permutations(range(m), k):
            ranks = [[sorted(four).index(j) for j in four] for four in combinations(targets, 4)]
            if [1, 3, 0, 2] not in ranks and [2, 0, 3, 1] not in ranks:
                yield from (list(zip(sources, targets, strict=True)) for sources in combinations(range(n), k))


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("m", range(5))
def test_each_alignment_has_one_derivation(n, m):
    x = words(n, m)
    graph = structure.compile(x)
    found = []
    for edges in enumerate_derivations(graph):
        parts = sorted(int(part) for part in graph.parts[list(edges)] if part >= 0)
        found.append(structure.decode(x, parts))
        assert sorted(structure.encode(x, found[-1])) == parts
        assert len(set(parts)) == len(parts)
    assert sorted(found) == sorted(alignments(n, m))


@pytest.mark.parametrize(("n", "m", "count"), [(4, 4, 207), (5, 5, 1466), (5, 6, 3721)])
def test_larger_ones_are_counted(n, m, count):
    assert exact_count(structure.compile(words(n, m))) == count == sum(1 for _ in alignments(n, m))


@pytest.mark.parametrize("links", [[(0, 1), (1, 3), (2, 0), (3, 2)], [(0, 2), (1, 0), (2, 3), (3, 1)]])
def test_what_no_blocks_make_is_refused(links):
    with pytest.raises(weft.InputError, match="no alignment that straight and inverted blocks make"):
        structure.encode(words(4, 4), links)


@pytest.mark.parametrize("links", [[(0, 0), (0, 1)], [(0, 0), (1, 0)], [(2, 0)], [(0, -1)]])
def test_what_is_no_pairing_is_refused(links):
    with pytest.raises(weft.InputError, match="need pairs of places"):
        structure.encode(words(2, 2), links)

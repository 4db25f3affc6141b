"""Structures of many RNA families: one sequence of each Rfam seed alignment with the family's published structure."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from weft.datasets import rfam_seed_path
from weft.errors import InputError
from weft.losses import base_pairs

ARCHIVE_FAMILIES = re.compile(
    r"tRNA|tmRNA|5S|5_8S|SSU|LSU|rRNA|ribosomal RNA|SRP|signal recognition|RNase|MRP|intron|Intron|telomerase"
)
"""Names and descriptions of Rfam families that are, or resemble, one of ArchiveII."""
CANONICAL = frozenset({"AU", "UA", "CG", "GC", "GU", "UG"})
SHORTEST = 30
LEAST_KEPT = 0.8
"""Share of the pairs of its family that a sequence must have."""
LEAST_PAIRED = 0.4
"""Share of its bases that must be paired: consensus structures with fewer tend to be incomplete."""
_KNOT = re.compile(r"[A-Za-z]")


@dataclass
class _Seed:
    """One alignment of a Stockholm file."""

    facts: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)
    structure: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FoldedFamily:
    """A sequence of a family, and its structure; a clan is what related families share, or the family itself."""

    accession: str
    clan: str
    sequence: str
    structure: str


def published_structures(
    path: Path | None = None, max_length: int = 150, seed: int = 0, n_each: int = 1
) -> list[FoldedFamily]:
    """A sequence of each family whose structure was published, none of a family like those of ArchiveII.

    Parameters
    ----------
    path : Path, optional
        Seed alignments in Stockholm format, compressed; those of Rfam 14.2 if not given.
    max_length : int
    seed : int
        Chooses the sequences.
    n_each : int
        Number of sequences of each family that has so many.
    """
    found = []
    random = np.random.default_rng(seed)
    for family in _seeds(rfam_seed_path() if path is None else path):
        names = f"{family.facts.get('ID', '')} {family.facts.get('DE', '')}"
        if ARCHIVE_FAMILIES.search(names) or not family.facts.get("SS", "").startswith("Published"):
            continue
        # Letters mark pseudoknots, which no structure here has.
        pairs = sorted(base_pairs(_KNOT.sub(".", "".join(family.structure))))
        candidates = []
        for row in family.rows.values():
            folded = _project("".join(row), pairs, max_length)
            if folded is not None:
                candidates.append(folded)
        if candidates:
            accession, first = family.facts["AC"], random.integers(len(candidates))
            clan = family.facts.get("CL", accession)
            chosen = (candidates[(first + step) % len(candidates)] for step in range(min(n_each, len(candidates))))
            found += [FoldedFamily(accession, clan, *own) for own in chosen]
    return found


def _seeds(path: Path) -> Iterator[_Seed]:
    seed = _Seed()
    with gzip.open(path, "rt", encoding="latin-1") as lines:
        for line in lines:
            if line.startswith("//"):
                if not seed.facts.get("AC"):
                    raise InputError(f"{path} has an alignment without '#=GF AC'; seed alignments of Rfam are needed.")
                yield seed
                seed = _Seed()
            elif line.startswith("#=GF "):
                key, _, value = line[5:].partition(" ")
                seed.facts.setdefault(key, value.strip())
            elif line.startswith("#=GC SS_cons "):
                seed.structure.append(line.split()[2])
            elif line.strip() and not line.startswith("#"):
                name, row = line.split()[:2]
                seed.rows.setdefault(name, []).append(row)


def _project(row: str, pairs: list[tuple[int, int]], max_length: int) -> tuple[str, str] | None:
    """Sequence without gaps and its structure; None if it is too short or long, or does not fit the family."""
    row = row.upper().replace("T", "U")
    places = [i for i, letter in enumerate(row) if letter in "ACGU"]
    if not SHORTEST <= len(places) <= max_length or any(letter not in "ACGU.-~" for letter in row):
        return None
    position = {place: i for i, place in enumerate(places)}
    kept = [(i, j) for i, j in pairs if row[i] + row[j] in CANONICAL]
    if len(kept) < LEAST_KEPT * len(pairs) or 2 * len(kept) < LEAST_PAIRED * len(places):
        return None
    structure = ["."] * len(places)
    for i, j in kept:
        structure[position[i]], structure[position[j]] = "(", ")"
    return "".join(row[place] for place in places), "".join(structure)

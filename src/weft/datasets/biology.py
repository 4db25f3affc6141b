"""RNA with structures, and aligned pairs of proteins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from weft.datasets.registry import choose, file_path
from weft.errors import InputError
from weft.sequences.formats.tsv import iter_table


@dataclass(frozen=True)
class RnaData:
    """RNA sequences with dot-bracket structures; `folds` numbers the five folds where there are some."""

    names: list[str]
    families: list[str]
    sequences: list[str]
    structures: list[str]
    folds: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True)
class AlignmentData:
    """Pairs of proteins with a reference alignment.

    Attributes
    ----------
    names : list of (str, str)
    sequences : list of (str, str)
        Without gaps, upper case.
    alignments : list of (str, str)
        Gap ``-``; a column of two upper-case letters is one to score, lower case is not aligned.
    """

    names: list[tuple[str, str]]
    sequences: list[tuple[str, str]]
    alignments: list[tuple[str, str]]


def load_rna_rfam() -> RnaData:
    """Five small Rfam families: 329 sequences with the consensus structure of their family.

    Returns
    -------
    RnaData

    Examples
    --------
    >>> from weft.datasets import load_rna_rfam
    >>> load_rna_rfam().families[0]  # doctest: +SKIP
    'RF00032'
    """
    path = file_path("rna_rfam", "rfam_five_families.tsv")
    rows = list(iter_table(path, ["family", "name", "id", "sequence", "structure"], header=True))
    return RnaData(
        names=[row[2] for row in rows],
        families=[row[0] for row in rows],
        sequences=[row[3] for row in rows],
        structures=[row[4] for row in rows],
    )


def rfam_seed_path(release: Literal["14.2", "5.0"] = "14.2") -> Path:
    """File of all seed alignments of an Rfam release, in Stockholm format.

    Compressed by gzip; a name in release 5.0 is in Latin-1, so read the lines as bytes.

    Parameters
    ----------
    release : {"14.2", "5.0"}

    Returns
    -------
    Path

    Examples
    --------
    >>> from weft.datasets import rfam_seed_path
    >>> rfam_seed_path("5.0").name  # doctest: +SKIP
    'Rfam-5.0.seed.gz'
    """
    return file_path("rna_rfam", f"Rfam-{choose('release', release, ['14.2', '5.0'])}.seed.gz")


def load_rna_archiveii() -> RnaData:
    """ArchiveII: 3,864 RNA structures of at most 512 nucleotides, pseudoknots included.

    Returns
    -------
    RnaData
        Folds are random, and sequences repeat across them: leave families out to measure generalisation.

    Examples
    --------
    >>> from weft.datasets import load_rna_archiveii
    >>> len(load_rna_archiveii().sequences)  # doctest: +SKIP
    3864
    """
    path = file_path("rna_archiveii", "archiveii_le512.tsv.gz")
    rows = list(iter_table(path, ["id", "family", "fold", "sequence", "structure"], header=True))
    return RnaData(
        names=[row[0] for row in rows],
        families=[row[1] for row in rows],
        sequences=[row[3] for row in rows],
        structures=[row[4] for row in rows],
        folds=_integers([row[2] for row in rows], path),
    )


def _integers(texts: list[str], path: Path) -> npt.NDArray[np.int64]:
    try:
        return np.array([int(text) for text in texts], dtype=np.int64)
    except ValueError as error:
        raise InputError(f"{path}: {error}; needed whole numbers, get the file again") from error


def load_protein_prefab4() -> AlignmentData:
    """PREFAB 4: 1,682 structural reference alignments of protein pairs.

    Returns
    -------
    AlignmentData

    Examples
    --------
    >>> from weft.datasets import load_protein_prefab4
    >>> load_protein_prefab4().names[0]  # doctest: +SKIP
    ('1qbjA', '1lea')
    """
    path = file_path("protein_prefab4", "prefab4_ref_pairs.tsv.gz")
    rows = list(iter_table(path, ["name 1", "name 2", "aligned 1", "aligned 2"]))
    aligned = [(first.replace(".", "-"), second.replace(".", "-")) for _, _, first, second in rows]
    return AlignmentData(
        names=[(row[0], row[1]) for row in rows],
        sequences=[(_ungapped(first), _ungapped(second)) for first, second in aligned],
        alignments=aligned,
    )


def _ungapped(aligned: str) -> str:
    return aligned.replace("-", "").upper()

"""The loaders give the counts that the sources of the data publish."""

import gzip
from collections import Counter

import numpy as np
import pytest

from weft import datasets
from weft.sequences.formats import base_pairs


def same_lengths(first, second):
    return [len(item) for item in first] == [len(item) for item in second]


@pytest.mark.needs_data("rna_rfam")
def test_rna_rfam():
    data = datasets.load_rna_rfam()
    assert Counter(data.families) == {
        "RF00032": 46,
        "RF00164": 56,
        "RF00260": 52,
        "RF00436": 30,
        "RF00480": 145,
    }
    assert same_lengths(data.sequences, data.structures)
    pairs = Counter()
    for family, structure in zip(data.families, data.structures, strict=True):
        pairs[family] += len(base_pairs(structure))
    assert pairs == {"RF00032": 276, "RF00164": 672, "RF00260": 728, "RF00436": 300, "RF00480": 1450}
    assert data.folds is None


@pytest.mark.needs_data("rna_rfam")
def test_rfam_seeds():
    with gzip.open(datasets.rfam_seed_path("5.0"), "rb") as stream:
        assert sum(line.startswith(b"#=GF AC") for line in stream) == 176


@pytest.mark.needs_data("rna_archiveii")
def test_rna_archiveii():
    data = datasets.load_rna_archiveii()
    assert Counter(data.families) == {
        "5s": 1283, "srp": 918, "tRNA": 557, "tmRNA": 462, "RNaseP": 454,
        "grp1": 74, "16s": 66, "telomerase": 35, "23s": 15,
    }  # fmt: skip
    assert np.bincount(data.folds).tolist() == [773, 772, 773, 773, 773]
    assert same_lengths(data.sequences, data.structures)
    assert max(map(len, data.sequences)) <= 512
    assert all(base_pairs(structure) is not None for structure in data.structures)


@pytest.mark.needs_data("protein_prefab4")
def test_protein_prefab4():
    data = datasets.load_protein_prefab4()
    assert len(data.names) == 1682
    assert len(set(zip(data.names, data.alignments, strict=True))) == 1681
    scored = sum(
        a.isupper() and b.isupper() for first, second in data.alignments for a, b in zip(first, second, strict=True)
    )
    assert scored == 277_087
    assert all(not set("-.") & set(first + second) for first, second in data.sequences)

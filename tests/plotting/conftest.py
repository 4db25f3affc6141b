"""What several tests of this folder begin with."""

import pytest

import weft


@pytest.fixture(scope="module")
def folder():
    return weft.Folder("g6").fit(["GGGAAACCC", "GCGCAAAAGCGC"], ["(((...)))", "((((....))))"])


@pytest.fixture(scope="module")
def aligner():
    pairs = [("ACGT", "AGT"), ("ACG", "ACG")]
    return weft.Aligner().fit(pairs, [("ACGT", "A-GT"), ("ACG", "ACG")])

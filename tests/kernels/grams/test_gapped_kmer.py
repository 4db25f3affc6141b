"""Tests of `weft.kernels.grams.gapped_kmer`."""

import numpy as np

from weft import GappedKMerKernel


def test_the_other_strand_gives_the_same_features():
    kernel = GappedKMerKernel(5, 3, reverse_complement=True)
    strand = "GATTACANGGC"
    other = strand[::-1].translate(str.maketrans("ACGT", "TGCA"))
    rows = kernel.features([strand, other, "TTTTTTTTTTT"]).toarray()
    np.testing.assert_array_equal(rows[0], rows[1])
    assert rows.sum(axis=1).tolist() == [70, 70, 70]
    assert GappedKMerKernel(5, 3, reverse_complement=True).gram(["GATTA"], ["TAATC"]) == 10
    assert GappedKMerKernel(5, 3).gram(["GATTA"], ["TAATC"]) < 10
    assert GappedKMerKernel(4, 4, reverse_complement=True).gram(["GAUU"], ["AAUC"]) == 1

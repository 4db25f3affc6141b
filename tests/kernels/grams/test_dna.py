"""Tests of `weft.kernels.grams.dna`."""

import numpy as np
import pytest

import weft
from weft.kernels.grams.dna import MOST_LETTERS


def windows_of(kernels):
    single = [each.kernel for each in kernels if isinstance(each, weft.Normalized)]
    return [(each.g, each.k, each.filtered, each.half_life) for each in single]


def test_estimated_counts_are_for_few_letters_of_dna():
    plain = [(10, 6, False, None), (10, 6, False, 50.0)]
    all_of_them = [*plain, (11, 7, True, None), (11, 7, True, 50.0)]
    for letters in ("ACGT", "ACGU", "ACGTN"):
        kernels = weft.dna_kernels([letters * 9])
        assert windows_of(kernels) == all_of_them
        assert len(kernels) == 5
    short, long, other = ["ACGTACGTAC"], ["ACGT" * 100] * (MOST_LETTERS // 400 + 1), ["the cat sat on the mat"]
    assert all(windows_of(weft.dna_kernels(X)) == plain for X in (short, long, other, []))
    assert windows_of(weft.dna_kernels(long[1:]))[2:]
    without_windows = ["MKVLAWTGMKVLAWTG"], ["acgtA" * 5], [list("ACGTNACGTRACGT")], [["ACGT"] * 20]
    assert all(windows_of(weft.dna_kernels(X)) == plain for X in without_windows)
    assert windows_of(weft.dna_kernels(["acgtA" * 5, "nACGTACGTACGT"])) == all_of_them
    assert windows_of(weft.dna_kernels(["ACGT" * 9], half_life=9.0)) == [(10, 6, False, 9.0), (11, 7, True, 9.0)]


@pytest.mark.parametrize("motif", ["TGACTCATG", "CATGAGTCA"])
def test_a_classifier_finds_sites_on_both_strands(motif):
    random = np.random.default_rng(0)

    def drawn(with_site):
        text = "".join(random.choice(list("ACGT"), size=40))
        return text[:15] + "TGACTCATG" + text[24:] if with_site else text

    y = [0, 1] * 30
    svc = weft.SequenceSVC(weft.dna_kernels(X := [drawn(label) for label in y], n_jobs=1), C=10.0, random_state=0)
    svc.fit(X, y)
    assert len(svc.kernel_scores_) == 5
    assert svc.kernel_scores_.max() > 0.9
    assert svc.predict(["ACGTTGCAAC" + motif + "GTTACGGATC"]).tolist() == [1]

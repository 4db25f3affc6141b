"""Tests of `weft.kernels.grams.mismatch`."""

from weft import MismatchKernel


def test_mismatch_alphabet_is_that_of_both_sides():
    # aa and cc have no symbol in common; over {a, c} they share the neighbours ac and ca.
    assert MismatchKernel(2, 1).gram(["aa"], ["cc"]) == 2

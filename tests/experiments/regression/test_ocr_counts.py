"""Tests of `weft.experiments.regression.ocr_counts`."""

from dataclasses import replace

import numpy as np
import pytest

from weft.experiments.regression.ocr_counts import (
    STRENGTHS,
    CountPredictions,
    aligned,
    blurred_words,
    choose_voters,
    wrong_counts,
)
from weft.experiments.regression.ocr_unsegmented import choose_smoothing
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out


@pytest.mark.parametrize("kernels", [aligned(1), blurred_words()], ids=["aligned", "blurred"])
def test_counts_take_the_kernel_with_the_smallest_held_out_error(split, kernels):
    found = CountPredictions(split, kernels)
    errors = {}
    for kernel in kernels:
        gram = kernel.gram(split.X)
        scale = gram.diagonal().mean()
        held = [leave_groups_out(gram, found.counts, scale * each, split.groups) for each in STRENGTHS]
        errors[kernel.name] = min(wrong_counts(each, found.counts) for each in held)
    assert found.error == pytest.approx(min(errors.values()))
    assert errors[found.kernel.name] == pytest.approx(found.error)


def test_test_words_have_no_say(split):
    """Other test words, even with wrong letters, leave kernel, penalty, voters and smoothing as they were."""
    random = np.random.default_rng(5)
    other = replace(split, X_test=[random.normal(size=x.shape) for x in split.X_test], y_test=split.y_test[::-1])
    chosen = []
    for each in (split, other):
        by_length = {n: CountPredictions(each, aligned(n)) for n in (1, 2)}
        smoothing = choose_smoothing(each, by_length[1].regressor([2]))
        kernels = [(found.kernel.name, found.alpha) for found in by_length.values()]
        chosen.append((kernels, choose_voters(by_length, 3), smoothing))
    assert chosen[0] == chosen[1]
    assert len(set(chosen[0][1])) == 3

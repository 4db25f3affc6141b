"""Tests of `weft.experiments.accuracy.protein_kernels`."""

import numpy as np
import pytest

from quick_runs import quick_report
from weft.experiments.accuracy.protein_kernels import (
    ALIGNED,
    GROUPED_BY,
    KMERS,
    LEAST,
    area_of_rows,
    groups,
    remote_splits,
)


def blocks(*sizes):
    """A kernel matrix of groups: 0.9 within, 0.1 between."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    matrix = np.where(group[:, None] == group, 0.9, 0.1)
    np.fill_diagonal(matrix, 1.0)
    return matrix, group


def test_groups_are_those_of_similar_examples():
    matrix, group = blocks(3, 4, 2)
    found = groups(matrix, 3)
    assert all(len(set(found[group == each])) == 1 for each in range(3))
    assert len(set(found)) == 3


def test_a_family_is_trained_on_alone():
    matrix, group = blocks(*[6] * 8, *[2] * 40, LEAST - 1)
    labels = np.where(group < 8, 1, 0)
    splits = list(remote_splits(matrix, labels))
    assert len(splits) == 8
    for train, test in splits:
        assert len(set(group[train][labels[train] == 1])) == 1
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(labels)
        assert set(labels[train]) == set(labels[test]) == {0, 1}


def test_small_families_are_not_trained_on():
    matrix, group = blocks(*[6] * 7, LEAST - 1, *[2] * 40)
    splits = list(remote_splits(matrix, np.where(group < 8, 1, 0)))
    assert len(splits) == 7


def test_a_kernel_that_knows_the_class_wins():
    by, group = blocks(*[6] * 8, *[2] * 40)
    labels = np.where(group < 8, 1, 0)
    knows = np.where(labels[:, None] == labels, 1.0, 0.0)
    assert area_of_rows(knows, labels, by, 0) == 100.0
    assert area_of_rows(by, labels, by, 0) < 90.0


@pytest.mark.slow
@pytest.mark.needs_data("fastsk")
def test_quick_run_on_protein_kernels(tmp_path):
    found = quick_report("protein-kernels", tmp_path)
    assert {quantity for quantity, _, _ in found} == {f"families by {by}" for by in GROUPED_BY}
    assert {ALIGNED, *KMERS} < {method for _, _, method in found}

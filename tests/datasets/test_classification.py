"""Tests of `weft.datasets.classification`."""

from collections import Counter

import numpy as np
import pytest

from weft import datasets


@pytest.mark.needs_data("usps")
def test_usps():
    data = datasets.load_usps()
    assert data.X_train.shape == (7291, 256)
    assert data.X_test.shape == (2007, 256)
    assert np.bincount(data.y_train).tolist() == [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]
    assert np.bincount(data.y_test).tolist() == [359, 264, 198, 166, 200, 160, 170, 147, 166, 177]
    assert (data.X_train.min(), data.X_train.max()) == (-1.0, 1.0)


@pytest.mark.needs_data("reuters21578")
def test_reuters21578():
    parts = {part: datasets.load_reuters21578(part) for part in ("train", "test", "unused")}
    assert {part: len(stories) for part, stories in parts.items()} == {
        "train": 9603,
        "test": 3299,
        "unused": 8676,
    }
    assert {story.id for stories in parts.values() for story in stories} == set(range(1, 21_579))
    counts = {part: Counter(topic for story in parts[part] for topic in story.topics) for part in ("train", "test")}
    for topic, train, test in (("earn", 2877, 1087), ("acq", 1650, 719), ("corn", 182, 56)):
        assert (counts["train"][topic], counts["test"][topic]) == (train, test)
    assert len(counts["train"].keys() & counts["test"].keys()) == 90
    assert sum(not story.body for story in parts["train"]) == 787


@pytest.mark.needs_data("fastsk")
@pytest.mark.parametrize(
    ("task", "train", "test"),
    [("dna_CTCF", (1000, 1000), (1000, 1000)), ("dna_TP53", (2216, 2216), (247, 247))],
)
def test_fastsk(task, train, test):
    for part, sizes in (("train", train), ("test", test)):
        data = datasets.load_fastsk(task, part)
        assert tuple(np.bincount(data.labels)) == sizes
        assert len(data.sequences) == sum(sizes)


@pytest.mark.needs_data("fastsk")
def test_fastsk_homology_is_unbalanced():
    labels = datasets.load_fastsk("scop_1.1", "test").labels
    assert 6 <= labels.sum() <= 120 < len(labels)
    assert len(datasets.FASTSK_TASKS) == 23

"""Labels of all sequences one after the other."""

import numpy as np
import pytest

from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.structures.chain.labellings import (
    checked_labels,
    joined_labels,
    likeliest_labels,
    ranked_labels,
    wrong_labels,
)

CORPUS = Corpus(np.array([0, 2, 3]), np.zeros((3, 1)))


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], [0, -1, 0], [0.0, 1.0, 0.0], [[0, 1, 0]]])
def test_labels_are_one_known_number_per_token(labels):
    with pytest.raises(InputError, match="number the labels from 0, one per token"):
        checked_labels(labels, 2, 3)


def test_join_wants_the_lengths_of_the_sequences():
    assert joined_labels(CORPUS, [[0, 1], [1]]).tolist() == [0, 1, 1]
    for outputs in ([[0, 1, 1]], [[0], [1, 1]], []):
        with pytest.raises(InputError, match="need those of 2 sequences and 3 tokens"):
            joined_labels(CORPUS, outputs)


def test_losses_count_wrong_labels():
    assert wrong_labels(CORPUS, np.array([0, 1, 1]), np.array([1, 1, 0])).tolist() == [1.0, 1.0]


def test_ties_go_to_the_first_label():
    rows = np.array([[0.1 + 0.2, 0.3, 0.4 - 1e-12, 0.0], [0.3, 0.1 + 0.2, 0.2, 0.2]])
    assert likeliest_labels([rows[:1], rows[1:]], 1.0).tolist() == [2, 0]


def test_ranks_without_a_labelling_are_left_out():
    labels, scores = np.array([[0, 1, 1], [1, 1, 0]]), np.array([[2.0, 1.0], [3.0, -np.inf]])
    first, second = ranked_labels(CORPUS, labels, scores)
    assert [(own.tolist(), score) for own, score in first] == [([0, 1], 2.0), ([1, 1], 1.0)]
    assert [(own.tolist(), score) for own, score in second] == [([1], 3.0)]

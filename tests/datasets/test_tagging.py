"""Tests of `weft.datasets.tagging`."""

from collections import Counter

import numpy as np
import pytest

from weft import datasets


def begins(labels):
    """Count the chunks of IOB2 tags by kind: each starts with exactly one B."""
    return Counter(tag[2:] for sentence in labels for tag in sentence if tag.startswith("B-"))


def same_lengths(first, second):
    return [len(item) for item in first] == [len(item) for item in second]


@pytest.mark.needs_data("conll2000")
@pytest.mark.parametrize(
    ("part", "sentences", "tokens", "chunks", "tags"),
    [("train", 8936, 211_727, 106_978, 22), ("test", 2012, 47_377, 23_852, 19)],
)
def test_conll2000(part, sentences, tokens, chunks, tags):
    data = datasets.load_conll2000(part)
    assert len(data.tokens) == sentences
    assert sum(map(len, data.tokens)) == tokens
    assert same_lengths(data.tokens, data.labels)
    assert same_lengths(data.tokens, data.pos)
    assert begins(data.labels).total() == chunks
    assert len({tag for labels in data.labels for tag in labels}) == tags


@pytest.mark.needs_data("conll2002_es")
@pytest.mark.parametrize(
    ("part", "sentences", "tokens", "entities"),
    [
        ("train", 8323, 264_715, {"LOC": 4913, "MISC": 2173, "ORG": 7390, "PER": 4321}),
        ("testa", 1915, 52_923, {"LOC": 984, "MISC": 445, "ORG": 1700, "PER": 1222}),
        ("testb", 1517, 51_533, {"LOC": 1084, "MISC": 339, "ORG": 1400, "PER": 735}),
    ],
)
def test_conll2002_es(part, sentences, tokens, entities):
    data = datasets.load_conll2002_es(part)
    assert len(data.tokens) == sentences
    assert sum(map(len, data.tokens)) == tokens
    assert same_lengths(data.tokens, data.labels)
    assert begins(data.labels) == entities


@pytest.mark.needs_data("nettalk")
def test_nettalk():
    data = datasets.load_nettalk()
    assert len(data.words) == 20_008
    assert len(set(data.words)) == 19_802
    assert sum(map(len, data.words)) == 146_943
    assert same_lengths(data.words, data.phonemes)
    assert same_lengths(data.words, data.stress)
    assert np.bincount(data.classes).tolist() == [19_779, 71, 158]
    assert len({phoneme for word in data.phonemes for phoneme in word}) == 51
    assert len(data.common_words) == 1000
    assert set(data.common_words) <= set(data.words)


@pytest.mark.needs_data("ocr_letters")
def test_ocr_letters():
    data = datasets.load_ocr_letters()
    assert len(data.X) == len(data.y) == len(data.folds) == 6877
    assert same_lengths(data.X, data.y)
    assert np.bincount(data.folds).tolist() == [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]
    letters = np.bincount(data.folds, weights=[len(word) for word in data.y])
    assert letters.tolist() == [4617, 5375, 5110, 5353, 5270, 5001, 5583, 5370, 5331, 5142]
    assert {image.shape[1] for image in data.X} == {128}
    assert set(np.unique(data.X[0])) == {0.0, 1.0}
    assert len({"".join(word) for word in data.y}) == 55

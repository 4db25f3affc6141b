"""The loaders give the counts that the sources of the data publish."""

import gzip
from collections import Counter

import numpy as np
import pytest

from weft import datasets
from weft.sequences.formats import base_pairs


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


@pytest.mark.needs_data("g2p_cmudict")
def test_g2p_cmudict():
    train, test = datasets.load_g2p_cmudict("train"), datasets.load_g2p_cmudict("test")
    assert (len(train.inputs), len(set(train.inputs))) == (113_438, 106_837)
    assert len(test.inputs) == len(set(test.inputs)) == 12_000
    assert sum(len(references) > 1 for references in test.references) == 673
    assert len({phone for phones in train.outputs for phone in phones}) == 39
    assert not set(train.inputs) & set(test.inputs)


@pytest.mark.needs_data("g2p_sigmorphon2021")
@pytest.mark.parametrize(
    ("language", "sizes"),
    [("eng_us", [33_344, 4168, 4168]), ("vie_hanoi", [8000, 1000, 1000]), ("wel_sw", [800, 100, 100])],
)
def test_g2p_sigmorphon2021(language, sizes):
    parts = [datasets.load_g2p_sigmorphon2021(language, part) for part in ("train", "dev", "test")]
    assert [len(part.inputs) for part in parts] == sizes
    assert all(part.inputs and all(part.outputs) for part in parts)


@pytest.mark.slow
@pytest.mark.needs_data("g2p_sigmorphon2021")
def test_g2p_sigmorphon2021_has_every_language():
    languages = [language for level in datasets.LANGUAGES.values() for language in level]
    sizes = Counter()
    for language in languages:
        for part in ("train", "dev", "test"):
            sizes[part] += len(datasets.load_g2p_sigmorphon2021(language, part).inputs)
    assert len(languages) == 21
    assert sizes == {"train": 33_344 + 88_000, "dev": 4168 + 11_000, "test": 4168 + 11_000}


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

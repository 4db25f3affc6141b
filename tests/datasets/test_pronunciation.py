"""Tests of `weft.datasets.pronunciation`."""

from collections import Counter

import pytest

from weft import datasets


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

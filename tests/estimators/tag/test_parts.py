"""Vocabularies of parts: those of all examples together, by names and by hashes."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.tag import parts as tag_parts
from weft.scale import Examples

RANDOM = np.random.default_rng(3)
WORDS = [[f"w{j}" for j in RANDOM.integers(60, size=RANDOM.integers(2, 8))] for _ in range(200)]
LABELS = [[("A", "B", "C")[int(word[1:]) % 3] for word in words] for words in WORDS]
DICTS = [[{"word": word, "length": 0.5} for word in words] for words in WORDS]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Several shards of little data."""
    monkeypatch.setattr("weft.core.shards.LEAST_COST", 256)


def model(tagger, folder):
    weft.save(tagger, folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings", [{}, {"min_count": 9}, {"n_features": 50}, {"n_features": 4096, "min_count": 9}])
@pytest.mark.parametrize("X", [WORDS, DICTS], ids=["words", "dicts"])
def test_the_model_of_files_is_that_of_memory(X, settings, tmp_path):
    def tagger():
        return weft.Tagger(weft.CRF(c2=0.1, max_iter=5), pairs="observed", **settings)

    alone = tagger().fit(X, LABELS)
    parted = tagger().fit(Examples.from_lists(X, LABELS, 5), spill=tmp_path / "spill")
    assert model(parted, tmp_path) == model(alone, tmp_path)
    assert parted.predict(X) == alone.predict(X) == weft.load(tmp_path / "model").predict(X)


@pytest.mark.filterwarnings("ignore")
def test_a_folder_of_other_word_classes_is_refused(tmp_path):
    def fitted(text):  # parameters, and so what a tagger looks like, are the same for any text
        window = weft.WindowFeatures(0, 1, classes=weft.WordClasses(3).fit(text))
        tagger = weft.Tagger(weft.CRF(c2=0.1, max_iter=5), window)
        return tagger.fit(Examples.from_lists(WORDS, LABELS, 5), spill=tmp_path / "spill")

    assert model(fitted(WORDS), tmp_path) == model(fitted(WORDS), tmp_path)
    with pytest.raises(InputError, match="spill belongs to other data or settings"):
        fitted(WORDS[:100])


@pytest.mark.filterwarnings("ignore")
def test_hashed_columns_have_no_names_and_few_collisions_change_little(tmp_path):
    exact = weft.Tagger(weft.CRF(c2=0.1, max_iter=20), pairs="observed").fit(WORDS, LABELS)
    hashed = weft.Tagger(weft.CRF(c2=0.1, max_iter=20), n_features=2**20).fit(WORDS, LABELS)
    # 60 words among a million columns do not meet: the same weights in another order.
    np.testing.assert_allclose(np.sort(hashed.weights_), np.sort(exact.weights_), rtol=1e-6, atol=1e-9)
    assert hashed.predict(WORDS) == exact.predict(WORDS)
    column = hashed.encoder_.encode([["w7"]]).tokens.ids[0]
    assert hashed.state_features_[column, "B"] == pytest.approx(exact.state_features_["w7", "B"], rel=1e-6)
    data = model(hashed, tmp_path)
    assert b"attributes" not in data.replace(b"n_attributes", b"")
    assert len(data) < 2**17  # a column without weights takes no room
    # All words in one column leave nothing to learn from but the labels.
    assert weft.Tagger(weft.CRF(c2=0.1), n_features=1).fit(WORDS, LABELS).score(WORDS, LABELS) < 0.6


def test_what_cannot_be_hashed_is_refused():
    with pytest.raises(InputError, match="n_features is 0"):
        weft.Tagger(n_features=0).fit(WORDS, LABELS)
    with pytest.raises(InputError, match="vectors, whose columns have no names"):
        weft.Tagger(n_features=8).fit([np.ones((2, 3))], [["a", "b"]])
    with pytest.raises(InputError, match="Spectral needs names of attributes"):
        weft.Tagger(weft.Spectral(), n_features=8).fit(WORDS, LABELS)


@pytest.mark.filterwarnings("ignore")
def test_a_hashed_tagger_goes_on(tmp_path):
    stream = weft.Tagger(weft.Perceptron(), n_features=512)
    for begin in (0, 100):
        stream.partial_fit(WORDS[begin : begin + 100], LABELS[begin : begin + 100], classes=["A", "B", "C"])
    assert stream.score(WORDS, LABELS) > 0.9
    warm = weft.Tagger(weft.CRF(max_iter=3), n_features=512, min_count=2, warm_start=True).fit(WORDS, LABELS)
    before = warm.weights_.copy()
    assert len(warm.fit(WORDS, LABELS).weights_) == len(before)


@pytest.mark.filterwarnings("ignore")
def test_two_attributes_of_one_hash_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(tag_parts, "name_hashes", lambda names: np.array([int(n[1:]) % 30 for n in names], np.uint64))
    with pytest.raises(InputError, match="part 0: two attributes have one hash"):
        weft.Tagger(weft.Generative()).fit(Examples.from_lists(WORDS, LABELS, 2), spill=tmp_path / "s")
    few = Examples.from_lists([["w1", "w2"], ["w31", "w2"]], [["A", "B"], ["A", "B"]], 2)
    with pytest.raises(InputError, match="attributes 'w1' and 'w31' have one hash"):
        weft.Tagger(weft.Generative()).fit(few, spill=tmp_path / "s")


@pytest.mark.filterwarnings("ignore")
def test_a_label_and_words_that_only_one_part_has(tmp_path):
    X, y = [["a", "b"], ["c", "d"], ["e"]], [["x", "y"], ["x", "z"], ["x"]]
    parted = weft.Tagger(weft.CRF(max_iter=3)).fit(Examples.from_lists(X, y, 3), spill=tmp_path / "s")
    assert list(parted.classes_) == ["x", "y", "z"]
    assert model(parted, tmp_path) == model(weft.Tagger(weft.CRF(max_iter=3)).fit(X, y), tmp_path)

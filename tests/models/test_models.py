"""Bundled models are found by name, and a file of that name wins."""

import json

import pytest

import weft
from weft import models
from weft.models import bundled_names, card, model_path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package folder with one model, and a working folder of its own."""
    packaged, here = tmp_path / "packaged", tmp_path / "here"
    packaged.mkdir()
    here.mkdir()
    monkeypatch.setattr(models, "FOLDER", packaged)
    monkeypatch.chdir(here)
    weft.save(weft.Tagger().fit([["a", "b"]], [["X", "Y"]]), packaged / "tag-toys.weft")
    (packaged / "tag-toys.json").write_text(json.dumps({"name": "tag-toys", "licence": "CC0"}))
    return here


def test_a_name_finds_the_bundled_model(folder):
    assert bundled_names() == ["tag-toys"]
    assert weft.load("tag-toys").predict([["b"]]) == [["Y"]]
    assert card("tag-toys")["size"] == model_path("tag-toys").stat().st_size


def test_a_file_of_that_name_wins(folder):
    weft.save(weft.Tagger().fit([["b"]], [["Z"]]), folder / "tag-toys")
    assert weft.load("tag-toys").predict([["b"]]) == [["Z"]]


def test_a_misspelt_name_gets_a_suggestion(folder):
    with pytest.raises(weft.ModelFileError, match="did you mean 'tag-toys'"):
        weft.load("tag-toy")
    with pytest.raises(weft.ModelFileError, match="did you mean 'tag-toys'"):
        card("tagtoys")


@pytest.mark.parametrize("path", ["tag-toy.weft", "models/tag-toy", "x", "", "a\0b", "y" * 5000])
def test_what_is_no_name_is_a_path_that_is_missing(folder, path):
    with pytest.raises(weft.ModelFileError, match=r"cannot read|tag-toys"):
        weft.load(path)


def test_every_bundled_model_loads_and_has_a_whole_card():
    for name in bundled_names():
        known = card(name)
        assert known["name"] == name
        assert known["version"] == weft.__version__
        assert known["notice"]
        assert known["data"]
        assert known["scores"]
        assert type(weft.load(name)).__name__ == known["estimator"]

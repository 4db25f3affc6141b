"""Tokens and names of models."""

from pathlib import Path

import pytest

from weft.errors import InputError
from weft.serve.settings import TOKEN, model_names, read_token


def test_a_token_comes_from_a_file_or_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv(TOKEN, raising=False)
    assert read_token(None) is None
    monkeypatch.setenv(TOKEN, "sixteen-letters-1")
    assert read_token(None) == "sixteen-letters-1"
    (tmp_path / "token").write_text("sixteen-letters-2\n")
    assert read_token(tmp_path / "token") == "sixteen-letters-2"


@pytest.mark.parametrize("token", ["", "short", "with blanks in it, 24", "ümlaut-token-of-24-letters"])
def test_a_token_that_can_be_guessed_or_not_sent_is_refused(token, tmp_path):
    (tmp_path / "token").write_text(token)
    with pytest.raises(InputError, match="at least 16"):
        read_token(tmp_path / "token")


def test_a_missing_token_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="--token-file"):
        read_token(tmp_path / "missing")


def test_models_that_come_with_weft_are_found_by_their_names(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.models.FOLDER", tmp_path)
    (tmp_path / "pronounce-en.weft").touch()
    assert model_names([Path("pronounce-en")]) == {"pronounce-en": tmp_path / "pronounce-en.weft"}


@pytest.mark.parametrize("paths", [["a/m.weft", "b/m.weft"], ["a b.weft"], [".weft"], ["é.weft"]])
def test_names_are_distinct_and_fit_addresses(paths):
    with pytest.raises(InputError, match="rename"):
        model_names(list(map(Path, paths)))

"""Scores of a model on a file, for people and as JSON."""

import json

import pytest

import weft
from weft.errors import InputError
from weft.kinds import open_kind
from weft.kinds.evaluating import evaluate

TEXTS, CLASSES = ["good nice day", "bad awful day", "nice good", "awful bad"], ["pos", "neg", "pos", "neg"]


@pytest.fixture
def model(tmp_path):
    weft.save(weft.SequenceSVC(weft.NGramKernel(2), C=1.0).fit(TEXTS, CLASSES), tmp_path / "m.weft")
    return tmp_path / "m.weft"


def scores(model, text, capsys, as_json=False):
    file = model.parent / "test.tsv"
    file.write_text(text)
    evaluate(open_kind(model, "evaluate"), str(file), None, False, as_json)
    return capsys.readouterr().out


def test_people_and_programs_are_told_the_same(model, capsys):
    text = "nice day\tpos\nawful\tneg\nbad bad\tpos\ngood\tpos\n"
    found = json.loads(scores(model, text, capsys, as_json=True))
    assert found["accuracy"]["value"] == 0.75
    assert found["model"] == str(model)
    shown = scores(model, text, capsys)
    assert "4 texts" in shown
    assert "75.00" in shown


def test_what_has_no_use_is_refused(tmp_path):
    weft.save(weft.Folder.from_energies(), tmp_path / "m.weft")
    with pytest.raises(InputError, match=r"--allow-unknown given, but .* is a Folder, which has no use for it"):
        evaluate(open_kind(tmp_path / "m.weft", "evaluate"), "no.dbn", None, True, False)

"""`weft train regress` on data in parts."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from weft.apps.cli import app

RANDOM = np.random.default_rng(3)
NUMBERS = {"uno": "one", "dos": "two", "tres": "three"}
TEXTS = [" ".join(RANDOM.choice(list(NUMBERS), size=RANDOM.integers(1, 4))) for _ in range(90)]
LINES = [f"{text}\t{' '.join(NUMBERS[word] for word in text.split())}\n" for text in TEXTS]
OPTIONS = ("-o", "m.weft", "--output-order", 3, "--preimage", "nearest", "--n-basis", 30)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refusal(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (300,))
    (tmp_path / "train.tsv").write_text("".join(LINES))
    return tmp_path


def test_files_are_read_part_by_part(folder):
    given = ("train", "regress", "train.tsv", *OPTIONS, "--approximation", "nystroem", "--json", "--dev", "train.tsv")
    result = run(*given, "--spill", "s")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["pairs"] == 90
    assert facts["held_out"]["string_error"] < 0.05
    assert sorted(path.name for path in (folder / "s").iterdir()) == ["manifest.json", "sums"]


def test_what_cannot_be_meant_is_refused(folder):
    given = ("train", "regress", "train.tsv", *OPTIONS, "--spill", "s")
    assert "'nystroem' alone" in refusal(*given, "--approximation", "greedy")
    more = (*given, "--approximation", "nystroem")
    assert "--cv needs all examples in one place" in refusal(*more, "--cv", 3)
    assert "--columns names a line of one file" in refusal(*more, "--columns", "a,b")
    (folder / "pairs.csv").write_text("ab,xy\n")
    said = refusal("train", "regress", "pairs.csv", *OPTIONS, "--spill", "s", "--approximation", "nystroem")
    assert "give tsv or jsonl, which can be read in parts" in said
    (folder / "broken.tsv").write_text("".join(LINES) + "uno\n")
    said = refusal("train", "regress", "broken.tsv", *OPTIONS, "--spill", "s", "--approximation", "nystroem")
    assert "broken.tsv, line 91: 1 column(s)" in said
    assert not list((folder / "s").glob("*"))

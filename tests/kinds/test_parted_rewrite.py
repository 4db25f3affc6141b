"""`weft train rewrite` on data in parts: the model of one machine, byte for byte; what cannot be meant is refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from weft.apps.cli import app

RANDOM = np.random.default_rng(3)
WORDS = ["".join(RANDOM.choice(list("abcst"), size=RANDOM.integers(3, 8))) for _ in range(90)]
LINES = [f"{word}\t{' '.join(word.upper().replace('C', 'K'))}\n" for word in WORDS]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refusal(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("weft.core.shards.LEAST_COST", 64)  # several shards of little data
    (tmp_path / "train.tsv").write_text("".join(LINES))
    return tmp_path


def train(*arguments, file="train.tsv"):
    options = ("-o", "m.weft", "--learner", "crf", "--max-iter", 3, "--context", 2, "--json")
    result = run("train", "rewrite", file, *options, *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), Path("m.weft").read_bytes()


def test_files_give_the_model_of_memory(folder, monkeypatch):
    facts, wanted = train("--dev", "train.tsv")
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (200,))
    found, model = train("--dev", "train.tsv", "--spill", "shards")
    assert model == wanted
    assert found["pairs"] == facts["pairs"] == 90
    assert found["held_out"] == facts["held_out"]
    (folder / "one.tsv").write_text("".join(LINES[:20]))
    with gzip.open(folder / "two.tsv.gz", "wt") as file:
        file.write("".join(LINES[20:]))
    others, _ = train("--spill", "others", "--format", "tsv", file="[ot][nw]*.tsv*")
    assert others["weights"] == facts["weights"]


@pytest.mark.slow
def test_workers_give_the_model_of_memory(folder):
    pytest.importorskip("distributed")
    _, wanted = train()
    assert train("--workers", 2)[1] == wanted


def test_what_cannot_be_meant_is_refused(folder, monkeypatch):
    given = ("train", "rewrite", "train.tsv", "-o", "m.weft", "--spill", "s")
    assert "--cv needs all examples in one place" in refusal(*given, "--cv", 3)
    assert "--columns names a line of one file" in refusal(*given, "--columns", "a,b")
    (folder / "pairs.csv").write_text("ab,xy\n")
    said = refusal("train", "rewrite", "pairs.csv", "-o", "m.weft", "--spill", "s")
    assert "give tsv or cmudict, which can be read in parts" in said
    (folder / "forms.tsv").write_text("go\twent\tV;PST\nsee\tsaw\tV;PST\n")
    said = refusal("train", "rewrite", "forms.tsv", "-o", "m.weft", "--spill", "s")
    assert "forms.tsv has tags, which models of edits learn from in one place" in said
    (folder / "late.tsv").write_text("ab\txy\n" * 9 + "ba\ty x\n")
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (20,))
    monkeypatch.setattr("weft.scale.pieces.first_piece.__defaults__", (20,))
    said = refusal("train", "rewrite", "late.tsv", "-o", "m.weft", "--spill", "s")
    assert "as 'y x' has, those of the first part few or none" in said
    (folder / "broken.tsv").write_text("ab\txy\n" * 9 + "ba\n")
    said = refusal("train", "rewrite", "broken.tsv", "-o", "m.weft", "--spill", "s")
    assert "broken.tsv, from byte 48, line 2: 1 column(s)" in said
    assert not list((folder / "s").glob("*"))
    assert not Path("m.weft").exists()

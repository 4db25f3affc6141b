"""`weft fold`: structures of RNA as RNAfold prints them."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from rna_examples import parameter_text
from weft.apps.cli import app
from weft.structures.rna.free_energies import published_tables

runner = CliRunner()
TRNA = "GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGCACCA"
ENERGY = r"( *-?\d+\.\d\d)"


def run(*arguments, code=0, text=None):
    result = runner.invoke(app, ["fold", *map(str, arguments)], input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


def test_lines_are_those_of_rnafold(tmp_path):
    source = tmp_path / "rna.fa"
    source.write_text(f">one of two\n{TRNA.lower().replace('u', 't')}\n>two\nGGGAAACCC\n")
    first = run(source).stdout.splitlines()
    assert first[:2] == [">one of two", TRNA]
    structure, energy = re.fullmatch(rf"([.()]+) \({ENERGY}\)", first[2]).groups()
    folder = weft.Folder.from_energies(decode="best")
    assert [structure] == folder.predict([TRNA])
    assert float(energy) == pytest.approx(folder.energy([TRNA], [structure])[0], abs=0.006)
    assert len(energy) == 6
    assert first[3:5] == [">two", "GGGAAACCC"]
    assert run("-", text=source.read_text()).stdout.splitlines() == first
    assert run("-", text="GGGAAACCC\n").stdout.splitlines() == first[4:]


def test_ensembles(tmp_path):
    lines = run("-", "-p", text=TRNA + "\n").stdout.splitlines()
    assert len(lines) == 5
    marks, total = re.fullmatch(rf"([.(){{}}|,]+) \[{ENERGY}\]", lines[2]).groups()
    centroid, _, distance = re.fullmatch(rf"([.()]+) \{{{ENERGY} d=(\d+\.\d\d)\}}", lines[3]).groups()
    folder = weft.Folder.from_energies(decode="best")
    assert float(total) == pytest.approx(folder.ensemble_energy([TRNA])[0], abs=0.006)
    [pairs] = folder.predict_marginals([TRNA])
    assert centroid.count("(") == (pairs > 0.5).sum() // 2
    assert len(marks) == len(TRNA)
    frequency, diversity = re.fullmatch(
        r" frequency of mfe structure in ensemble (\S+); ensemble diversity (\S+) *", lines[4]
    ).groups()
    assert float(frequency) == pytest.approx(folder.confidence([TRNA])[0], rel=1e-4)
    assert float(diversity) == pytest.approx((pairs * (1 - pairs)).sum(), abs=0.006)
    assert float(distance) < float(diversity)
    found = json.loads(run("-", "-p", "--json", text=TRNA + "\n").stdout)["ensemble"]["pairs"]
    listed = np.zeros_like(pairs)
    for i, j, probability in found:
        listed[i - 1, j - 1] = listed[j - 1, i - 1] = probability
    assert np.abs(listed - np.where(pairs >= 1e-3, pairs, 0.0)).max() < 1e-6


def test_a_file_of_energies_a_model_and_json(tmp_path):
    energies = tmp_path / "own.par"
    energies.write_text(parameter_text(published_tables()))
    assert run("-", "-P", energies, text=TRNA).stdout == run("-", text=TRNA).stdout
    folder = weft.Folder.from_energies(energies)
    weft.save(folder, tmp_path / "model.weft")
    found = json.loads(run("-", "--model", tmp_path / "model.weft", "--json", text=TRNA).stdout)
    assert [found["structure"]] == folder.predict([TRNA])
    assert found["energy"] == pytest.approx(folder.energy([TRNA], [found["structure"]])[0])
    assert "ensemble" not in found
    assert "leave out" in run("-", "--model", tmp_path / "model.weft", "-P", energies, code=2, text=TRNA).stderr
    refused = CliRunner().invoke(app, ["predict", str(tmp_path / "model.weft")], input="GGGANACCC\n").stderr
    assert "leave such letters unpaired, as weft fold --model does, with --unknown unpaired of weft train." in refused
    assert "(((...)))" in run("-", "--model", tmp_path / "model.weft", text="GGGANACCC\n").stdout


def test_gaps_are_told():
    told = run("-", text="GGGA-AACCC\nGGGAAACCC\n").stderr.splitlines()
    assert told == ["weft: 1 of 2 sequences have gaps ('-' or '.'), which count as unpaired bases; take them out."]


def test_an_empty_file_is_told():
    result = run("-", text="")
    assert result.stdout == ""
    assert result.stderr.endswith(" holds no sequences; there is nothing to fold.\n")
    assert len(result.stderr.splitlines()) == 1


def test_a_beam(tmp_path):
    assert run("-", "--beam-width", len(TRNA), text=TRNA).stdout == run("-", text=TRNA).stdout
    narrow = weft.Folder.from_energies(beam_width=1)
    assert narrow.predict([TRNA])[0] in run("-", "--beam-width", 1, text=TRNA).stdout
    weft.save(weft.Folder.from_energies(), tmp_path / "model.weft")
    found = run("-", "--model", tmp_path / "model.weft", "--beam-width", 1, text=TRNA).stdout
    assert found == run("-", "--beam-width", 1, text=TRNA).stdout
    assert "leave one out" in run("-", "--beam-width", 9, "-p", code=2, text=TRNA).stderr
    assert "leave one out" in run("-", "--beam-width", 9, "--decode", "expected", code=2, text=TRNA).stderr


def test_drawings(tmp_path):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    run("-", "--plot", tmp_path / "drawn", text=">a/b c\nGGGAAACCC\n>\nGGGAAACCC\n")
    assert {path.name for path in (tmp_path / "drawn").iterdir()} == {"a_b_ss.svg", "sequence_0002_ss.svg"}
    twice = run("-", "--plot", tmp_path / "twice", text=">a\nGGGAAACCC\n>b\nGGGAAACCC\n>a\nGGCAAAGCC\n")
    assert len(twice.stdout.splitlines()) == 9
    names = {path.name for path in (tmp_path / "twice").iterdir()}
    assert names == {"a_ss.svg", "b_ss.svg", "a_0003_ss.svg"}
    run("-", "-p", "--plot", tmp_path / "both", text=">a\nGGGAAACCC\n")
    assert {path.name for path in (tmp_path / "both").iterdir()} == {"a_ss.svg", "a_dp.svg"}


def test_what_cannot_be_used_is_refused(tmp_path):
    tagger = weft.Tagger().fit(["ab"], ["xy"])
    weft.save(tagger, tmp_path / "tagger.weft")
    assert "holds a Tagger; a Folder is needed" in run("-", "-m", tmp_path / "tagger.weft", code=2, text=TRNA).stderr
    assert "which is not a file" in run("-", "-P", tmp_path / "none.par", code=2, text=TRNA).stderr
    assert "gamma=2.0 has no meaning" in run("-", "--gamma", 2, code=2, text=TRNA).stderr

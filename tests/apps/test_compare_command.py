"""`weft compare`: two files without a model, of every task."""

import json

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    assert result.exit_code == code, result.output + result.stderr
    return result


CT = "7 x\n1 G 0 2 7 1\n2 G 1 3 0 2\n3 A 2 4 0 3\n4 A 3 5 0 4\n5 A 4 6 0 5\n6 C 5 7 0 6\n7 C 6 0 1 7\n"
CASES = {
    "fold": ("a.dbn", ">x\nGGAAACC\n((...))\n", "b.ct", CT, "sensitivity", 0.5),
    "tag": ("a.conll", "a B-X\nb I-X\n\nc O\n", "b.conll", "a B-X\nb O\n\nc O\n", "token_accuracy", 2 / 3),
    "align": ("a.fa", ">a\nACG\n>b\nA-G\n", "b.fa", ">a\nACG\n>b\nAG-\n", "column_accuracy", 0.5),
    "classify": ("a.csv", "text,label\nx,1\ny,2\n", "b.tsv", "x\t1\ny\t1\n", "accuracy", 0.5),
    "rewrite": ("a.dict", "GO  G OW\nNO  N OW\n", "b.tsv", "GO\tG OW\nNO\tN AH\n", "string_accuracy", 0.5),
    "regress": ("a.tsv", "uno\tone\ndos\ttwo\n", "b.tsv", "uno\tone\ndos\ttoo\n", "string_accuracy", 0.5),
    "parse": ("a.mrg", "(S (A a) (B (C b) (C c)))\n", "b.mrg", "(S (B (A a) (C b)) (C c))\n", "recall", 0.5),
}


@pytest.mark.parametrize("task", CASES)
def test_scores_are_those_of_the_second_against_the_first(tmp_path, task):
    first, right, second, other, measure, wanted = CASES[task]
    (tmp_path / first).write_text(right)
    (tmp_path / f"other.{second}").write_text(other)
    found = run(tmp_path / first, tmp_path / f"other.{second}", "--task", task, "--json").stdout
    value = json.loads(found)[measure]
    assert (value["value"] if isinstance(value, dict) else value) == pytest.approx(wanted)
    shown = run(tmp_path / first, tmp_path / first, "--task", task).stdout
    assert "100.00 %" in shown


def test_files_about_other_inputs_are_refused(tmp_path):
    a, b, c = tmp_path / "a.dbn", tmp_path / "b.dbn", tmp_path / "c.tsv"
    a.write_text("GAC\n(.)\n")
    b.write_text("GAG\n...\n")
    c.write_text("GAC\t(.)\nG\t.\n")
    assert "sequence 1 is 'GAC' in" in run(a, b, code=2).stderr
    assert "has 1 sequences and" in run(a, c, code=2).stderr
    assert "may be of any task; say which: --task tag, rewrite" in run(c, a, code=2).stderr

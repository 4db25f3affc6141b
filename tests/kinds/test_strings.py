"""First lines that may name columns, where outputs are strings."""

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output + result.stderr
    return result


@pytest.mark.parametrize("task", ["rewrite", "regress"])
def test_a_first_line_that_may_name_columns_is_doubted(tmp_path, task):
    rows = "ab,xy\nba,yx\naab,xxy\nbab,yxy\n"
    asked = ["train", task, "--n-jobs", 1, "-o", tmp_path / "m.weft"]
    (tmp_path / "a.csv").write_text(f"spanish,english\n{rows}")
    [line] = run(*asked, tmp_path / "a.csv").stderr.splitlines()
    assert "a.csv, line 1: 'spanish', 'english' is read as an example; if these are names of columns, say" in line
    assert "--columns NAME,NAME, else --columns 1,2" in line
    assert run(*asked, tmp_path / "a.csv", "--columns", "spanish,english").stderr == ""
    (tmp_path / "b.csv").write_text(rows)
    assert run(*asked, tmp_path / "b.csv", "--columns", "1,2").stderr == ""
    (tmp_path / "c.tsv").write_text(rows.replace(",", "\t"))
    assert run(*asked, tmp_path / "c.tsv").stderr == ""
    (tmp_path / "d.tsv").write_text("word\tipa\n" + rows.replace(",", "\t"))
    assert "d.tsv, line 1: 'word', 'ipa' is read as an example" in run(*asked, tmp_path / "d.tsv").stderr
    (tmp_path / "e.csv").write_text("input,output\n" + rows)
    assert run(*asked, tmp_path / "e.csv").stderr == ""

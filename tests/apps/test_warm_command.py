"""`weft warm` runs what it compiles."""

import json

import pytest
from typer.testing import CliRunner

from weft.apps.cli import app
from weft.kinds import COMMANDS
from weft.kinds.warming import WARM


def test_every_task_can_be_warmed():
    assert list(WARM) == list(COMMANDS)


@pytest.mark.parametrize("task", ["tag", "parse"])
def test_warm_says_what_it_did(task):
    result = CliRunner().invoke(app, ["warm", task, "--json"])
    assert result.exit_code == 0, result.output
    assert set(json.loads(result.stdout)) == {task}
    again = json.loads(CliRunner().invoke(app, ["warm", task, "--json"]).stdout)
    assert again[task]["compiled"] == 0

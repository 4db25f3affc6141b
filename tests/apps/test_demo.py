import json
from itertools import pairwise

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weft.apps import demo_dates
from weft.apps.cli import app
from weft.apps.demo_pictures import date_picture


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_dates, "N_TRAIN", 150)
    monkeypatch.setattr(demo_dates, "N_TEST", 150)
    return tmp_path


def test_the_demo_shows_a_gain_and_leaves_a_model(small):
    result = CliRunner().invoke(app, ["demo", "dates"])
    assert result.exit_code == 0
    assert "weft helps" in result.stdout
    assert "fewer wrong digits" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert sorted(path.name for path in small.iterdir()) == ["dates-sample.jsonl", "dates.weft"]
    # The commands that it tells to try next do work.
    commands = [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("  weft ")]
    assert [command[0] for command in commands] == ["evaluate", "predict"]
    for command in commands:
        assert CliRunner().invoke(app, command).exit_code == 0


def test_structure_helps_step_by_step(small):
    result = CliRunner().invoke(app, ["demo", "dates", "--json", "--random-state", "3", "-o", "other.weft"])
    facts = json.loads(result.stdout)
    assert (small / "other.weft").exists()
    ways = [facts[way] for way in ("alone", "weft", "weft_in_calendar")]
    assert all(a["digit_error"] > b["digit_error"] for a, b in pairwise(ways))
    assert all(a["date_accuracy"] < b["date_accuracy"] for a, b in pairwise(ways))


def test_list_and_unknown_demo():
    assert CliRunner().invoke(app, ["demo", "--list"]).stdout.startswith("words: ")
    result = CliRunner().invoke(app, ["demo", "pears"])
    assert (result.exit_code, result.stdout) == (2, "")
    known = "words, dates, classify, digits, align, fold"
    assert result.stderr == f"weft: there is no demo 'pears'; choose one of {known}, as in: weft demo dates\n"


def test_pictures_use_grey_levels_where_there_are_colours():
    data = demo_dates.make_data(0)
    console = Console(color_system="truecolor", width=80)
    picture = date_picture(console, data.X_test[0], data.y_test[0], {"alone": ["?"] * 8})
    lines = picture.plain.splitlines()
    assert len(lines) == 6
    assert lines[0].count("▀") == 64
    assert max(map(len, lines)) <= 80
    assert {str(span.style) for span in picture.spans} >= {"bold red reverse", "bold"}

"""The command `weft reproduce`, on its own."""

import json

import pytest
import typer
from typer.testing import CliRunner

from weft.apps import reproduce
from weft.errors import InputError
from weft.experiments import registry
from weft.experiments.report import Measurement, Report

app = typer.Typer()
app.command()(reproduce.run)


@pytest.fixture
def toy(monkeypatch):
    """An experiment that takes no time; what it was asked is kept."""
    asked = {}

    def run_experiment(name, **parameters):
        parameters.pop("progress")("working")
        asked.update(parameters, name=name)
        return Report(name, "A toy", "%", [Measurement("only", "SODA", (1.0, 2.0), published=1.25)])

    monkeypatch.setattr(registry, "run_experiment", run_experiment)
    return asked


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_list_names_every_experiment():
    result = invoke("--list")
    assert result.exit_code == 0
    assert all(f"{name}: " in result.stdout for name in registry.EXPERIMENTS)


def test_prints_measured_beside_published(toy):
    result = invoke("hmm", "--quick", "--replicates", 3, "--random-state", 5)
    assert result.exit_code == 0
    assert "1.50 ± 0.71 [1.25]" in result.stdout
    assert result.stderr.endswith("compiles, which takes some seconds\nworking\n")  # a log keeps what ran
    assert toy == {"name": "hmm", "quick": True, "n_replicates": 3, "seed": 5, "folder": None, "again": False}


def test_one_task_of_accuracy(toy):
    assert invoke("accuracy", "--task", "tag", "--quick").exit_code == 0
    assert toy["name"] == "accuracy-tag"


def test_a_folder_keeps_parts(toy, tmp_path):
    assert invoke("accuracy", "--quick", "--again", "-o", tmp_path).exit_code == 0
    assert (toy["folder"], toy["again"]) == (tmp_path, True)


def test_writes_json_and_plot(toy, tmp_path):
    result = invoke("hmm", "--json", "-o", tmp_path)
    assert json.loads(result.stdout) == json.loads((tmp_path / "hmm.json").read_text())
    assert (tmp_path / "hmm.png").stat().st_size > 1000


def test_makes_the_folder(toy, tmp_path):
    folder = tmp_path / "results"
    assert f"Saved {folder / 'hmm.json'}" in invoke("hmm", "-o", folder).stdout.replace("\n", "")
    assert (folder / "hmm.json").exists()


def test_errors_come_before_the_work(toy, tmp_path):
    for arguments, message in [
        ([], "which experiment"),
        (["hmm", "-o", tmp_path / "nowhere" / "deep"], "there is no folder"),
        (["--all"], "without a folder"),
        (["--all", "-o", tmp_path / "nowhere" / "deep"], "there is no folder"),
        (["hmm", "--all", "-o", tmp_path], "both 'hmm' and --all"),
        (["hmm", "--again"], "--again given without --output"),
        (["hmm", "--task", "tag"], "--task tag given with hmm, which only accuracy has"),
        (["accuracy", "--task", "spell"], "--task spell given with accuracy; choose one of tag, classify"),
        (["--all", "--task", "tag", "-o", tmp_path], "both --task tag and --all"),
    ]:
        result = invoke(*arguments)
        assert isinstance(result.exception, InputError)
        assert message in str(result.exception)
    assert toy == {}


def test_all_of_them_go_on_one_page(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "EXPERIMENTS", {"hmm": registry.EXPERIMENTS["hmm"]})
    result = invoke("--all", "--quick", "-o", tmp_path / "new")
    assert result.exit_code == 0, result.exception
    assert "hmm: done" in result.stdout
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"reproduce.html", "reproduce.json", "runs"}
    toy.clear()
    shown = json.loads(invoke("--all", "--quick", "--json", "-o", tmp_path / "new").stdout)
    assert shown["experiments"][0]["report"]["measurements"][0]["published"] == 1.25
    assert toy == {}  # it was done already
    invoke("--all", "--quick", "--again", "-o", tmp_path / "new")
    assert toy["name"] == "hmm"


def test_a_failure_is_told_by_the_exit_code(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "EXPERIMENTS", {"hmm": registry.EXPERIMENTS["hmm"]})

    def fail(name, **settings):
        raise RuntimeError("no luck")

    monkeypatch.setattr(registry, "run_experiment", fail)
    result = invoke("--all", "-o", tmp_path)
    assert result.exit_code == 1
    assert "hmm: failed: RuntimeError: no luck" in result.stdout

"""What every report says of its run, whatever the experiment itself says."""

import io
import json
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

import weft
from weft.experiments import registry
from weft.experiments.dot_report import DotReport
from weft.experiments.report import Measurement, Report


@pytest.fixture(params=[Report, DotReport])
def forgetful(monkeypatch, request):
    """An experiment that calls all runs by the same names."""

    def run(*, quick, n_replicates, seed, progress):
        values = (1.0,) if quick else (1.0, 2.0)
        return request.param("toy", "A toy", "%", [Measurement("all of them", "SODA", values, published=1.25)])

    monkeypatch.setitem(sys.modules, "forgetful", SimpleNamespace(run=run))
    monkeypatch.setitem(registry.EXPERIMENTS, "toy", registry.Experiment("forgetful", "about a toy", ("usps",)))


def printed(report):
    stream = io.StringIO()
    report.print(Console(file=stream, width=200))
    return stream.getvalue()


def test_a_quick_run_is_called_so_wherever_it_is_shown(forgetful, tmp_path, monkeypatch):
    quick, full = (registry.run_experiment("toy", quick=each) for each in (True, False))
    first, *table = printed(quick).splitlines()
    assert first.startswith("QUICK RUN, fewer and smaller than published: A toy")
    assert "published, for full runs, in []" in first
    assert any("method, quick run" in line for line in table)
    assert "quick" not in printed(full).lower()
    titles = []
    monkeypatch.setattr("matplotlib.figure.Figure.suptitle", lambda figure, text, **options: titles.append(text))
    for report in (quick, full):
        report.write(tmp_path)
    assert [title.startswith("QUICK RUN") for title in titles] == [True, False]
    assert quick.to_dict()["title"].startswith("QUICK RUN")
    assert full.to_dict()["title"] == "A toy"


def test_json_says_which_weft_and_which_settings_gave_it(forgetful, tmp_path):
    registry.run_experiment("toy", n_replicates=2, seed=7).write(tmp_path)
    run = json.loads((tmp_path / "toy.json").read_text())["run"]
    source = run.pop("source")
    assert run == {
        "command": "weft reproduce toy --replicates 2 --random-state 7",
        "weft": weft.__version__,
        "quick": False,
        "replicates": 2,
        "seed": 7,
        "data": ["usps"],
    }
    assert int(source, 16) >= 0
    assert len(source) == 12

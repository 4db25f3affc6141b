"""All experiments in one run: what is kept, what fails, what the page says, and what of the documents it covers."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from weft.automata import Transducer, compose, total_weight
from weft.errors import MissingDataError
from weft.experiments import registry, run_settings
from weft.experiments.all_runs import run_all
from weft.experiments.published import DOCUMENTS, ITEMS
from weft.experiments.registry import Experiment
from weft.experiments.report import Measurement, Report

TESTS = Path(__file__).parents[1]


@pytest.fixture
def ran(monkeypatch):
    """A registry of four experiments that take no time; what ran is kept."""
    names = ("good", "long <names>", "broken", "homeless")
    monkeypatch.setattr(registry, "EXPERIMENTS", {name: Experiment("nowhere", f"about {name}") for name in names})
    done = []

    def run_experiment(name, *, quick, n_replicates, seed, progress, folder, again):
        done.append(name)
        progress("working")
        if name == "broken":
            raise ValueError("a\nmishap & more")
        if name == "homeless":
            raise MissingDataError("data set 'usps' is not here; set WEFT_DATA.")
        return Report(
            name,
            f"A toy, <b>{name}</b>",
            "%",
            [
                Measurement("noise 0", "SODA", (1.0, 2.0), published=1.25),
                Measurement("noise 1", "SODA", (3.0,)),
                Measurement("noise 0", "CRF", (2.5,), quantity="seconds"),
            ],
            p_values=[{"setting": "noise 0", "first": "SODA", "second": "CRF", "measured": 0.03, "published": 0.05}],
            notes=["Compared with \\[others]."],
            facts={"seed": seed},
        )

    monkeypatch.setattr(registry, "run_experiment", run_experiment)
    monkeypatch.setattr(Report, "plot", lambda report, path: path.write_bytes(b"a picture"))
    return done


def test_every_experiment_ends_on_the_page(ran, tmp_path):
    told = []
    everything = run_all(tmp_path, quick=True, seed=3, progress=told.append)
    assert ran == ["good", "long <names>", "broken", "homeless"]
    assert [each["status"] for each in everything["experiments"]] == ["done", "done", "failed", "no data"]
    assert json.loads((tmp_path / "reproduce.json").read_text()) == everything
    assert everything["experiments"][2]["reason"] == "ValueError: a mishap & more"
    page = (tmp_path / "reproduce.html").read_text()
    assert "1.50 ± 0.71 [1.25]" in page
    assert "3.00<" in page
    assert "p = 0.03 [0.05]" in page
    assert "Compared with [others]." in page
    assert "mishap &amp; more" in page
    assert "set WEFT_DATA" in page
    assert "A toy, &lt;b&gt;good&lt;/b&gt;" in page
    assert page.count("data:image/png;base64,") == 2
    assert "1 of 4, good: working" in told


def test_the_page_needs_nothing_from_elsewhere(ran, tmp_path):
    run_all(tmp_path)
    page = (tmp_path / "reproduce.html").read_text()
    assert re.findall(r"(?:src|href)=\"(?!data:|#)[^\"]*", page) == []
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page


def test_finished_ones_are_kept_and_others_tried_again(ran, tmp_path, monkeypatch):
    run_all(tmp_path, quick=True)
    ran.clear()
    everything = run_all(tmp_path, quick=True)
    assert ran == ["broken", "homeless"]
    assert everything["experiments"][0]["status"] == "done"
    ran.clear()
    run_all(tmp_path, quick=True, again=True)
    assert ran == ["good", "long <names>", "broken", "homeless"]
    ran.clear()
    run_all(tmp_path, quick=False)  # other settings, other numbers
    assert ran[0] == "good"
    ran.clear()
    monkeypatch.setattr(run_settings, "source_digest", lambda: "0123456789ab")  # another state of weft
    run_all(tmp_path, quick=False)
    assert ran[0] == "good"
    assert "source 0123456789ab" in (tmp_path / "reproduce.html").read_text()


def test_half_written_results_are_not_trusted(ran, tmp_path):
    run_all(tmp_path)
    (tmp_path / "runs" / "good.json").write_text("[")
    (tmp_path / "runs" / "long <names>.png").unlink()
    ran.clear()
    run_all(tmp_path)
    assert ran[:2] == ["good", "long <names>"]


def test_an_interruption_leaves_what_is_done(ran, tmp_path, monkeypatch):
    whole = registry.run_experiment

    def interrupted(name, **settings):
        if name == "broken":
            raise KeyboardInterrupt
        return whole(name, **settings)

    monkeypatch.setattr(registry, "run_experiment", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_all(tmp_path)
    states = [each["status"] for each in json.loads((tmp_path / "reproduce.json").read_text())["experiments"]]
    assert states == ["done", "done", "not run yet", "not run yet"]
    assert "not run yet" in (tmp_path / "reproduce.html").read_text()


def test_items_name_what_exists():
    assert {item.document for item in ITEMS} == set(DOCUMENTS)
    assert len({(item.document, item.name) for item in ITEMS}) == len(ITEMS)
    for item in ITEMS:
        assert item.experiments or item.note, item
        assert set(item.experiments) <= set(registry.EXPERIMENTS), item
        if item.test:
            file, _, name = item.test.partition("::")
            assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), item


def test_weight_of_the_first_figure():
    # LK Figure 1: two paths read aab and write baa, 3 * 1 * 4 * 2 + 3 * 2 * 3 * 2.
    arcs = [(0, ("a", "b"), 1, 3.0), (1, ("a", "a"), 2, 1.0), (2, ("b", "a"), 4, 4.0)]
    arcs += [(1, ("a", "a"), 3, 2.0), (3, ("b", "a"), 4, 3.0)]
    machine = Transducer.from_arcs(arcs, final={4: 2.0})
    ends = (Transducer.from_string("aab"), Transducer.from_string("baa"))
    assert total_weight(compose(compose(ends[0], machine), ends[1])) == 60.0


def test_a_table_that_is_too_wide_is_turned():
    languages = [f"language {number}" for number in range(12)]
    report = Report("wide", "Wide", "%", [Measurement(each, "weft", (12.34,)) for each in languages])
    for width, together in ((300, True), (80, False)):
        console = Console(width=width, file=io.StringIO())
        report.print(console)
        text = console.file.getvalue()
        assert all(each in text for each in languages)
        assert text.count("12.34") == 12
        assert "±" not in text
        assert any("language 0" in line and "language 11" in line for line in text.splitlines()) == together

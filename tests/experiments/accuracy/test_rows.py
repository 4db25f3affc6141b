"""Tests of `weft.experiments.accuracy.rows` and of the rows on tagging."""

from dataclasses import replace

from weft.experiments.accuracy import align, classify, fold, rewrite, rows, tag
from weft.experiments.accuracy.rows import CALIBRATION, CPU, Row, report_of
from weft.experiments.registry import EXPERIMENTS, run_experiment

ROW = Row(
    *("toy", "F1 in %", 90.0, 1.5, "CRF(c2=1)", "chosen on held-out training data"),
    *("CRFsuite", 89.0, 3.0, 91.0, "Someone 2002"),
)


def test_a_row_has_both_sides_and_what_was_printed():
    report = report_of("accuracy", [ROW], 0)
    assert report.quantities == ["F1 in %", CPU]
    assert report.find("toy", "weft", "F1 in %").published == 91.0
    assert report.find("toy", "CRFsuite", "F1 in %").mean == 89.0
    assert report.find("toy", "CRFsuite", CPU).mean == 3.0
    assert report.notes == ["toy: CRF(c2=1); chosen on held-out training data. Published: 91, Someone 2002."]


def test_a_row_without_a_peer_says_nothing_of_one():
    alone = replace(ROW, peer="", peer_score=None, peer_seconds=None, published=None)
    assert report_of("accuracy", [alone], 0).methods == ["weft"]
    assert alone.note() == "toy: CRF(c2=1); chosen on held-out training data."


def test_a_row_may_have_a_calibration_error_and_a_name_of_its_method():
    rows = [replace(ROW, calibration=0.02, method=f"weft, {each}") for each in ("fast", "best")]
    report = report_of("accuracy", rows, 0)
    assert report.quantities == ["F1 in %", CALIBRATION, CPU]
    assert report.find("toy", "weft, best", CALIBRATION).mean == 0.02
    assert report.notes[0].startswith("toy, weft, fast: CRF(c2=1); ")


def test_the_command_joins_the_rows_of_all_tasks(monkeypatch):
    monkeypatch.setattr(tag, "rows", lambda quick, seed, progress: iter([ROW]))
    other = replace(ROW, data="other toy")
    monkeypatch.setattr(classify, "rows", lambda quick, seed, progress: iter([other]))
    for each in (rewrite, align, fold):
        monkeypatch.setattr(each, "rows", lambda quick, seed, progress: iter([]))
    assert rows.run(progress=print).find("toy", "weft", CPU).mean == 1.5
    assert rows.run(progress=print).find("other toy", "weft", CPU).mean == 1.5
    assert rows.run_classify(progress=print).name == "accuracy-classify"
    assert rows.run_rewrite(progress=print).name == "accuracy-rewrite"
    assert rows.run_tag(progress=print).name == "accuracy-tag"


def test_the_whole_command_takes_over_what_a_task_has_measured(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(tag, "row_of", lambda each, *_: asked.append(each.data) or replace(ROW, data=each.data))
    for each in (classify, rewrite, align, fold):
        monkeypatch.setattr(each, "rows", lambda quick, seed, progress: iter([]))
    first = run_experiment("accuracy-tag", folder=tmp_path)
    whole = run_experiment("accuracy", folder=tmp_path)
    assert whole.measurements == first.measurements
    assert asked == [each.data for each in tag.SETS]
    run_experiment("accuracy", folder=tmp_path, seed=1)
    assert len(asked) == 2 * len(tag.SETS)


def test_every_task_has_a_name_of_its_own():
    assert {f"accuracy-{task}" for task in rows.TASKS} <= set(EXPERIMENTS)

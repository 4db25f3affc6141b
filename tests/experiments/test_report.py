"""Tables of experiments at 80 columns, in narrow windows and in files: no number is cut.

`tables.json` has the names and numbers that tables show, an entry for each experiment. Those of `weft reproduce NAME
--quick -o FOLDER` come from FOLDER/NAME.json by `python tests/experiments/test_report.py FOLDER/NAME.json`; where the
values are "made up", only the names are those of the experiment.
"""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weft.experiments.registry import EXPERIMENTS
from weft.experiments.report import Measurement, Report

STORED = Path(__file__).with_name("tables.json")


def stored(name):
    facts = json.loads(STORED.read_text(encoding="utf-8"))[name]
    found = [Measurement(s, m, tuple(values), published, q) for s, m, q, values, published in facts["measurements"]]
    return Report(name, facts["title"], facts["unit"], found, decimals=facts["decimals"], run={"quick": True})


def figures(report):
    """What tables must show, each number whole: mean, deviation, published."""
    for m in report.measurements:
        yield f"{m.mean:.{report.decimals}f}"
        if len(m.values) > 1:
            yield f"± {m.deviation:.{report.decimals}f}"
        if m.published is not None:
            yield f"[{m.published:g}]"


def check(report, printed, width):
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= width
    rows = [line for line in printed.splitlines() if line.startswith("│")]
    cells = [cell.strip() for line in rows for cell in line.strip("│").split("│")]
    shown = " ".join(cells).split()
    wanted = " ".join(figures(report)).split()
    assert all(shown.count(figure) >= wanted.count(figure) for figure in set(wanted))


@pytest.mark.parametrize("columns", ["80", None])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tables_of_every_experiment_are_whole(name, columns, tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    report = stored(name)
    with (tmp_path / "table.txt").open("w", encoding="utf-8") as file:
        report.print(Console(file=file, highlight=False))
    check(report, (tmp_path / "table.txt").read_text(encoding="utf-8"), 80)


NAMES = st.lists(st.sampled_from(["noise", "0.25", "(2, 4)", "a-long-word-with-no-blank-in-it", "SODA"]), max_size=8)


@given(
    st.lists(st.tuples(NAMES, NAMES, st.floats(-1e6, 1e6), st.none() | st.floats(0, 1e6)), min_size=1, max_size=12),
    st.integers(60, 160),
)
def test_tables_of_any_names_are_whole(rows, width):
    unique = {(" ".join(s), " ".join(m)): (value, printed) for s, m, value, printed in rows}
    found = [Measurement(s, m, (v, v + 1.0), printed) for (s, m), (v, printed) in unique.items()]
    report = Report("toy", "A toy", "% wrong", found)
    stream = io.StringIO()
    report.print(Console(width=width, file=stream))
    check(report, stream.getvalue(), width)


def test_what_has_room_stands_side_by_side():
    found = [Measurement(s, m, (1.0,), 2.0) for s in ("first", "second") for m in ("SODA", "CRF")]
    stream = io.StringIO()
    Report("toy", "A toy", "%", found).print(Console(width=80, file=stream))
    rows = [line.split() for line in stream.getvalue().splitlines() if line.startswith("│")]
    assert rows == [["│", method, *["│", "1.00", "[2]"] * 2, "│"] for method in ("SODA", "CRF")]


if __name__ == "__main__":
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    rows = [
        [m["setting"], m["method"], m["quantity"], [round(v, 4) for v in m["values"][:2]], m["published"]]
        for m in report["measurements"]
    ]
    title = report["title"].removeprefix("QUICK RUN, fewer and smaller than published: ")
    facts = {"title": title, "unit": report["unit"], "decimals": report["decimals"], "measurements": rows}
    kept = {**json.loads(STORED.read_text(encoding="utf-8")), report["experiment"]: facts}
    lines = [f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in kept.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def test_eleven_lines_have_eleven_looks():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    methods = [f"m{k}" for k in range(11)]
    rows = [Measurement(str(x), method, (float(k),)) for k, method in enumerate(methods) for x in (1, 2)]
    axes = Figure().subplots()
    Report("many", "Many lines", "%", rows, style="lines", axis="x")._lines(axes, "")
    looks = {(line[0].get_color(), line[0].get_linestyle()) for line in axes.containers}
    assert len(looks) == len(methods)

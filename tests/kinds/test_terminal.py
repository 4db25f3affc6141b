"""Tables of commands: names may be broken, numbers never."""

import re
from pathlib import Path

import pytest

from weft.apps.demo_parts import print_table
from weft.kinds.terminal import console_and_table, print_facts

ROOT = Path(__file__).parents[2]

NAMES = ["a class with a name of so many words that it takes two lines", "or-one-long-word-" * 6]
FIGURES = ["12,345,678.25 %", "99.99 ± 10.25", "0.12345678901"]


@pytest.mark.parametrize("columns", ["80", "60", None])  # None: as in a file
@pytest.mark.parametrize("of_a_demo", [False, True])
def test_numbers_are_whole_beside_names_of_any_length(columns, of_a_demo, monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    titles = ["what it is called", "a share", "a mean", "a ratio"]
    rows = [[name, *FIGURES] for name in NAMES]
    if of_a_demo:
        print_table(titles, rows)
    else:
        console, table = console_and_table(*titles)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert all(printed.count(figure) == len(NAMES) for figure in FIGURES)
    assert max(map(len, printed.splitlines())) <= int(columns or 80)
    # What is broken is all there.
    firsts = "".join(line[: line.index("   ", 1) if "   " in line[1:] else None] for line in printed.splitlines())
    assert NAMES[1] in "".join(firsts.split())


def test_words_of_other_columns_are_broken_too(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    console, table = console_and_table("word", "sounds", "sure", words={"sounds"})
    table.add_row("weft", "W EH F T " * 8, "100 %")
    console.print(table)
    printed = capsys.readouterr().out
    assert printed.split().count("EH") == 8
    assert "100 %" in printed
    assert "…" not in printed


def test_facts_are_whole(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    path = "a-folder-with-a-long-name/" * 6 + "model.weft"
    print_facts([("model", path), ("weights", "12,345,678")])
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert "".join(printed.replace("weights", "").split()) == f"model{path}12,345,678"


def test_every_table_is_made_by_one_of_the_layouts_that_are_tested():
    """Here, by `tests/experiments/test_report.py` or, below, by the width of a benchmark's table."""
    sources = [*(ROOT / "src" / "weft").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    makers = [
        path
        for path in sources
        if re.search(r"^ *(from rich\.table|import rich|from rich import .*Table)", path.read_text(), re.M)
    ]
    assert sorted(path.relative_to(ROOT).as_posix() for path in makers) == [
        "benchmarks/report.py",
        "src/weft/experiments/report.py",
        "src/weft/kinds/terminal.py",
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("scale*.py")), ids=lambda path: path.name)
def test_titles_of_benchmarks_leave_room_for_wide_numbers(path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    text = path.read_text(encoding="utf-8")
    for titles in re.findall(r"(?:titles = |console_and_table)(\(\"[^)]*\))", text):
        names = re.findall(r'"([^"]+)"', titles)
        console, table = console_and_table(*names)
        table.add_row("10,000,000 files-2", *["12345.67"] * (len(names) - 1))
        console.print(table)
        printed = capsys.readouterr().out
        assert "…" not in printed
        assert printed.count("12345.67") == len(names) - 1
        assert all(name in printed for name in names[1:])

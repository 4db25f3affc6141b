"""Tables of commands: names may be broken, numbers never."""

import pytest

from weft.apps.demo_parts import print_table
from weft.kinds.terminal import console_and_table

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

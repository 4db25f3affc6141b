"""What the README promises: its two commands come first, and its code runs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_two_commands_open_the_page():
    first = re.search(r"```sh\n(.*?)```", README, re.DOTALL).group(1)
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([a-z-]+)", README):
        assert re.search(rf"^{target}:", targets, re.MULTILINE), target


def test_the_python_runs_and_says_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names = {}
    exec(code, names)
    assert (tmp_path / "tagger.weft").exists()
    assert "# [['D', 'N', 'V']]" in code
    assert names["tagger"].predict([["a", "cat", "barks"]]) == [["D", "N", "V"]]


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link


def test_it_is_short_and_its_picture_small():
    assert len(README.splitlines()) <= 150
    [picture] = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert (ROOT / picture).stat().st_size < 150_000
    assert "python docs/make_overview.py" in README


def test_every_estimator_is_in_the_table_of_tasks():
    listed = (ROOT / "docs" / "reference" / "weft.md").read_text(encoding="utf-8")
    estimators = re.findall(r"   weft\.(\w+)\n", listed.partition("## Estimators")[2].partition("## Learners")[0])
    assert [name for name in estimators if f"`{name}`" not in README] == []


def test_commands_exist():
    from weft.apps.cli import app

    shell = "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    commands = set(re.findall(r"^weft ([a-z]+)", shell, re.MULTILINE))
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    assert commands
    assert commands <= known, commands - known

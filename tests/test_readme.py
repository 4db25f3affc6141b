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

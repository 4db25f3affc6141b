"""What the README promises: its two commands come first, its code runs, and its table shows what comes out."""

import re
import runpy
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
    lines = README.splitlines()
    assert len(lines) <= 125
    assert lines.index("## Where next") <= 75  # two screens before the links
    [picture] = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert (ROOT / picture).stat().st_size < 150_000
    assert "python docs/make_overview.py" in README


def test_a_sentence_and_the_picture_come_before_any_command():
    first = README.index("```sh")
    assert 0 < README.index("weft learns from your examples") < README.index("![") < first


def test_every_estimator_is_in_the_table_of_tasks():
    listed = (ROOT / "docs" / "reference" / "weft.md").read_text(encoding="utf-8")
    estimators = re.findall(r"   weft\.(\w+)\n", listed.partition("## Estimators")[2].partition("## Learners")[0])
    tasks = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("## By task")[2]
    assert [name for name in estimators if f"`{name}`" not in tasks] == []
    scripts = re.findall(r"`(\w+\.py)`", tasks)
    assert scripts
    assert [name for name in scripts if not (ROOT / "examples" / name).exists()] == []


def table_of_tasks():
    """Inputs, and outputs with their probabilities, by task."""
    rows = [line.split(" | ") for line in README.splitlines() if re.match(r"\| \[\w+\]\(docs/tutorial", line)]
    return {re.search(r"\[(\w+)\]", row[0])[1]: (re.findall("`([^`]+)`", row[1]), row[2]) for row in rows}


def printed(name, capsys):
    """What an example prints."""
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_the_table_shows_what_comes_out(capsys):
    import weft

    shown = table_of_tasks()
    assert list(shown) == ["label", "rewrite", "align", "fold", "parse", "classify", "regress"]
    *words, whole = printed("tag_words", capsys)
    assert [" ".join(column) for column in zip(*(line.split()[:2] for line in words), strict=True)] == [
        shown["label"][0][0],
        re.search("`(.*)`", shown["label"][1])[1],
    ]
    assert whole.split()[-1] == shown["label"][1].split()[-1]
    [ranked] = weft.load("pronounce-en").predict_kbest(shown["rewrite"][0], 2)
    assert ", ".join(f"`{' '.join(sounds)}` {p:.2f}" for sounds, p in ranked) == shown["rewrite"][1]
    aligner, pairs = weft.load("align-protein"), [tuple(shown["align"][0])]
    [rows], [probability] = aligner.predict(pairs), aligner.confidence(pairs)
    assert ", ".join(f"`{row}`" for row in rows) + f" {probability:.2f}" == shown["align"][1]
    sequence, best = printed("fold_rna", capsys)[:2]
    assert [sequence] == shown["fold"][0]
    assert best == shown["fold"][1].replace("`", "")
    probability, _, tree = printed("parse_sentences", capsys)[0].partition(" ")
    assert re.findall(r"(\w+)\)", tree) == shown["parse"][0][0].split()
    assert f"`{tree}` {probability}" == shown["parse"][1]
    name, share, text = printed("classify_languages", capsys)[0].split(maxsplit=2)
    assert [re.sub(r"[\[\]]", "", text)] == shown["classify"][0]
    assert f"`{name}` {share.replace('%', ' %')}" == shown["classify"][1]
    assert shown["regress"][1].replace("`", "'") in printed("read_numbers", capsys)[0].partition("true")[0]


def test_commands_exist():
    from weft.apps.cli import app

    shell = "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    commands = set(re.findall(r"^weft ([a-z]+)", shell, re.MULTILINE))
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    assert commands
    assert commands <= known, commands - known

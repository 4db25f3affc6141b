"""`make release`: what it changes, what it lets pass and what it refuses; the whole takes minutes and runs by hand."""

import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from release import artefacts, news, trial  # noqa: E402
from release.__main__ import check_version  # noqa: E402

VERSION, DATE = "9.8.7", "2026-01-02"


@pytest.fixture
def tree(tmp_path):
    """A tree with what a release changes."""
    for name in (news.CHANGELOG, news.CITATION, news.VERSION_FILE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changes = tmp_path / news.FRAGMENTS
    changes.mkdir()
    (changes / "README.md").write_text("how to")
    (changes / "10.fix.md").write_text("`fold` is mended.\n")
    (changes / "9.word.fix.md").write_text("`align` is mended,\nin two lines.\n")
    (changes / "2.feature.md").write_text("`tag` is new.\n")
    return tmp_path


def test_fragments_become_a_section(tree):
    changed = news.apply(tree, VERSION, DATE)
    assert changed == [
        news.CHANGELOG, news.CITATION, news.VERSION_FILE,
        "changes/2.feature.md", "changes/9.word.fix.md", "changes/10.fix.md",
    ]  # fmt: skip
    text = (tree / news.CHANGELOG).read_text()
    assert "Unreleased" not in text
    wanted = """## 9.8.7 (2026-01-02)

### New

* `tag` is new.

### Fixed

* `align` is mended,
  in two lines.
* `fold` is mended.
"""
    assert wanted in text
    assert text.startswith("# Changelog\n\nWhat users")
    assert [path.name for path in (tree / news.FRAGMENTS).iterdir()] == ["README.md"]
    assert news.current_version(tree) == VERSION
    assert f"version: {VERSION}\ndate-released: {DATE}\n" in (tree / news.CITATION).read_text()


def test_once_more_changes_nothing_and_a_later_version_comes_above(tree):
    news.apply(tree, VERSION, DATE)
    assert news.apply(tree, VERSION, "2027-01-01") == []
    (tree / news.FRAGMENTS / "30.removal.md").write_text("`tag` is gone.\n")
    with pytest.raises(SystemExit, match=r"has 9\.8\.7 already, and there are 1 new fragments"):
        news.apply(tree, VERSION, DATE)
    news.apply(tree, "10.0.0", DATE)
    heads = re.findall(r"^## (.*)", (tree / news.CHANGELOG).read_text(), re.MULTILINE)
    assert heads == ["10.0.0 (2026-01-02)", "9.8.7 (2026-01-02)"]


def test_nothing_to_release_is_said(tree):
    for path in news.fragments(tree):
        path.unlink()
    with pytest.raises(SystemExit, match="there is nothing to release"):
        news.apply(tree, VERSION, DATE)


@pytest.mark.parametrize(("version", "message"), [("1.0", "is no version"), ("v1.0.0", "is no version"),
                                                  ("0.0.1", "is lower than")])  # fmt: skip
def test_versions_that_are_refused(version, message):
    with pytest.raises(SystemExit, match=message):
        check_version(version)


def wheel(folder, **more):
    """A wheel that passes, and files that may not."""
    facts = f"Name: weft\nVersion: {VERSION}\nRequires-Python: >=3.11\nLicense-Expression: BSD-3-Clause\n"
    files = {
        **dict.fromkeys(artefacts.WANTED, ""),
        f"weft-{VERSION}.dist-info/METADATA": facts,
        f"weft-{VERSION}.dist-info/entry_points.txt": "[console_scripts]\nweft = weft.__main__:main\n",
        **more,
    }
    path = folder / f"weft-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def test_a_wheel_as_it_should_be_passes(tmp_path):
    assert artefacts.check_wheel(wheel(tmp_path), VERSION)["files"] == len(artefacts.WANTED) + 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tests/test_core.py", "", "outside the package"),
        ("weft/core/test_graph.py", "", "a test"),
        ("weft/tests/helper.py", "", "of a test"),
        ("weft/core/conftest.py", "", "a test"),
        ("weft/datasets/train.conll", "", "does not belong there"),
        ("weft/datasets/words.txt", "a\n" * 60_000, "data do not belong there"),
        ("weft/models/huge.weft", bytes(range(256)) * 50_000, "bytes; fewer than"),
        ("weft/py.typed", None, "lacks weft/py.typed"),
        (f"weft-{VERSION}.dist-info/entry_points.txt", "", "no command weft"),
        (f"weft-{VERSION}.dist-info/METADATA", "Name: weft\nVersion: 1\n", "says weft 1"),
    ],
)
def test_a_wheel_with_a_fault_is_refused(tmp_path, name, content, message):
    with pytest.raises(SystemExit, match=message):
        artefacts.check_wheel(wheel(tmp_path, **{name: content}), VERSION)


def source(folder, names):
    path = folder / f"weft-{VERSION}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"weft-{VERSION}/{name}"))
    return path


def test_a_source_archive_has_the_tree_and_no_fragments(tmp_path):
    whole = [*artefacts.IN_SOURCE, "changes/README.md"]
    assert [name for name in whole if not (ROOT / name).is_file()] == []
    assert artefacts.check_source(source(tmp_path, whole), VERSION)["files"] == len(whole)
    with pytest.raises(SystemExit, match="lacks Makefile"):
        artefacts.check_source(source(tmp_path, [name for name in whole if name != "Makefile"]), VERSION)
    with pytest.raises(SystemExit, match="has 1 news fragments"):
        artefacts.check_source(source(tmp_path, [*whole, "changes/2.feature.md"]), VERSION)


def test_sums_are_those_that_sha256sum_finds(tmp_path):
    (tmp_path / "a").write_text("abc")
    assert artefacts.write_sums(tmp_path).read_text() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
    )


def test_the_lines_of_the_readme_have_their_samples():
    """Whatever a line reads is a sample or was written by a line before it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    there = {path.name for path in trial.SAMPLES.iterdir()}
    there |= set(re.findall(r'weft\.save\(\w+, "([^"]+)"\)', "\n".join(trial.readme_python(readme))))
    lines = list(trial.readme_lines(readme))
    assert len(lines) > 5
    for line in lines:
        words = shlex.split(line)
        written = {words[k + 1] for k, word in enumerate(words[:-1]) if word in ("-o", ">")}
        files = {word for word in words if re.fullmatch(r"[\w-]+\.[a-z]+", word)}
        assert files - written <= there, line
        there |= written


def test_a_line_that_fails_stops_the_release(tmp_path):
    inside = {"cwd": tmp_path, "env": {"PATH": "/usr/bin:/bin"}}
    assert trial._timed(inside, "sh", "-c", "true").endswith("s  true")
    with pytest.raises(SystemExit, match="'false' ended with 1"):
        trial._timed(inside, "sh", "-c", "false")
    said = "echo \"pip install 'weft[serve]'\" >&2; exit 2"
    assert trial._timed(inside, "sh", "-c", said, refusal="weft[serve]").endswith("(says what to install)")
    with pytest.raises(SystemExit, match="ended with 0"):
        trial._timed(inside, "sh", "-c", "echo Traceback >&2")


def test_a_trial_says_what_ran_on_which_python(tmp_path, monkeypatch):
    """With an environment that is there already, and a smoke test that does nothing."""
    monkeypatch.setattr(trial, "install", lambda python, wheel, folder: None)
    monkeypatch.setattr(trial, "inside", lambda folder: Path(sys.executable))
    (tmp_path / "smoke.py").write_text("import sys; assert sys.argv[1:] == ['9.8.7']")
    monkeypatch.setattr(trial, "SMOKE", tmp_path / "smoke.py")
    readme = "```python\nprint(1)\n```\n```sh\ntrue | weft --version\n```\n"
    lines = trial.tried("python3", tmp_path / "wheel", readme, VERSION, tmp_path / "0")
    assert lines[0] == "python3: installed without extras"
    ran = [line.split(" s  ")[1] for line in lines[1:]]
    assert ran == [f"{Path(sys.executable).name} -I smoke.py 9.8.7", f"{Path(sys.executable).name} readme_0.py",
                   "true | weft --version"]  # fmt: skip
    (tmp_path / "smoke.py").write_text("raise SystemExit(3)")
    with pytest.raises(SystemExit, match="ended with 3"):
        trial.tried("python3", tmp_path / "wheel", readme, VERSION, tmp_path / "1")


def test_the_citation_is_in_the_form_that_readers_know():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    keys = re.findall(r"^([a-z-]+):", text, re.MULTILINE)
    assert {"cff-version", "message", "title", "authors", "version", "date-released", "license"} <= set(keys)
    assert f"version: {news.current_version(ROOT)}\n" in text


def test_the_command_without_a_version_says_so():
    done = subprocess.run(["make", "-n", "release"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "VERSION is missing; give one, as in: make release VERSION=0.2.0" in done.stderr

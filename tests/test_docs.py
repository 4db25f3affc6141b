"""The pages: their examples run, their paths and links exist, and the reference names all that is public."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pydoc
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from typer.testing import CliRunner

import weft
from weft import model_file

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if not {"_build", "generated"} & set(page.parts))
PROJECT_PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

PUBLIC_MODULES = [
    "weft",
    "weft.automata",
    "weft.core",
    "weft.datasets",
    "weft.language_model",
    "weft.metrics",
    "weft.plotting",
    "weft.preimages",
    "weft.reports",
    "weft.sequences.formats",
    "weft.structures",
    "weft.testing",
    "weft.testing.oracles",
    "weft.testing.strategies",
]


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def examples(page: Path) -> doctest.DocTest:
    """The examples of a page; fences become blank lines, so that none passes for output."""
    text = re.sub(r"^ *```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return doctest.DocTestParser().get_doctest(text, {}, page_name(page), str(page), 0)


def write_files(page: Path, folder: Path) -> list[str]:
    """Write the files that a page shows complete, each under its caption; their names."""
    pattern = r"```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)```"
    shown = re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL)
    for name, content in shown:
        (folder / name).write_text(content, encoding="utf-8")
    return [name for name, _ in shown]


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")], ids=page_name)
def test_examples_of_a_page_give_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    write_files(page, tmp_path)
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with mock.patch.dict(model_file.CLASSES):  # pages may add lines to the table
        result = runner.run(examples(page), out=output.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(output)


@pytest.mark.parametrize("page", ["command-line", "align-and-fold", "coming-from-crfsuite"])
def test_commands_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch):
    from weft.apps.cli import app

    monkeypatch.chdir(tmp_path)
    text = (DOCS / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    write_files(DOCS / "how-to" / f"{page}.md", tmp_path)
    commands = re.findall(r"```console\n\$ weft (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(commands) == text.count("```console")
    for command, shown in commands:
        command, _, source = command.partition(" < ")
        result = CliRunner().invoke(app, shlex.split(command), input=Path(source).read_bytes() if source else None)
        assert doctest.OutputChecker().check_output(shown, result.output, FLAGS), f"weft {command}\n{result.output}"
        assert result.exit_code == (2 if shown.startswith("weft:") else 0)


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("add-*.md")), ids=page_name)
def test_files_to_follow_pass_the_rules_of_the_house(page, tmp_path):
    [name] = write_files(page, tmp_path)
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        # As if it stood in the repository, so that its imports are sorted as ours are.
        arguments = [sys.executable, "-m", "ruff", *command, "--stdin-filename", f"src/weft/{name}", "-"]
        content = (tmp_path / name).read_text(encoding="utf-8")
        done = subprocess.run(arguments, cwd=ROOT, input=content, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES + PROJECT_PAGES, ids=page_name)
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_no_summary_of_the_reference_ends_too_soon():
    """Tables of names take the first sentence, and a dot before a small letter or a number is taken for its end."""
    cut = []
    for page in sorted((DOCS / "reference").glob("*.md")):
        for name in re.findall(r"^   (weft[\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            first = " ".join((inspect.getdoc(pydoc.locate(name)) or "").split("\n\n")[0].split())
            if re.search(r"(?<!\bal)\.\s+[a-z0-9(]", first):
                cut.append(f"{name}: {first}")
    assert cut == []


def test_every_variable_of_the_environment_is_listed():
    named = {
        name for file in (ROOT / "src").rglob("*.py") for name in re.findall(r"\bWEFT_[A-Z_]+", file.read_text("utf-8"))
    }
    listed = set(
        re.findall(r"^  \| `(WEFT_\w+)` \|", (DOCS / "how-to" / "command-line.md").read_text("utf-8"), re.MULTILINE)
    )
    assert named == listed


def anchors(page: Path) -> set[str]:
    """Headings of a page and of what it includes, as links spell them."""
    text = page.read_text(encoding="utf-8")
    for included in re.findall(r"```\{include\} (\S+)", text):
        text += (page.parent / included).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES + PROJECT_PAGES, ids=page_name)
def test_links_to_headings_lead_to_headings(page):
    links = re.findall(r"\]\(([^)#\s:]*\.md)?#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    missing = [
        (target, anchor) for target, anchor in links if anchor not in anchors(page.parent / (target or page.name))
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES + PROJECT_PAGES, ids=page_name)
def test_paths_that_a_page_names_exist(page):
    # A path is a code span that begins with a folder of the repository; ``::name`` picks a test or function.
    spans = re.findall(
        r"`((?:src|tests|docs|benchmarks|changes|release)/[\w./-]*?)(?:::(\w+))?`", page.read_text(encoding="utf-8")
    )
    missing = [
        f"{path}::{name}" if name else path
        for path, name in spans
        if not (ROOT / path).exists() or (name and f"{name}(" not in (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert missing == []


NUMBERED = {
    "RG": {
        "equation": [f"1.{k}" for k in range(1, 73)],
        "figure": [f"1.{k}" for k in range(1, 8)],
        "table": ["1.1"],
        "proposition": "1 2",
        "theorem": "3 5 6",
        "corollary": "4",
    },
    "MM": {
        "equation": range(1, 16),
        "algorithm": range(1, 6),
        "definition": "1 2",
        "proposition": "3 4 6 10 11",
        "theorem": "5 7 8 9 12",
        "table": range(1, 8),
        "figure": range(1, 10),
    },
    "LK": {"equation": range(1, 4), "algorithm": "1 2", "table": range(1, 6), "figure": range(1, 6)},
    "SP": {"equation": range(1, 9), "algorithm": "1", "figure": "1 2"},
}
"""All that the documents number. The slides of KDE number nothing."""


def numbers(text: str) -> set[str]:
    """What ``1.4 to 1.6, 1.9 and 2`` stands for."""
    found = set(re.findall(r"\d+(?:\.\d+)?", text))
    for first, last in re.findall(r"([\d.]+) to ([\d.]+)", text):
        chapter, dot, begin = first.rpartition(".")
        found.update(f"{chapter}{dot}{k}" for k in range(int(begin), int(last.rpartition(".")[2]) + 1))
    return found


@pytest.mark.parametrize("work", NUMBERED)
def test_the_map_has_all_that_a_document_numbers(work):
    text = (DOCS / "explanation" / "papers.md").read_text(encoding="utf-8")
    table = re.search(rf"^\| {work} \|.*?\n\n", text, re.MULTILINE | re.DOTALL)[0]
    first_cells = "\n".join(row.split("|")[1] for row in table.strip().splitlines()[2:])
    for kind, wanted in NUMBERED[work].items():
        lists = re.findall(rf"{kind}s? ((?:[\d.]+\d|\d)(?:(?:, | and | to )[\d.]*\d)*)", first_cells, re.IGNORECASE)
        found = set().union(*map(numbers, lists))
        wanted = wanted.split() if isinstance(wanted, str) else map(str, wanted)
        assert [number for number in wanted if number not in found] == [], kind


def test_lines_of_the_map_name_a_file_or_a_reason():
    text = (DOCS / "explanation" / "papers.md").read_text(encoding="utf-8")
    maps = re.findall(r"^\| [^|]+ \| where \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    rows = [row.split("|")[1:-1] for table in maps for row in table.strip().splitlines()[2:]]
    assert len(maps) == 6
    for what, where, test in rows:
        has_file = "`src/weft/" in where and ("`tests/" in test or "`weft reproduce" in test)
        assert has_file or where.strip().startswith("not implemented: "), what


@pytest.mark.parametrize("page", [*PAGES, *PROJECT_PAGES, ROOT / "README.md"], ids=page_name)
def test_experiments_that_a_page_names_exist(page):
    from weft.experiments.registry import EXPERIMENTS

    named = re.findall(r"weft reproduce ([a-z][\w-]*)", page.read_text(encoding="utf-8"))
    assert [name for name in named if name not in EXPERIMENTS] == []


def test_the_tree_of_the_architecture_page_is_the_tree():
    tree = re.search(r"```text\n(src/weft/.*?)```", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.DOTALL)
    assert tree is not None
    source = ROOT / "src" / "weft"
    files = {path.name for path in source.rglob("*.py")}
    assert [name for name in re.findall(r"\w+\.py", tree[1]) if name not in files] == []
    layers = {path.name for path in source.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    drawn = set(re.findall(r"^  (\w+(?:\.py)?)/?  ", tree[1], re.MULTILINE))
    assert layers - {"__init__.py", "__main__.py"} == drawn


def test_the_pictures_of_the_architecture_page_are_of_the_tree():
    """Every layer has its colour, no import goes up, and the steps of data are modules that imports lead to."""
    sys.path.insert(0, str(DOCS))
    try:
        import make_layers
    finally:
        sys.path.remove(str(DOCS))
    graph, names = make_layers.grimp.build_graph("weft"), make_layers.layers()
    assert set(names) == set(make_layers.GROUP_OF)
    assert [pair for pair in make_layers.imports(graph, names) if names.index(pair[0]) > names.index(pair[1])] == []
    for steps in (make_layers.FIT, make_layers.PREDICTION):
        make_layers.check_steps(graph, steps)
    with pytest.raises(AssertionError, match=r"there is no weft\.core\.nothing"):
        make_layers.check_steps(graph, (("core.nothing", "", ""),))


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_the_reference_lists_every_public_name(module):
    listed = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    names = {line.strip() for line in listed.splitlines()}
    public = importlib.import_module(module)
    # What two modules offer is listed once: a second page for it would be a warning.
    missing = [name for name in public.__all__ if not {f"{module}.{name}", f"weft.{name}"} & names]
    assert missing == []
    twins = [name for name in public.__all__ if f"{module}.{name}" not in names]
    assert [name for name in twins if getattr(weft, name) is not getattr(public, name)] == []


def test_news_fragments_say_their_issue_and_kind():
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    pattern = re.compile(r"\d+(\.[a-z-]+)?\.(feature|fix|change|removal)\.md")
    assert [path.name for path in fragments if not pattern.fullmatch(path.name)] == []
    assert [path.name for path in fragments if not path.read_text(encoding="utf-8").strip()] == []


def test_every_promise_names_what_holds_it():
    """A test that exists, a target of make, or that it is only expected."""
    rows = re.findall(r"^\| (?!promise|---)(.+) \| (.+) \|$", (DOCS / "explanation" / "promises.md").read_text(), re.M)
    assert len(rows) > 20
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for promise, held_by in rows:
        test, target = re.fullmatch(r"`(\S+)::(\w+)`", held_by), re.fullmatch(r"`make ([\w-]+)[^`]*`", held_by)
        if test is not None:
            assert f"\ndef {test[2]}(" in (ROOT / "tests" / test[1]).read_text(), promise
        elif target is not None:
            assert target[1] in targets, promise
        else:
            assert held_by.startswith("expected: "), promise

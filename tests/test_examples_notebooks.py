"""The notebooks run from top to bottom, and what they show can be shown."""

import ast
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def run_cell(source, namespace):
    """What a notebook would do: run all, and give the value of the last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def test_there_is_one_of_each_kind():
    assert [path.stem for path in NOTEBOOKS] == ["fold", "pronounce", "tag"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells)  # no results that nobody has checked
    namespace = {}
    shown = [run_cell("".join(cell["source"]), namespace) for cell in cells]
    pages = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert len(pages) == 1
    assert re.search("<td>n_[a-z]+</td><td>[0-9,]+</td>", pages[0])
    pictures = [value._repr_png_() for value in shown if hasattr(value, "_repr_png_")]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert len(pictures) == (2 if path.stem == "fold" else 0)

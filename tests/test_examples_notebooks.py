"""The notebooks run from top to bottom, and what they show can be shown."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_extensions"))

from notebooks import page, run_cell  # noqa: E402

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


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


def test_a_page_has_the_values_of_its_cells(tmp_path):
    """As the site shows them: text, a table, a picture."""
    cells = [("markdown", "# Made up"), ("code", "1 + 1"), ("code", "a = 2"), ("code", "import weft\nweft.Tagger()")]
    cells.append(("code", "from weft.plotting import RNAStructureDisplay as Show\nShow('GGGAAACCC', '(((...)))')"))
    path = tmp_path / "made_up.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": kind, "source": [text]} for kind, text in cells]}))
    text = page(path, tmp_path)
    assert text.startswith(
        "# Made up\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n\n```python\na = 2\n```\n\n```python"
    )
    assert text.count("```text") == 1
    assert '<div class="notebook-value"><div class="weft-parameters">' in text
    assert "](made_up-4.png)" in text
    assert (tmp_path / "made_up-4.png").read_bytes().startswith(b"\x89PNG")

"""Notebooks of `examples/` as pages: each is run when the pages are built, so that what is shown is what came out."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from pprint import pformat
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "examples"
PAGES = ROOT / "docs" / "notebooks" / "generated"


def code_and_text(path: Path) -> list[tuple[str, str]]:
    """Kind and content of each cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in cells]


def run_cell(source: str, namespace: dict[str, Any]) -> Any:
    """What a notebook would do: run all, and give the value of the last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def shown(value: Any, picture: Path) -> str:
    """What a page has of a value: a table, a picture, or text."""
    if value is None:
        return ""
    if hasattr(value, "_repr_html_"):
        return f'```{{raw}} html\n<div class="notebook-value">{value._repr_html_()}</div>\n```\n\n'
    if hasattr(value, "_repr_png_"):
        picture.write_bytes(value._repr_png_())
        return f"![What {type(value).__name__} draws]({picture.name})\n\n"
    return f"```text\n{pformat(value, width=72, sort_dicts=False)}\n```\n\n"


def page(path: Path, folder: Path) -> str:
    """A notebook as Markdown, with what its cells give."""
    namespace: dict[str, Any] = {}
    text = ""
    for number, (kind, source) in enumerate(code_and_text(path)):
        if kind == "markdown":
            text += f"{source}\n\n"
        else:
            value = run_cell(source, namespace)
            text += f"```python\n{source}\n```\n\n{shown(value, folder / f'{path.stem}-{number}.png')}"
    return f"{text}*This page is `examples/{path.name}`, run when the pages were built.*\n"


def write_pages(app: Any) -> None:
    """Run all notebooks, before Sphinx looks for pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        (PAGES / f"{path.stem}.md").write_text(page(path, PAGES), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Write formulas as MathML with the converter of docutils, so that pages need no script and no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx


def _markup(latex: str, *, block: bool) -> str:
    tree = latex2mathml.tex2mathml(latex, as_block=block)
    return str(tree)


def visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_markup(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math-block">{_markup(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

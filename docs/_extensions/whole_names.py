"""Mark names in the text that are short enough to stay on one line; the style sheet keeps them whole."""

from __future__ import annotations

from typing import Any

from docutils import nodes

LONGEST = 32
"""Characters of a word that a phone's line has room for."""


def mark_names(app: Any, doctree: nodes.document, name: str) -> None:
    """Give code spans without a longer word a class of their own."""
    for span in doctree.findall(nodes.literal):
        if max(map(len, span.astext().split()), default=0) <= LONGEST:
            span["classes"].append("whole")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-resolved", mark_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""What models are asked over HTTP, one file for each kind."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.kinds.base import Kind
    from weft.serve.tasks.base import Task

__all__ = ["TASKS", "task_of"]

TASKS = {
    "tag": "TagTask",
    "rewrite": "RewriteTask",
    "align": "AlignTask",
    "fold": "FoldTask",
    "parse": "ParseTask",
    "classify": "ClassifyTask",
    "regress": "RegressTask",
}
"""For each kind the class in ``weft.serve.tasks.KIND``."""


def task_of(kind: Kind) -> Task:
    """An opened model, ready to be asked."""
    found: type[Task] = getattr(import_module(f"weft.serve.tasks.{kind.command}"), TASKS[kind.command])
    return found(kind)

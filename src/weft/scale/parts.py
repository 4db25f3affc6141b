"""What the parts of one batch have in common, and how a part is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from weft.structures.protocol import GROUPS, queries_of

__all__ = ["facts_of", "no_collection"]


def facts_of(batch: Any) -> dict[str, Any]:
    """What is the same for all parts of a batch, told by any of them.

    Examples
    --------
    >>> import weft
    >>> facts = facts_of(weft.Tagger().fit(["ab"], ["xy"]).bind(["ab", "a"], ["xy", "x"]))
    >>> facts["n_features"], facts["has_references"], "argmax" in facts["questions"]
    (8, True, True)
    """
    questions = [name for group in GROUPS.values() for name in queries_of(group)]
    return {
        "questions": frozenset(name for name in questions if hasattr(type(batch), name)),
        "n_features": batch.n_features,
        "dense_features": getattr(batch, "dense_features", 0),
        "has_partial_references": batch.has_partial_references,
        "has_references": batch.references is not None,
        "has_hints": batch.hints is not None,
    }


@contextmanager
def no_collection() -> Iterator[None]:
    """Let Python not look for circles among the objects of a part: a third of the time to read and encode them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

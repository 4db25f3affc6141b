"""What the parts of one batch have in common."""

from __future__ import annotations

from typing import Any

from weft.structures.protocol import GROUPS, queries_of

__all__ = ["facts_of"]


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

"""Precision, recall and F1 of chunks, counted as conlleval counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from weft.errors import InputError
from weft.metrics.validation import check_corpus, precision_recall_f1

# Prefixes that begin a chunk, go on inside one, and end one after themselves.
_PREFIXES = {
    "IOB2": {"B": "begin", "I": "inside"},
    "IOB1": {"B": "begin", "I": "inside"},
    "BIOES": {"B": "begin", "I": "inside", "E": "end", "S": "single"},
}


@dataclass(frozen=True)
class ChunkScores:
    """Precision, recall and F1 of chunks, over all types and for each.

    Attributes
    ----------
    precision, recall, f1 : float
        Zero where nothing was predicted, wanted or right.
    support : int
        Chunks in the reference.
    predicted, correct : int
        Chunks in the prediction, and those of them with the right ends and type.
    per_type : dict of str to ChunkScores
        The same for each type of chunk; empty in these.
    """

    precision: float
    recall: float
    f1: float
    support: int
    predicted: int
    correct: int
    per_type: dict[str, ChunkScores] = field(default_factory=dict)


def chunk_scores(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    scheme: Literal["IOB2", "IOB1", "BIOES"] = "IOB2",
) -> ChunkScores:
    """Precision, recall and F1 of whole chunks, counted as conlleval counts them.

    A chunk starts at ``B-X``, and also at an ``I-X`` that does not continue a chunk of type
    ``X``, so IOB1 and imperfect predictions need no repair. It is right when both its ends
    and its type are.

    Parameters
    ----------
    y_true, y_pred : lists of tag sequences, pairwise of one length
    scheme : "IOB2", "IOB1" or "BIOES"
        The prefixes that tags may have.

    Returns
    -------
    ChunkScores

    Examples
    --------
    >>> scores = chunk_scores([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "I-NP", "O", "B-NP"]])
    >>> scores.precision, scores.recall, scores.per_type["VP"].recall
    (0.5, 0.5, 0.0)
    """
    if scheme not in _PREFIXES:
        raise InputError(f"scheme is {scheme!r}; needed one of {', '.join(_PREFIXES)}.")
    y_true, y_pred = check_corpus(y_true, y_pred, same_lengths=True)
    prefixes = _PREFIXES[scheme]
    parsed: dict[str, tuple[str, str]] = {}
    wanted, found, right = Counter[str](), Counter[str](), Counter[str]()
    for number, (truth, guess) in enumerate(zip(y_true, y_pred, strict=True)):
        reference = _chunks(truth, prefixes, scheme, number, parsed)
        prediction = _chunks(guess, prefixes, scheme, number, parsed)
        wanted.update(kind for _, _, kind in reference)
        found.update(kind for _, _, kind in prediction)
        right.update(kind for _, _, kind in reference & prediction)
    per_type = {kind: _chunk_scores(wanted[kind], found[kind], right[kind]) for kind in sorted(wanted | found)}
    return _chunk_scores(wanted.total(), found.total(), right.total(), per_type)


def chunk_f1(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    scheme: Literal["IOB2", "IOB1", "BIOES"] = "IOB2",
) -> float:
    """F1 of whole chunks of all types together; see `chunk_scores`.

    Parameters
    ----------
    y_true, y_pred : lists of tag sequences, pairwise of one length
    scheme : "IOB2", "IOB1" or "BIOES"

    Returns
    -------
    float

    Examples
    --------
    >>> chunk_f1([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "I-NP", "O", "O"]])
    0.6666666666666666
    """
    return chunk_scores(y_true, y_pred, scheme).f1


def _chunks(
    tags: Sequence[str],
    prefixes: dict[str, str],
    scheme: str,
    number: int,
    parsed: dict[str, tuple[str, str]],
) -> set[tuple[int, int, str]]:
    """Chunks (start, end, type) of one tag sequence; `parsed` remembers tags seen before."""
    chunks = set()
    start, kind = -1, ""
    for t, tag in enumerate(tags):
        role, tag_kind = parsed.get(tag) or parsed.setdefault(tag, _parse(tag, prefixes, scheme, number))
        continues = start >= 0 and role in ("inside", "end") and tag_kind == kind
        if start >= 0 and not continues:
            chunks.add((start, t, kind))
            start = -1
        if role != "outside" and not continues:
            start, kind = t, tag_kind
        if role in ("end", "single"):
            chunks.add((start, t + 1, kind))
            start = -1
    if start >= 0:
        chunks.add((start, len(tags), kind))
    return chunks


def _parse(tag: str, prefixes: dict[str, str], scheme: str, number: int) -> tuple[str, str]:
    if tag == "O":
        return "outside", ""
    prefix, _, kind = str(tag).partition("-")
    if prefix not in prefixes:
        wanted = ", ".join(f"{each}-TYPE" for each in prefixes)
        raise InputError(
            f"tag {tag!r} of sequence {number} is not {scheme}; needed O, {wanted}. "
            "Give the right scheme, or use token_accuracy for labels that are no chunks."
        )
    return prefixes[prefix], kind


def _chunk_scores(
    support: int, predicted: int, correct: int, per_type: dict[str, ChunkScores] | None = None
) -> ChunkScores:
    precision, recall, f1 = precision_recall_f1(support, predicted, correct)
    return ChunkScores(precision, recall, f1, support, predicted, correct, per_type or {})

"""Sequences, stories and images with classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.datasets.registry import FASTSK_TASKS, choose, file_path, load_arrays
from weft.errors import InputError
from weft.sequences.formats.jsonl import iter_jsonl
from weft.sequences.formats.tsv import iter_table

__all__ = [
    "FASTSK_TASKS",
    "ClassificationData",
    "ImageData",
    "Story",
    "load_fastsk",
    "load_reuters21578",
    "load_usps",
]


@dataclass(frozen=True)
class ClassificationData:
    """Strings and their classes."""

    sequences: list[str]
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class ImageData:
    """Images as rows of gray values in -1 (background) to 1, and their classes."""

    X_train: npt.NDArray[np.float64]
    y_train: npt.NDArray[np.int64]
    X_test: npt.NDArray[np.float64]
    y_test: npt.NDArray[np.int64]


class Story(NamedTuple):
    """A news story; `topics` may be empty, `body` too (then `text_type` is BRIEF)."""

    id: int
    topics: list[str]
    title: str
    body: str
    text_type: str


def load_fastsk(task: str, part: Literal["train", "test"] = "train") -> ClassificationData:
    """FastSK: one of 11 DNA binding-site tasks and 12 protein remote-homology tasks.

    Parameters
    ----------
    task : str
        One of `FASTSK_TASKS`, for example ``dna_CTCF`` or ``scop_1.1``.
    part : {"train", "test"}

    Returns
    -------
    ClassificationData
        Labels 0 and 1.

    Examples
    --------
    >>> from weft.datasets import load_fastsk
    >>> load_fastsk("dna_CTCF").labels[:3]  # doctest: +SKIP
    array([1, 1, 1])
    """
    choose("part", part, ["train", "test"])
    path = file_path("fastsk", f"{choose('task', task, FASTSK_TASKS)}.{part}.tsv.gz")
    rows = list(iter_table(path, ["label", "sequence"]))
    for label, sequence in rows:
        if label not in ("0", "1"):
            raise InputError(f"{path}: label {label!r} of {sequence[:20]!r}, needed 0 or 1; get the file again")
    return ClassificationData(
        sequences=[sequence for _, sequence in rows],
        labels=np.array([int(label) for label, _ in rows], dtype=np.int64),
    )


def load_reuters21578(part: Literal["train", "test", "unused"] = "train") -> list[Story]:
    """Reuters-21578, ModApte split: 9,603 stories to train, 3,299 to test, 8,676 in neither.

    Parameters
    ----------
    part : {"train", "test", "unused"}

    Returns
    -------
    list of Story

    Examples
    --------
    >>> from weft.datasets import load_reuters21578
    >>> load_reuters21578("train")[0].topics  # doctest: +SKIP
    ['cocoa']
    """
    choose("part", part, ["train", "test", "unused"])
    path = file_path("reuters21578", f"reuters21578_{'unused' if part == 'unused' else 'modapte'}.jsonl.gz")
    stories = iter_jsonl(path, required=["split", *Story._fields])
    return [Story(*(story[key] for key in Story._fields)) for story in stories if story["split"] == part]


def load_usps() -> ImageData:
    """USPS zip-code digits of 16x16 pixels: 7,291 to train, 2,007 to test.

    Returns
    -------
    ImageData

    Examples
    --------
    >>> from weft.datasets import load_usps
    >>> load_usps().X_train.shape  # doctest: +SKIP
    (7291, 256)
    """
    keys = ["X_train", "y_train", "X_test", "y_test", "scale"]
    X_train, y_train, X_test, y_test, scale = load_arrays("usps", "usps.npz", keys)
    return ImageData(X_train / scale, y_train.astype(np.int64), X_test / scale, y_test.astype(np.int64))

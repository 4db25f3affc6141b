"""Sequences with one label per element: chunks, entities, phonemes of letters, handwritten letters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from weft.datasets.registry import choose, file_path, load_arrays
from weft.errors import InputError
from weft.sequences.formats.conll import read_conll
from weft.sequences.formats.text import read_lines
from weft.sequences.formats.tsv import iter_table

LETTER_PIXELS = 128  # 16 rows of 8


@dataclass(frozen=True)
class TaggingData:
    """Sentences: tokens, parts of speech and labels, each a list of lists of equal lengths."""

    tokens: list[list[str]]
    pos: list[list[str]]
    labels: list[list[str]]


@dataclass(frozen=True)
class NettalkData:
    """Words with one phoneme and one stress symbol per letter.

    Attributes
    ----------
    words : list of str
        Some occur twice, with another pronunciation.
    phonemes, stress : list of lists of str
        ``-`` is a silent letter; a stress of ``?`` is not known.
    classes : ndarray of int
        0 regular, 1 irregular, 2 foreign.
    common_words : list of str
        The thousand most common words, all of them in `words`.
    """

    words: list[str]
    phonemes: list[list[str]]
    stress: list[list[str]]
    classes: npt.NDArray[np.int64]
    common_words: list[str]


@dataclass(frozen=True)
class OcrData:
    """Handwritten words without their first letter.

    Attributes
    ----------
    X : list of float arrays of shape (length, 128)
        Binary pixels of each letter, 16 rows of 8.
    y : list of lists of str
    folds : ndarray of int
        Fold 0 to 9 of each word.
    """

    X: list[npt.NDArray[np.float64]]
    y: list[list[str]]
    folds: npt.NDArray[np.int64]


def load_conll2000(part: Literal["train", "test"] = "train") -> TaggingData:
    """CoNLL-2000 chunking: 8,936 sentences to train, 2,012 to test.

    Parameters
    ----------
    part : {"train", "test"}

    Returns
    -------
    TaggingData

    Examples
    --------
    >>> from weft.datasets import load_conll2000
    >>> load_conll2000("test").tokens[0][:2]  # doctest: +SKIP
    ['Rockwell', 'International']
    """
    return _load_columns("conll2000", f"{choose('part', part, ['train', 'test'])}.tsv.gz")


def load_conll2002_es(part: Literal["train", "testa", "testb"] = "train") -> TaggingData:
    """CoNLL-2002 Spanish named entities: 8,323 sentences to train, 1,915 to develop, 1,517 to test.

    Parameters
    ----------
    part : {"train", "testa", "testb"}
        `testa` is for development, `testb` for the test.

    Returns
    -------
    TaggingData

    Examples
    --------
    >>> from weft.datasets import load_conll2002_es
    >>> load_conll2002_es("testa").labels[0][:3]  # doctest: +SKIP
    ['B-LOC', 'I-LOC', 'O']
    """
    return _load_columns("conll2002_es", f"esp.{choose('part', part, ['train', 'testa', 'testb'])}.tsv.gz")


def _load_columns(name: str, file: str) -> TaggingData:
    columns = read_conll(file_path(name, file), columns=[0, 1], label_column=2)
    return TaggingData(columns.tokens, columns.column(1), columns.labels or [])


def load_nettalk() -> NettalkData:
    """NETtalk: 20,008 English words, a phoneme and a stress symbol for each letter.

    Returns
    -------
    NettalkData

    Examples
    --------
    >>> from weft.datasets import load_nettalk
    >>> load_nettalk().phonemes[1]  # doctest: +SKIP
    ['x', 'b', '@', 'k', '-']
    """
    path = file_path("nettalk", "nettalk.tsv.gz")
    rows = list(iter_table(path, ["word", "phonemes", "stress", "class"]))
    for word, phonemes, stress, kind in rows:
        if not len(word) == len(phonemes) == len(stress) or kind not in ("0", "1", "2"):
            raise InputError(
                f"{path}: word {word!r} with phonemes {phonemes!r}, stress {stress!r}, class {kind!r}; "
                f"needed one phoneme and stress per letter and a class 0-2, get the file again"
            )
    return NettalkData(
        words=[row[0] for row in rows],
        phonemes=[list(row[1]) for row in rows],
        stress=[list(row[2]) for row in rows],
        classes=np.array([int(row[3]) for row in rows], dtype=np.int64),
        common_words=[line for _, line in read_lines(path.with_name("nettalk_1000_common_words.txt")) if line],
    )


def load_ocr_letters() -> OcrData:
    """Handwritten words (Kassel, Taskar): 6,877 words, 52,152 letters, 10 folds.

    Returns
    -------
    OcrData

    Examples
    --------
    >>> from weft.datasets import load_ocr_letters
    >>> "".join(load_ocr_letters().y[0])  # doctest: +SKIP
    'ommanding'
    """
    packed, codes, offsets, folds = load_arrays(
        "ocr_letters", "ocr_letters.npz", ["pixels_packed", "labels", "word_offsets", "word_folds"]
    )
    pixels = np.unpackbits(packed, axis=1, count=LETTER_PIXELS).astype(np.float64)
    letters = [chr(ord("a") + int(code)) for code in codes]
    words = [slice(start, stop) for start, stop in pairwise(offsets.tolist())]
    return OcrData(
        X=[pixels[word] for word in words],
        y=[letters[word] for word in words],
        folds=folds.astype(np.int64),
    )

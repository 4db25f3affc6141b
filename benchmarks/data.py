"""Read the benchmark corpora from the folder named by ``WEFT_DATA``.

This reader imports nothing of weft: the memory of weft and its libraries must not count for a peer.
"""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

Sentences = list[list[tuple[str, ...]]]

NETTALK_SEED = 0
NETTALK_TRAINING_WORDS = 18_007


def data_file(*parts: str) -> Path:
    """Path of a file below ``WEFT_DATA``, or one line that says what is missing."""
    root = os.environ.get("WEFT_DATA")
    if not root:
        wanted = "/".join(parts)
        raise FileNotFoundError(
            f"WEFT_DATA is not set; this benchmark reads {wanted} below it. "
            "Set WEFT_DATA to the folder that holds the data sets."
        )
    path = Path(root, *parts)
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; put the data set there or set WEFT_DATA to its folder.")
    return path


def read_columns(path: Path) -> Sentences:
    """Sentences of tab-separated columns, one token a line, a blank line between sentences."""
    sentences: Sentences = []
    sentence: list[tuple[str, ...]] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = line.rstrip("\n")
            if row:
                sentence.append(tuple(row.split("\t")))
            elif sentence:
                sentences.append(sentence)
                sentence = []
    if sentence:
        sentences.append(sentence)
    return sentences


def conll2000() -> tuple[Sentences, Sentences]:
    """Training and test sentences of (token, part of speech, chunk tag)."""
    return (
        read_columns(data_file("conll2000", "train.tsv.gz")),
        read_columns(data_file("conll2000", "test.tsv.gz")),
    )


def conll2002_es() -> tuple[Sentences, Sentences]:
    """Training sentences and testb of (token, part of speech, entity tag)."""
    return (
        read_columns(data_file("conll2002_es", "esp.train.tsv.gz")),
        read_columns(data_file("conll2002_es", "esp.testb.tsv.gz")),
    )


def nettalk() -> tuple[Sentences, Sentences]:
    """Words as sentences of (letter, phoneme): a random split of 18,007 and 2,001 words, always the same."""
    words = nettalk_words()
    random.Random(NETTALK_SEED).shuffle(words)
    return words[:NETTALK_TRAINING_WORDS], words[NETTALK_TRAINING_WORDS:]


def nettalk_words() -> Sentences:
    """All words, in the order of the file."""
    with gzip.open(data_file("nettalk", "nettalk.tsv.gz"), "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return [list(zip(row[0], row[1], strict=True)) for row in rows]

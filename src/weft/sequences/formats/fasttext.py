"""Labelled texts as fastText reads them: ``__label__ham see you at noon``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["LABEL", "LabelledText", "iter_fasttext", "numbered_texts", "read_fasttext"]

LABEL = "__label__"


class LabelledText(NamedTuple):
    """A text and its labels, without their prefix."""

    labels: list[str]
    text: str


def iter_fasttext(source: Source) -> Iterator[LabelledText]:
    r"""Yield labels and text of each line; words that begin with ``__label__`` are labels, wherever they stand.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    LabelledText

    Examples
    --------
    >>> import io
    >>> list(iter_fasttext(io.StringIO("__label__ham see you\n")))
    [LabelledText(labels=['ham'], text='see you')]
    """
    return (text for _, text in numbered_texts(source))


def numbered_texts(source: Source) -> Iterator[tuple[int, LabelledText]]:
    """As `iter_fasttext`, each text with its line."""
    for number, line in read_lines(source):
        if not line.strip():
            continue
        words = line.split(" ")
        labels = [word[len(LABEL) :] for word in words if word.startswith(LABEL)]
        if not all(labels):
            raise InputError(f"{name_of(source)}, line {number}: {LABEL} without a name; write {LABEL}name")
        yield number, LabelledText(labels, " ".join(word for word in words if not word.startswith(LABEL)).strip())


def read_fasttext(source: Source) -> list[LabelledText]:
    r"""All lines of a file of fastText.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of LabelledText

    Examples
    --------
    >>> import io
    >>> read_fasttext(io.StringIO("__label__a __label__b text\n"))[0].labels
    ['a', 'b']
    """
    return list(iter_fasttext(source))

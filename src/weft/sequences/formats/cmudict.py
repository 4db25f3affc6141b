"""The file of the CMU pronouncing dictionary: ``WORD  P R OW N``, other readings as ``WORD(2)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["Pronunciation", "iter_cmudict", "read_cmudict"]

VARIANT = re.compile(r"\(\d+\)$")


class Pronunciation(NamedTuple):
    """A word and the sounds of one of its readings."""

    word: str
    sounds: list[str]


def iter_cmudict(source: Source) -> Iterator[Pronunciation]:
    r"""Yield the readings of a dictionary in the form of CMUdict.

    Lines that begin with ``;;;`` and what follows `` #`` are comments; ``(2)`` behind a word marks another reading.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    Pronunciation

    Examples
    --------
    >>> import io
    >>> list(iter_cmudict(io.StringIO(";;; a comment\nREAD  R EH1 D\nREAD(2)  R IY1 D # now\n")))
    [Pronunciation(word='READ', sounds=['R', 'EH1', 'D']), Pronunciation(word='READ', sounds=['R', 'IY1', 'D'])]
    """
    for number, line in read_lines(source):
        if line.startswith(";;;") or not line.strip():
            continue
        fields = line.partition(" #")[0].split()
        if len(fields) < 2:
            raise InputError(
                f"{name_of(source)}, line {number}: {line[:40]!r}, needed a word, blanks and its sounds; fix the line"
            )
        word = VARIANT.sub("", fields[0]) or fields[0]
        yield Pronunciation(word, fields[1:])


def read_cmudict(source: Source) -> list[Pronunciation]:
    r"""All readings of a dictionary in the form of CMUdict.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of Pronunciation

    Examples
    --------
    >>> import io
    >>> read_cmudict(io.StringIO("go G OW1\n"))[0].sounds
    ['G', 'OW1']
    """
    return list(iter_cmudict(source))

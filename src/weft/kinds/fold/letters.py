"""Letters of sequences that are to be folded: bases, codes for several bases, and those that no RNA has."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from weft.errors import InputError
from weft.kinds.fold.files import RNA

BASES = frozenset("ACGUTacgut")
CODES = frozenset("RYSWKMBDHVNXryswkmbdhvnx")
"""Codes of IUPAC for several bases, and X for any."""
GAPS = frozenset("-.")


def check_letters(records: Sequence[RNA], n_before: int, file: str, told: set[str]) -> None:
    """Refuse letters that no RNA has, and warn of codes for several bases, which stay unpaired.

    Parameters
    ----------
    records : list of RNA
    n_before : int
        How many sequences the file had before these.
    file : str
        Name of the file, for messages.
    told : set of str
        Codes that have been warned of; new ones join.

    Examples
    --------
    >>> check_letters([RNA("", "MKVL", None)], 0, "x.fa", set())
    Traceback (most recent call last):
    ...
    weft.errors.InputError: x.fa, sequence 1: 'L' at position 4 is no base; needed RNA or DNA, ...
    """
    codes: dict[str, str] = {}
    for number, record in enumerate(records, start=n_before + 1):
        letters = set(record.sequence) - BASES - GAPS
        where = f"{file}, sequence {number}" + (f" ({record.name[:40]})" if record.name else "")
        if foreign := letters - CODES:
            position = min(map(record.sequence.index, foreign))
            raise InputError(
                f"{where}: {record.sequence[position]!r} at position {position + 1} is no base; needed RNA or DNA, "
                "A, C, G, U or T, and codes such as N, which stay unpaired: fix the letter, or leave the sequence out."
            )
        for letter in letters:
            codes.setdefault(letter.upper(), where)
    new = sorted(set(codes) - told)
    told.update(new)
    if new:
        warnings.warn(
            f"{codes[new[0]]} has {new[0]}, a code for several bases, which stays unpaired"
            + (f", and so do {', '.join(new[1:])}" if len(new) > 1 else "")
            + ".",
            stacklevel=2,
        )

"""What the sides of pairs are sequences of: characters, or tokens with blanks between them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from weft.errors import InputError

SideUnits = StrEnum("SideUnits", ["CHARACTERS", "BLANKS"])
"""What a side is a sequence of."""
GivenUnits = tuple[SideUnits | None, SideUnits | None]
"""Of inputs and of outputs, as the user says; None leaves it to the file."""

ENOUGH = 20
"""Fewer symbols say nothing about how often they occur."""


def split_at_blanks(texts: Iterable[str]) -> bool:
    """Whether texts are tokens with blanks between them: at least half of those with more than one character.

    Examples
    --------
    >>> split_at_blanks(["AE B Z", "AH"]), split_at_blanks(["abaty", "aber", "aelod seneddol"])
    (True, False)
    """
    longer = [text for text in map(str.strip, texts) if len(text) > 1]
    return bool(longer) and 2 * sum(" " in text for text in longer) >= len(longer)


def check_units(units: GivenUnits, file_format: Any) -> None:
    """Refuse units that a format cannot have: words of cmudict have no blanks, and their sounds have them between."""
    if str(file_format) != "cmudict":
        return
    for given, own, side in zip(units, (SideUnits.CHARACTERS, SideUnits.BLANKS), ("input", "output"), strict=True):
        if given not in (None, own):
            raise InputError(
                f"--{side}-units {given} given, but {side}s of cmudict files are {described(own)}; leave it out."
            )


def described(units: SideUnits) -> str:
    """The units, as messages name them.

    Examples
    --------
    >>> described(SideUnits.BLANKS)
    'split at blanks'
    """
    return "split at blanks" if units == SideUnits.BLANKS else "split into characters"


def check_has_blanks(inputs: Sequence[str], name: str) -> None:
    """Refuse inputs to be split at blanks that have none: each would be one symbol, and others could not be read.

    Outputs may be of one symbol each.
    """
    if not any(" " in text.strip() for text in inputs):
        raise InputError(
            f"--input-units blanks given, but no input of {name} has a blank, as {inputs[0][:40]!r} has none; leave it "
            "out, or say --input-units characters."
        )


def warn_of_split(texts: Sequence[str] | Sequence[list[str]], side: str, name: str) -> None:
    """Say where what the file decides may not be meant: blanks are characters, or most symbols occur once.

    Parameters
    ----------
    texts : sequence of str or of list of str
        A side, split into characters or at blanks.
    side : {"input", "output"}
    name : str
        Of the file.
    """
    n_blank = sum(isinstance(text, str) and " " in text.strip() for text in texts)
    if n_blank:
        warnings.warn(
            f"{name}: {n_blank:,} of {len(texts):,} {side}s have blanks; all are split into characters, and the blank "
            f"is one of them; --{side}-units blanks splits them there.",
            stacklevel=2,
        )
    # A text that comes again, with another partner, does not make its symbols more frequent. Of sounds in a few words
    # most may occur once too, but most of the words is made of others.
    different = {tuple(text) for text in texts if isinstance(text, list)}
    counts = Counter(symbol for text in sorted(different) for symbol in text)
    once = [symbol for symbol, n in counts.items() if n == 1]
    if len(counts) >= ENOUGH and 2 * len(once) > len(counts) and 5 * len(once) >= 2 * sum(counts.values()):
        warnings.warn(
            f"{name}: {len(once):,} of {len(counts):,} symbols of {side}s, such as {once[0][:40]!r}, occur once, for "
            f"{side}s are split at blanks; if characters are meant, say --{side}-units characters.",
            stacklevel=2,
        )

"""Strings or lists of tokens: both are sequences of symbols, so that one in place of the other passes unseen."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import Any, Literal

from weft.errors import InputError
from weft.sequences.checks import shown

Form = Literal["strings", "characters", "lists"]
"""How training wrote its sequences: as strings, perhaps with lists of single characters among them, as lists of single
characters alone, or as lists of anything else, such as words."""

IS_LONGER = (1).__lt__
"""Whether a length is that of more than a character."""


def token_form(sequences: list[Any]) -> Form | None:
    """How sequences are written; None where strings stand beside lists of words, or there are arrays.

    Examples
    --------
    >>> token_form(["ab", "b"]), token_form([["a", "b"]]), token_form([["the", "cat"]]), token_form(["ab", ["the"]])
    ('strings', 'characters', 'lists', None)
    """
    types = set(map(type, sequences))
    if not types <= {str, list, tuple}:
        return None
    lists = sequences if str not in types else [each for each in sequences if type(each) is not str]
    if not _are_characters(lists):
        return None if str in types else "lists"
    return "strings" if str in types else "characters"


def _are_characters(lists: list[Any]) -> bool:
    """Whether all tokens are single characters; two looks without a loop in Python."""
    if not all(issubclass(each, str) for each in set(map(type, chain.from_iterable(lists)))):
        return False
    return not any(map(IS_LONGER, map(len, chain.from_iterable(lists))))


def joined_form(one: Form | None, other: Form | None) -> Form | None:
    """How the sequences of both are written.

    Examples
    --------
    >>> joined_form("characters", "lists"), joined_form("strings", "characters"), joined_form("strings", "lists")
    ('lists', 'strings', None)
    """
    if one is None or other is None or one == other:
        return one if one == other else None
    if "characters" in (one, other):
        return other if one == "characters" else one
    return None


def check_token_form(form: Form | None, sequences: list[Any], *, stacklevel: int = 2) -> None:
    """Refuse strings after lists of words, and warn of words after characters, which might be new symbols.

    Examples
    --------
    >>> check_token_form("lists", ["El presidente"])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X has a string, 'El presidente', but training had lists of tokens; split it into ...
    """
    if form == "lists":
        if str in set(map(type, sequences)):
            found = next(each for each in sequences if type(each) is str)
            raise InputError(
                f"X has a string, {shown(found)}, but training had lists of tokens; split it into tokens as those "
                "were, such as x.split() at blanks."
            )
    elif form is not None and type(first := sequences[0]) is not str:
        longer = next((each for each in first if isinstance(each, str) and len(each) > 1), None)
        if longer is not None:
            warnings.warn(
                f"X has the token {shown(longer)}, but training had single characters; the model does not know it: "
                "pass strings, or train on such tokens.",
                stacklevel=stacklevel,
            )

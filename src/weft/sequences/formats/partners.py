"""Structures as tables of partners: what CT and bpseq files share."""

from __future__ import annotations

from weft.errors import InputError
from weft.sequences.formats.dotbracket import FoldedSequence

__all__ = ["brackets", "folded"]

LEVELS = ("()", "[]", "{}", "<>")


def brackets(partners: list[int]) -> str:
    """Dot-bracket string of partners numbered from 1, 0 for none; pairs that cross get other brackets.

    Examples
    --------
    >>> brackets([5, 0, 0, 0, 1]), brackets([3, 4, 1, 2])
    ('(...)', '([)]')
    """
    structure = ["."] * len(partners)
    levels: list[list[int]] = [[] for _ in LEVELS]  # right ends that are open, the innermost last
    for place, partner in enumerate(partners, start=1):
        if partner > place:
            level = next((n for n, ends in enumerate(levels) if not ends or partner < ends[-1]), None)
            if level is None:
                raise InputError("pairs cross more than three times; at most four kinds of brackets can show them")
            levels[level].append(partner)
            opening, closing = tuple(LEVELS[level])
            structure[place - 1], structure[partner - 1] = opening, closing
        elif partner:
            for ends in levels:
                if ends and ends[-1] == place:
                    ends.pop()
                    break
    return "".join(structure)


def folded(name: str, rows: list[tuple[int, str, int]], where: str) -> FoldedSequence:
    """A folded sequence of rows (line number, letter, partner), or an error that names the row.

    Examples
    --------
    >>> folded("x", [(1, "G", 3), (2, "A", 0), (3, "C", 1)], "x.ct")
    FoldedSequence(name='x', sequence='GAC', structure='(.)', energy=None)
    """
    partners = [partner for _, _, partner in rows]
    for place, (number, _, partner) in enumerate(rows, start=1):
        if not 0 <= partner <= len(rows) or partner == place:
            raise InputError(
                f"{where}, line {number}: base {place} pairs with {partner}; need 0 or another base from 1 to "
                f"{len(rows)}: fix it"
            )
        if partner and partners[partner - 1] != place:
            raise InputError(
                f"{where}, line {number}: base {place} pairs with {partner}, but {partner} with "
                f"{partners[partner - 1]}; both must name each other: fix one"
            )
    try:
        structure = brackets(partners)
    except InputError as error:
        raise InputError(f"{where}, line {rows[0][0]}: {error}") from None
    return FoldedSequence(name, "".join(letter for _, letter, _ in rows), structure)

"""Dot-bracket files: an optional ``>name``, a sequence, its structure and an optional energy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import FASTQ, Source, Target, name_of, read_lines, write_lines

__all__ = ["FoldedSequence", "base_pairs", "iter_dot_bracket", "read_dot_bracket", "write_dot_bracket"]

OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}
STRUCTURE = re.compile(r"[.()\[\]{}<>]+")
BLANKS = " \t"


class FoldedSequence(NamedTuple):
    """A sequence with its structure; `name` is empty and `energy` None where the file gives none."""

    name: str
    sequence: str
    structure: str
    energy: float | None = None


def base_pairs(structure: str) -> list[tuple[int, int]]:
    """Positions of the pairs of a dot-bracket string, in the order of their left ends.

    Each kind of bracket ``() [] {} <>`` must be balanced; different kinds may cross (pseudoknots).

    Parameters
    ----------
    structure : str

    Returns
    -------
    list of (int, int)

    Raises
    ------
    InputError
        When a bracket has no partner or a character is neither bracket nor dot.

    Examples
    --------
    >>> base_pairs("((.[))]")
    [(0, 5), (1, 4), (3, 6)]
    """
    open_at: dict[str, list[int]] = {bracket: [] for bracket in OPENING.values()}
    pairs = []
    for position, character in enumerate(structure):
        if character in open_at:
            open_at[character].append(position)
        elif character in OPENING:
            waiting = open_at[OPENING[character]]
            if not waiting:
                raise InputError(f"{character!r} at position {position} closes nothing; balance the brackets")
            pairs.append((waiting.pop(), position))
        elif character != ".":
            raise InputError(f"{character!r} at position {position} of the structure; use only . () [] {{}} <>")
    for bracket, waiting in open_at.items():
        if waiting:
            raise InputError(f"{bracket!r} at position {waiting[-1]} is never closed; balance the brackets")
    return sorted(pairs)


def iter_dot_bracket(source: Source) -> Iterator[FoldedSequence]:
    r"""Yield the records of a dot-bracket file; blank lines are skipped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    FoldedSequence

    Examples
    --------
    >>> import io
    >>> list(iter_dot_bracket(io.StringIO(">hairpin\nGGAAACC\n((...)) (-1.20)\n")))
    [FoldedSequence(name='hairpin', sequence='GGAAACC', structure='((...))', energy=-1.2)]
    """
    name: str | None = None
    sequence: str | None = None
    number = 0
    for number, line in read_lines(source):
        where = f"{name_of(source)}, line {number}"
        line = line.strip(BLANKS)
        if not line:
            continue
        if sequence is not None:
            structure, energy = _parse_structure(line, where)
            _check(sequence, structure, where)
            yield FoldedSequence(name or "", sequence, structure, energy)
            name = sequence = None
        elif line.startswith(">") and name is None:
            name = line[1:].strip(BLANKS)
        else:
            _check_sequence(line, where)
            sequence = line
    if name is not None or sequence is not None:
        missing = "sequence" if sequence is None else "structure"
        raise InputError(f"{name_of(source)}, line {number}: the file ends where a {missing} was needed; add its line")


def _parse_structure(line: str, where: str) -> tuple[str, float | None]:
    structure, blank, rest = line.replace("\t", " ").partition(" ")
    if not blank:
        return structure, None
    text = rest.strip(" ").removeprefix("(").removesuffix(")").strip(" ")
    if not text or any(mark in text for mark in " ()"):
        raise InputError(f"{where}: {line[:30]!r}, needed a structure and at most an energy in brackets; fix it")
    try:
        energy = float(text)
    except ValueError:
        energy = math.nan
    if not math.isfinite(energy):
        raise InputError(f"{where}: energy {text[:30]!r}, needed a finite number such as (-3.40); fix or drop it")
    return structure, energy


def _check_sequence(sequence: str, where: str) -> None:
    if sequence.startswith("@"):
        raise InputError(f"{where}: {FASTQ}")
    if not sequence or sequence.startswith(">") or " " in sequence or "\t" in sequence:
        raise InputError(f"{where}: {sequence[:30]!r}, needed a sequence on one line without blanks; fix it")
    if STRUCTURE.fullmatch(sequence):
        raise InputError(f"{where}: a structure, needed a sequence; put the sequence on the line before it")


def _check(sequence: str, structure: str, where: str) -> None:
    if len(sequence) != len(structure):
        raise InputError(
            f"{where}: structure of length {len(structure)} for a sequence of length {len(sequence)}; "
            f"give one character for each letter"
        )
    try:
        base_pairs(structure)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def read_dot_bracket(source: Source) -> list[FoldedSequence]:
    r"""All records of a dot-bracket file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FoldedSequence

    Examples
    --------
    >>> import io
    >>> [record.structure for record in read_dot_bracket(io.StringIO("GGAAACC\n((...))\n"))]
    ['((...))']
    """
    return list(iter_dot_bracket(source))


def write_dot_bracket(records: Iterable[FoldedSequence], target: Target) -> None:
    """Write sequences with their structures.

    Parameters
    ----------
    records : iterable of FoldedSequence
    target : path, "-" for standard output, or an open text stream

    Examples
    --------
    >>> write_dot_bracket([FoldedSequence("hairpin", "GGAAACC", "((...))", -1.2)], "-")
    >hairpin
    GGAAACC
    ((...)) (-1.2)
    """
    write_lines(_format(records, name_of(target)), target)


def _format(records: Iterable[FoldedSequence], file: str) -> Iterator[str]:
    for index, record in enumerate(records):
        where = f"{file}, record {index} to write"
        _check_sequence(record.sequence, where)
        _check(record.sequence, record.structure, where)
        name = record.name.strip(BLANKS)
        if name:
            yield ">" + name
        yield record.sequence
        if record.energy is None:
            yield record.structure
        elif math.isfinite(record.energy):
            yield f"{record.structure} ({float(record.energy)!r})"
        else:
            raise InputError(f"{where}: energy {record.energy}, needed a finite number or None; fix it")

"""Where in a file examples begin, and errors of estimators in the words of the command line: where, which option."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.kinds.base import Kind

SEVERAL_LINES = frozenset({"conll", "crfsuite", "fasta", "fastq", "stockholm", "dotbracket", "ct", "bpseq"})
"""Formats whose examples are of several lines."""
LOOKING_AHEAD = frozenset({"fasta", "bpseq"})
"""Of these, those that tell where an example ends by where the next one begins."""


def noted(
    kind: Kind, source: Source, file_format: Any, labelled: bool, examples: Iterable[Any] | None = None
) -> Iterator[Any]:
    """Examples as they are read, or those given; where each begins is noted, for messages."""
    kind.lines_of = {}
    last, is_known = 0, True
    given = kind.iter_examples(source, file_format, labelled) if examples is None else examples
    for number, example in enumerate(given):
        begins = getattr(example, "line", None)
        if begins is not None:
            kind.lines_of[number] = begins
            yield example
            continue
        line = getattr(source, "line", last)
        is_known = is_known and line > last
        if is_known:
            ahead = file_format in LOOKING_AHEAD and last > 0
            kind.lines_of[number] = last + (not ahead) if file_format in SEVERAL_LINES else line
        else:  # a reader that does not go line by line
            kind.lines_of = {}
        last = line
        yield example


@contextmanager
def located(
    kind: Kind, examples: Sequence[Any], first: int | Sequence[int] = 0, command: str = " of weft train"
) -> Iterator[None]:
    """Errors and warnings of estimators say where in the file, and which option of the `command` is meant."""

    def in_words(said: Any) -> InputError:
        names = list(map(kind.name_of_example, examples))
        return in_file(said, name_of(kind.file), kind.one, names, first, command, kind.lines_of)

    try:
        with warnings.catch_warnings(record=True) as notes:
            yield
    except InputError as error:
        raise in_words(error) from None
    finally:
        for note in notes:
            is_text = type(note.message) is UserWarning  # others may hold more than their text
            warnings.warn(str(in_words(note.message)) if is_text else note.message, note.category, stacklevel=2)


def in_file(
    error: InputError,
    file: str,
    what: str,
    names: Sequence[str],
    first: int | Sequence[int] = 0,
    command: str = "",
    lines: Mapping[int, int] | None = None,
) -> InputError:
    """Say where in the file ``X[3]`` and ``y[3]`` of an error are, and options as the command line has them.

    Parameters
    ----------
    error : InputError
    file : str
    what : str
        What an entry is called.
    names : sequence of str
        Of the entries; may be empty strings.
    first : int or sequence of int
        Entries of the file before these; or before each one of them.
    command : str
        Said after an option.
    lines : mapping of int to int, optional
        Line in which each entry of the file begins, as far as it is known.

    Examples
    --------
    >>> in_file(InputError("X[0] has 'N'; use unknown='unpaired'."), "rna.fa", "sequence", ["tRNA"], first=7)
    InputError("rna.fa, sequence 8 (tRNA) has 'N'; use --unknown unpaired.")
    """

    def place(match: re.Match[str]) -> str:
        index = int(match[1])
        name = names[index] if index < len(names) else ""
        before = first + index if isinstance(first, int) else first[index]
        line = "" if lines is None or before not in lines else f", line {lines[before]}"
        return f"{file}{line}, {what} {before + 1}" + (f" ({name})" if name else "")

    text = re.sub(r"\b[Xy]\[(\d+)\]", place, str(error))
    text = re.sub(r"\bof X\b", lambda match: f"of {file}", text)
    text = re.sub(r"\b(\w+)='(\w+)'", lambda match: f"--{match[1].replace('_', '-')} {match[2]}{command}", text)
    return InputError(text)

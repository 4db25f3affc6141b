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


NAMES = re.compile(
    r"""(?P<quoted>(?<!\w)(?P<mark>['"])(?:\\.|(?!(?P=mark)).)*(?P=mark))"""
    r"""|\b(?P<dev>[Xy]_dev)\b(?:\[(?P<held>\d+)\])?"""
    r"""|(?<![\w.(\[=])[Xy](?:\[(?P<index>\d+)\]|(?![\w)\]\[=(]|\.\w))"""
)
"""What messages call data, and what stands in quotes."""


@contextmanager
def located(
    kind: Kind,
    examples: Sequence[Any],
    first: int | Sequence[int] = 0,
    command: str = " of weft train",
    is_fold: bool = False,
) -> Iterator[None]:
    """Errors and warnings of estimators say where in the file, and which option of the `command` is meant."""

    def in_words(said: Any) -> InputError:
        names = list(map(kind.name_of_example, examples))
        for advice, own in kind.advice.items():
            said = InputError(str(said).replace(advice, own))
        return in_file(said, name_of(kind.file), kind.one, names, first, command, kind.lines_of, is_fold)

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
    is_fold: bool = False,
) -> InputError:
    """Say where in the file ``X[3]`` and ``y[3]`` of an error are, and options as the command line has them.

    Other X and y, outside of quotes, are the file; those of held-out data are said to be so.

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
    is_fold : bool
        Whether the entries are a part of the file, which X and y then are.

    Examples
    --------
    >>> in_file(InputError("X[0] has 'N'; use unknown='unpaired'."), "rna.fa", "sequence", ["tRNA"], first=7)
    InputError("rna.fa, sequence 8 (tRNA) has 'N'; use --unknown unpaired.")
    >>> in_file(InputError("y has one class only, 'y'; fix y, or use unknown='copy' or 'drop'."), "a.tsv", "text", [])
    InputError("a.tsv has one class only, 'y'; fix a.tsv, or use --unknown copy or drop.")
    """
    part = f"a fold of {file}" if is_fold else file

    def place(match: re.Match[str]) -> str:
        if match["quoted"]:
            return match[0]
        if match["dev"]:
            return f"held-out {what} {int(match['held']) + 1}" if match["held"] else "the held-out data"
        if not match["index"]:
            return part
        index = int(match["index"])
        name = names[index] if index < len(names) else ""
        before = first + index if isinstance(first, int) else first[index]
        line = "" if lines is None or before not in lines else f", line {lines[before]}"
        return f"{file}{line}, {what} {before + 1}" + (f" ({name})" if name else "")

    def option(match: re.Match[str]) -> str:
        return f"--{match[1].replace('_', '-')} {match[2]}{' or ' + match[3] if match[3] else ''}{command}"

    text = re.sub(r"\b(\w+)='(\w+)'(?: or '(\w+)')?", option, str(error))
    return InputError(NAMES.sub(place, text))

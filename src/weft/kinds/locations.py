"""Errors of estimators in the words of the command line: where in the file, and which option."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from weft.errors import InputError


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

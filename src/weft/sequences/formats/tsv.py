"""Tab-separated text: tables, and pairs of an input and its reference outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, refuse_header, write_lines

__all__ = [
    "PairsFile",
    "Sequential",
    "Tokens",
    "iter_pairs",
    "iter_table",
    "numbered_rows",
    "read_pairs",
    "write_pairs",
]

Sequential = str | list[str]
Tokens = Literal["characters", "blanks"] | None


def iter_table(source: Source, columns: Sequence[str], header: bool = False) -> Iterator[list[str]]:
    r"""Rows of a tab-separated table whose columns are known; blank lines are skipped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    columns : sequence of str
        Names of the columns: every line must have one field for each.
    header : bool
        Whether the first line must repeat the names.

    Yields
    ------
    list of str

    Examples
    --------
    >>> import io
    >>> list(iter_table(io.StringIO("id\tsequence\nx\tACGU\n"), ["id", "sequence"], header=True))
    [['x', 'ACGU']]
    """
    return (row for _, row in numbered_rows(source, columns, header))


def numbered_rows(source: Source, columns: Sequence[str], header: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Rows as `iter_table` gives them, each with its line."""
    wanted = ", ".join(columns)
    for number, line in read_lines(source):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != len(columns):
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s), needed {len(columns)} "
                f"separated by tabs ({wanted}); fix the line"
            )
        if number == 1 and not header:
            refuse_header(fields, f"{name_of(source)}, line 1")
        if header:
            header = False
            if fields != list(columns):
                raise InputError(
                    f"{name_of(source)}, line {number}: header {', '.join(fields)}, needed {wanted}; "
                    f"give the file with these columns"
                )
            continue
        yield number, fields


@dataclass(frozen=True)
class PairsFile:
    """Inputs and, for each, one or more reference outputs.

    Examples
    --------
    >>> PairsFile(inputs=["ABS"], references=[["AE B Z", "EY B IY EH S"]]).outputs
    ['AE B Z']
    """

    inputs: list[Sequential]
    references: list[list[Sequential]]

    @property
    def outputs(self) -> list[Sequential]:
        """The first reference of each input."""
        return [references[0] for references in self.references]


def iter_pairs(
    source: Source, input_tokens: Tokens = None, output_tokens: Tokens = None
) -> Iterator[tuple[Sequential, list[Sequential]]]:
    r"""Yield pairs of an input and its references: input, tab, output, and perhaps more tabs and outputs.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    input_tokens, output_tokens : {None, "characters", "blanks"}
        Keep the text as it is, or split it into its characters or at blanks.

    Yields
    ------
    (input, list of references)

    Examples
    --------
    >>> import io
    >>> list(iter_pairs(io.StringIO("ABS\tAE B Z\tEY B IY EH S\n"), output_tokens="blanks"))
    [('ABS', [['AE', 'B', 'Z'], ['EY', 'B', 'IY', 'EH', 'S']])]
    """
    for tokens in (input_tokens, output_tokens):
        if tokens not in (None, "characters", "blanks"):
            raise InputError(f"tokens={tokens!r}; choose None, 'characters' or 'blanks'")
    for number, line in read_lines(source):
        if not line:
            continue
        first, *others = line.split("\t")
        if not others:
            raise InputError(
                f"{name_of(source)}, line {number}: 1 column, needed at least 2 (input, tab, output); "
                f"add the output, and separate by a tab, not by blanks"
            )
        if number == 1:
            refuse_header([first, *others], f"{name_of(source)}, line 1")
        yield _split(first, input_tokens), [_split(text, output_tokens) for text in others]


def _split(text: str, tokens: Tokens) -> Sequential:
    if tokens is None:
        return text
    return list(text) if tokens == "characters" else [token for token in text.split(" ") if token]


def read_pairs(source: Source, input_tokens: Tokens = None, output_tokens: Tokens = None) -> PairsFile:
    r"""All pairs of a file; see `iter_pairs` for the rules.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    input_tokens, output_tokens : {None, "characters", "blanks"}

    Returns
    -------
    PairsFile

    Examples
    --------
    >>> import io
    >>> read_pairs(io.StringIO("sang\tsing\nwent\tgo\n")).outputs
    ['sing', 'go']
    """
    pairs = list(iter_pairs(source, input_tokens, output_tokens))
    return PairsFile([first for first, _ in pairs], [references for _, references in pairs])


def write_pairs(
    pairs: Iterable[tuple[str | Sequence[str], Sequence[str | Sequence[str]]]],
    target: Target,
    input_tokens: Tokens = None,
    output_tokens: Tokens = None,
) -> None:
    r"""Write pairs of an input and its references, one per line.

    Parameters
    ----------
    pairs : iterable of (input, references)
        Strings, or lists of tokens that are joined as `input_tokens` and `output_tokens` say.
    target : path, "-" for standard output, or an open text stream
    input_tokens, output_tokens : {None, "characters", "blanks"}

    Examples
    --------
    >>> write_pairs([("GO", [["G", "OW"]])], "-", output_tokens="blanks")
    GO	G OW
    """
    write_lines(_format(pairs, name_of(target), input_tokens, output_tokens), target)


def _format(
    pairs: Iterable[tuple[str | Sequence[str], Sequence[str | Sequence[str]]]],
    name: str,
    input_tokens: Tokens,
    output_tokens: Tokens,
) -> Iterator[str]:
    for index, (first, references) in enumerate(pairs):
        where = f"{name}, pair {index} to write"
        if isinstance(references, str) or not references:
            raise InputError(f"{where}: references {references!r}; give a list of at least one output")
        fields = [_join(first, input_tokens, where)]
        fields += [_join(reference, output_tokens, where) for reference in references]
        yield "\t".join(fields)


def _join(sequence: str | Sequence[str], tokens: Tokens, where: str) -> str:
    if isinstance(sequence, str):
        text = sequence
    elif tokens is None:
        raise InputError(f"{where}: a list of tokens; say how to join them: tokens 'characters' or 'blanks'")
    elif tokens == "characters":
        text = "".join(sequence)
        if len(text) != len(sequence):
            raise InputError(f"{where}: {sequence!r} has tokens longer than a character; join them by blanks")
    else:
        text = " ".join(sequence)
        if any(not token or " " in token for token in sequence):
            raise InputError(f"{where}: {sequence!r} has a token that is empty or contains a blank; replace it")
    if "\t" in text:
        raise InputError(f"{where}: {text!r} contains a tab, which separates columns; replace it")
    return text

"""CoNLL columns: one token per line, its attributes in columns, a blank line between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, refuse_header, write_lines

__all__ = ["ConllFile", "ConllSentence", "iter_conll", "read_conll", "write_conll"]

DOCUMENT_START = "-DOCSTART-"
BLANKS = " \t"
COMMENT = re.compile(r"# [^\s=]+ ?=|# new(doc|par)\b")
"""A comment of CoNLL-U, such as ``# sent_id = 7`` or ``# newpar``."""


NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")
"""Number of a line of CoNLL-U that is no word of the tree: several words written as one, or one that is not written."""
N_CONLLU, HEAD = 10, slice(6, 8)


class ConllSentence(NamedTuple):
    """One sentence: a row of attributes per token, and a label per token if there is a label column."""

    rows: list[list[str]]
    labels: list[str] | None


class WrittenSentence(NamedTuple):
    """A sentence, and what a file has beside its tokens.

    Attributes
    ----------
    rows, labels
        As in `ConllSentence`.
    others : list of (int, str)
        Comments and lines of CoNLL-U that are no words, each with the number of tokens before it.
    has_tabs : bool
        Whether tabs part the columns of its first token.
    """

    rows: list[list[str]]
    labels: list[str] | None
    others: list[tuple[int, str]]
    has_tabs: bool


@dataclass(frozen=True)
class ConllFile:
    """All sentences of a file of columns.

    Attributes
    ----------
    rows : list of sentences, each a list of tokens, each a list of its attributes
    labels : list of lists of str, or None when no label column was asked for

    Examples
    --------
    >>> file = ConllFile(rows=[[["Rain", "NN"], ["fell", "VBD"]]], labels=[["B-NP", "B-VP"]])
    >>> file.tokens, file.column(1)
    ([['Rain', 'fell']], [['NN', 'VBD']])
    """

    rows: list[list[list[str]]]
    labels: list[list[str]] | None

    @property
    def tokens(self) -> list[list[str]]:
        """The first attribute of every token."""
        return self.column(0)

    def column(self, index: int) -> list[list[str]]:
        """One attribute of every token.

        Examples
        --------
        >>> ConllFile(rows=[[["Rain", "NN"]]], labels=None).column(-1)
        [['NN']]
        """
        return [[row[index] for row in sentence] for sentence in self.rows]


def iter_conll(
    source: Source, columns: Sequence[int] | None = None, label_column: int | None = -1
) -> Iterator[ConllSentence]:
    r"""Sentences of a file of columns, one at a time.

    A line with a tab is split at tabs (so that tokens may contain blanks), others at runs of blanks. A line
    whose first column is ``-DOCSTART-`` ends the sentence before it and is dropped. So are comments before the first
    token of a sentence: ``# name = value``, ``# newdoc``, ``# newpar``, and other text after ``# `` that has more
    words than a token has columns; and lines of CoNLL-U that are no words, numbered ``1-2`` (two words written as one)
    or ``2.1`` (one that is not written). Every other line must have as many columns as the first one.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    columns : sequence of int, optional
        Columns that become the attributes, counted from 0, or from -1 at the right. None takes all but the
        label column.
    label_column : int or None
        Column of the labels; None reads a file without labels.

    Yields
    ------
    ConllSentence

    Examples
    --------
    >>> import io
    >>> next(iter_conll(io.StringIO("Rain NN B-NP\n\nIt PRP B-NP\n")))
    ConllSentence(rows=[['Rain', 'NN']], labels=['B-NP'])
    """
    for rows, labels, _, _ in iter_written(source, columns, label_column):
        yield ConllSentence(rows, labels)


def iter_written(
    source: Source, columns: Sequence[int] | None = None, label_column: int | None = -1
) -> Iterator[WrittenSentence]:
    r"""As `iter_conll`, with the lines that are no tokens, so that they can be written again.

    Examples
    --------
    >>> import io
    >>> next(iter_written(io.StringIO("# sent_id = 7\nRain\tB-NP\n")))
    WrittenSentence(rows=[['Rain']], labels=['B-NP'], others=[(0, '# sent_id = 7')], has_tabs=True)
    """
    rows: list[list[str]] = []
    labels: list[str] = []
    others: list[tuple[int, str]] = []
    has_tabs = False
    selector: _Columns | None = None
    name = name_of(source)
    for number, line in read_lines(source):
        fields = line.split("\t") if "\t" in line else [field for field in line.split(" ") if field]
        if not line.strip(BLANKS) or fields[0] == DOCUMENT_START:
            if rows:
                yield WrittenSentence(rows, labels if label_column is not None else None, others, has_tabs)
                rows, labels, others = [], [], []
            continue
        if not rows and line[0] == "#" and _is_comment(line, fields, selector):
            others.append((0, line))
            continue
        if selector is None:
            refuse_header(fields, f"{name}, line {number}")
            selector = _choose_columns(len(fields), columns, label_column, name, number)
        width, attributes, label = selector
        # The careful look is slow, and only lines with blanks or empty fields need it.
        if len(fields) != width or "" in fields or " " in line:
            _check_fields(fields, width, name, number)
        if width == N_CONLLU and fields[HEAD] == ["_", "_"] and NO_WORD.fullmatch(fields[0]):
            others.append((len(rows), line))
            continue
        if not rows:
            has_tabs = "\t" in line
        rows.append([fields[index] for index in attributes])
        if label is not None:
            labels.append(fields[label])
    if rows:
        yield WrittenSentence(rows, labels if label_column is not None else None, others, has_tabs)


class _Columns(NamedTuple):
    """Where to find attributes and label among `width` columns."""

    width: int
    attributes: list[int]
    label: int | None


def _is_comment(line: str, fields: list[str], selector: _Columns | None) -> bool:
    """Whether a line that begins with a number sign is no token; a row of columns with a tab always is one."""
    if "\t" in line and (selector is None or len(fields) == selector.width):
        return False
    too_many = selector is not None and line.startswith("# ") and len(fields) > selector.width
    return too_many or COMMENT.match(line) is not None


def _choose_columns(
    width: int, columns: Sequence[int] | None, label_column: int | None, name: str, number: int
) -> _Columns:
    wanted = list(columns or []) + ([] if label_column is None else [label_column])
    for column in wanted:
        if not -width <= column < width:
            least = column + 1 if column >= 0 else -column
            raise InputError(
                f"{name}, line {number}: {width} column(s), needed at least {least}; add the column or choose another"
            )
    label = None if label_column is None else label_column % width
    if columns is None:
        attributes = [index for index in range(width) if index != label]
    else:
        attributes = [column % width for column in columns]
    if not attributes:
        raise InputError(
            f"{name}, line {number}: {width} column(s), needed at least one attribute beside the label; "
            f"add the column, or read without labels (label_column=None)"
        )
    return _Columns(width, attributes, label)


def _check_fields(fields: list[str], width: int, name: str, number: int) -> None:
    if len(fields) != width:
        raise InputError(
            f"{name}, line {number}: {len(fields)} column(s), needed {width} as on the lines before; a line has one "
            f"token (in tsv files a sentence): fill the missing ones with _ or fix the line"
        )
    for index, field in enumerate(fields):
        if not field.strip(BLANKS):
            raise InputError(f"{name}, line {number}: column {index} of {width} is empty; fill it with _")


def read_conll(source: Source, columns: Sequence[int] | None = None, label_column: int | None = -1) -> ConllFile:
    r"""All sentences of a file of columns; see `iter_conll` for the rules.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    columns : sequence of int, optional
        Columns that become the attributes; all but the label column if None.
    label_column : int or None
        Column of the labels; None reads a file without labels.

    Returns
    -------
    ConllFile
        Its `rows` and `labels` are X and y for a tagger.

    Examples
    --------
    >>> import io
    >>> file = read_conll(io.StringIO("Rain\tNN\tB-NP\nfell\tVBD\tB-VP\n"))
    >>> file.rows, file.labels
    ([[['Rain', 'NN'], ['fell', 'VBD']]], [['B-NP', 'B-VP']])
    """
    sentences = list(iter_conll(source, columns, label_column))
    labels = None if label_column is None else [sentence.labels or [] for sentence in sentences]
    return ConllFile([sentence.rows for sentence in sentences], labels)


def write_conll(
    sentences: Iterable[Sequence[str | Sequence[str]]],
    target: Target,
    labels: Iterable[Sequence[str]] | None = None,
) -> None:
    """Write sentences as tab-separated columns, with a blank line after each.

    Parameters
    ----------
    sentences : iterable of sentences
        Each token is a string or a list of attributes. A generator is written as it goes.
    target : path, "-" for standard output, or an open text stream
    labels : iterable of label sequences, optional
        Written as the last column.

    Examples
    --------
    >>> write_conll([["Rain", "fell"]], "-", labels=[["B-NP", "B-VP"]])
    Rain	B-NP
    fell	B-VP
    <BLANKLINE>
    """
    write_lines(_format(sentences, labels, name_of(target)), target)


def _format(
    sentences: Iterable[Sequence[str | Sequence[str]]], labels: Iterable[Sequence[str]] | None, name: str
) -> Iterator[str]:
    label_source = None if labels is None else iter(labels)
    width = 0
    for index, sentence in enumerate(sentences):
        where = f"{name}, sentence {index} to write"
        rows = [[token] if isinstance(token, str) else list(token) for token in sentence]
        if not rows:
            raise InputError(f"{where}: no tokens, and a file of columns cannot hold that; drop the sentence")
        if label_source is not None:
            tags = next(label_source, [])
            if len(tags) != len(rows):
                raise InputError(f"{where}: {len(rows)} token(s) and {len(tags)} label(s); give one label each")
            rows = [[*row, tag] for row, tag in zip(rows, tags, strict=True)]
        width = width or len(rows[0])
        for row in rows:
            yield _format_row(row, width, where)
        yield ""
    if label_source is not None and next(label_source, None) is not None:
        raise InputError(f"{name}: more label sequences than sentences to write; give one for each sentence")


def _format_row(row: list[str], width: int, where: str) -> str:
    if len(row) != width:
        raise InputError(f"{where}: {len(row)} column(s) after {width}; give each token equally many")
    if row[0] == DOCUMENT_START:
        raise InputError(f"{where}: token {DOCUMENT_START} marks a new document when read; replace it")
    for field in row:
        # A single column has no tab to protect its blanks.
        if "\t" in field or not field.strip(" ") or (width == 1 and " " in field):
            raise InputError(f"{where}: {field!r} is empty or contains a column separator; put _ in its place")
    return "\t".join(row)

"""Labelled sequences in files: columns, attributes, JSON lines or pairs, and what a model remembers of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from itertools import islice
from typing import Any, Literal

from weft.errors import InputError
from weft.kinds.texts import SUFFIXES as TEXT_SUFFIXES
from weft.kinds.texts import renamed_keys
from weft.sequences.formats.conll import WrittenSentence, iter_conll, iter_written
from weft.sequences.formats.crfsuite import iter_crfsuite
from weft.sequences.formats.jsonl import numbered_objects
from weft.sequences.formats.table import iter_rows, numbered_columns
from weft.sequences.formats.text import MANY_LABELS, NamedBytes, Source, first_label_alone, name_of, read_lines

__all__ = [
    "SUFFIXES",
    "Example",
    "Layout",
    "TagFormat",
    "as_tokens",
    "doubt_columns",
    "format_inside",
    "iter_attributes",
    "iter_fields",
    "iter_objects",
    "iter_sentences",
    "join_tokens",
    "read_training",
    "split_pair",
    "usual_splits",
]

Split = Literal["characters", "blanks"]

TagFormat = StrEnum("TagFormat", ["CONLL", "CRFSUITE", "JSONL", "TSV", "CSV", "FASTTEXT"])
"""Formats of tokens; what fastText reads has none, and is refused by name."""

SUFFIXES = {**{suffix: TagFormat(str(each)) for suffix, each in TEXT_SUFFIXES.items()}, ".crfsuite": TagFormat.CRFSUITE}

LINES_TO_LOOK_AT = 1000
MOST_COLUMNS = 2
"""So many fields after the first, with = in each of them, may be columns: a word and its features."""


@dataclass(frozen=True)
class Layout:
    """How the training file was laid out: saved with the model, so that other layouts are noticed.

    Attributes
    ----------
    format : str
    columns : int or None
        Columns of a token beside its label; None where tokens are no rows of strings.
    input_split, label_split : {"characters", "blanks"} or None
        How the two fields of pairs are split, and how those of a table are where training had columns or objects.

    Examples
    --------
    >>> Layout.from_facts(Layout("conll", columns=2).to_facts())
    Layout(format='conll', columns=2, input_split=None, label_split=None)
    """

    format: str
    columns: int | None = None
    input_split: Split | None = None
    label_split: Split | None = None

    def to_facts(self) -> dict[str, Any]:
        """Plain values for the model file."""
        return asdict(self)

    @staticmethod
    def from_facts(facts: Any) -> Layout | None:
        """Read the facts of a model file back; None if there are none."""
        if not isinstance(facts, dict) or "format" not in facts:
            return None
        if not isinstance(facts.get("columns"), int):
            facts = {**facts, "columns": None}
        return Layout(**{field.name: facts.get(field.name) for field in fields(Layout)})


@dataclass(frozen=True)
class Example:
    """One sequence of a file.

    Attributes
    ----------
    tokens : sequence
        In the form that a tagger takes.
    labels : list or None
    raw : rows, object or text of the file, to be written back
    weight : float
        How often it counts for learning.
    line : int or None
        Where it begins, if the reader says so.
    others : sequence of (int, str)
        Lines of a file of columns that are no tokens, each with the number of tokens before it.
    has_tabs : bool
        Whether tabs part the columns of a file of columns.
    """

    tokens: Any
    labels: list[Any] | None
    raw: Any
    weight: float = 1.0
    line: int | None = None
    others: Sequence[tuple[int, str]] = field(default=(), repr=False)
    has_tabs: bool = field(default=False, repr=False)


def read_training(
    path: Source, file_format: TagFormat, columns: Sequence[str] | None = None
) -> tuple[list[Example], Layout]:
    """All sequences of a file with their labels, and the layout to remember."""
    name = name_of(path)
    if file_format == TagFormat.CONLL:
        places = _places(columns)
        sentences = list(iter_conll(path) if places is None else iter_conll(path, places[:-1], places[-1]))
        examples = [Example(as_tokens(rows), labels, rows) for rows, labels in sentences]
        splits = usual_splits([[row[0] for row in each.raw] for each in examples], examples)
        layout = Layout(file_format, len(sentences[0].rows[0]) if sentences else None, *splits)
        doubt_columns([row[0] for each in examples for row in each.raw], examples, name)
    elif file_format == TagFormat.CRFSUITE:
        examples, layout = list(iter_attributes(path, columns)), Layout(file_format)
    elif file_format == TagFormat.JSONL:
        examples = list(iter_objects(path, Layout(file_format), labelled=True, columns=columns))
        width = _common_width(examples)
        splits = usual_splits([each.raw["tokens"] for each in examples], examples) if width == 1 else (None, None)
        layout = Layout(file_format, width, *splits)
    else:
        pairs = list(iter_fields(path, file_format == TagFormat.CSV, columns))
        layout = Layout(
            file_format,
            columns=1,
            input_split="blanks" if any(" " in fields[0] for _, fields in pairs) else "characters",
            label_split="blanks" if any(" " in fields[1] for _, fields in pairs if len(fields) > 1) else "characters",
        )
        comma = file_format == TagFormat.CSV
        examples = [split_pair(fields, layout, f"{name}, line {number}", True, comma) for number, fields in pairs]
    if not examples:
        raise InputError(f"{name} holds no sequences; give a {file_format} file with at least one.")
    return examples, layout


def usual_splits(
    sequences: Iterable[Sequence[str | list[str]]], examples: list[Example]
) -> tuple[Split | None, Split | None]:
    """How lines of a table become such tokens and labels: at blanks where one of them is longer than a character."""
    words = any(len(token if isinstance(token, str) else token[0]) > 1 for tokens in sequences for token in tokens)
    names = words or any(len(str(label)) > 1 for each in examples for label in each.labels or [])
    return "blanks" if words else "characters", "blanks" if names else "characters"


def doubt_columns(words: list[str], examples: list[Example], name: str) -> None:
    """Warn of a first line that looks like names of columns, and refuse words where labels are wanted.

    So many labels would take hours to learn, and nobody means them.
    """
    labels = [label for example in examples for label in example.labels or []]
    counts = Counter(labels)
    if labels and first_label_alone(counts, labels[0]):
        warnings.warn(
            f"{name}, line 1: label {labels[0][:40]!r} comes nowhere else; delete the line if it names the columns.",
            stacklevel=2,
        )
    n_words = len(set(words))
    n_once = sum(count == 1 for count in counts.values())
    if len(counts) > n_words and n_once > max(MANY_LABELS, len(counts) // 2):
        raise InputError(
            f"{name}, line 1: label {labels[0][:40]!r}; there are {len(counts):,} labels for {n_words:,} words, most "
            "of them once: the label comes last, so swap the columns, or say which with --columns."
        )


def as_tokens(rows: list[list[str]]) -> Any:
    """Rows of a token each, or its one column alone."""
    return [row[0] for row in rows] if len(rows[0]) == 1 else rows


# ------------------------------------------------------------------- columns


def _places(columns: Sequence[str] | None) -> list[int] | None:
    """Columns of a token by their numbers from 1, the label's last; they have no names."""
    places = numbered_columns(columns)
    if columns is not None and (places is None or len(places) < 2):
        raise InputError(
            f"--columns {','.join(columns)} given for a conll file; need numbers from 1, those of the token first and "
            "that of the label last: 1,4"
        )
    return places


def iter_sentences(
    source: Source, layout: Layout, labelled: bool, columns: Sequence[str] | None = None
) -> Iterator[Example]:
    r"""Sequences of a file of columns, for a model that was trained on `layout`; labels must be there if `labelled`.

    With `columns`, numbers from 1, the last one is the label's and the others are the token's.

    Examples
    --------
    >>> import io
    >>> list(iter_sentences(io.StringIO("Rain NN B-NP\n"), Layout("conll", columns=2), True))
    [Example(tokens=[['Rain', 'NN']], labels=['B-NP'], raw=[['Rain', 'NN', 'B-NP']], weight=1.0, line=None)]
    """
    places = _places(columns)
    for sentence in iter_written(source, label_column=None):
        rows, _, others, has_tabs = sentence
        width = len(rows[0])
        if places is not None:
            yield _chosen(sentence, places, layout, labelled, name_of(source))
            continue
        n_tokens = layout.columns or (width - 1 if labelled else width)
        has_labels = width == n_tokens + 1
        if n_tokens == 0 or not (has_labels or (width == n_tokens and not labelled)):
            n_needed = n_tokens or 1
            wanted = f"{n_needed + 1}: {n_needed} as in training and the label"
            if not labelled:
                wanted = f"{n_needed} as in training, or {n_needed + 1} with the label"
            first = ",".join(map(str, range(1, n_needed + 1)))
            fix = f"choose columns, such as --columns {first},{width}" if width > n_needed else "train a model on these"
            if not labelled and n_needed == 1:
                fix += ", or say --format tsv if a line has a sentence with blanks between its tokens"
            raise InputError(
                f"{name_of(source)} has {width} column(s), needed {wanted}; "
                f"give a file with the columns of the training data, or {fix}."
            )
        tokens = as_tokens([row[:-1] for row in rows] if has_labels else rows)
        labels = [row[-1] for row in rows] if has_labels else None
        yield Example(tokens, labels, rows, others=others, has_tabs=has_tabs)


def _chosen(sentence: WrittenSentence, places: list[int], layout: Layout, labelled: bool, name: str) -> Example:
    """A sequence of the columns that the user names; a label that is not there is needed by those who score."""
    rows, _, others, has_tabs = sentence
    width, given = len(rows[0]), ",".join(str(place + 1) for place in places)
    if layout.columns not in (None, len(places) - 1):
        raise InputError(
            f"--columns {given} has {len(places) - 1} column(s) of a token, needed {layout.columns} as in training, "
            "and the label's; name as many"
        )
    if max(places if labelled else places[:-1]) >= width:
        raise InputError(f"{name} has {width} column(s), but --columns {given} given; name those that are there")
    tokens = as_tokens([[row[place] for place in places[:-1]] for row in rows])
    labels = [row[places[-1]] for row in rows] if places[-1] < width else None
    return Example(tokens, labels, rows, others=others, has_tabs=has_tabs)


# ---------------------------------------------------------------- attributes


def iter_attributes(source: Source, columns: Sequence[str] | None = None) -> Iterator[Example]:
    r"""Sequences of a file of CRFsuite; a label is always there, be it the right one or not.

    Examples
    --------
    >>> import io
    >>> [example] = iter_attributes(io.StringIO("B-NP\tw=Rain\n"))
    >>> example.tokens, example.labels
    ([{'w=Rain': 1}], ['B-NP'])
    """
    if columns is not None:
        raise InputError(
            f"--columns {','.join(columns)} given for a crfsuite file, whose tokens have a label and attributes; leave "
            "it out, or say --format conll if they have columns"
        )
    for tokens, labels, weight in iter_crfsuite(source):
        yield Example(tokens, labels, {"tokens": tokens}, weight)


def format_inside(data: NamedBytes) -> TagFormat:
    r"""What a file holds whose name does not tell: attributes, columns, or pairs if no blank line parts sequences.

    Examples
    --------
    >>> format_inside(NamedBytes(b"B-NP\tw=Rain\nO\tw=.\tend=1\n", "x")), format_inside(NamedBytes(b"ab\txy\n", "x"))
    (<TagFormat.CRFSUITE: 'crfsuite'>, <TagFormat.TSV: 'tsv'>)
    """
    lines = [line for _, line in islice(read_lines(data), LINES_TO_LOOK_AT)]
    data.seek(0)
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("@")]
    attributes = [field for row in rows for field in row[1:] if field]
    # Names of attributes are free, but most people write name=value, and have not equally many of them.
    n_named = sum("=" in each for each in attributes)
    widths = {len(row) for row in rows}
    if 2 * n_named > len(attributes) and (len(widths) > 1 or n_named == len(attributes) > MOST_COLUMNS * len(rows)):
        return TagFormat.CRFSUITE
    return TagFormat.CONLL if "" in lines else TagFormat.TSV


# ---------------------------------------------------------------- JSON lines


def iter_objects(
    source: Source, layout: Layout, labelled: bool, columns: Sequence[str] | None = None
) -> Iterator[Example]:
    """The same of JSON lines."""
    names = ["tokens", "labels"]
    items = numbered_objects(source, names if labelled else names[:1], renamed_keys(names, columns), columns)
    for number, item in items:
        where = f"{name_of(source)}, line {number}"
        tokens, labels = item["tokens"], item.get("labels")
        if not isinstance(tokens, str | list) or not tokens:
            raise InputError(f'{where}: "tokens" is {str(tokens)[:40]!r}; give a string or a list, not empty.')
        if labels is not None and not (isinstance(labels, str | list) and len(labels) == len(tokens)):
            raise InputError(f'{where}: {len(tokens)} token(s), but "labels" is {str(labels)[:40]!r}; give one each.')
        if layout.columns is not None and (width := _row_width(tokens)) != layout.columns:
            raise InputError(
                f"{where}: tokens of {width or 'no'} column(s), needed {layout.columns} as in training; "
                "give the columns of the training data, or train a model on these."
            )
        yield Example(_json_sequence(tokens, where), None if labels is None else list(labels), item)


def _row_width(tokens: Any) -> int | None:
    """Columns of a token, None where tokens are no rows of strings."""
    first = tokens[0]
    if isinstance(first, str):
        return 1
    return len(first) if isinstance(first, list) and first and all(isinstance(each, str) for each in first) else None


def _common_width(examples: list[Example]) -> int | None:
    """Columns of every token of every sequence, None if they differ: those are attributes, not columns."""
    widths = {_row_width([token]) for example in examples for token in example.raw["tokens"]}
    return widths.pop() if len(widths) == 1 else None


def _json_sequence(tokens: Any, where: str) -> Any:
    """Lists of numbers become one array; all else is a sequence as it is."""
    if isinstance(tokens, str) or not (isinstance(tokens[0], list) and tokens[0]):
        return tokens
    if not all(isinstance(each, int | float) for each in tokens[0]):
        return tokens
    import numpy as np

    try:
        array = np.array(tokens, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.ndim != 2:
        raise InputError(f"{where}: its tokens are not lists of equally many numbers; give each token as many.")
    return array


# --------------------------------------------------------------------- pairs


def iter_fields(
    source: Source, comma: bool = False, columns: Sequence[str] | None = None, labelled: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line of a table."""
    return iter_rows(source, comma=comma, columns=columns, n_needed=2 if labelled else 1)


def split_pair(fields: list[str], layout: Layout, where: str, labelled: bool, comma: bool = False) -> Example:
    """Tokens, and perhaps labels, of one line."""
    if len(fields) > 2 or (labelled and len(fields) < 2):
        mark = "comma" if comma else "tab"
        wanted = f"2 (tokens, {mark}, labels)" if labelled else f"1 or 2 (tokens, and perhaps a {mark} and labels)"
        raise InputError(
            f"{where}: {len(fields)} column(s) separated by {mark}s, needed {wanted}, a sequence on each line; name "
            "them with --columns, or, if a line has a token, say which column tells its sequence: --group NAME."
        )
    tokens = _split(fields[0], layout.input_split)
    labels = _split(fields[1], layout.label_split) if len(fields) == 2 else None
    if not tokens or (labels is not None and len(labels) != len(tokens)):
        raise InputError(
            f"{where}: {len(tokens)} token(s) split at {layout.input_split or 'characters'} and "
            f"{len(labels or [])} label(s) split at {layout.label_split or 'characters'}; give one label per token, "
            "those of a sequence on one line, or, if a line has a token, the column that tells its sequence: --group "
            "NAME."
        )
    return Example(tokens, labels, fields)


def _split(text: str, split: Split | None) -> list[str]:
    return text.split() if split == "blanks" else list(text)


def join_tokens(tokens: list[str], split: Split | None) -> str:
    """Write tokens or labels as one field of a pair; with blanks between if one is longer than a character.

    Examples
    --------
    >>> join_tokens(["B", "I"], None), join_tokens(["AE", "B"], None)
    ('BI', 'AE B')
    """
    return ("" if split != "blanks" and all(len(token) == 1 for token in tokens) else " ").join(tokens)

"""Pairs of an input and one or several outputs, in tab-separated files, with or without a column of tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from weft.errors import InputError
from weft.kinds.rewrite.units import GivenUnits, SideUnits, check_has_blanks, check_units, split_at_blanks
from weft.sequences.formats.cmudict import iter_cmudict
from weft.sequences.formats.table import iter_rows
from weft.sequences.formats.text import Source, name_of


@dataclass(frozen=True)
class RewriteLayout:
    """How a file is laid out: which sides are tokens with blanks between them, and which column has tags.

    Tags are in the ``"second"`` column, before the outputs, in the ``"third"``, after the one output, as the shared
    tasks on inflection write them, or there are ``"none"``.
    """

    input_tokens: bool = False
    output_tokens: bool = False
    tags: str = "none"

    def read(self, text: str, tokens: bool) -> Any:
        """A side as a string or as a list of tokens."""
        return [token for token in text.split(" ") if token] if tokens else text


@dataclass(frozen=True)
class RewriteExample:
    """One line of a file."""

    input: Any
    tags: str | None
    outputs: list[Any]
    raw: list[str]


RewriteFormat = StrEnum("RewriteFormat", ["TSV", "CSV", "CMUDICT"])
"""Formats of pairs."""

SUFFIXES = {".tsv": RewriteFormat.TSV, ".csv": RewriteFormat.CSV, ".dict": RewriteFormat.CMUDICT}


def iter_rewrite_examples(
    source: Source,
    layout: RewriteLayout,
    labelled: bool,
    file_format: Any = RewriteFormat.TSV,
    columns: Sequence[str] | None = None,
) -> Iterator[RewriteExample]:
    r"""Lines of a file: input, perhaps tags, then outputs, all separated by tabs.

    Examples
    --------
    >>> import io
    >>> next(iter_rewrite_examples(io.StringIO("ABS\tAE B Z\n"), RewriteLayout(output_tokens=True), True)).outputs
    [['AE', 'B', 'Z']]
    """
    if file_format == RewriteFormat.CMUDICT:
        for word, sounds in iter_cmudict(source):
            written = [" ".join(sounds)]
            yield RewriteExample(
                layout.read(word, layout.input_tokens),
                None,
                [layout.read(text, layout.output_tokens) for text in written],
                [word, *written],
            )
        return
    wanted = {"none": "input, output", "second": "input, tags, output", "third": "input, output, tags"}[layout.tags]
    comma = file_format == RewriteFormat.CSV
    n_needed = (1 if layout.tags == "none" else 2) + (1 if labelled else 0)
    for number, fields in iter_rows(source, comma=comma, columns=columns, n_needed=n_needed):
        if len(fields) < n_needed or (layout.tags == "third" and len(fields) > 3):
            mark = "commas" if comma else "tabs"
            more = "" if layout.tags == "third" else " and perhaps more outputs"
            blanks = labelled and layout.tags == "none" and not comma and " " in fields[0].strip()
            other = ", or say --format cmudict if a word, blanks and its sounds are on a line" if blanks else ""
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by {mark}, "
                f"needed {wanted}{more}; fix the line{other}."
            )
        tags, outputs = _tags_and_outputs(fields, layout.tags)
        yield RewriteExample(
            layout.read(fields[0], layout.input_tokens),
            tags,
            [layout.read(text, layout.output_tokens) for text in outputs if text or labelled],
            fields,
        )


def _tags_and_outputs(fields: list[str], column: str) -> tuple[str | None, list[str]]:
    if column == "third":
        return fields[-1], fields[1:-1]
    return (fields[1], fields[2:]) if column == "second" else (None, fields[1:])


TAGS = re.compile(r"[A-Z0-9][A-Z0-9./+{}()*?_-]*(;[A-Z0-9./+{}()*?_-]+)*")
"""What the tags of a form look like: V;PST;3;SG."""


FEWEST = 20
"""Lines that are enough to see that a column repeats itself."""


def tags_in_third_column(examples: Sequence[RewriteExample]) -> bool:
    """Whether all lines have three columns, and the third one tags: capitals, in most lines several.

    Examples
    --------
    >>> rows = [["go", "went", "V;PST"], ["a", "b", "N"]]
    >>> lines = [RewriteExample(row[0], None, [], row) for row in rows]
    >>> tags_in_third_column(lines), tags_in_third_column(lines[1:])
    (True, False)
    """
    found = [example.raw[2] for example in examples if len(example.raw) == 3 and TAGS.fullmatch(example.raw[2])]
    return len(found) == len(examples) and 2 * sum(";" in text for text in found) >= len(found)


def column_like_tags(examples: Sequence[RewriteExample]) -> tuple[str, int] | None:
    """Which of the last two of three columns may have tags, and how many different texts it has.

    One that repeats few texts beside forms that hardly repeat, or that alone has semicolons, in most lines.

    Examples
    --------
    >>> rows = [[f"lemma{i}", ("Past", "Present_1")[i % 2], f"form{i}"] for i in range(20)]
    >>> lines = [RewriteExample(row[0], None, row[1:], row) for row in rows]
    >>> column_like_tags(lines), column_like_tags(lines[1:])
    (('second', 2), None)
    >>> column_like_tags([RewriteExample("talk", None, ["past;3", "talked"], ["talk", "past;3", "talked"])])
    ('second', 1)
    """
    n = len(examples)
    if any(len(example.raw) != 3 for example in examples):
        return None
    second, third = (len({example.raw[k] for example in examples}) for k in (1, 2))
    marked = [sum(";" in example.raw[k] for example in examples) for k in range(3)]
    for column, k, few in (("second", 1, second), ("third", 2, third)):
        if 2 * marked[k] >= n and marked[k] == sum(marked):
            return column, few
    if n < FEWEST:
        return None
    for column, few, many in (("second", second, third), ("third", third, second)):
        if 10 * few <= n and 2 * many >= n:
            return column, few
    return None


def tags_beside(examples: Sequence[RewriteExample]) -> tuple[str, int] | None:
    """Which of the last two of three columns is alone in being written as tags are, and how many texts it has.

    Examples
    --------
    >>> tags_beside([RewriteExample("talk", "talked", ["PST"], ["talk", "PST", "talked"])])
    ('second', 1)
    """
    if any(len(example.raw) != 3 for example in examples):
        return None
    written = [[bool(TAGS.fullmatch(example.raw[k])) for example in examples] for k in (1, 2)]
    for k, column in enumerate(("second", "third")):
        if all(written[k]) and not any(written[1 - k]):
            return column, len({example.raw[k + 1] for example in examples})
    return None


def join_references(examples: Iterable[RewriteExample]) -> list[RewriteExample]:
    """One example for each input and its tags, with the outputs of all lines in which it stands.

    Examples
    --------
    >>> lines = [RewriteExample("a", None, [output], []) for output in ("X", "Y")]
    >>> [example.outputs for example in join_references(lines)]
    [['X', 'Y']]
    """
    joined: dict[str, RewriteExample] = {}
    for example in examples:
        known = joined.setdefault(str((example.input, example.tags)), replace(example, outputs=[]))
        known.outputs.extend(example.outputs)
    return list(joined.values())


def read_rewrite_training(
    source: Source,
    tags: str,
    file_format: Any = RewriteFormat.TSV,
    columns: Sequence[str] | None = None,
    noted: Callable[[Iterator[RewriteExample]], Iterator[RewriteExample]] = iter,
    units: GivenUnits = (None, None),
) -> tuple[list[RewriteExample], RewriteLayout]:
    """All lines of a file, each side split as `units` say, or as the file does where they say nothing.

    It is then split at blanks if at least half of its texts have some, else into characters. With tags "auto" they are
    looked for in the third column. Forms with tags there are characters, whatever they hold. `noted` sees each line as
    it is read.
    """
    check_units(units, file_format)
    column = "none" if tags == "auto" else tags
    plain = list(noted(iter_rewrite_examples(source, RewriteLayout(tags=column), True, file_format, columns)))
    if not plain:
        raise InputError(f"{name_of(source)} holds no pairs; give a file with at least one.")
    if tags == "auto" and tags_in_third_column(plain):
        column = "third"
        plain = [replace(each, tags=each.raw[2], outputs=[each.raw[1]]) for each in plain]
    sides = {
        "input": [example.input for example in plain],
        "output": [text for example in plain for text in example.outputs],
    }
    splits = []
    for given, (side, texts) in zip(units, sides.items(), strict=True):
        if given is None:
            splits.append(column != "third" and split_at_blanks(texts))
            continue
        splits.append(given == SideUnits.BLANKS)
        if side == "input" and given == SideUnits.BLANKS:
            check_has_blanks(texts, name_of(source))
    layout = RewriteLayout(splits[0], splits[1], column)
    return [
        RewriteExample(
            layout.read(example.input, layout.input_tokens),
            example.tags,
            [layout.read(text, layout.output_tokens) for text in example.outputs],
            example.raw,
        )
        for example in plain
    ], layout

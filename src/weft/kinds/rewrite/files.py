"""Pairs of an input and one or several outputs, in tab-separated files, with or without a column of tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from weft.errors import InputError
from weft.sequences.formats.cmudict import iter_cmudict
from weft.sequences.formats.table import iter_rows
from weft.sequences.formats.text import Source, name_of

__all__ = [
    "SUFFIXES",
    "RewriteExample",
    "RewriteFormat",
    "RewriteLayout",
    "iter_rewrite_examples",
    "join_references",
    "read_rewrite_training",
]


@dataclass(frozen=True)
class RewriteLayout:
    """How a file is laid out: which sides are tokens with blanks between them, and whether there are tags."""

    input_tokens: bool = False
    output_tokens: bool = False
    tags: bool = False

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
    n_inputs = 2 if layout.tags else 1
    wanted = "input, tags, output" if layout.tags else "input, output"
    comma = file_format == RewriteFormat.CSV
    n_needed = n_inputs + (1 if labelled else 0)
    for number, fields in iter_rows(source, comma=comma, columns=columns, n_needed=n_needed):
        if len(fields) < n_needed:
            mark = "commas" if comma else "tabs"
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by {mark}, wanted {wanted} "
                "and perhaps more outputs; fix the line."
            )
        yield RewriteExample(
            layout.read(fields[0], layout.input_tokens),
            fields[1] if layout.tags else None,
            [layout.read(text, layout.output_tokens) for text in fields[n_inputs:] if text or labelled],
            fields,
        )


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
    source: Source, tags: bool, file_format: Any = RewriteFormat.TSV, columns: Sequence[str] | None = None
) -> tuple[list[RewriteExample], RewriteLayout]:
    """All lines of a file. A side is split at blanks if it has one anywhere in the file, else into characters."""
    plain = list(iter_rewrite_examples(source, RewriteLayout(tags=tags), True, file_format, columns))
    if not plain:
        raise InputError(f"{name_of(source)} holds no pairs; give a file with at least one.")
    layout = RewriteLayout(
        any(" " in example.input.strip() for example in plain),
        any(" " in text.strip() for example in plain for text in example.outputs),
        tags,
    )
    return [
        RewriteExample(
            layout.read(example.input, layout.input_tokens),
            example.tags,
            [layout.read(text, layout.output_tokens) for text in example.outputs],
            example.raw,
        )
        for example in plain
    ], layout

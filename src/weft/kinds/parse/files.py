"""Parse trees in files: one bracketed tree per line, JSON lines, or tokens without trees."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.jsonl import numbered_objects
from weft.sequences.formats.text import Source, name_of, read_lines

TreeFormat = StrEnum("TreeFormat", ["TREES", "JSONL", "LINES"])
"""Formats of sentences and trees."""

SUFFIXES = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), TreeFormat.JSONL),
    **dict.fromkeys((".trees", ".tree", ".mrg", ".ptb"), TreeFormat.TREES),
}


class Sentence(NamedTuple):
    """Tokens, and the bracketed tree over them if the file has one."""

    tokens: list[str]
    tree: str | None


def iter_sentences(source: Source, file_format: TreeFormat) -> Iterator[Sentence]:
    r"""Sentences of a file, one at a time.

    Examples
    --------
    >>> import io
    >>> list(iter_sentences(io.StringIO("(S (A the) (B cat))\n"), TreeFormat.TREES))
    [Sentence(tokens=['the', 'cat'], tree='(S (A the) (B cat))')]
    """
    if Path(name_of(source).removesuffix(".gz")).suffix.lower() in (".conllu", ".conll"):
        raise InputError(
            f"{name_of(source)} has columns, as files of dependencies do, needed bracketed trees; weft parses by "
            "grammars only: convert them to trees, or learn tags of these words by weft train tag --columns 2,4."
        )
    if file_format == TreeFormat.JSONL:
        for number, item in numbered_objects(source):
            yield _sentence(item.get("tokens"), item.get("tree"), f"{name_of(source)}, line {number}")
        return
    for number, line in read_lines(source):
        if line.strip():
            where = f"{name_of(source)}, line {number}"
            is_tree = file_format == TreeFormat.TREES
            yield _sentence(None, line.strip(), where) if is_tree else Sentence(line.split(), None)


def _sentence(tokens: object, tree: object, where: str) -> Sentence:
    """Tokens of the tree where none are given."""
    from weft.estimators.parse.trees import read_tree, tree_tokens

    if tree is not None and not isinstance(tree, str):
        raise InputError(f'{where}: "tree" is {str(tree)[:40]!r}; give bracketed text, "(S (A a) (B b))".')
    if tokens is None and isinstance(tree, str):
        try:
            return Sentence([str(token) for token in tree_tokens(read_tree(tree))], tree)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    if not (isinstance(tokens, list) and tokens and all(isinstance(token, str) for token in tokens)):
        raise InputError(f'{where}: "tokens" is {str(tokens)[:40]!r}; give a list of strings, not empty, or a "tree".')
    return Sentence(tokens, tree)

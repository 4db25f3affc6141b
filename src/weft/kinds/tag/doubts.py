"""Sentences on one line each that pass for one token per line."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

from weft.kinds.tag.files import Example
from weft.kinds.terminal import printed_warnings

ENOUGH = 50
"""Tokens after which one need not look at more."""
NO_LABELS = frozenset({"_", "-", "?"})


def doubted(
    examples: Iterator[Example], is_label: Callable[[str], bool], is_token: Callable[[str], bool], name: str
) -> Iterator[Example]:
    """The examples of a file of columns; a warning if half of the lines seem to be sentences.

    In such a file the column of the labels has words, which are no labels that the model knows; or, where there is no
    such column, the one after the token has what the model knows as tokens. Between tabs they have blanks themselves.

    Parameters
    ----------
    examples : iterator of Example
    is_label, is_token : callable
        Whether the model knows it as such.
    name : str
        Of the file, for messages.
    """
    n_tokens = n_doubted = 0
    is_said = False
    for example in examples:
        if n_tokens < ENOUGH and example.has_tabs and all(isinstance(token, str) for token in example.tokens):
            n_tokens += len(example.tokens)
            n_doubted += sum(" " in token.strip() and not is_token(token) for token in example.tokens)
        elif n_tokens < ENOUGH and not example.has_tabs and len(example.raw[0]) > 1:
            n_tokens += len(example.raw)
            if example.labels is not None:
                n_doubted += sum(not is_label(each) and each not in NO_LABELS for each in example.labels)
            elif isinstance(example.tokens[0], str):
                after = min(example.raw[0].index(example.tokens[0]) + 1, len(example.raw[0]) - 1)
                n_doubted += sum(
                    row[after].isalpha() and row[after] != row[after - 1] and is_token(row[after])
                    for row in example.raw
                )
        if n_doubted and 2 * n_doubted >= n_tokens and not is_said:
            is_said = True
            with printed_warnings():
                warnings.warn(
                    f"{name}: {' '.join(example.raw[0])[:40]!r} is read as one token and its columns, needed one token "
                    "per line; if a line is a sentence with blanks between its tokens, say --format tsv.",
                    stacklevel=2,
                )
        yield example

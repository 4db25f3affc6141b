"""Sentences of CoNLL-U, written as they were but for the column that is predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.sequences.formats.conll import COMMENT, N_CONLLU


def is_conllu(rows: Sequence[Sequence[str]], has_tabs: bool) -> bool:
    """Whether the tokens of a sentence have the ten columns of CoNLL-U, of which the first one numbers them.

    Examples
    --------
    >>> is_conllu([["1", "Rain", *["_"] * 8]], True), is_conllu([["Rain", "NN"]], True)
    (True, False)
    """
    return (
        has_tabs and len(rows[0]) == N_CONLLU and all(row[0] == str(number) for number, row in enumerate(rows, start=1))
    )


def conllu_lines(
    rows: Sequence[Sequence[str]],
    others: Sequence[tuple[int, str]],
    place: int,
    columns: Sequence[Sequence[str]],
) -> Iterator[str]:
    r"""Lines of a sentence whose column `place` is the first of `columns`; more of these come after its ten.

    Comments stay as they are, and so do lines that are no words, which have ``_`` in columns after the tenth.

    Examples
    --------
    >>> rows = [["1", "Rain", *["_"] * 8]]
    >>> [line.replace("\t", " ") for line in conllu_lines(rows, [(0, "# sent_id = 7")], 3, [["NOUN"]])]
    ['# sent_id = 7', '1 Rain _ NOUN _ _ _ _ _ _']
    """
    more = "\t_" * (len(columns) - 1)
    waiting = list(reversed(others))
    for number, (row, best, *rest) in enumerate(zip(rows, *columns, strict=True)):
        while waiting and waiting[-1][0] <= number:
            line = waiting.pop()[1]
            yield line if line.startswith("#") else line + more
        yield "\t".join([*row[:place], best, *row[place + 1 :], *rest])
    for _, line in reversed(waiting):
        yield line + more


def comments(others: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Comments before a sentence that no number of columns makes a token."""
    return (line for _, line in others if COMMENT.match(line))

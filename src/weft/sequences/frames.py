"""Sequences in tables of pandas, polars and Arrow: one token a row, or one sequence a row."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any

from weft.errors import InputError
from weft.sequences.checks import is_missing
from weft.spelling import did_you_mean

TO_LIST = ("to_pylist", "to_list", "tolist")
"""How columns of Arrow, polars and pandas become lists."""


@typing.overload
def read_frame(
    frame: object, inputs: str | Sequence[str], outputs: None = None, *, group: str | None = None
) -> list[Any]: ...
@typing.overload
def read_frame(
    frame: object, inputs: str | Sequence[str], outputs: str, *, group: str | None = None
) -> tuple[list[Any], list[Any]]: ...
def read_frame(
    frame: object, inputs: str | Sequence[str], outputs: str | None = None, *, group: str | None = None
) -> list[Any] | tuple[list[Any], list[Any]]:
    """Sequences, and their labels, of a table.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Table or RecordBatch of pyarrow
    inputs : str or list of str
        Column that has the tokens or texts. Several columns (with `group`) make a feature dict of each token.
    outputs : str, optional
        Column that has the labels, classes or strings to learn.
    group : str, optional
        The long form: a row for each token, and this column says which sequence it belongs to, on each row or, with
        others missing or empty, on the first of each sequence. Rows of a sequence stand together. Without it each row
        is a whole sequence, whose cells are strings or lists.

    Returns
    -------
    X, or (X, y) if `outputs` are asked for
        Lists, as `fit` takes them.

    Examples
    --------
    >>> import pandas
    >>> long = pandas.DataFrame({"sentence": [1, 1, 2], "word": ["a", "cat", "dogs"], "tag": ["D", "N", "N"]})
    >>> read_frame(long, "word", "tag", group="sentence")
    ([['a', 'cat'], ['dogs']], [['D', 'N'], ['N']])
    >>> filled_once = long.assign(sentence=["Sentence: 1", None, "Sentence: 2"])
    >>> read_frame(filled_once, "word", group="sentence")
    [['a', 'cat'], ['dogs']]
    >>> wide = pandas.DataFrame({"tokens": [["a", "cat"], ["dogs"]], "language": ["en", "en"]})
    >>> read_frame(wide, "tokens", "language")
    ([['a', 'cat'], ['dogs']], ['en', 'en'])
    """
    names = [inputs] if isinstance(inputs, str) else list(inputs)
    columns = [_column(frame, name) for name in names]
    labels = None if outputs is None else _column(frame, outputs)
    if group is None:
        if len(columns) != 1:
            raise InputError(f"{len(names)} columns of inputs given; need one, or group= for a row for each token")
        X = [_cell(value, names[0], row) for row, value in enumerate(columns[0])]
        if labels is None:
            return X
        assert outputs is not None, "labels are there"
        return X, [_cell(value, outputs, row) for row, value in enumerate(labels)]
    cuts = _cuts(_column(frame, group), group)
    if isinstance(inputs, str):
        tokens = [_cell(value, inputs, row) for row, value in enumerate(columns[0])]
    else:
        tokens = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    X = [tokens[begin:end] for begin, end in cuts]
    return X if labels is None else (X, [labels[begin:end] for begin, end in cuts])


def _column(frame: Any, name: str) -> list[Any]:
    known = getattr(frame, "column_names", None) or getattr(frame, "columns", None)
    if known is None or not hasattr(frame, "__getitem__"):
        raise InputError(f"a {type(frame).__name__} given; need a DataFrame of pandas or polars, or a Table of pyarrow")
    names = [str(each) for each in known]
    if name not in names:
        near = did_you_mean(str(name), names)
        guess = f"did you mean {near!r}? " if near else ""
        raise InputError(f"the table has no column {name!r}; {guess}It has {', '.join(names)[:200]}")
    if names.count(name) > 1:
        raise InputError(f"the table has two columns {name!r}; rename one")
    column = frame[name]
    return list(next(getattr(column, method) for method in TO_LIST if hasattr(column, method))())


def _cell(value: Any, name: str, row: int) -> Any:
    if is_missing(value):
        raise InputError(f"row {row} of column {name!r} is missing; drop it, or fill it")
    return value.tolist() if hasattr(value, "tolist") else value


def _cuts(groups: list[Any], name: str) -> list[tuple[int, int]]:
    """Where each sequence begins and ends; one that comes in two places is refused, for it may be sorted wrongly."""
    begins: list[int] = []
    seen: set[Any] = set()
    for row, group in enumerate(groups):
        is_same = is_missing(group) or (isinstance(group, str) and not group.strip())
        if begins and (is_same or group == groups[begins[-1]]):
            continue
        if is_same:
            raise InputError(f"row {row} of column {name!r} is missing; the first row of a sequence needs it: fill it")
        if group in seen:
            raise InputError(
                f"row {row}: {name} {group!r} comes again after others; rows of a sequence must "
                f"stand together: sort by {name!r}, in a way that keeps the order of equal ones"
            )
        seen.add(group)
        begins.append(row)
    return list(zip(begins, [*begins[1:], len(groups)], strict=True))

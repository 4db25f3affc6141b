"""JSON lines: one object per line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, write_lines

__all__ = ["JsonlFile", "iter_jsonl", "numbered_objects", "parse_json", "read_jsonl", "write_jsonl"]


MOST_NESTED = 100
MOST_DIGITS = 300
"""Limits: what is deeper or longer is a mistake, or meant to do harm."""
MOST = 10**MOST_DIGITS - 1

KEY = re.compile(r'"\s*:')


@dataclass(frozen=True)
class JsonlFile:
    """Inputs, and labels if they were asked for, in the order of the lines.

    Examples
    --------
    >>> JsonlFile(inputs=[["Rain", "fell"]], labels=[["B-NP", "B-VP"]]).labels
    [['B-NP', 'B-VP']]
    """

    inputs: list[Any]
    labels: list[Any] | None


def iter_jsonl(
    source: Source,
    required: Sequence[str] = (),
    renamed: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> Iterator[dict[str, Any]]:
    r"""Objects of a file of JSON lines, one at a time; blank lines are skipped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    required : sequence of str
        Keys that every object must have.
    renamed : callable, optional
        Gives an object other keys before it is looked at.

    Yields
    ------
    dict

    Examples
    --------
    >>> import io
    >>> list(iter_jsonl(io.StringIO('{"tokens": ["Rain", "fell"]}\n'), required=["tokens"]))
    [{'tokens': ['Rain', 'fell']}]
    """
    return (item for _, item in numbered_objects(source, required, renamed))


def numbered_objects(
    source: Source,
    required: Sequence[str] = (),
    renamed: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    called: Sequence[str] | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """As `iter_jsonl`, each object with its line; `called` has the names that a user gave the first required keys."""
    for number, line in read_lines(source):
        if not line.strip():
            continue
        where = f"{name_of(source)}, line {number}"
        try:
            value = parse_json(line)
        except RecursionError as error:
            raise InputError(f"{where}: JSON nested too deeply, at most {MOST_NESTED} levels; flatten it") from error
        except ValueError as error:
            raise InputError(f"{where}: not JSON ({error}); write one object per line") from error
        if not isinstance(value, dict):
            raise InputError(f"{where}: a JSON {type(value).__name__}, needed an object; write {{...}} on each line")
        given = value
        if renamed is not None:
            value = renamed(value)
        for place, key in enumerate(required):
            if key not in value:
                wanted = called[place] if called is not None and place < len(called) else key
                raise InputError(
                    f"{where}: keys {', '.join(map(repr, given)) or '(none)'}, needed {wanted!r}; "
                    f"add it, or name the keys to read with --columns"
                )
        yield number, value


def parse_json(text: str) -> Any:
    """A value as JSON has it, in which no key comes twice, every number is finite and little is nested.

    Raises
    ------
    ValueError, RecursionError

    Examples
    --------
    >>> parse_json('{"x": 1, "x": 2}')
    Traceback (most recent call last):
    ...
    ValueError: key 'x' comes twice
    """
    value = json.loads(text, parse_constant=_refuse_constant)
    n_keys, is_large = _checked(value)
    # What is rare is told by reading once more: a number that is too large; a key twice, or text that looks like one.
    if is_large or (text.count(":") > n_keys and len(KEY.findall(text)) > n_keys):
        json.loads(text, parse_float=_float, parse_int=_int, object_pairs_hook=_object)
    return value


def _checked(value: Any) -> tuple[int, bool]:
    """How many keys all objects have together, and whether a number is too large; too deep values are refused."""
    n_keys, is_large = 0, False
    level = [value]
    for _ in range(MOST_NESTED + 1):
        kinds = set(map(type, level))
        dicts = [each for each in level if type(each) is dict] if dict in kinds else []
        lists = [each for each in level if type(each) is list] if list in kinds else []
        if int in kinds:
            is_large |= not all(-MOST <= each <= MOST for each in level if type(each) is int)
        if float in kinds:
            is_large |= math.inf in level or -math.inf in level
        if not dicts and not lists:
            return n_keys, is_large
        n_keys += sum(map(len, dicts))
        level = list(chain(chain.from_iterable(map(dict.values, dicts)), chain.from_iterable(lists)))
    raise RecursionError(f"nested deeper than {MOST_NESTED} levels")


def _refuse_constant(name: str) -> NoReturn:
    # Python would read them, but JSON has no such numbers and no learner can use them.
    raise ValueError(f"{name} is not a JSON number")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is too large for a number")
    return value


def _int(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise ValueError(f"a whole number of {len(text)} digits, at most {MOST_DIGITS} are read")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"key {twice[:40]!r} comes twice")
    return found


def read_jsonl(source: Source, input_key: str = "tokens", label_key: str | None = "labels") -> JsonlFile:
    r"""Read the inputs and labels of a file of JSON lines.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    input_key : str
    label_key : str or None
        None reads a file without labels.

    Returns
    -------
    JsonlFile

    Examples
    --------
    >>> import io
    >>> read_jsonl(io.StringIO('{"tokens": ["Rain"], "labels": ["B-NP"]}\n'))
    JsonlFile(inputs=[['Rain']], labels=[['B-NP']])
    """
    required = [input_key] if label_key is None else [input_key, label_key]
    # One pass that keeps only the columns asked for: objects may carry much more.
    rows = [[item[key] for key in required] for item in iter_jsonl(source, required)]
    return JsonlFile([row[0] for row in rows], None if label_key is None else [row[1] for row in rows])


def write_jsonl(objects: Iterable[Mapping[str, Any]], target: Target) -> None:
    """Write objects as JSON lines.

    Parameters
    ----------
    objects : iterable of dict
        A generator is written as it goes.
    target : path, "-" for standard output, or an open text stream

    Examples
    --------
    >>> write_jsonl([{"tokens": ["Coruña"], "labels": ["B-LOC"]}], "-")
    {"tokens": ["Coruña"], "labels": ["B-LOC"]}
    """
    write_lines(_format(objects, name_of(target)), target)


def _format(objects: Iterable[Mapping[str, Any]], name: str) -> Iterator[str]:
    for index, item in enumerate(objects):
        try:
            yield json.dumps(dict(item), ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"{name}, object {index} to write: {error}; give dicts of finite numbers, strings, lists and dicts"
            ) from error

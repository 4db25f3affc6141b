"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, write_lines

__all__ = ["JsonlFile", "iter_jsonl", "read_jsonl", "write_jsonl"]


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


def iter_jsonl(source: Source, required: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    r"""Objects of a file of JSON lines, one at a time; blank lines are skipped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    required : sequence of str
        Keys that every object must have.

    Yields
    ------
    dict

    Examples
    --------
    >>> import io
    >>> list(iter_jsonl(io.StringIO('{"tokens": ["Rain", "fell"]}\n'), required=["tokens"]))
    [{'tokens': ['Rain', 'fell']}]
    """
    for number, line in read_lines(source):
        if not line.strip():
            continue
        where = f"{name_of(source)}, line {number}"
        try:
            value = json.loads(line, parse_constant=_refuse_constant)
        except RecursionError as error:
            raise InputError(f"{where}: JSON nested too deeply; flatten it") from error
        except ValueError as error:
            raise InputError(f"{where}: not JSON ({error}); write one object per line") from error
        if not isinstance(value, dict):
            raise InputError(f"{where}: a JSON {type(value).__name__}, wanted an object; write {{...}} on each line")
        for key in required:
            if key not in value:
                raise InputError(
                    f"{where}: keys {', '.join(map(repr, value)) or '(none)'}, wanted {key!r}; "
                    f"add it or choose another key"
                )
        yield value


def _refuse_constant(name: str) -> NoReturn:
    # Python would read them, but JSON has no such numbers and no learner can use them.
    raise ValueError(f"{name} is not a JSON number")


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

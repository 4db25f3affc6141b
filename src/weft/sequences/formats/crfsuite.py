r"""Attributes of tokens as CRFsuite reads them: a label, a tab and attributes; a blank line after each sequence.

An attribute is a name, or a name, a colon and a number; within names a colon is written ``\:`` and a backslash ``\\``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, write_lines

__all__ = ["CrfsuiteFile", "CrfsuiteSequence", "iter_crfsuite", "read_crfsuite", "write_crfsuite"]

FIELD = re.compile(r"((?:[^\\:]|\\[\\:]|\\)*)(?::(.*))?", re.DOTALL)
"""A name, and perhaps a colon and more; a backslash before other characters stands for itself."""
ESCAPE = re.compile(r"\\([\\:])")
SPECIAL = re.compile(r"[\\:]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WEIGHT = "@weight"


class CrfsuiteSequence(NamedTuple):
    """One sequence: a dict of attributes per token, its labels, and how often it counts."""

    tokens: list[dict[str, float]]
    labels: list[str]
    weight: float = 1.0


@dataclass(frozen=True)
class CrfsuiteFile:
    """All sequences of a file of CRFsuite.

    Attributes
    ----------
    tokens : list of sequences, each a list of dicts from attributes to numbers
    labels : list of lists of str
    weights : list of float
        1 but for sequences that begin with a line ``@weight:NUMBER``.

    Examples
    --------
    >>> CrfsuiteFile(tokens=[[{"w=Rain": 1}]], labels=[["B-NP"]], weights=[1.0]).labels
    [['B-NP']]
    """

    tokens: list[list[dict[str, float]]]
    labels: list[list[str]]
    weights: list[float]


def iter_crfsuite(source: Source) -> Iterator[CrfsuiteSequence]:
    r"""Sequences of a file of CRFsuite, one at a time.

    An attribute that a token has twice has the sum of its numbers, as in CRFsuite. What that program takes for
    something else in silence is refused: a number that is none, a second colon, a colon in a label.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    CrfsuiteSequence

    Examples
    --------
    >>> import io
    >>> next(iter_crfsuite(io.StringIO("D\tw=the\nN\tw=cat\tlength:0.5\n\nO\tw=\\:\n")))
    CrfsuiteSequence(tokens=[{'w=the': 1}, {'w=cat': 1, 'length': 0.5}], labels=['D', 'N'], weight=1.0)
    """
    tokens: list[dict[str, float]] = []
    labels: list[str] = []
    weight = 1.0
    for number, line in read_lines(source):
        if not line.strip():
            if tokens:
                yield CrfsuiteSequence(tokens, labels, weight)
            tokens, labels, weight = [], [], 1.0
            continue
        where = f"{name_of(source)}, line {number}"
        label, *fields = line.split("\t")
        if label.startswith("@"):
            weight = _declared(line, where)
            continue
        labels.append(_label(label, where))
        token: dict[str, float] = {}
        for field in fields:
            if not field:  # tabs beside each other are one, as in CRFsuite
                continue
            name, value = _attribute(field, where) if SPECIAL.search(field) else (field, 1)
            token[name] = token[name] + value if name in token else value
        tokens.append(token)
    if tokens:
        yield CrfsuiteSequence(tokens, labels, weight)


def _split(field: str) -> tuple[str, str | None]:
    """Name and what comes after its colon; None without one."""
    found = FIELD.fullmatch(field)
    assert found is not None, "the pattern takes any text"
    return ESCAPE.sub(r"\1", found[1]), found[2]


def _label(field: str, where: str) -> str:
    name, rest = _split(field)
    if rest is not None:
        raise InputError(f"{where}: label {field[:40]!r} has a colon; write \\: for it")
    if not name.strip():
        raise InputError(
            f"{where}: no label before the first tab; write one, any where the right one is not known, and attributes "
            "after a tab each"
        )
    return name


def _attribute(field: str, where: str) -> tuple[str, float]:
    name, rest = _split(field)
    if not name:
        raise InputError(f"{where}: attribute {field[:40]!r} has no name; write \\: for a colon that belongs to it")
    return name, 1 if not rest else _number(rest, f"{where}: attribute {field[:40]!r}")


def _number(text: str, what: str) -> float:
    value = float(text) if len(text) < 400 and NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{what} has {text[:40]!r} after its colon, needed a number; write \\: for a colon that belongs to the name"
        )
    return 1 if value == 1.0 else value  # whole numbers are looked up faster


def _declared(line: str, where: str) -> float:
    """Weight of a sequence, which is all that can be declared."""
    name, rest = _split(line.rstrip("\t"))
    if name != WEIGHT or not rest:
        raise InputError(
            f"{where}: {line[:40]!r} begins with @, as {WEIGHT}:NUMBER on a line of its own does; needed that, or a "
            "label that begins otherwise"
        )
    weight = _number(rest, f"{where}: {WEIGHT}")
    if weight < 0:
        raise InputError(f"{where}: {WEIGHT} is {rest[:40]}; needed a number of at least 0")
    return float(weight)


def read_crfsuite(source: Source) -> CrfsuiteFile:
    r"""All sequences of a file of CRFsuite; see `iter_crfsuite` for the rules.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    CrfsuiteFile
        Its `tokens`, `labels` and `weights` are X, y and ``sample_weight`` for a tagger.

    Examples
    --------
    >>> import io
    >>> file = read_crfsuite(io.StringIO("@weight:2\nD\tw=the\n\nN\tw=cat\n"))
    >>> file.tokens, file.labels, file.weights
    ([[{'w=the': 1}], [{'w=cat': 1}]], [['D'], ['N']], [2.0, 1.0])
    """
    sequences = list(iter_crfsuite(source))
    return CrfsuiteFile(*(list(column) for column in zip(*sequences, strict=True))) if sequences else _empty()


def _empty() -> CrfsuiteFile:
    return CrfsuiteFile([], [], [])


def write_crfsuite(
    sequences: Iterable[Sequence[Mapping[str, Any] | Sequence[str]]],
    target: Target,
    labels: Iterable[Sequence[str]],
    weights: Iterable[float] | None = None,
) -> None:
    r"""Write sequences as CRFsuite reads them, with a blank line after each.

    Parameters
    ----------
    sequences : iterable of sequences
        Each token is a feature dict (a string value makes the attribute ``key:value``, as in python-crfsuite) or a list
        of attributes. A generator is written as it goes.
    target : path, "-" for standard output, or an open text stream
    labels : iterable of label sequences
        Where the right ones are not known, any: the format has a place for them.
    weights : iterable of float, optional
        How often each sequence counts.

    Examples
    --------
    >>> write_crfsuite([[{"w": "Rain", "length": 0.4}, ["w\\:fell"]]], "-", [["B-NP", "B-VP"]])
    B-NP	w\:Rain	length:0.4
    B-VP	w\\\:fell
    <BLANKLINE>
    """
    write_lines(_format(sequences, labels, weights, name_of(target)), target)


def _format(
    sequences: Iterable[Sequence[Mapping[str, Any] | Sequence[str]]],
    labels: Iterable[Sequence[Any]],
    weights: Iterable[Any] | None,
    name: str,
) -> Iterator[str]:
    rest, counts = iter(labels), None if weights is None else iter(weights)
    for index, sequence in enumerate(sequences):
        where = f"{name}, sequence {index} to write"
        own = next(rest, [])
        if not len(sequence) or len(own) != len(sequence):
            raise InputError(f"{where}: {len(sequence)} token(s) and {len(own)} label(s); give one label each")
        weight = 1.0 if counts is None else next(counts, None)
        if weight is None or not weight >= 0:
            raise InputError(f"{where}: its weight is {weight!r}; give a number of at least 0 for each sequence")
        if weight != 1.0:
            yield f"{WEIGHT}:{_written(weight, where)}"
        for label, token in zip(own, sequence, strict=True):
            if not isinstance(label, str) or not label.strip() or label.startswith("@"):
                raise InputError(
                    f"{where}: label {label!r:.40} is no string, is blank or begins with @; give it another name"
                )
            yield "\t".join([_escaped(label, where), *_attributes(token, where)])
        yield ""
    if next(rest, None) is not None:
        raise InputError(f"{name}: more label sequences than sequences to write; give one for each")
    if counts is not None and next(counts, None) is not None:
        raise InputError(f"{name}: more weights than sequences to write; give one for each")


def _attributes(token: Mapping[Any, Any] | Sequence[Any], where: str) -> Iterator[str]:
    if isinstance(token, str):
        raise InputError(f"{where}: token {token[:40]!r} is a string; give its attributes, such as [{token[:40]!r}]")
    items = token.items() if isinstance(token, Mapping) else ((each, 1) for each in token)
    for key, value in items:
        name, number = (f"{key}:{value}", 1) if isinstance(value, str) else (key, value)
        if not isinstance(name, str) or not name:
            raise InputError(f"{where}: attribute {name!r:.40} is no string, or empty; give it a name")
        if not hasattr(number, "__float__"):
            raise InputError(
                f"{where}: attribute {name[:40]!r} has the value {number!r:.40}; give a string or a number"
            )
        text = _escaped(name, where)
        yield text if number == 1 else f"{text}:{_written(number, where)}"


def _escaped(name: str, where: str) -> str:
    if "\t" in name:
        raise InputError(f"{where}: {name[:40]!r} contains a tab, which separates attributes; replace it")
    return SPECIAL.sub(r"\\\g<0>", name)


def _written(number: Any, where: str) -> str:
    value = float(number)
    if not math.isfinite(value):
        raise InputError(f"{where}: {number!r} given; finite numbers are needed: replace it")
    return repr(value)

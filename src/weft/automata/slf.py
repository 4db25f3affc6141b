"""Lattices of HTK: the standard lattice format (SLF), nodes and links with scores."""

from __future__ import annotations

import re
from typing import Any

from weft.automata.automaton import Automaton
from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

# A name is looked for where a word begins and nowhere inside: else a long word without = takes quadratic time.
FIELD = re.compile(r"""(?<![\w-])([A-Za-z][\w-]*)=("(?:[^"\\]|\\.)*"|\S*)""")
LONG = {"nodes": "N", "links": "L", "start": "S", "end": "E", "word": "W", "acoustic": "a", "language": "l", "var": "v"}
NULL = frozenset({"!NULL", "!null"})
LARGEST = 10_000_000


def read_slf(
    source: Source,
    *,
    acoustic_scale: float | None = None,
    language_scale: float | None = None,
    word_penalty: float | None = None,
) -> Automaton:
    r"""Read a lattice of HTK, whose links or nodes have words; ``!NULL`` becomes epsilon.

    The cost of a link is ``-(acoustic_scale * a + language_scale * l + word_penalty)``, where ``a`` and ``l`` are the
    logarithms that the file gives, the penalty counts for words alone, and ``base`` of the file says of which base (0
    for plain probabilities; e if the file says nothing).

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    acoustic_scale, language_scale, word_penalty : float, optional
        As ``acscale``, ``lmscale`` and ``wdpenalty`` of the file say if None, else 1, 1 and 0.

    Returns
    -------
    Automaton
        With costs, ``semiring="log"``.

    Raises
    ------
    InputError
        With file and line number, if a line is malformed.

    Examples
    --------
    >>> import io
    >>> text = "VERSION=1.0\nN=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-0.5\nJ=1 S=0 E=1 W=b a=-1.5\n"
    >>> read_slf(io.StringIO(text))
    Automaton(2 states, 2 arcs, 1 final state, semiring='log')
    """
    file = name_of(source)
    number = 0
    header: dict[str, str] = {}
    said: dict[str, str] = {}  # where each field of the header is
    nodes: dict[int, str] = {}
    links: list[tuple[int, dict[str, str]]] = []
    for number, line in read_lines(source):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        fields = {LONG.get(key, key): _plain(value) for key, value in FIELD.findall(text)}
        where = f"{file}, line {number}"
        if not fields:
            raise InputError(f"{where}: {text[:30]!r}, needed fields as in I=0 or J=0 S=0 E=1; give an SLF lattice")
        if "J" in fields:
            links.append((number, fields))
        elif "I" in fields:
            node = _whole(fields["I"], "I", where)
            if node in nodes:
                raise InputError(f"{where}: node {node} comes twice; number nodes once each")
            nodes[node] = fields.get("W", "")
        elif links or nodes:
            raise InputError(
                f"{where}: {text[:30]!r} after the first node, needed a node I= or a link J=; fix the line"
            )
        else:
            header.update(fields)
            said.update(dict.fromkeys(fields, where))
    _check_sizes(header, said, nodes, links, f"{file}, line {number}")
    scales = [
        _setting(given, header, key, default, said.get(key, file))
        for given, key, default in (
            (acoustic_scale, "acscale", 1.0), (language_scale, "lmscale", 1.0), (word_penalty, "wdpenalty", 0.0),
        )
    ]  # fmt: skip
    base = _number(header["base"], "base", said["base"]) if "base" in header else None
    arcs = []
    for number, fields in links:
        where = f"{file}, line {number}"
        ends = [_whole(fields.get(key, ""), key, where) for key in ("S", "E")]
        for node in ends:
            if node not in nodes:
                raise InputError(f"{where}: node {node} is not among the {len(nodes)} nodes; fix S= or E=")
        word = fields.get("W") or nodes[ends[1]]
        label = None if not word or word in NULL else word
        score = scales[0] * _log(fields, "a", base, where) + scales[1] * _log(fields, "l", base, where)
        arcs.append((ends[0], label, ends[1], -(score + (scales[2] if label is not None else 0.0))))
    return _machine(arcs, nodes, header, said, f"{file}, line {number}")


def _machine(
    arcs: list[Any], nodes: dict[int, str], header: dict[str, str], said: dict[str, str], last: str
) -> Automaton:
    """Start and end are those of the header, or the one node without links in, and those without links out."""
    places = {node: place for place, node in enumerate(nodes)}
    entered, left = {arc[2] for arc in arcs}, {arc[0] for arc in arcs}
    begins = (
        [_whole(header["S"], "start", said["S"])] if "S" in header else [node for node in nodes if node not in entered]
    )
    ends = [_whole(header["E"], "end", said["E"])] if "E" in header else [node for node in nodes if node not in left]
    if len(begins) != 1 or not ends or not set(begins + ends) <= set(nodes):
        raise InputError(
            f"{last}: the file ends with {len(begins)} nodes without a link in, {len(ends)} without one out; "
            "say start= and end="
        )
    numbered = [(places[begin], label, places[end], cost) for begin, label, end, cost in arcs]
    return Automaton.from_arcs(numbered, {places[node]: 0.0 for node in ends}, start=places[begins[0]], semiring="log")


def _check_sizes(
    header: dict[str, str], said: dict[str, str], nodes: dict[int, str], links: list[Any], last: str
) -> None:
    for key, found, what in (("N", nodes, "nodes"), ("L", links, "links")):
        if key in header and _whole(header[key], key, said[key]) != len(found):
            raise InputError(
                f"{last}: the file ends after {len(found)} {what}, but {key}={header[key]} stands before; it may be "
                "cut short: fetch it again, or correct the number"
            )
    if not nodes:
        raise InputError(f"{last}: the file ends without a node I=; give an SLF lattice of HTK")


def _plain(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def _whole(text: str, key: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) < LARGEST and len(text) <= 9):
        raise InputError(f"{where}: {key}={text[:20]!r}, needed a whole number from 0; fix it")
    return int(text)


def _number(text: str, key: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e100:
        raise InputError(f"{where}: {key}={text[:20]!r}, needed a finite number; fix it")
    return value


def _setting(given: float | None, header: dict[str, str], key: str, default: float, where: str) -> float:
    if given is not None:
        return float(given)
    return _number(header[key], key, where) if key in header else default


def _log(fields: dict[str, str], key: str, base: float | None, where: str) -> float:
    """Natural logarithm of a score."""
    if key not in fields:
        return 0.0
    from math import log

    value = _number(fields[key], key, where)
    if base is None:
        return value
    if base == 0.0:
        if value <= 0.0:
            raise InputError(f"{where}: {key}={value}, needed a positive probability, since base=0; fix it")
        return log(value)
    if base <= 0.0:
        raise InputError(f"{where}: base={base}, needed 0 or a positive number; fix the header")
    return value * log(base)

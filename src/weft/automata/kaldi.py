"""Lattices of Kaldi as text: a key, arcs and ends with two costs each, a blank line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from weft.automata.automaton import Automaton
from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines


def iter_kaldi_lattices(
    source: Source,
    *,
    symbols: Mapping[int, str] | None = None,
    graph_scale: float = 1.0,
    acoustic_scale: float = 1.0,
) -> Iterator[tuple[str, Automaton]]:
    r"""Yield key and lattice of each utterance of an archive that ``lattice-copy ark:- ark,t:-`` wrote.

    An arc is ``source target word graph,acoustic[,frames]`` (compact lattices) or ``source target frame-label word
    graph,acoustic``; the word is its label, number 0 or ``<eps>`` epsilon. Costs left out are 0.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    symbols : dict of int to str, optional
        Names of words that are numbers, as `read_symbols` gives them for ``words.txt``.
    graph_scale, acoustic_scale : float
        The cost of an arc is ``graph_scale * graph + acoustic_scale * acoustic``.

    Yields
    ------
    (str, Automaton)
        Costs, ``semiring="log"``.

    Raises
    ------
    InputError
        With file and line number, if a line is malformed.

    Examples
    --------
    >>> import io
    >>> text = "u1\n0 1 yes 0.5,1.5,3_4\n0 1 no 2,1,\n1 0,0,\n\n"
    >>> list(iter_kaldi_lattices(io.StringIO(text)))
    [('u1', Automaton(2 states, 2 arcs, 1 final state, semiring='log'))]
    """
    key: str | None = None
    seen: set[str] = set()
    arcs: list[tuple[int, str | None, int, float]] = []
    final: dict[int, float] = {}
    scales = (graph_scale, acoustic_scale)
    number = 0
    for number, line in read_lines(source):
        fields = line.split()
        where = f"{name_of(source)}, line {number}"
        if not fields:
            if key is not None:
                yield key, _machine(key, arcs, final, where)
            key, arcs, final = None, [], {}
        elif key is None:
            if len(fields) != 1:
                raise InputError(
                    f"{where}: {line.strip()[:30]!r}, needed the key of an utterance alone; give an archive in text"
                )
            key = fields[0]
            if key in seen:
                raise InputError(f"{where}: the key {key[:40]!r} comes twice; give each utterance its own")
            seen.add(key)
        elif len(fields) <= 2:
            state = _state(fields[0], where)
            if state in final:
                raise InputError(f"{where}: state {state} ends a second time; drop one")
            final[state] = _cost(fields[1], scales, where) if len(fields) == 2 else 0.0
        elif len(fields) <= 5:
            begin, end = _state(fields[0], where), _state(fields[1], where)
            has_cost = "," in fields[-1] or len(fields) == 5
            words = fields[2 : len(fields) - has_cost]
            if len(words) not in (1, 2):
                raise InputError(f"{where}: {line.strip()[:30]!r}, needed two states, a word and costs; fix the line")
            cost = _cost(fields[-1], scales, where) if has_cost else 0.0
            arcs.append((begin, _word(words[-1], symbols, where), end, cost))
        else:
            raise InputError(f"{where}: {len(fields)} columns, needed at most 5; fix the line")
    if key is not None:
        yield key, _machine(key, arcs, final, f"{name_of(source)}, line {number}")


def read_kaldi_lattices(source: Source, **options: Any) -> dict[str, Automaton]:
    r"""All lattices of an archive by their keys; see `iter_kaldi_lattices` for the options.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    **options
        As in `iter_kaldi_lattices`.

    Returns
    -------
    dict of str to Automaton

    Examples
    --------
    >>> import io
    >>> list(read_kaldi_lattices(io.StringIO("u1\n0 1 7 1,2,\n1\n\n"), symbols={7: "yes"}))
    ['u1']
    """
    return dict(iter_kaldi_lattices(source, **options))


def _machine(key: str, arcs: list[Any], final: dict[int, float], where: str) -> Automaton:
    if not final:
        raise InputError(
            f"{where}: {key[:40]} has no end, a line of a state alone or with costs; the file may be cut short"
        )
    start = arcs[0][0] if arcs else next(iter(final))
    numbers: dict[int, int] = {start: 0}
    for begin, _, end, _ in arcs:
        numbers.setdefault(begin, len(numbers))
        numbers.setdefault(end, len(numbers))
    for state in final:
        numbers.setdefault(state, len(numbers))
    return Automaton.from_arcs(
        [(numbers[begin], word, numbers[end], cost) for begin, word, end, cost in arcs],
        {numbers[state]: cost for state, cost in final.items()},
        semiring="log",
    )


def _state(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise InputError(f"{where}: state {text[:20]!r}, needed a whole number from 0; fix the line")
    return int(text)


def _word(text: str, symbols: Mapping[int, str] | None, where: str) -> str | None:
    if text in ("0", "<eps>"):
        return None
    if symbols is None:
        return text
    found = symbols.get(_state(text, where)) if text.isdigit() else text
    if found is None:
        raise InputError(f"{where}: word {text} is not in the symbol table; give the words.txt of the lattice")
    return found


def _cost(text: str, scales: tuple[float, float], where: str) -> float:
    parts = text.split(",")
    try:
        costs = [math.inf if part == "Infinity" else float(part) if part else 0.0 for part in parts[:2]]
    except ValueError:
        costs = [math.nan]
    if any(math.isnan(cost) or cost == -math.inf for cost in costs) or len(parts) > 3:
        raise InputError(f"{where}: costs {text[:30]!r}, needed graph,acoustic such as 1.5,20.25; fix the line")
    return sum(scale * cost for scale, cost in zip(scales, costs, strict=False))

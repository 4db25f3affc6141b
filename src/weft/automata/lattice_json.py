"""Lattices from JSON: what is wanted, and which arc is wrong when it is not there."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.automata.arc_arrays import weight_number
from weft.automata.semirings import one_of
from weft.errors import InputError
from weft.sequences.formats.jsonl import parse_json


def load_lattice(source: str | os.PathLike[str]) -> dict[str, Any]:
    """The object in a JSON text or file.

    Examples
    --------
    >>> load_lattice('{"arcs": []}')
    {'arcs': []}
    """
    where = "the JSON text"
    text = source
    if not isinstance(text, str):
        path = Path(text)
        where = repr(str(path))
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {where}: {error}; need a JSON file in UTF-8: check the path") from error
    try:
        value = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where} is not JSON: {error}; need an object with 'arcs' and 'final' (give a pathlib.Path to read a file)"
        ) from None
    if not isinstance(value, dict):
        raise InputError(f"{where} holds a {type(value).__name__}; need an object with 'arcs' and 'final'")
    return value


def lattice_parts(
    lattice: Mapping[str, Any], semiring: str
) -> tuple[list[tuple[int, str | None, int, float]], dict[int, float], int]:
    """Arcs, final weights and start of a lattice, with nodes numbered in the order of appearance.

    Examples
    --------
    >>> lattice_parts({"final": ["y"], "arcs": [{"source": "x", "target": "y", "label": "a", "weight": 0.5}]}, "real")
    ([(0, 'a', 1, 0.5)], {1: 1.0}, 0)
    """
    listed = lattice.get("arcs")
    if not isinstance(listed, list | tuple):
        raise InputError("the lattice has no list 'arcs'; need one mapping per arc with source, target and label")
    numbers: dict[str, int] = {}
    is_fixed = lattice.get("nodes") is not None
    if is_fixed:
        if not isinstance(lattice["nodes"], list | tuple):
            raise InputError("'nodes' of the lattice is not a list; need the names of all nodes, or leave it out")
        for name in lattice["nodes"]:
            numbers.setdefault(_name(name, "'nodes'"), len(numbers))

    def number(name: Any, what: str) -> int:
        key = _name(name, what)
        if key not in numbers and is_fixed:
            raise InputError(f"{what} names node {name!r}, which 'nodes' lacks; need one of them: add it")
        return numbers.setdefault(key, len(numbers))

    start = number(lattice["start"], "'start'") if lattice.get("start") is not None else None
    arcs = []
    for index, arc in enumerate(listed):
        what = f"arc {index} of the lattice"
        if not isinstance(arc, Mapping) or not {"source", "target", "label"} <= arc.keys():
            raise InputError(f"{what} is {arc!r}; need a mapping with source, target, label and weight or log_weight")
        source, target = number(arc["source"], what), number(arc["target"], what)
        arcs.append((source, arc["label"], target, _weight(arc, semiring, what)))
    if start is None:
        start = arcs[0][0] if arcs else 0
    ends = lattice.get("final")
    if isinstance(ends, Mapping):
        final = {
            number(name, "'final'"): _weight({"weight": value}, semiring, f"final node {name!r}")
            for name, value in ends.items()
        }
    elif isinstance(ends, list | tuple):
        final = {number(name, "'final'"): one_of(semiring) for name in ends}
    else:
        raise InputError("the lattice has no 'final'; need a list of nodes, or a mapping from nodes to weights")
    return arcs, final, start


def _name(name: Any, what: str) -> str:
    # Keys of a JSON object are strings, so 3 and "3" are the same node.
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise InputError(f"{what} names node {name!r}; need a string or an integer: rename it")
    return str(name)


def _weight(arc: Mapping[str, Any], semiring: str, what: str) -> float:
    if "weight" in arc and "log_weight" in arc:
        raise InputError(f"{what} has both weight and log_weight; need one of them: drop the other")
    if "log_weight" in arc:
        logarithm = weight_number(arc["log_weight"], what)
        if semiring != "real":
            return -logarithm
        try:
            return math.exp(logarithm)
        except OverflowError:
            raise InputError(f"{what} has log_weight {logarithm}; need at most 709: use semiring='log'") from None
    if "weight" not in arc:
        return one_of(semiring)
    weight = weight_number(arc["weight"], what)
    if semiring == "real":
        return weight
    if weight < 0:
        raise InputError(f"{what} has weight {weight}; a cost needs a weight of at least 0: use semiring='real'")
    return -math.log(weight) if weight > 0 else math.inf

"""Machines of OpenFst and pynini, as they are in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from weft.automata.automaton import Automaton
from weft.automata.transducer import Transducer
from weft.errors import InputError

SEMIRINGS = {"standard": "tropical", "log": "log", "log64": "log"}
NEEDED = ("start", "states", "arcs", "final", "arc_type", "input_symbols", "output_symbols")


def is_openfst(value: Any) -> bool:
    """Whether this is a machine of pynini or of OpenFst's own Python module, which need not be installed.

    Examples
    --------
    >>> is_openfst("abc")
    False
    """
    return _is_foreign(type(value)) and all(hasattr(value, name) for name in NEEDED)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _is_foreign(kind: type) -> bool:
    packages = {str(each.__module__).partition(".")[0] for each in kind.__mro__}
    return bool(packages & {"_pynini", "pynini", "pywrapfst", "_pywrapfst"})


def from_openfst(machine: Any, *, semiring: str | None = None) -> Automaton | Transducer:
    """A machine of pynini or OpenFst as an `Automaton`, or a `Transducer` if arcs write other labels than they read.

    Parameters
    ----------
    machine : pynini.Fst or pywrapfst.Fst
        With symbol tables its labels have their names; without, a label is the character of its number, which is what
        pynini compiles strings to (use ``token_type="utf8"`` for letters beyond ASCII).
    semiring : {"log", "tropical"}, optional
        How costs of different paths join; as the machine says if None: tropical for pynini's usual arcs.

    Returns
    -------
    Automaton or Transducer

    Examples
    --------
    >>> import pynini
    >>> from_openfst(pynini.union("cat", "cart"), semiring="log").n_arcs > 0
    True
    """
    if not is_openfst(machine):
        raise InputError(f"a {type(machine).__name__} given; need a machine of pynini or OpenFst")
    if semiring is None:
        semiring = SEMIRINGS.get(str(machine.arc_type()))
    if semiring not in ("log", "tropical"):
        raise InputError(f"arcs of type {machine.arc_type()!r} given; need costs: say semiring='log' or 'tropical'")
    names = [_Names(table) for table in (machine.input_symbols(), machine.output_symbols())]
    arcs: list[Any] = []
    final: dict[int, float] = {}
    is_acceptor = True
    for state in machine.states():
        for arc in machine.arcs(state):
            labels = (names[0](arc.ilabel), names[1](arc.olabel))
            is_acceptor &= labels[0] == labels[1]
            arcs.append((int(state), labels, int(arc.nextstate), float(str(arc.weight))))
        weight = float(str(machine.final(state)))
        if weight != float("inf"):
            final[int(state)] = weight
    start = int(machine.start())
    if start < 0 or not final:
        raise InputError("the machine has no start or no end, so it accepts nothing; need one that accepts a string")
    if is_acceptor:
        return Automaton.from_arcs(
            [(begin, labels[0], end, weight) for begin, labels, end, weight in arcs],
            final,
            start=start,
            semiring=semiring,
        )
    return Transducer.from_arcs(arcs, final, start=start, semiring=semiring)


class _Names:
    """Names of labels: those of a symbol table, or characters."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __call__(self, label: int) -> str | None:
        if label == 0:
            return None
        if self._table is not None:
            found = self._table.find(label)
            if isinstance(found, bytes):
                found = found.decode("utf-8")
            if not found:
                raise InputError(f"label {label} is not in the symbol table of the machine; add it there")
            return str(found)
        if not 0 < label < 0x110000:
            raise InputError(f"label {label} is not a character, and the machine has no symbol table; give it one")
        return chr(label)

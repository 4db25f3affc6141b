"""Weighted automata and transducers: strings, lattices and rational relations as arrays of arcs."""

from __future__ import annotations

from weft.automata.automaton import Automaton
from weft.automata.machine import Arc
from weft.automata.transducer import Transducer

__all__ = ["Arc", "Automaton", "Transducer"]

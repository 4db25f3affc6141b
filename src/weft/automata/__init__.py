"""Weighted automata and transducers: strings, lattices and rational relations as arrays of arcs."""

from __future__ import annotations

from weft.automata.att import read_att, read_symbols, write_att, write_symbols
from weft.automata.automaton import Automaton
from weft.automata.composition import compose, intersect
from weft.automata.connection import connect
from weft.automata.counters import gappy_transducer, ngram_transducer
from weft.automata.determinization import determinize, is_deterministic
from weft.automata.distances import shortest_distance, total_weight
from weft.automata.epsilons import remove_epsilon
from weft.automata.kaldi import iter_kaldi_lattices, read_kaldi_lattices
from weft.automata.machine import Arc
from weft.automata.minimization import minimize
from weft.automata.openfst import from_openfst
from weft.automata.paths import Path, random_paths, shortest_paths, strings_and_weights
from weft.automata.posteriors import posterior
from weft.automata.rational import closure, concatenate, invert, project, union
from weft.automata.slf import read_slf
from weft.automata.transducer import Transducer
from weft.spelling import suggest_names

__all__ = [
    "Arc",
    "Automaton",
    "Path",
    "Transducer",
    "closure",
    "compose",
    "concatenate",
    "connect",
    "determinize",
    "from_openfst",
    "gappy_transducer",
    "intersect",
    "invert",
    "is_deterministic",
    "iter_kaldi_lattices",
    "minimize",
    "ngram_transducer",
    "posterior",
    "project",
    "random_paths",
    "read_att",
    "read_kaldi_lattices",
    "read_slf",
    "read_symbols",
    "remove_epsilon",
    "shortest_distance",
    "shortest_paths",
    "strings_and_weights",
    "total_weight",
    "union",
    "write_att",
    "write_symbols",
]

suggest_names(__name__)

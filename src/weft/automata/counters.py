"""Transducers that count: n-grams, and n-grams with gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable

from weft.automata.arc_arrays import is_count, symbol_table, weight_number
from weft.automata.semirings import one_of, semiring_code
from weft.automata.transducer import Transducer
from weft.errors import InputError


def ngram_transducer(alphabet: Iterable[str | None], n: int, *, semiring: str = "real") -> Transducer:
    """Counter of n-grams: the weight of (x, z) is how often z, of length n, occurs in x (LK Figure 2).

    Parameters
    ----------
    alphabet : iterable of str
        The symbols; None is left out, so a symbol table will do.
    n : int
        Length of the n-grams, at least 1.
    semiring : {"real", "log", "tropical"}

    Returns
    -------
    Transducer
        With n + 1 states: loops that read and write nothing on the first and the last, and copies in between.

    Examples
    --------
    >>> from weft.automata import Automaton, compose, ngram_transducer, project, strings_and_weights
    >>> counts = project(compose(Automaton.from_string("ababa"), ngram_transducer("ab", 2)))
    >>> strings_and_weights(counts)
    {('a', 'b'): 2.0, ('b', 'a'): 2.0}
    """
    return _counter(alphabet, n, None, semiring)


def gappy_transducer(alphabet: Iterable[str | None], n: int, decay: float, *, semiring: str = "real") -> Transducer:
    """Counter of n-grams with gaps: an occurrence that skips k symbols inside counts ``decay ** k``.

    The variant that counts ``decay ** span``, with the span from the first to the last symbol of the occurrence, is
    ``decay ** n`` times this one, so its kernel is ``decay ** (2 * n)`` times this kernel.

    Parameters
    ----------
    alphabet : iterable of str
        The symbols; None is left out.
    n : int
        Length of the n-grams, at least 1.
    decay : float
        Factor for each symbol skipped; 0 counts plain n-grams, 1 all subsequences of length n.
    semiring : {"real", "log", "tropical"}
        For the last two the cost of a skip is ``-log(decay)``.

    Returns
    -------
    Transducer

    Examples
    --------
    >>> from weft.automata import Automaton, compose, gappy_transducer, project, strings_and_weights
    >>> strings_and_weights(project(compose(Automaton.from_string("aba"), gappy_transducer("ab", 2, 0.5))))
    {('a', 'a'): 0.5, ('a', 'b'): 1.0, ('b', 'a'): 1.0}
    """
    decay = weight_number(decay, "decay")
    if not 0 <= decay < math.inf:
        raise InputError(f"decay={decay} given; need a finite number of at least 0, usually below 1: choose one")
    if semiring_code(semiring) and decay > 0:
        skip = -math.log(decay)
    else:
        skip = decay if semiring == "real" else math.inf
    return _counter(alphabet, n, skip if decay > 0 else None, semiring)


def _counter(alphabet: Iterable[str | None], n: int, skip: float | None, semiring: str) -> Transducer:
    symbols = symbol_table(alphabet, "the alphabet")
    if not is_count(n):
        raise InputError(f"n={n!r} given; need an integer of at least 1: choose the length of the n-grams")
    one = one_of(semiring)
    arcs: list[tuple[int, tuple[str | None, str | None], int, float]] = []
    for state in range(n + 1):
        loop = one if state in (0, n) else skip
        for symbol in symbols[1:]:
            if loop is not None:
                arcs.append((state, (symbol, None), state, loop))
            if state < n:
                arcs.append((state, (symbol, symbol), state + 1, one))
    return Transducer.from_arcs(arcs, final={n: one}, input_symbols=symbols, output_symbols=symbols, semiring=semiring)

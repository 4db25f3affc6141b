"""Weighted automata: strings and lattices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from weft.automata import lattice_json
from weft.automata.arc_arrays import (
    FloatArray,
    IntArray,
    SymbolNumbers,
    Symbols,
    arc_columns,
    as_tokens,
    count_states,
    final_array,
    sort_arcs,
    weight_number,
)
from weft.automata.machine import Arc, Machine
from weft.automata.semirings import one_of, zero_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Automaton(Machine):
    """Weights for strings: the sum over the paths that spell a string.

    The weight of a path is the product of the weights of its arcs and the final weight of its last state. The
    constructor takes finished arrays; `from_string`, `from_arcs` and `from_lattice` make them.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_states + 1,)
        The arcs of state ``q`` are ``offsets[q]:offsets[q + 1]``, sorted by label.
    labels : ndarray of int32, shape (n_arcs,)
        Places in `symbols`; 0 is epsilon.
    targets : ndarray of int32, shape (n_arcs,)
    weights : ndarray of float64, shape (n_arcs,)
    final : ndarray of float64, shape (n_states,)
        Final weights; 0 (or ``inf`` for costs) where no path ends.
    symbols : list
        None, which stands for epsilon, and then different strings.
    start : int
    semiring : {"real", "log", "tropical"}
        ``"real"``: weights are numbers with a sign, added and multiplied. ``"log"`` and ``"tropical"``: weights are
        costs, negative logarithms as in OpenFst; costs along a path are added, and those of different paths join as
        ``-log(exp(-a) + exp(-b))`` or ``min(a, b)``.

    Examples
    --------
    >>> lattice = Automaton.from_arcs([(0, "a", 1, 0.5), (0, "b", 1, 0.5), (1, "b", 2, 1.0)], final={2: 1.0})
    >>> lattice
    Automaton(3 states, 3 arcs, 1 final state, semiring='real')
    >>> next(lattice.arcs())
    Arc(source=0, label='a', target=1, weight=0.5)
    """

    labels: IntArray
    symbols: Symbols

    @property
    def inputs(self) -> IntArray:
        """The labels, so that an automaton can stand for the transducer that copies its strings."""
        return self.labels

    @property
    def outputs(self) -> IntArray:
        """The labels."""
        return self.labels

    @property
    def input_symbols(self) -> Symbols:
        """The symbols."""
        return self.symbols

    @property
    def output_symbols(self) -> Symbols:
        """The symbols."""
        return self.symbols

    @classmethod
    def from_string(
        cls,
        text: str | Iterable[str],
        *,
        weight: float | None = None,
        symbols: Iterable[str | None] | None = None,
        semiring: str = "real",
    ) -> Self:
        """One path, which spells a string or a list of tokens.

        Parameters
        ----------
        text : str or iterable of str
            Characters of the string, or tokens.
        weight : float, optional
            Weight of the string; without it the one of the semiring.
        symbols : iterable of str, optional
            Symbol table to use, and to share between many strings; without it the symbols of the text.
        semiring : {"real", "log", "tropical"}

        Returns
        -------
        Automaton

        Examples
        --------
        >>> Automaton.from_string("aba").symbols
        [None, 'a', 'b']
        >>> Automaton.from_string(["to", "be"], weight=-2.0).final
        array([ 0.,  0., -2.])
        """
        numbers = SymbolNumbers(symbols)
        labels = np.array([numbers.number(token) for token in as_tokens(text, "text")], dtype=np.int32)
        final = np.full(len(labels) + 1, zero_of(semiring))
        final[-1] = one_of(semiring) if weight is None else weight_number(weight, "text")
        return cls(
            offsets=np.minimum(np.arange(len(final) + 1), len(labels)),
            labels=labels,
            targets=np.arange(1, len(final), dtype=np.int32),
            weights=np.full(len(labels), one_of(semiring)),
            final=final,
            symbols=numbers.table,
            semiring=semiring,
        )

    @classmethod
    def from_arcs(
        cls,
        arcs: Iterable[Sequence[Any]],
        final: Mapping[int, float],
        *,
        start: int = 0,
        symbols: Iterable[str | None] | None = None,
        semiring: str = "real",
    ) -> Self:
        """An automaton from named arcs.

        Parameters
        ----------
        arcs : iterable of (source, label, target, weight)
            The weight may be left out; a label of None is epsilon.
        final : mapping from state to weight
        start : int
        symbols : iterable of str, optional
            Symbol table to use; without it the labels in the order of their appearance.
        semiring : {"real", "log", "tropical"}

        Returns
        -------
        Automaton

        Examples
        --------
        >>> Automaton.from_arcs([(0, "a", 1), (1, None, 0, 0.5)], final={1: 1.0}).n_arcs
        2
        """
        numbers = SymbolNumbers(symbols)
        sources, labels, _, targets, weights = arc_columns(arcs, numbers, None, one_of(semiring))
        n_states = count_states(start, sources, targets, final)
        offsets, label_array, _, target_array, weight_array = sort_arcs(
            sources, labels, labels, targets, weights, n_states
        )
        return cls(
            offsets=offsets,
            labels=label_array,
            targets=target_array,
            weights=weight_array,
            final=final_array(final, n_states, zero_of(semiring)),
            symbols=numbers.table,
            start=int(start),
            semiring=semiring,
        )

    @classmethod
    def from_lattice(cls, lattice: Mapping[str, Any], *, semiring: str = "real") -> Self:
        """A lattice of alternatives, such as a recogniser writes.

        Parameters
        ----------
        lattice : mapping
            ``"arcs"``: list of mappings with ``"source"``, ``"target"`` (names of nodes: strings or integers),
            ``"label"`` (string, or None for epsilon) and ``"weight"`` or ``"log_weight"`` (natural logarithm of the
            weight; 1 if both are missing). ``"final"``: a list of nodes, or a mapping from nodes to weights.
            ``"start"``: a node; the source of the first arc if it is missing. ``"nodes"``: optional list of all nodes;
            an arc between others is then an error. Unknown keys are ignored.
        semiring : {"real", "log", "tropical"}
            Weights become costs, negative logarithms, for the last two.

        Returns
        -------
        Automaton

        Examples
        --------
        >>> lattice = {"final": ["end"], "arcs": [
        ...     {"source": "begin", "target": "end", "label": "l", "weight": 0.25},
        ...     {"source": "begin", "target": "end", "label": "1", "log_weight": -0.2877}]}
        >>> Automaton.from_lattice(lattice).weights.round(4)
        array([0.25, 0.75])
        """
        arcs, final, start = lattice_json.lattice_parts(lattice, semiring)
        return cls.from_arcs(arcs, final, start=start, semiring=semiring)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *, semiring: str = "real") -> Self:
        """A lattice from JSON: a string that holds it, or the path of a file.

        Parameters
        ----------
        source : str or path-like
            A string is JSON text; use `pathlib.Path` for a file. `from_lattice` says what the object holds.
        semiring : {"real", "log", "tropical"}

        Returns
        -------
        Automaton

        Examples
        --------
        >>> Automaton.from_json('{"final": [1], "arcs": [{"source": 0, "target": 1, "label": "a"}]}')
        Automaton(2 states, 1 arc, 1 final state, semiring='real')
        """
        return cls.from_lattice(lattice_json.load_lattice(source), semiring=semiring)

    def arcs(self) -> Iterator[Arc]:
        """All arcs by name, sorted by source and number of the label."""
        for source, label, target, weight in zip(self.sources, self.labels, self.targets, self.weights, strict=True):
            yield Arc(int(source), self.symbols[label], int(target), float(weight))

    def replaced(
        self,
        sources: IntArray,
        inputs: IntArray,
        outputs: IntArray,
        targets: IntArray,
        weights: FloatArray,
        final: FloatArray,
        start: int,
    ) -> Self:
        """An automaton of the same symbols with other arcs, in any order; `outputs` are not looked at."""
        offsets, labels, _, targets, weights = sort_arcs(sources, inputs, inputs, targets, weights, len(final))
        return replace(
            self, offsets=offsets, labels=labels, targets=targets, weights=weights, final=final, start=int(start)
        )

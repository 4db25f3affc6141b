"""Weighted transducers: rational relations between strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

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
)
from weft.automata.machine import Arc, Machine
from weft.automata.semirings import one_of, zero_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Transducer(Machine):
    """Weights for pairs of strings: the sum over the paths that read the one and write the other.

    Parameters
    ----------
    offsets, targets, weights, final, start, semiring
        As in `Automaton`; the arcs of a state are sorted by input label.
    inputs, outputs : ndarray of int32, shape (n_arcs,)
        Places in the symbol tables; 0 is epsilon.
    input_symbols, output_symbols : list
        None, which stands for epsilon, and then different strings.

    Examples
    --------
    >>> swap = Transducer.from_arcs([(0, ("a", "b"), 0, 1.0), (0, ("b", None), 0, 0.5)], final={0: 1.0})
    >>> swap
    Transducer(1 state, 2 arcs, 1 final state, semiring='real')
    >>> [arc.label for arc in swap.arcs()]
    [('a', 'b'), ('b', None)]
    """

    inputs: IntArray
    outputs: IntArray
    input_symbols: Symbols
    output_symbols: Symbols

    @classmethod
    def from_string(
        cls, text: str | Iterable[str], output: str | Iterable[str] | None = None, *, semiring: str = "real"
    ) -> Self:
        """One path that reads a string and writes the same or another one; the shorter one ends in epsilons.

        Parameters
        ----------
        text : str or iterable of str
        output : str or iterable of str, optional
        semiring : {"real", "log", "tropical"}

        Returns
        -------
        Transducer

        Examples
        --------
        >>> [arc.label for arc in Transducer.from_string("ab", "c").arcs()]
        [('a', 'c'), ('b', None)]
        """
        read = as_tokens(text, "text")
        written = read if output is None else as_tokens(output, "output")
        length = max(len(read), len(written))
        pairs = zip([*read, *[None] * (length - len(read))], [*written, *[None] * (length - len(written))], strict=True)
        arcs = [(place, pair, place + 1) for place, pair in enumerate(pairs)]
        return cls.from_arcs(arcs, final={length: one_of(semiring)}, semiring=semiring)

    @classmethod
    def from_arcs(
        cls,
        arcs: Iterable[Sequence[Any]],
        final: Mapping[int, float],
        *,
        start: int = 0,
        input_symbols: Iterable[str | None] | None = None,
        output_symbols: Iterable[str | None] | None = None,
        semiring: str = "real",
    ) -> Self:
        """A transducer from named arcs.

        Parameters
        ----------
        arcs : iterable of (source, (input, output), target, weight)
            The weight may be left out; None is epsilon.
        final : mapping from state to weight
        start : int
        input_symbols, output_symbols : iterable of str, optional
            Symbol tables to use; without them the labels in the order of their appearance.
        semiring : {"real", "log", "tropical"}

        Returns
        -------
        Transducer

        Examples
        --------
        >>> Transducer.from_arcs([(0, ("a", None), 1, 2.0)], final={1: 1.0}).input_symbols
        [None, 'a']
        """
        reads = SymbolNumbers(input_symbols, "input_symbols")
        writes = SymbolNumbers(output_symbols, "output_symbols")
        sources, inputs, outputs, targets, weights = arc_columns(arcs, reads, writes, one_of(semiring))
        n_states = count_states(start, sources, targets, final)
        offsets, input_array, output_array, target_array, weight_array = sort_arcs(
            sources, inputs, outputs, targets, weights, n_states
        )
        return cls(
            offsets=offsets,
            inputs=input_array,
            outputs=output_array,
            targets=target_array,
            weights=weight_array,
            final=final_array(final, n_states, zero_of(semiring)),
            input_symbols=reads.table,
            output_symbols=writes.table,
            start=int(start),
            semiring=semiring,
        )

    def arcs(self) -> Iterator[Arc]:
        """All arcs by name, sorted by source and number of the input label."""
        columns = zip(self.sources, self.inputs, self.outputs, self.targets, self.weights, strict=True)
        for source, read, written, target, weight in columns:
            label = (self.input_symbols[read], self.output_symbols[written])
            yield Arc(int(source), label, int(target), float(weight))

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
        """A transducer of the same symbols with other arcs, in any order."""
        offsets, inputs, outputs, targets, weights = sort_arcs(sources, inputs, outputs, targets, weights, len(final))
        return replace(
            self,
            offsets=offsets,
            inputs=inputs,
            outputs=outputs,
            targets=targets,
            weights=weights,
            final=final,
            start=int(start),
        )

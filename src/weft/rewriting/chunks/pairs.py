"""Pairs of sequences as numbers, and which of them steps over chunks can align."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers, Mask
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.rewriting.chunks import loops

__all__ = ["Pairs", "allowed_steps", "possible_pairs"]


@dataclass(frozen=True)
class Pairs:
    """Pairs of sequences as numbers: pair w is ``inputs[input_offsets[w]:input_offsets[w + 1]]``, likewise outputs."""

    inputs: Ids
    input_offsets: Integers
    outputs: Ids
    output_offsets: Integers

    def __post_init__(self) -> None:
        cure = "number the symbols from 0, one sequence after the other"
        for name in ("input", "output"):
            symbols = checked_numbers(f"{name}s", getattr(self, f"{name}s"), np.iinfo(np.int32).max, cure)
            offsets = checked_offsets(f"{name}_offsets", getattr(self, f"{name}_offsets"), len(symbols), cure)
            object.__setattr__(self, f"{name}s", symbols)
            object.__setattr__(self, f"{name}_offsets", offsets)
        if len(self.input_offsets) != len(self.output_offsets):
            raise InputError(f"{len(self)} inputs and {len(self.output_offsets) - 1} outputs given; need one each.")

    def __len__(self) -> int:
        return len(self.input_offsets) - 1

    def part(self, part: slice) -> Pairs:
        """Neighbouring pairs.

        Examples
        --------
        >>> pairs = Pairs(*(np.array(a) for a in ([0, 1, 2], [0, 1, 3], [7, 8], [0, 1, 2])))
        >>> pairs.part(slice(1, 2)).inputs
        array([1, 2], dtype=int32)
        """
        cut = []
        for symbols, offsets in ((self.inputs, self.input_offsets), (self.outputs, self.output_offsets)):
            bounds = offsets[part.start : part.stop + 1]
            cut += [symbols[bounds[0] : bounds[-1]], bounds - bounds[0]]
        return Pairs(*cut)

    def select(self, chosen: NDArray[Any]) -> Pairs:
        """The chosen pairs, in that order."""
        parts = []
        for symbols, offsets in ((self.inputs, self.input_offsets), (self.outputs, self.output_offsets)):
            starts, lengths = offsets[:-1][chosen], np.diff(offsets)[chosen]
            new = np.zeros(len(starts) + 1, dtype=np.int64)
            np.cumsum(lengths, out=new[1:])
            parts += [symbols[np.arange(new[-1]) + np.repeat(starts - new[:-1], lengths)], new]
        return Pairs(*parts)


def allowed_steps(max_input: int, max_output: int) -> Integers:
    """Steps (input symbols, output symbols): one symbol to none or several, several to one.

    Chunks of several symbols on both sides are left out: they would swallow pairs of plain steps.

    Examples
    --------
    >>> allowed_steps(2, 2).tolist()
    [[1, 0], [1, 1], [1, 2], [2, 1]]
    """
    steps = [(1, b) for b in range(max_output + 1)] + [(a, 1) for a in range(2, max_input + 1)]
    return np.array(steps, dtype=np.int64)


def possible_pairs(pairs: Pairs, steps: Integers) -> Mask:
    """Which pairs have an alignment by the steps; both sides need a symbol.

    Examples
    --------
    >>> offsets = np.array([0, 1, 2])
    >>> pairs = Pairs(np.array([0, 0], dtype=np.int32), offsets, np.zeros(4, dtype=np.int32), np.array([0, 1, 4]))
    >>> possible_pairs(pairs, allowed_steps(2, 2))
    array([ True, False])
    """
    possible = np.zeros(len(pairs), dtype=bool)
    loops.is_possible(pairs.input_offsets, pairs.output_offsets, steps, possible)
    return possible & (np.diff(pairs.input_offsets) > 0) & (np.diff(pairs.output_offsets) > 0)

"""Weights of a candidate chain in the order in which sequences meet them: for passes that take many small steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.rewriting.candidates.loops.perceptron import LANES, lay_out


@dataclass(frozen=True)
class Layout:
    """Where each weight of the contexts of a batch lies while passes go on; `loops.perceptron` says why.

    Attributes
    ----------
    rows, codes : ndarrays
        Where the entries of the contexts of each position begin.
    used : ndarray or slice
        Entries of the contexts that occur in the batch.
    where : ndarray
        Where these lie.
    places : ndarray
        What the entries speak for that are in no row of traits.
    is_entry : ndarray of shape (n_rows, width)
        Which traits a row has an entry for; the weights of the others stay zero.
    """

    rows: Integers
    codes: Ids
    used: Any
    where: NDArray[Any]
    places: NDArray[np.int16]
    is_entry: NDArray[np.bool_]

    @classmethod
    def of(cls, batch: Any) -> Layout:
        """The layout for the sequences of a batch."""
        chain = batch.chain
        most, n_traits = chain.most_candidates, int(chain.traits.max(initial=-1)) + 1
        context_offsets, contexts = batch.found
        rows, codes, where, places, n_rows = lay_out(
            context_offsets, contexts, chain.entry_offsets, chain.entry_places, most, n_traits
        )
        used: Any = slice(None)  # all of them, as is usual: then there is no list of them
        if where.min(initial=0) < 0:
            used = np.flatnonzero(where >= 0)
            where = where[used]
        is_entry = np.zeros((n_rows, -(-n_traits // LANES) * LANES), dtype=bool)
        if len(places) + is_entry.size < 1 << 31:
            where = where.astype(np.int32)
        is_entry.reshape(-1)[where[where >= len(places)] - len(places)] = True
        return cls(rows, codes, used, where, places, is_entry)

    def laid_out(self, entries: Floats) -> Floats:
        """Weights of entries as they are to lie."""
        values = np.zeros(len(self.places) + self.is_entry.size)
        values[self.where] = entries[self.used]
        return values

    def take_back(self, values: Floats, entries: Floats) -> None:
        """The opposite, into an array."""
        entries[self.used] = values[self.where]

    def parts(self, values: Floats) -> tuple[Floats, Floats]:
        """Views of the single weights and of the rows."""
        n_single = len(self.places)
        return values[:n_single], values[n_single:].reshape(self.is_entry.shape)

    def loop_model(self, batch: Any, values: Floats, steps: Floats) -> Any:
        """What the compiled passes take."""
        chain = batch.chain
        return (
            (batch.offsets, batch.symbols, self.rows, self.codes),
            (chain.first, chain.classes, chain.trait_offsets, chain.traits),
            (self.places, *self.parts(values), self.is_entry),
            steps,
        )

"""Questions about the alignments of some pairs, given how probable each chunk pair is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.shards import concatenate_over_shards, sum_over_shards
from weft.rewriting.chunks import loops
from weft.rewriting.chunks.table import ChunkTable

__all__ = ["ChunkLattices"]

MOST_KEPT = 1 << 23
"""Numbers of chunk pairs that are kept: 32 MB, of some 20,000 words."""


class ChunkLattices:
    """All alignments of some pairs.

    Parameters
    ----------
    words : tuple of ndarrays
        From `ChunkTable.words`: of pairs that are all possible.
    table : ChunkTable
        Of these pairs, or of more.
    shards : list of slices
        How sums over the pairs are cut.
    slices : list of slices, optional
        How the pairs are shared out where nothing is summed; as `shards` if not given.
    sample_weight : ndarray, optional
    n_jobs : int or None
    """

    hints: Any = None

    def __init__(
        self,
        words: tuple[Ids, Integers, Ids, Integers],
        table: ChunkTable,
        shards: list[slice],
        slices: list[slice] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.table, self.shards, self.slices, self.n_jobs = table, shards, slices or shards, n_jobs
        self.words = words
        self.sample_weight = np.ones(len(words[1]) - 1) if sample_weight is None else sample_weight
        cells = np.diff(words[1]) * (np.diff(words[3]) + 1) * len(table.steps)
        self._starts = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
        self._numbers = np.empty(0, dtype=np.int32)

    def keep_numbers(self) -> ChunkLattices:
        """Look the chunk pairs of all cells up once, for questions that come again and again; not if they are many."""
        if self._starts[-1] <= MOST_KEPT and not len(self._numbers):
            table, numbers = self.table, np.empty(int(self._starts[-1]), dtype=np.int32)

            def work(part: slice) -> None:
                words = self._part(part)[0]
                loops.number_edges(
                    words, table.steps, table.n_outputs, table.places, self._starts[part.start : part.stop + 1], numbers
                )

            concatenate_over_shards(work, self.slices, self.n_jobs)
            self._numbers = numbers
        return self

    def _part(self, part: slice) -> Any:
        inputs, input_offsets, outputs, output_offsets = self.words
        bounds = slice(part.start, part.stop + 1)
        longest = tuple(int(np.diff(offsets[bounds]).max()) for offsets in (input_offsets, output_offsets))
        return (inputs, input_offsets[bounds], outputs, output_offsets[bounds]), longest

    def expected_chunks(self, probabilities: Floats) -> tuple[Floats, float]:
        """How often each chunk pair is expected, and the log-likelihood of the pairs."""
        table = self.table

        def work(part: slice) -> tuple[Any, ...]:
            words, longest = self._part(part)
            counts = np.zeros(len(table.keys))
            known = (self._starts[part.start : part.stop + 1], self._numbers)
            total = loops.expected_counts(
                words, table.steps, table.n_outputs, table.places, known, probabilities, self.sample_weight[part],
                longest, counts,
            )  # fmt: skip
            return counts, total

        counts, total = sum_over_shards(work, self.shards, self.n_jobs)
        return counts, float(total)

    def best_chunks(self, logs: Floats) -> tuple[NDArray[np.int8], Floats]:
        """Step that begins at each input symbol on the best path, -1 inside a chunk; log-scores of the paths."""
        table = self.table
        chosen, scores = np.empty(self.words[0].shape[1], dtype=np.int8), np.empty(len(self.sample_weight))

        def work(part: slice) -> None:
            words, longest = self._part(part)
            loops.best_steps(words, table.steps, table.n_outputs, table.places, logs, longest, chosen, scores[part])

        concatenate_over_shards(work, self.slices, self.n_jobs)
        return chosen, scores

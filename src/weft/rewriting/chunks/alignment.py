"""Which chunks of two sequences belong together, learned from pairs that nobody has aligned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers, Mask
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.shards import concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.errors import InputError
from weft.rewriting.chunks import loops

CELLS_PER_COST = 32
"""Cells of an alignment that take as long as a token of a chain, roughly."""
LONG_CHUNK_PENALTY = 1.0
"""Log-score that each symbol of a chunk beyond the first costs. Without it long chunks win: a path of few steps is a
product of few probabilities."""


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
            raise InputError(f"{len(self)} inputs and {len(self.output_offsets) - 1} outputs came; want one each.")

    def __len__(self) -> int:
        return len(self.input_offsets) - 1

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


def _chunk_numbers(symbols: Ids, offsets: Integers, longest: int) -> tuple[Ids, int]:
    """Number of the chunk of each length that begins at each symbol, and how many chunks there are."""
    left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(symbols))
    rows = np.full((longest, len(symbols)), -1, dtype=np.int32)
    n_chunks = int(symbols.max(initial=-1)) + 1
    rows[0] = symbols
    for length in range(2, longest + 1):
        fits = np.flatnonzero(left >= length)
        codes = rows[length - 2][fits].astype(np.int64) * (1 << 31) + symbols[fits + length - 1]
        unique, numbers = np.unique(codes, return_inverse=True)
        rows[length - 1, fits] = n_chunks + numbers
        n_chunks += len(unique)
    return rows, n_chunks


class ChunkAlignment:
    """Joint model of chunk pairs, bound to the pairs of sequences that it is learned from.

    ``P(x, y, alignment)`` is the product of the probabilities of the chunk pairs on the path; expectation-maximisation
    finds them (Jiampojamarn, Kondrak and Sherif 2007). Every symbol of either side is in exactly one chunk.

    Parameters
    ----------
    pairs : Pairs
        All of them possible, see `possible_pairs`.
    steps : ndarray of shape (n_steps, 2)
    sample_weight : ndarray, optional
        Weight of each pair.
    n_jobs : int
        Threads.
    costs : callable, optional
        What a chunk pair loses of its log-score, from the input and the output symbols of all of them, as `chunks`
        gives them; by default longer chunks lose more.

    Attributes
    ----------
    log_likelihoods : list of float
        One per iteration of `learn`.
    converged : bool
        Whether `learn` reached its tolerance.

    Examples
    --------
    >>> offsets = np.array([0, 2, 3, 4])
    >>> pairs = Pairs(np.array([0, 1, 0, 1], dtype=np.int32), offsets, np.array([5, 6, 5, 6], dtype=np.int32), offsets)
    >>> alignment = ChunkAlignment(pairs, allowed_steps(2, 2)).learn()
    >>> alignment.steps[alignment.best()[0]].tolist()
    [[1, 1], [1, 1], [1, 1], [1, 1]]
    """

    def __init__(
        self, pairs: Pairs, steps: Integers, sample_weight: Floats | None = None, n_jobs: int | None = -1,
        costs: Callable[[Ids, Ids], Floats] | None = None,
    ) -> None:  # fmt: skip
        if not len(pairs):
            raise InputError("there is no pair to align; give at least one.")
        if steps.ndim != 2 or steps.shape[1] != 2 or not len(steps) or steps[:, 0].min() < 1 or steps[:, 1].min() < 0:
            raise InputError("the steps do not each take an input symbol or more; use allowed_steps.")
        if not possible_pairs(pairs, steps).all():
            raise InputError("a pair has no alignment by these steps; leave it out, see possible_pairs.")
        self.pairs = pairs
        self.steps = steps
        size, cure = (len(pairs),), "give one number per pair"
        self.sample_weight = (
            np.ones(size) if sample_weight is None else checked_floats("sample_weight", sample_weight, size, cure)
        )
        self.log_likelihoods: list[float] = []
        max_input, max_output = (int(n) for n in steps.max(axis=0))
        inputs, n_inputs = _chunk_numbers(pairs.inputs, pairs.input_offsets, max_input)
        outputs, n_outputs = _chunk_numbers(pairs.outputs, pairs.output_offsets, max_output)
        # Number 0 is the empty output chunk, which needs no row of its own.
        outputs = np.vstack([np.zeros_like(outputs[:1]), np.where(outputs >= 0, outputs + 1, -1)])
        self._n_outputs = n_outputs + 1
        self._words = (inputs, pairs.input_offsets, outputs, pairs.output_offsets)
        self._number_pairs(n_inputs)
        extra = np.maximum(steps[:, 0] - 1, 0) + np.maximum(steps[:, 1] - 1, 0)
        self._penalties = LONG_CHUNK_PENALTY * self._by_step(extra) if costs is None else costs(*self.chunks())
        self.n_jobs = n_jobs
        cells = np.diff(pairs.input_offsets) * np.diff(pairs.output_offsets)
        self._slices = cut_into_shards(cells / CELLS_PER_COST, 0)
        self._shards = cut_into_shards(cells / CELLS_PER_COST, len(self._keys))
        self.probabilities = np.exp(-self._penalties) / len(self._penalties)

    def _number_pairs(self, n_inputs: int) -> None:
        """Find the chunk pairs that occur in any alignment, and number them in the order of their keys."""
        size, known, word = 1 << 16, 0, 0
        table = np.full(size, -1, dtype=np.int64)
        while word < len(self.pairs):
            word, known = loops.collect_pairs(self._words, self.steps, self._n_outputs, word, table, known)
            if word < len(self.pairs):
                keys = table[table >= 0]
                size *= 2
                table = np.full(size, -1, dtype=np.int64)
                loops.insert_keys(keys, table, np.empty(size, dtype=np.int32))
        self._keys = np.sort(table[table >= 0])
        size = 1 << int(2 * len(self._keys)).bit_length()
        self._table = (np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.int32))
        loops.insert_keys(self._keys, *self._table)

    def _by_step(self, values: NDArray[Any]) -> Floats:
        """Value of the step that each chunk pair takes."""
        inputs, _, outputs, _ = self._words
        lengths = []
        for rows, chunks in ((inputs, self._keys // self._n_outputs), (outputs, self._keys % self._n_outputs)):
            tops = np.maximum.accumulate(rows.max(axis=1, initial=-1))
            lengths.append(np.searchsorted(tops, chunks))
        by_lengths = np.zeros(self.steps.max(axis=0) + 1)
        by_lengths[self.steps[:, 0], self.steps[:, 1]] = values
        return np.asarray(by_lengths[lengths[0] + 1, lengths[1]])

    def chunks(self) -> tuple[Ids, Ids]:
        """Input and output symbols of each chunk pair, in the order of `probabilities`; -1 beyond a chunk's end."""
        inputs, _, outputs, _ = self._words
        sides = (
            (inputs, self.pairs.inputs, self._keys // self._n_outputs),
            (outputs[1:], self.pairs.outputs, self._keys % self._n_outputs),
        )
        found = []
        for rows, symbols, chosen in sides:
            spelled = np.full((int(rows.max(initial=0)) + 1, len(rows)), -1, dtype=np.int32)
            for length, row in enumerate(rows, start=1):
                places = np.flatnonzero(row >= 0)
                for k in range(length):
                    spelled[row[places], k] = symbols[places + k]
            found.append(spelled[chosen])
        return found[0], found[1]

    def _part(self, part: slice) -> Any:
        inputs, input_offsets, outputs, output_offsets = self._words
        bounds = slice(part.start, part.stop + 1)
        longest = tuple(int(np.diff(offsets[bounds]).max()) for offsets in (input_offsets, output_offsets))
        return (inputs, input_offsets[bounds], outputs, output_offsets[bounds]), longest

    def learn(
        self, max_iter: int = 12, tol: float = 1e-3, report: Callable[[int, float], bool] | None = None
    ) -> ChunkAlignment:
        """Iterate until the log-likelihood gains less than `tol` of its size."""
        before, self.converged = -np.inf, False
        for iteration in range(1, max_iter + 1):
            counts, total = self._expectations()
            self.log_likelihoods.append(total)
            self.probabilities = counts / counts.sum() * np.exp(-self._penalties)
            stop = report is not None and report(iteration, total)
            self.converged = total - before < tol * abs(total)
            if stop or self.converged:
                break
            before = total
        return self

    def _expectations(self) -> tuple[Floats, float]:
        def work(part: slice) -> tuple[Any, ...]:
            words, longest = self._part(part)
            counts = np.zeros(len(self._keys))
            total = loops.expected_counts(
                words, self.steps, self._n_outputs, self._table, self.probabilities, self.sample_weight[part], longest,
                counts,
            )  # fmt: skip
            return counts, total

        counts, total = sum_over_shards(work, self._shards, self.n_jobs)
        return counts, float(total)

    def best(self) -> tuple[NDArray[np.int8], Floats]:
        """Step that begins at each input symbol on the best path, -1 inside a chunk; log-scores of the paths."""
        chosen = np.empty(len(self.pairs.inputs), dtype=np.int8)
        scores = np.empty(len(self.pairs))
        with np.errstate(divide="ignore"):
            # A pair whose probability sank to zero in this arithmetic stays possible.
            logs = np.maximum(np.log(self.probabilities), -1000.0)

        def work(part: slice) -> None:
            words, longest = self._part(part)
            loops.best_steps(words, self.steps, self._n_outputs, self._table, logs, longest, chosen, scores[part])

        concatenate_over_shards(work, self._slices, self.n_jobs)
        return chosen, scores

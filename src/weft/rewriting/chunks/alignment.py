"""Which chunks of two sequences belong together, learned from pairs that nobody has aligned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_floats
from weft.core.shards import cut_into_shards
from weft.errors import InputError
from weft.rewriting.chunks.lattices import ChunkLattices
from weft.rewriting.chunks.loops import LEAST_LOG
from weft.rewriting.chunks.pairs import Pairs, allowed_steps, possible_pairs
from weft.rewriting.chunks.table import ChunkTable

__all__ = ["ChunkAlignment", "Pairs", "allowed_steps", "possible_pairs"]

CELLS_PER_COST = 32
"""Cells of an alignment that take as long as a token of a chain, roughly."""
LONG_CHUNK_PENALTY = 1.0
"""Log-score that each symbol of a chunk beyond the first costs. Without it long chunks win: a path of few steps is a
product of few probabilities."""
ROUNDING = 1e-9
"""Share of the log-likelihood by which it may fall for no other reason."""


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
    place : Place, optional
        Where the pairs are kept that questions are asked about: in files, or on the workers of a cluster
        (`weft.estimators.rewrite_places`); in memory without one.

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
        costs: Callable[[Ids, Ids], Floats] | None = None, place: Any = None,
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
        costs_of_pairs = np.diff(pairs.input_offsets) * np.diff(pairs.output_offsets) / CELLS_PER_COST
        slices = cut_into_shards(costs_of_pairs, 0)
        blocks = [partial(pairs.part, each) for each in slices] if place is not None else [lambda: pairs]
        self.table = ChunkTable.collect(blocks, steps)
        extra = np.maximum(steps[:, 0] - 1, 0) + np.maximum(steps[:, 1] - 1, 0)
        self._penalties = LONG_CHUNK_PENALTY * self._by_step(extra) if costs is None else costs(*self.chunks())
        shards = cut_into_shards(costs_of_pairs, len(self.table.keys))
        self._lattices: Any
        if place is None:
            words = self.table.words(pairs)
            self._lattices = ChunkLattices(words, self.table, shards, slices, self.sample_weight, n_jobs)
        else:
            self._lattices = place.lattices(pairs, self.table, shards)
        self.probabilities = np.exp(-self._penalties) / len(self._penalties)

    def _by_step(self, values: NDArray[Any]) -> Floats:
        """Value of the step that each chunk pair takes."""
        by_lengths = np.zeros(self.steps.max(axis=0) + 1)
        by_lengths[self.steps[:, 0], self.steps[:, 1]] = values
        return np.asarray(by_lengths[self.table.lengths()])

    def chunks(self) -> tuple[Ids, Ids]:
        """Input and output symbols of each chunk pair, in the order of `probabilities`; -1 beyond a chunk's end."""
        return self.table.spelled()

    def learn(
        self, max_iter: int = 12, tol: float = 1e-3, report: Callable[[int, float], bool] | None = None
    ) -> ChunkAlignment:
        """Iterate until the log-likelihood gains less than `tol` of its size.

        It never falls but by rounding: penalties are factors that every iteration has alike.
        """
        before, self.converged = -np.inf, False
        if isinstance(self._lattices, ChunkLattices):
            self._lattices.keep_numbers()
        for iteration in range(1, max_iter + 1):
            counts, total = self._lattices.expected_chunks(self.probabilities)
            n_expected = counts.sum()
            if not (np.isfinite(total) and 0.0 < n_expected < np.inf):
                raise InputError(
                    f"{n_expected} chunk pairs are expected, with log-likelihood {total}; need finite numbers, the "
                    "first above 0: give finite sample weights, one of them above 0."
                )
            self.log_likelihoods.append(total)
            self.probabilities = counts / n_expected * np.exp(-self._penalties)
            stop = report is not None and report(iteration, total)
            self.converged = -ROUNDING * abs(total) <= total - before < tol * abs(total)
            if stop or self.converged:
                break
            before = total
        return self

    def best(self) -> tuple[NDArray[np.int8], Floats]:
        """Step that begins at each input symbol on the best path, -1 inside a chunk; log-scores of the paths."""
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(self.probabilities), LEAST_LOG)
        chosen, scores = self._lattices.best_chunks(logs)
        return chosen, scores

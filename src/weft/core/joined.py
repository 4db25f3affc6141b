"""Graphs of many inputs joined into one: side by side, with the features of all parts as one sparse matrix.

A derivation of the joined graph is one of each input, so that logarithms of sums add up over the roots, and one product
gives all scores, one pass all expectations, one transposed product their features. Graphs of equal shape, as those of
sequences of one length, are kept once; inputs differ in the features of their parts.

Questions go over *blocks* of neighbouring inputs, which bound what is in memory beside the graphs themselves. What an
input answers does not depend on its neighbours. Threads, and the order of sums, are the business of whoever asks
(`weft.core.shards`).
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers, Mask
from weft.core import loops
from weft.core.array_checks import checked_floats
from weft.core.checks import checked_features, checked_number
from weft.core.graph import DerivationGraph
from weft.core.row_sums import summed_rows
from weft.core.semirings import Draw, Dual, Log, MaxPlus, part_values
from weft.core.tracebacks import LARGEST_DERIVATION, check_size
from weft.errors import InputError

BLOCK_EDGES = 2**16
"""A block has at most so many edges, or one input.

With one part per edge a block needs about 1 MB (scores and expectations), so that it stays in the cache of a core, and
takes about a millisecond, far more than it costs to begin it.
"""

NO_BONUS = np.empty(0)

Parts = Ids
Block = tuple[int, int]
"""Number of the first input, and of the one after the last."""


class JoinedArrays(NamedTuple):
    """What compiled loops read. Numbers of nodes, edges and parts in a topology count from 0.

    The parts of input i have the numbers from ``part_starts[i]`` on, and their features the rows from ``first_rows[i]``
    on: so a selection of inputs shares all but the arrays over inputs.
    """

    offset_starts: Integers
    edge_starts: Integers
    offsets: Integers
    tails: Ids
    parts: Ids
    topologies: Integers
    part_starts: Integers
    first_rows: Integers
    row_starts: Integers
    columns: NDArray[np.integer]
    values: Floats


class JoinedGraphs:
    """The graphs of many inputs and the features of their parts, and questions about blocks of inputs.

    Parameters
    ----------
    graphs : list of DerivationGraph
    features : list of sparse matrices of shape (n_parts, n_features)

    Examples
    --------
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> joined = JoinedGraphs([graph, graph], [scipy.sparse.eye_array(2), 2 * scipy.sparse.eye_array(2)])
    >>> joined.expected_parts(np.log([1.0, 3.0]), (0, 2))[1]
    array([0.25, 0.75, 0.1 , 0.9 ])
    """

    def __init__(self, graphs: Sequence[DerivationGraph], features: Sequence[Any]) -> None:
        if not graphs or len(graphs) != len(features):
            raise InputError(f"{len(graphs)} graphs and {len(features)} feature matrices given; need one each per x.")
        rows = [checked_features(graph, own) for graph, own in zip(graphs, features, strict=True)]
        widths = sorted({own.shape[1] for own in rows})
        if len(widths) > 1:
            raise InputError(f"feature matrices of {widths} columns given; need one number: all share the weights.")
        self.n_features = int(widths[0])
        different, topologies = _topologies(graphs)
        part_starts = _starts([graph.n_parts for graph in graphs])
        self.arrays = JoinedArrays(
            offset_starts=_starts([len(graph.offsets) for graph in different]),
            edge_starts=_starts([graph.n_edges for graph in different]),
            offsets=np.concatenate([graph.offsets for graph in different]),
            tails=np.concatenate([graph.tails for graph in different]),
            parts=np.concatenate([graph.parts for graph in different]),
            topologies=topologies,
            part_starts=part_starts,
            first_rows=part_starts[:-1],
            row_starts=_starts(np.concatenate([np.diff(own.indptr) for own in rows])),
            columns=_joined_columns(rows, self.n_features),
            values=np.concatenate([own.data for own in rows]),
        )

    def select(self, inputs: Integers) -> Self:
        """Some of the inputs, which the caller has checked, with the same arrays of graphs and features."""
        other, arrays = copy.copy(self), self.arrays
        other.arrays = arrays._replace(
            topologies=arrays.topologies[inputs],
            part_starts=_starts(arrays.part_starts[inputs + 1] - arrays.part_starts[inputs]),
            first_rows=arrays.first_rows[inputs],
        )
        return other

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.arrays.topologies)

    @property
    def part_starts(self) -> Integers:
        """Number of the first part of each input, and of all parts."""
        return self.arrays.part_starts

    def n_edges(self, inputs: slice) -> Integers:
        """Number of edges of each of neighbouring inputs."""
        topologies = self.arrays.topologies[inputs]
        return self.arrays.edge_starts[topologies + 1] - self.arrays.edge_starts[topologies]

    def blocks(self, inputs: slice) -> Iterator[Block]:
        """Blocks of neighbouring inputs that together have at most `BLOCK_EDGES` edges, or of one input.

        Examples
        --------
        >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
        >>> list(JoinedGraphs([graph] * 3, [scipy.sparse.eye_array(2)] * 3).blocks(slice(1, 3)))
        [(1, 3)]
        """
        ends = np.cumsum(self.n_edges(inputs))
        begin, before = 0, 0
        while begin < len(ends):
            end = max(int(np.searchsorted(ends, before + BLOCK_EDGES, side="right")), begin + 1)
            yield inputs.start + begin, inputs.start + end
            begin, before = end, int(ends[end - 1])

    def cut_parts(self, of_parts: Floats, block: Block) -> list[Floats]:
        """Numbers of the parts of a block, cut into those of each input."""
        starts = (self.part_starts[block[0] : block[1] + 1] - self.part_starts[block[0]]).tolist()
        return [of_parts[begin:end] for begin, end in pairwise(starts)]

    def n_parts(self, block: Block) -> int:
        """Number of parts of a block, which must be one: neighbouring inputs, the number of the last plus one."""
        if not 0 <= block[0] < block[1] <= self.n_inputs:
            raise InputError(
                f"inputs {block[0]} to {block[1] - 1} were asked for; need some of 0 to {self.n_inputs - 1}."
            )
        return int(self.part_starts[block[1]] - self.part_starts[block[0]])

    def checked_weights(self, weights: Any) -> Floats:
        """One weight per feature."""
        return checked_floats("weights", weights, (self.n_features,), "give one weight per feature")

    def part_scores(self, weights: Floats, block: Block, bonus: Floats | None = None) -> Floats:
        """Score of each part of a block: finite, or ``-inf`` for one that is forbidden; with a bonus for each."""
        bonus, weights = self._checked_bonus(bonus, block), self.checked_weights(weights)
        scores: Floats = loops.part_scores(self.arrays, weights, *block)
        if bonus.size:
            with np.errstate(over="ignore"):  # an error follows
                scores += bonus
        # The maximum is NaN if any score is, so one sweep finds both faults.
        if scores.size and not scores.max() < np.inf:
            place = int(np.argmax(np.isnan(scores) | (scores == np.inf)))
            x, part = self._place(place, block)
            raise InputError(
                f"part {part} of x[{x}] has score {scores[place]}; need a finite number, or -inf to forbid the part: "
                "check the weights and features it comes from"
            )
        return scores

    def _checked_bonus(self, bonus: Floats | None, block: Block) -> Floats:
        n_parts = self.n_parts(block)
        return NO_BONUS if bonus is None else checked_floats("bonus", bonus, (n_parts,), "give one number per part")

    def feature_rows(self, of_parts: Floats, block: Block) -> Floats:
        """Features of the parts of a block times given numbers, one row per input."""
        rows = np.zeros((block[1] - block[0], self.n_features))
        self._add_features(of_parts, block, np.ones(self.n_inputs), rows)
        return rows

    def add_features(self, total: Floats, of_parts: Floats, block: Block, sample_weight: Floats) -> None:
        """Add the features of the parts of a block times given numbers and the weights of their inputs to a sum."""
        self._add_features(of_parts, block, sample_weight, self._checked_sum(total)[None])

    def _add_features(self, of_parts: Floats, block: Block, sample_weight: Floats, rows: Floats) -> None:
        of_parts = checked_floats("numbers of parts", of_parts, (self.n_parts(block),), "give one number per part")
        loops.add_features(self.arrays, of_parts, self._factors(sample_weight, block), *block, rows)

    def _checked_sum(self, total: Floats) -> Floats:
        return checked_floats("a sum", total, (self.n_features,), "give one number per feature")

    def _factors(self, sample_weight: Floats, block: Block) -> Floats:
        return checked_floats("sample_weight", sample_weight, (self.n_inputs,), "give one per x")[slice(*block)]

    def features_of(self, inputs: Integers, parts: Integers) -> scipy.sparse.csr_array:
        """Features of given parts of the inputs, in their order, summed for each: shape (n_inputs, n_features)."""
        arrays = self.arrays
        rows = arrays.first_rows[inputs] + parts
        ends = np.searchsorted(inputs, np.arange(self.n_inputs), side="right")
        return summed_rows(arrays.row_starts, arrays.columns, arrays.values, rows, ends, self.n_features)

    def log_partitions(self, weights: Floats, block: Block) -> Floats:
        """Log partition of each input of a block."""
        scores = self.part_scores(weights, block)
        return _required(loops.roots(Log(), self.arrays, scores, *block), block)

    def expected_parts(self, weights: Floats, block: Block) -> tuple[Floats, Floats]:
        """Log partition of each input of a block, and how often each part is expected."""
        scores = self.part_scores(weights, block)
        totals, expected = loops.expected_parts(Log(), self.arrays, scores, *block)
        return _required(totals, block), expected

    def add_expected_features(self, total: Floats, weights: Floats, block: Block, sample_weight: Floats) -> Floats:
        """Log partition of each input of a block; add its expected features, times its weight, to a sum."""
        self.n_parts(block)
        arrays = (self.arrays, self.checked_weights(weights), self._factors(sample_weight, block), *block)
        totals, is_finite = loops.add_expected(Log(), *arrays, self._checked_sum(total))
        if not is_finite:
            self.part_scores(weights, block)
        return _required(totals, block)

    def covariances(self, weights: Floats, projections: Floats, block: Block) -> tuple[Floats, Floats]:
        """Mean of a sum over the parts of each input of a block, given the value of each part, and its covariances.

        Those are with the number of each part.
        """
        scores = self.part_scores(weights, block)
        projections = checked_floats("projections", projections, scores.shape, "give one per part")
        semiring = Dual(projections)
        totals, expected = loops.expected_parts(semiring, self.arrays, part_values(semiring, scores), *block)
        _required(totals.real, block)
        return np.ascontiguousarray(totals.imag), np.ascontiguousarray(expected.imag)

    def argmax(self, weights: Floats, block: Block, bonus: Floats | None = None) -> tuple[list[Parts], Floats]:
        """Parts and score of the best derivation of each input of a block; the first edge of a node wins ties."""
        arrays = (self.arrays, self.checked_weights(weights), self._checked_bonus(bonus, block), *block)
        best, n_edges, outputs, ends, is_finite = loops.best_outputs(*arrays, LARGEST_DERIVATION)
        if not is_finite:
            self.part_scores(weights, block, bonus)
        _required(best, block)
        _check_sizes(n_edges, np.arange(*block))
        return _cut_outputs(outputs, ends), best

    def kbest(self, weights: Floats, k: int, block: Block) -> list[list[tuple[Parts, float]]]:
        """Parts and scores of the k best derivations of each input of a block."""
        scores, k = self.part_scores(weights, block), checked_number("k", k)
        last, found, n_edges, outputs, ends = loops.ranked_outputs(self.arrays, scores, k, *block, LARGEST_DERIVATION)
        counts = np.diff(last, prepend=0)
        _required(np.where(counts == 0, -np.inf, 0.0), block)
        _check_sizes(n_edges, np.repeat(np.arange(*block), counts))
        ranked = list(zip(_cut_outputs(outputs, ends), found.tolist(), strict=True))
        return [ranked[end - count : end] for count, end in zip(counts.tolist(), last.tolist(), strict=True)]

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator, block: Block) -> list[list[Parts]]:
        """Parts of random derivations of each input of a block, in proportion to the exponential of their scores."""
        scores, n = self.part_scores(weights, block), checked_number("n_samples", n_samples)
        arrays = (self.arrays, scores, n, *block, LARGEST_DERIVATION)
        totals, n_edges, outputs, ends = loops.drawn_outputs(Draw(random), *arrays)
        _required(totals, block)
        _check_sizes(n_edges, np.repeat(np.arange(*block), n))
        drawn = _cut_outputs(outputs, ends)
        return [drawn[first : first + n] for first in range(0, len(drawn), n)]

    def has_derivations(self, allowed: Mask, block: Block) -> Mask:
        """Whether each input of a block has a derivation of which all parts are allowed."""
        scores = np.where(allowed, 0.0, -np.inf)
        scores = checked_floats("allowed parts", scores, (self.n_parts(block),), "say it of each part")
        return np.asarray(loops.roots(MaxPlus(), self.arrays, scores, *block) > -np.inf)

    def _place(self, place: int, block: Block) -> tuple[int, int]:
        """Input and part that stand at a place of an array over the parts of a block."""
        place += int(self.part_starts[block[0]])
        x = int(np.searchsorted(self.part_starts, place, side="right")) - 1
        return x, place - int(self.part_starts[x])


# ------------------------------------------------------------------- joining


def _topologies(graphs: Sequence[DerivationGraph]) -> tuple[list[DerivationGraph], Integers]:
    """Graphs without repeats, and which of them each input has."""
    numbers: dict[Any, int] = {}
    different: list[DerivationGraph] = []
    found = []
    for graph in graphs:
        number = numbers.get(id(graph))
        if number is None:
            number = numbers.setdefault(_digest(graph), len(different))
            if number == len(different):
                different.append(graph)
            numbers[id(graph)] = number
        found.append(number)
    return different, np.array(found, dtype=np.int64)


def _digest(graph: DerivationGraph) -> tuple[int, int, int, bytes]:
    """What graphs of equal arrays have in common, and no others."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (graph.offsets, graph.tails, graph.parts):
        digest.update(array.data if array.size else b"")
    return graph.n_nodes, graph.n_edges, graph.n_parts, digest.digest()


def _starts(counts: Any) -> Integers:
    """Where each of neighbouring ranges begins, and where the last one ends."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def _joined_columns(rows: Sequence[scipy.sparse.csr_array], n_features: int) -> NDArray[np.integer]:
    small = n_features <= np.iinfo(np.int32).max
    return np.concatenate([own.indices for own in rows]).astype(np.int32 if small else np.int64, copy=False)


# ------------------------------------------------------------------- answers


def _required(totals: Floats, block: Block) -> Floats:
    """Refuse the values of empty sets."""
    empty = totals == -np.inf
    if empty.any():
        raise InputError(
            f"x[{block[0] + int(np.argmax(empty))}] has no derivation of finite score; this query needs at least one: "
            "allow more parts (scores above -inf) or more edges"
        )
    return totals


def _check_sizes(n_edges: Integers, inputs: Integers) -> None:
    """Refuse derivations that were cut off, or that could not be followed to the end."""
    bad = (n_edges == 0) | (n_edges >= LARGEST_DERIVATION)
    if bad.any():
        place = int(np.argmax(bad))
        check_size(int(n_edges[place]), f"x[{int(inputs[place])}]: ")


def _cut_outputs(outputs: Parts, ends: Integers) -> list[Parts]:
    places = [0, *ends.tolist()]
    return [outputs[begin:end] for begin, end in pairwise(places)]

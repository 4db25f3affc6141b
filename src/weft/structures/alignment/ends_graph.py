"""Gaps at the ends on the graph of a pair: lists, draws and covariances of alignments, slowly."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from weft import core
from weft.arrays import Floats, Ids, Integers
from weft.structures.alignment.batch import NO_COLUMNS, AlignmentBatch, Moves
from weft.structures.alignment.context_batch import Positions
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.pair_corpus import Alignments
from weft.structures.alignment.structure import part_begins


def part_features_with_ends(
    plain: csr_matrix, n: int, m: int, gap_features: Integers, end_gap_features: Integers | None
) -> csr_matrix:
    """Features of the parts of the graph of n and m symbols: those of gaps at the ends are others, or none.

    Examples
    --------
    >>> plain = csr_matrix(np.eye(2)[[0, 1, 1, 1, 1, 1, 1, 1, 1]])  # a pair of symbols, and gaps, all at the ends
    >>> part_features_with_ends(plain, 1, 1, np.array([1, 1]), None).toarray().sum(axis=0)
    array([1., 0.])
    """
    begins = part_begins(n, m)[1:]
    columns = np.arange(n * (m + 1)) % (m + 1)
    rows = np.arange((n + 1) * m) // max(m, 1)
    in_first, in_second = np.flatnonzero((columns == 0) | (columns == m)), np.flatnonzero((rows == 0) | (rows == n))
    moved = plain.tocoo()
    for k, where in enumerate((in_first, in_first, in_second, in_second)):
        at_end = np.isin(moved.row, begins[k] + where) & (moved.col == gap_features[k % 2])
        if end_gap_features is None:
            moved.data[at_end] = 0.0
        else:
            moved.col[at_end] = end_gap_features[k % 2]
    found = moved.tocsr()
    found.eliminate_zeros()
    return found


class EndsPositions(Positions):
    """As `Positions`, with other weights of gaps at the ends, or none.

    Examples
    --------
    >>> EndsPositions(2, 3, "affine", has_end_gaps=True).n_features
    10
    """

    def __init__(self, n: int, m: int, gaps: str, has_end_gaps: bool) -> None:
        super().__init__(n, m, gaps)
        self.has_end_gaps = has_end_gaps

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return super().n_features + (self.n_gap_features if self.has_end_gaps else 0)

    @property
    def gap_features(self) -> Integers:
        """Features of the first symbol of a gap and of further ones."""
        return np.array([self.n_pair_features, self.n_pair_features + self.n_gap_features - 1])

    def encoded_part_features(self, first: Ids, second: Ids, n_symbols: int) -> csr_matrix:
        """Features of each part of the graph."""
        plain = super().encoded_part_features(first, second, n_symbols)
        ends = self.gap_features + self.n_gap_features if self.has_end_gaps else None
        return part_features_with_ends(plain, len(first), len(second), self.gap_features, ends)


class GraphedBatch(AlignmentBatch):
    """One pair, all of whose answers come from its graph."""

    def _graph(self, weights: Floats) -> PairGraph:
        return PairGraph(self.structure, self.corpus, 0, weights)

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * missed reference pairs``, and its mean."""
        columns = self.reference().anchors if loss else NO_COLUMNS
        product, mean = self._graph(weights).covariance(direction, columns, -loss)
        if loss:
            mean += loss * float(self.reference().n_anchors[0])
        return product, np.array([mean])

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Moves, float]]]:
        """Moves of the k best alignments with their scores; fewer if fewer exist."""
        return [self._graph(weights).kbest(k)]

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Alignments]:
        """Alignments drawn exactly in proportion to ``exp(score)``."""
        graph = self._graph(weights)
        drawn = core.sample(graph.graph, graph.scores, n_samples, random)
        return [self.join([self.structure.decode(each, graph.pair)]) for each in drawn]

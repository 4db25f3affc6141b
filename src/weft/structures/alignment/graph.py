"""One pair and its weights on the graph: slow, in logarithms, for what the dense passes cannot do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from weft import core
from weft.arrays import Floats, Ids
from weft.core.memory import require_memory
from weft.structures.alignment.pair_corpus import PairCorpus
from weft.structures.alignment.structure import Alignment

BYTES_PER_CELL = 1000
"""Of the graph of a pair of sequences, as measured."""


class PairGraph:
    """Queries on the alignments of one pair of a corpus.

    Examples
    --------
    >>> structure = Alignment("match", gaps="linear")
    >>> graph = PairGraph(structure, structure.encode([("A", "A")]), 0, np.array([1.0, 0.0, 0.0]))
    >>> [(moves.tolist(), score) for moves, score in graph.kbest(1)]
    [([0], 1.0)]
    """

    def __init__(self, structure: Alignment, corpus: PairCorpus, index: int, weights: Floats) -> None:
        self.structure = structure
        self.pair: Any = corpus.pair(index)
        n, m = len(self.pair[0]), len(self.pair[1])
        require_memory(
            BYTES_PER_CELL * n * m,
            f"all steps of the alignments of {n:,} and {m:,} symbols",
            "align shorter pieces; the best alignment alone and its probabilities take less",
        )
        self.graph = structure.compile(self.pair)
        self.parts = structure.encoded_part_features(*self.pair, corpus.n_symbols)
        self.scores = self.parts @ weights

    @property
    def log_partition(self) -> float:
        """Logarithm of the sum over all alignments."""
        return core.log_partition(self.graph, self.scores)

    def mean(self) -> Floats:
        """Expected features."""
        return core.mean(self.graph, self.scores, self.parts)

    def posterior(self) -> Floats:
        """Probability of each pair of positions, row by row."""
        return core.marginals(self.graph, self.scores)[: len(self.pair[0]) * len(self.pair[1])]

    def covariance(self, direction: Floats, columns: Ids, bonus: float) -> tuple[Floats, float]:
        """Covariance of the features with a score, and its mean; pairs of `columns` score `bonus` more."""
        anchored = np.zeros((self.graph.n_parts, 1))
        rows = np.flatnonzero(columns >= 0)
        anchored[rows * len(self.pair[1]) + columns[rows], 0] = 1.0
        features = hstack([self.parts, csr_matrix(anchored)]).tocsr()
        vector = np.append(direction, bonus)
        product = core.covariance_product(self.graph, self.scores, features, vector)
        return product[:-1], float(core.mean(self.graph, self.scores, features) @ vector)

    def kbest(self, k: int) -> list[tuple[NDArray[np.uint8], float]]:
        """Moves of the k best alignments and their scores; fewer if fewer exist."""
        best = core.kbest(self.graph, self.scores, k)
        return [(self.structure.decode(each, self.pair), float(each.score)) for each in best]

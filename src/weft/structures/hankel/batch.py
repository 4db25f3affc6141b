"""A Hankel chain bound to a corpus: the queries of learners and estimators, over all sequences at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_numbers
from weft.core.checks import checked_number
from weft.core.shards import concatenate_over_shards, sum_over_shards
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.structures.chain.batch import ChainBatch, Chunk
from weft.structures.chain.features import ChainFeatures
from weft.structures.hankel.chain import HankelChain
from weft.structures.hankel.loops import decoding as decoding_loops
from weft.structures.hankel.loops import sums as sums_loops

__all__ = ["HankelBatch", "bind_chain"]

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

Model = tuple[Any, Any, Any, Any, Any, Any]

NO_GOLD = np.empty(0, dtype=np.int32)

TOKEN_COST = 16.0
"""How much more a token costs here than in a chain of pairs of labels, roughly."""


def bind_chain(
    chain: ChainFeatures | HankelChain,
    corpus: Corpus,
    labels: Labels | None = None,
    importance: Floats | None = None,
    n_jobs: int | None = -1,
) -> ChainBatch | HankelBatch:
    """The batch that answers for a chain of either kind."""
    kind = HankelBatch if isinstance(chain, HankelChain) else ChainBatch
    return kind(chain, corpus, labels, importance, n_jobs)  # type: ignore[arg-type]


class HankelBatch:
    """Output spaces of all sequences of a corpus under sparse features and a Hankel matrix.

    Parameters
    ----------
    chain : HankelChain
    corpus : Corpus
    labels : ndarray of int32, shape (n_tokens,), optional
        Reference labels.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    """

    def __init__(
        self,
        chain: HankelChain,
        corpus: Corpus,
        labels: Labels | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.chain = chain
        self.corpus = corpus
        self.base = ChainBatch(chain.base, corpus, labels, importance, n_jobs)
        self.base.cut_sums(chain.n_rows * chain.n_columns, TOKEN_COST)
        self.importance = self.base.importance
        self.symbols = chain.pairs.symbols(corpus)

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.chain.n_features

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.corpus)

    def reference(self) -> Labels:
        """Reference labels, one per token."""
        return self.base.reference()

    def over_chunks(self, weights: Floats, work: Callable[[Any, Model, Chunk], Any]) -> list[Any]:
        """Results of `work(offsets, model, chunk)` for each chunk of sequences.

        The model is (symbols, candidates, shape, table, chain, tokens) of `weft.structures.hankel.loops.windows`.
        """
        model = self._model(weights)
        return concatenate_over_shards(lambda chunk: work(*model(chunk), chunk), self.base.chunks, self.base.n_jobs)

    def _model(self, weights: Floats) -> Callable[[Chunk], tuple[Any, Model]]:
        """What finds offsets and model of a chunk."""
        base = self.chain.base
        sparse, table = self.chain.split_matrix(weights)
        token_weights = base.token_weights(sparse)
        steps: tuple[Floats, Floats, Floats] = np.empty((0, 0)), np.empty(0), np.empty(0)
        if base.n_features > base.n_pairs or base.forbidden is not None:
            arcs, _, start, end = base.tables(sparse)
            steps = arcs, start, end

        def bound(chunk: Chunk) -> tuple[Any, Model]:
            offsets, layout, pair_labels, _, _ = self.base.model(chunk, token_weights, None)
            tokens = layout, pair_labels, token_weights, base.n_pairs > 0
            symbols = self.symbols[chunk.tokens]
            return offsets, (symbols, self.chain.pairs.candidates, self.chain.shape, table, steps, tokens)

        return bound

    def argmax(self, weights: Floats) -> tuple[Labels, Floats]:
        """Best labels of every token, and the score of each sequence."""
        labels, scores = self._decode(weights, NO_GOLD, 0.0, None)
        self._check_possible(scores)
        return labels, scores

    def most_violating(
        self, weights: Floats, sequences: NDArray[np.int64] | None = None, cost: float = 1.0
    ) -> tuple[Labels, Floats]:
        """Labels of the largest score plus Hamming cost, and by how much they exceed the reference: the hinge loss.

        Only for the given sequences; the loss of others is zero.
        """
        gold = self.reference()
        sequences = None if sequences is None else self._checked_sequences(sequences)
        labels, best = self._decode(weights, gold, cost, sequences)
        losses = best - self._path_scores(weights, gold, sequences)
        return labels, np.maximum(losses, 0.0)

    def _decode(
        self, weights: Floats, gold: Labels, cost: float, sequences: NDArray[np.int64] | None
    ) -> tuple[Labels, Floats]:
        labels = np.zeros(self.corpus.n_tokens, dtype=np.int32)
        scores = np.zeros(len(self.corpus))

        def work(offsets: Any, model: Model, chunk: Chunk) -> None:
            decoding_loops.decode(
                offsets,
                _within(sequences, chunk),
                *model,
                gold[chunk.tokens],
                cost,
                labels[chunk.tokens],
                scores[chunk.sequences],
            )

        self.over_chunks(weights, work)
        return labels, scores

    def scores(self, weights: Floats, labels: Labels) -> Floats:
        """Score of the given labels of each sequence, ``-inf`` where a label was never seen with its symbol."""
        return self._path_scores(weights, self.base.checked_labels(labels), None)

    def _path_scores(self, weights: Floats, labels: Labels, sequences: NDArray[np.int64] | None) -> Floats:
        values = np.zeros(len(self.corpus))

        def work(offsets: Any, model: Model, chunk: Chunk) -> None:
            decoding_loops.path_scores(
                offsets, _within(sequences, chunk), *model, labels[chunk.tokens], values[chunk.sequences]
            )

        self.over_chunks(weights, work)
        return values

    def kbest(self, weights: Floats, k: int) -> tuple[Labels, Floats]:
        """The k best labellings, shape (k, n_tokens), and their scores, shape (n_sequences, k)."""
        k = checked_number("k", k)
        labels = np.zeros((k, self.corpus.n_tokens), dtype=np.int32)
        values = np.empty((len(self.corpus), k))

        def work(offsets: Any, model: Model, chunk: Chunk) -> None:
            decoding_loops.kbest(offsets, *model, labels[:, chunk.tokens], values[chunk.sequences])

        self.over_chunks(weights, work)
        self._check_possible(values[:, 0])
        return labels, values

    def marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        """Label probabilities of every token, shape (n_tokens, n_labels), and log partitions."""
        marginals = np.zeros((self.corpus.n_tokens, self.chain.n_labels))
        log_partitions, every = np.empty(len(self.corpus)), np.ones(len(self.corpus))

        def work(offsets: Any, model: Model, chunk: Chunk) -> None:
            scratch = self.base.fresh_sums()
            here = log_partitions[chunk.sequences], marginals[chunk.tokens], np.empty((0, 0))
            sums_loops.partition_and_mean(offsets, *model, NO_GOLD, 0.0, every[chunk.sequences], *here, *scratch)
            self.base.release(*scratch)

        self.over_chunks(weights, work)
        self._check_possible(log_partitions)
        return marginals, log_partitions

    def log_partition_and_mean(self, weights: Floats, cost: float = 0.0) -> tuple[float, Floats, Floats]:
        """Sum of log partitions, expected sparse features, and expected windows as a matrix.

        With a positive `cost` the partition counts wrong labels more: softmax margin.
        """
        log_partitions = np.empty(len(self.corpus))
        gold = self.reference() if cost else NO_GOLD

        model = self._model(weights)

        def work(shard: list[Chunk]) -> tuple[float, Floats, Any, Any]:
            sums, ends = self.base.fresh_sums()
            cells = np.zeros((self.chain.n_rows, self.chain.n_columns))
            total = 0.0
            for chunk in shard:
                offsets, here = model(chunk)
                values, importance = log_partitions[chunk.sequences], self.importance[chunk.sequences]
                sums_loops.partition_and_mean(
                    offsets, *here, gold[chunk.tokens], cost, importance, values, np.empty((0, 0)), cells, sums, ends
                )
                total += dot_in_order(importance, values)
            return total, cells, sums, ends

        total, cells, sums, ends = sum_over_shards(
            work, self.base.shards, self.base.n_jobs, lambda partial: self.base.release(*partial[2:])
        )
        self._check_possible(log_partitions)
        return float(total), self.base.gather(sums, ends), cells

    def window_steps(
        self, predicted: Labels, sequences: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Cells (row, column) of the windows in which the reference and other labels differ, and their signs.

        Plus the importance of the sequence for the reference, minus for the other: minus the subgradient of the hinge.
        """
        gold, predicted = self.reference(), self.base.checked_labels(predicted)
        sequences = np.arange(len(self.corpus)) if sequences is None else self._checked_sequences(sequences)
        n_windows = int(self.corpus.lengths[sequences].sum()) + len(sequences) * (self.chain.order - 1)
        room = 2 * n_windows * (self.chain.order if self.chain.shorter_grams else 1)
        cells, steps = np.empty((room, 2), dtype=np.int64), np.empty(room)
        found = decoding_loops.window_steps(
            self.corpus.offsets,
            sequences,
            self.symbols,
            self.chain.pairs.candidates,
            self.chain.shape,
            self.chain.row_numbers,
            gold,
            predicted,
            self.importance,
            cells,
            steps,
        )
        return cells[:found], steps[:found]

    def sparse_steps(self, predicted: Labels, sequences: NDArray[np.int64] | None = None) -> Floats:
        """Sparse features of the reference minus those of other labels, summed over the given sequences."""
        importance = self.importance
        if sequences is not None:
            importance = np.zeros_like(importance)
            importance[sequences] = self.importance[sequences]
        return self.base.observed(importance) - self.base.observed(importance, predicted)

    def observed_windows(self) -> Floats:
        """Windows of the reference labels as a matrix of counts, weighted by the importance of the sequences."""
        counts = np.zeros((self.chain.n_rows, self.chain.n_columns))
        decoding_loops.count_windows(
            self.corpus.offsets,
            self.symbols,
            self.chain.pairs.candidates,
            self.chain.shape,
            self.chain.row_numbers,
            self.reference(),
            self.importance,
            counts,
        )
        return counts

    def _checked_sequences(self, sequences: Any) -> NDArray[np.int64]:
        cure = "number the sequences from 0"
        return checked_numbers("sequences", sequences, len(self.corpus), cure, dtype=np.int64)

    def _check_possible(self, scores: Floats) -> None:
        impossible = np.flatnonzero(scores == -np.inf)
        if len(impossible):
            raise InputError(
                f"the constraints forbid every labelling of X[{impossible[0]}] with labels seen with its symbols; "
                "allow at least one."
            )


def _within(sequences: NDArray[np.int64] | None, chunk: Chunk) -> NDArray[np.int64]:
    """Those of the sequences that lie in a chunk, counted from its beginning."""
    if sequences is None:
        return np.arange(chunk.sequences.stop - chunk.sequences.start)
    inside = sequences[(sequences >= chunk.sequences.start) & (sequences < chunk.sequences.stop)]
    return np.asarray(inside - chunk.sequences.start)

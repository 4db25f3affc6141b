"""A chain bound to a corpus: the queries that learners ask, over all sequences at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_numbers
from weft.core.checks import checked_number
from weft.core.complex_step import step_along
from weft.core.shards import concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures.chain.counts import generative_chain_weights
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.loops import corpus as corpus_loops
from weft.structures.chain.loops.passes import scaled_tables, stepped_tables
from weft.structures.chain.loops.tokens import count_arcs, count_pairs, lay_out_tokens, square_columns, token_size
from weft.structures.chain.moments import ChainMoments
from weft.structures.chain.one_hot_blocks import OneHotBlocks
from weft.structures.chain.online import frank_wolfe_passes, perceptron_passes
from weft.structures.online import PerceptronState
from weft.structures.sampled_moments import SampledMoments

__all__ = ["ChainBatch", "Chunk", "sparse_tokens"]

Floats = NDArray[np.float64]


def sparse_tokens(corpus: Corpus) -> SparseTokens:
    """Token features as sparse rows; zeros of a dense array are left out.

    Examples
    --------
    >>> sparse_tokens(Corpus(np.array([0, 1]), np.array([[0.0, 2.0]]))).ids
    array([1], dtype=int32)
    """
    if isinstance(corpus.tokens, SparseTokens):
        return corpus.tokens
    rows, columns = np.nonzero(corpus.tokens)
    offsets = np.searchsorted(rows, np.arange(len(corpus.tokens) + 1)).astype(np.int64)
    return SparseTokens(offsets, columns.astype(np.int32), corpus.tokens[rows, columns], corpus.n_columns)


@dataclass
class Chunk:
    """A run of sequences, and the layout of their tokens."""

    sequences: slice
    tokens: slice
    layout: Any = None


class ChainBatch:
    """Output spaces of all sequences of a corpus, one weight vector for all.

    Parameters
    ----------
    features : ChainFeatures
    corpus : Corpus
    labels : ndarray of int32, shape (n_tokens,), optional
        Reference labels; needed by `observed` and `perceptron_pass`.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    """

    def __init__(
        self,
        features: ChainFeatures,
        corpus: Corpus,
        labels: NDArray[np.int32] | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        if len(corpus) == 0 or not (corpus.lengths > 0).all():
            raise InputError("the corpus has no sequence, or an empty one; want at least one token each: leave it out")
        if corpus.n_columns >= len(features.pair_offsets):
            raise InputError(
                f"the corpus has {corpus.n_columns} columns, the chain {len(features.pair_offsets) - 1}; want no more "
                "than these: encode the corpus with the encoder of the chain"
            )
        self.features = features
        self.corpus = corpus
        self.labels = None if labels is None else self.checked_labels(labels)
        self.importance = np.ones(len(corpus)) if importance is None else self.checked_importance(importance)
        self.sparse_tokens = sparse_tokens(corpus)
        self.n_jobs = n_jobs
        self.chunks = [self._chunk(shard) for shard in cut_into_shards(corpus.lengths, 0)]
        self.cut_sums()
        self._spare: list[Any] = []

    def checked_labels(self, labels: Any) -> NDArray[np.int32]:
        """Labels as the passes read them: one number of a known label per token."""
        cure = "number the labels from 0, one per token"
        return checked_numbers("labels", labels, self.features.n_labels, cure, size=self.corpus.n_tokens)

    def checked_importance(self, importance: Any) -> Floats:
        """Importance as the passes read it: one number per sequence."""
        return checked_floats("importance", importance, (len(self.corpus),), "give one number per sequence")

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.features.n_features

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.corpus)

    def cut_sums(self, n_more: int = 0, token_cost: float = 1.0) -> None:
        """Make shards of chunks for sums over the features, and over so many numbers more."""
        features, grams = self.features, self.features.grams
        n_sums = features.n_features + (features.n_rows + grams.n_states) * grams.width + n_more
        costs = [token_cost * (chunk.tokens.stop - chunk.tokens.start) for chunk in self.chunks]
        self.shards = [self.chunks[shard] for shard in cut_into_shards(costs, n_sums)]

    def whole(self) -> Chunk:
        """All sequences as one chunk, for steps that depend on each other."""
        return self._chunk(slice(0, len(self.corpus)))

    def _chunk(self, sequences: slice) -> Chunk:
        offsets = self.corpus.offsets
        return Chunk(sequences, slice(int(offsets[sequences.start]), int(offsets[sequences.stop])))

    def over_chunks(self, weights: Floats, work: Callable[[Any, Chunk], Any]) -> list[Any]:
        """Results of `work(model, chunk)` for each chunk of sequences."""
        token_weights, tables = self.features.token_weights(weights), self.features.tables(weights)
        return concatenate_over_shards(
            lambda chunk: work(self.model(chunk, token_weights, tables), chunk), self.chunks, self.n_jobs
        )

    def sum_over_chunks(self, weights: Floats, work: Callable[[Any, Chunk, Any, Any], float]) -> tuple[float, Floats]:
        """Sum of the numbers that `work(model, chunk, sums, ends)` returns, and feature vector of what it adds up."""
        token_weights, tables = self.features.token_weights(weights), self.features.tables(weights)

        def task(shard: list[Chunk]) -> tuple[float, Any, Any]:
            sums, ends = self.fresh_sums()
            total = 0.0
            for chunk in shard:
                total += work(self.model(chunk, token_weights, tables), chunk, sums, ends)
            return total, sums, ends

        total, sums, ends = sum_over_shards(task, self.shards, self.n_jobs, lambda partial: self.release(*partial[1:]))
        return float(total), self.gather(sums, ends)

    def model(self, chunk: Chunk, token_weights: Any, tables: Any) -> Any:
        """The arguments that every pass shares; tokens are laid out at the first use of the chunk."""
        if chunk.layout is None:
            tokens = self.sparse_tokens
            chunk.layout = lay_out_tokens(
                chunk.tokens.start,
                chunk.tokens.stop,
                tokens.offsets,
                tokens.ids,
                tokens.values,
                self.features.pair_offsets,
                self.features.dense_row,
            )
        offsets = self.corpus.offsets[chunk.sequences.start : chunk.sequences.stop + 1] - chunk.tokens.start
        return offsets, chunk.layout, self.features.pair_labels, token_weights, tables

    def observed(self, importance: Floats | None = None, labels: NDArray[np.int32] | None = None) -> Floats:
        """Features of the reference labels (or others), summed over the corpus with the weights of the sequences."""
        importance = self.importance if importance is None else self.checked_importance(importance)
        labels = self.reference() if labels is None else self.checked_labels(labels)
        offsets = self.corpus.offsets
        features, grams = self.features, self.features.grams
        total = np.zeros(features.n_features)
        count_pairs(
            offsets,
            self.sparse_tokens.offsets,
            self.sparse_tokens.ids,
            self.sparse_tokens.values,
            features.pair_offsets,
            features.pair_labels,
            labels,
            importance,
            features.split(total)[0],
        )
        arcs, ends = np.zeros((grams.n_states, grams.width)), (np.zeros(grams.width), np.zeros(grams.width))
        count_arcs(offsets, labels, grams.successor, grams.order, importance, arcs, *ends)
        features.put_arcs(total, arcs, ends)
        return total

    def reference(self) -> NDArray[np.int32]:
        """Reference labels, one per token."""
        if self.labels is None:
            raise InputError("this batch has no reference labels; pass y to learn from it.")
        return self.labels

    def states(self, labels: NDArray[np.int32]) -> NDArray[np.int64]:
        """State of the chain at each token, its history included."""
        if self.features.grams.order == 1:
            return labels.astype(np.int64)
        successor = self.features.grams.successor
        states = np.empty(len(labels), dtype=np.int64)
        for begin, end in zip(self.corpus.offsets[:-1], self.corpus.offsets[1:], strict=True):
            state = int(labels[begin])
            states[begin] = state
            for t in range(begin + 1, end):
                state = int(successor[state]) + int(labels[t])
                states[t] = state
        return states

    def log_partition_and_mean(self, weights: Floats, importance: Floats | None = None) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        importance = self.importance if importance is None else self.checked_importance(importance)

        exponentials = self._exponentials(weights)

        def work(model: Any, chunk: Chunk, sums: Any, ends: Any) -> float:
            weight = importance[chunk.sequences]
            values = np.empty(len(weight))
            self._partition(model, exponentials, weight, sums, ends, values, np.empty((0, 0)))
            return dot_in_order(weight, values)

        return self.sum_over_chunks(weights, work)

    def _exponentials(self, weights: Floats) -> Any:
        """What all chunks share of the scaled pass."""
        return scaled_tables(self.features.tables(weights), self.features.mixing)

    def _partition(
        self,
        model: Any,
        exponentials: Any,
        importance: Floats,
        sums: Any,
        ends: Any,
        log_partitions: Floats,
        marginals: Floats,
    ) -> None:
        """Run the scaled pass, and the one in logarithms over the sequences that need it."""
        features = self.features
        corpus_loops.partition_and_mean(
            model, exponentials, features.n_labels, importance, sums, ends, log_partitions, marginals
        )
        if np.isnan(log_partitions).any():
            corpus_loops.partition_and_mean_log(
                model, features.n_labels, importance, sums, ends, log_partitions, marginals
            )

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features under the model, summed over the corpus, times a vector."""
        return self.covariance_with(weights, direction)[0]

    def covariance_with(
        self, weights: Floats, direction: Floats, gold: NDArray[np.int32] | None = None
    ) -> tuple[Floats, Floats]:
        """Covariance of the features with the score of a direction, and the expected score of each sequence.

        With `gold` labels the direction is the Hamming distance to them instead.
        """
        gold = None if gold is None else self.checked_labels(gold)
        step = step_along(direction, np.ones(0 if gold is None else 1))
        token_weights, tables = self.features.token_weights(direction), self.features.tables(direction, restrict=False)
        stepped = stepped_tables(self.features.tables(weights), tables, step)
        scaled = scaled_tables(stepped, self.features.mixing)
        means = np.empty(len(self.corpus))

        def work(model: Any, chunk: Chunk, sums: Any, ends: Any) -> float:
            along = (token_weights, np.empty(0, dtype=np.int32) if gold is None else gold[chunk.tokens], step)
            values = means[chunk.sequences]
            common = (along, self.features.n_labels, self.importance[chunk.sequences], sums, ends, values)
            model = (*model[:-1], stepped)
            corpus_loops.covariance_products(model, scaled, *common)
            if np.isnan(values).any():
                corpus_loops.covariance_products_log(model, *common)
            return 0.0

        _, vector = self.sum_over_chunks(weights, work)
        self._check_possible(means)
        return vector, means

    def fresh_sums(self) -> Any:
        """Arrays for a shard to collect sums in, all zero.

        They are kept from call to call (`release`): fresh memory would cost a page fault per 4 kB.
        """
        try:
            sums, ends = self._spare.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            return self.features.empty_sums()
        for array in (*sums, *ends):
            array.fill(0.0)
        return sums, ends

    def release(self, sums: Any, ends: Any) -> None:
        """Give back arrays of `fresh_sums`."""
        self._spare.append((sums, ends))

    def gather(self, sums: Any, ends: Any) -> Floats:
        """Feature vector of sums; one of their arrays becomes the vector, the others are given back."""
        vector = self.features.gather(sums, ends)
        self.release((np.empty_like(vector), *sums[1:]), ends)
        return vector

    def argmax(self, weights: Floats) -> tuple[NDArray[np.int32], Floats]:
        """Best labels of every token, and the score of each sequence."""
        labels = np.empty(self.corpus.n_tokens, dtype=np.int32)
        scores = np.empty(len(self.corpus))

        def work(model: Any, chunk: Chunk) -> None:
            corpus_loops.decode_sequences(model, self.features.n_labels, labels[chunk.tokens], scores[chunk.sequences])

        self.over_chunks(weights, work)
        self._check_possible(scores)
        return labels, scores

    def kbest(self, weights: Floats, k: int) -> tuple[NDArray[np.int32], Floats]:
        """The k best labellings, shape (k, n_tokens), and their scores, shape (n_sequences, k)."""
        k = checked_number("k", k)
        labels = np.zeros((k, self.corpus.n_tokens), dtype=np.int32)
        scores = np.empty((len(self.corpus), k))

        def work(model: Any, chunk: Chunk) -> None:
            token_scores = np.empty((chunk.tokens.stop - chunk.tokens.start, self.features.grams.width))
            corpus_loops.token_scores(model, self.features.n_labels, token_scores)
            corpus_loops.kbest_sequences(
                model[0], token_scores, model[-1], labels[:, chunk.tokens], scores[chunk.sequences],
                token_size(model[-2], model[-1][0]),
            )  # fmt: skip

        self.over_chunks(weights, work)
        self._check_possible(scores[:, 0])
        return labels, scores

    def marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        """Label probabilities of every token, shape (n_tokens, n_labels), and log partitions."""
        marginals = np.empty((self.corpus.n_tokens, self.features.n_labels))
        log_partitions = np.empty(len(self.corpus))

        every = np.ones(len(self.corpus))
        exponentials = self._exponentials(weights)

        def work(model: Any, chunk: Chunk) -> None:
            sums, ends = self.fresh_sums()
            weight, values = every[chunk.sequences], log_partitions[chunk.sequences]
            self._partition(model, exponentials, weight, sums, ends, values, marginals[chunk.tokens])
            self.release(sums, ends)

        self.over_chunks(weights, work)
        self._check_possible(log_partitions)
        return marginals, log_partitions

    def moments(self, base: Floats | None = None) -> ChainMoments:
        """Moments of all outputs under a base distribution; uniform without one."""
        return ChainMoments(self, base)

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the hidden Markov model with these feature counts."""
        return generative_chain_weights(self.features, counts, smoothing)

    def block_inverse(self, ridge: float) -> Callable[[Floats], Floats]:
        """Inverse of the uniform covariance plus a ridge, for tokens with one attribute each."""
        return OneHotBlocks(self, ridge).solve

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> SampledMoments:
        """Moments estimated from uniformly drawn outputs (MM section 3.2.2)."""
        if self.features.forbidden is not None:
            raise InputError("sampled moments need a chain without constraints; use moments='exact'.")
        shape = (n_samples, self.corpus.n_tokens)
        return SampledMoments(self, random.integers(self.features.n_labels, size=shape, dtype=np.int32))

    def repeated(self, n: int) -> ChainBatch:
        """The corpus n times over, without labels."""
        every = np.tile(np.arange(len(self.corpus)), n)
        return ChainBatch(self.features, self.corpus.select(every), n_jobs=self.n_jobs)

    def squared_columns(self) -> Floats:
        """Sum of the squared values of each token feature over the corpus."""
        tokens = self.sparse_tokens
        sums = np.zeros(len(self.features.pair_offsets) - 1)
        importance = np.repeat(self.importance, self.corpus.lengths)
        square_columns(tokens.offsets, tokens.ids, tokens.values, importance, sums)
        return sums

    def scores(self, weights: Floats, labels: NDArray[np.int32], restrict: bool = True) -> Floats:
        """Score of the given labels of each sequence; forbidden ones have ``-inf`` unless ``restrict=False``."""
        labels = self.checked_labels(labels)
        tables = self.features.tables(weights, restrict)
        values = np.empty(len(self.corpus))

        def work(model: Any, chunk: Chunk) -> None:
            corpus_loops.score_sequences(
                (*model[:-1], tables), self.features.n_labels, labels[chunk.tokens], values[chunk.sequences]
            )

        self.over_chunks(weights, work)
        return values

    def _check_possible(self, scores: Floats) -> None:
        impossible = np.flatnonzero(scores == -np.inf)
        if len(impossible):
            raise InputError(f"the constraints forbid every labelling of X[{impossible[0]}]; allow at least one.")

    def perceptron(self, state: PerceptronState, random: np.random.Generator) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong tokens after each pass of the averaged perceptron."""
        return perceptron_passes(self, state, random)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM."""
        return frank_wolfe_passes(self, strength, random)

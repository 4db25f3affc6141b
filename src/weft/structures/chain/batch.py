"""A chain bound to a corpus: the queries that learners ask, over all sequences at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_numbers
from weft.core.checks import checked_number
from weft.core.complex_step import step_along
from weft.core.threads import effective_jobs, in_threads
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
    """A run of sequences that one thread works on, and the layout of their tokens."""

    number: int
    sequences: slice
    tokens: slice
    layout: Any = None
    sums: Any = None


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
        self._chunks = self.cut(min(effective_jobs(n_jobs), len(corpus)))

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

    def cut(self, n_chunks: int) -> list[Chunk]:
        """Runs of sequences with about equally many tokens."""
        offsets = self.corpus.offsets
        cuts = np.searchsorted(offsets, np.linspace(0, self.corpus.n_tokens, n_chunks + 1)[1:-1])
        bounds = np.unique(np.concatenate([[0], cuts, [len(self.corpus)]]))
        return [
            Chunk(i, slice(first, last), slice(int(offsets[first]), int(offsets[last])))
            for i, (first, last) in enumerate(itertools.pairwise(bounds.tolist()))
        ]

    def over_chunks(self, weights: Floats, work: Callable[[Any, Chunk], Any]) -> list[Any]:
        """Results of `work(model, chunk)` for each chunk of sequences, one thread per chunk."""
        token_weights = self.features.token_weights(weights)
        tables = self.features.tables(weights)

        def task(chunk: Chunk) -> Any:
            return work(self.model(chunk, token_weights, tables), chunk)

        return in_threads(task, self._chunks)

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

        log_partitions = np.empty(len(self.corpus))
        fresh = self.fresh_sums()

        def work(model: Any, chunk: Chunk) -> tuple[float, Any, Any]:
            sums, ends = fresh[chunk.number]
            values = log_partitions[chunk.sequences]
            weight = importance[chunk.sequences]
            self._partition(model, weight, sums, ends, values, np.empty((0, 0)))
            return float(weight @ values), sums, ends

        return self.reduce(self.over_chunks(weights, work))

    def _partition(
        self, model: Any, importance: Floats, sums: Any, ends: Any, log_partitions: Floats, marginals: Floats
    ) -> None:
        """Run the scaled pass, and the one in logarithms over the sequences that need it."""
        features = self.features
        exponentials = scaled_tables(model[-1], features.mixing)
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
        means = np.empty(len(self.corpus))
        fresh = self.fresh_sums()

        def work(model: Any, chunk: Chunk) -> tuple[float, Any, Any]:
            sums, ends = fresh[chunk.number]
            along = (token_weights, np.empty(0, dtype=np.int32) if gold is None else gold[chunk.tokens], step)
            values = means[chunk.sequences]
            stepped = stepped_tables(model[-1], tables, step)
            common = (along, self.features.n_labels, self.importance[chunk.sequences], sums, ends, values)
            model = (*model[:-1], stepped)
            corpus_loops.covariance_products(model, scaled_tables(stepped, self.features.mixing), *common)
            if np.isnan(values).any():
                corpus_loops.covariance_products_log(model, *common)
            return 0.0, sums, ends

        _, vector = self.reduce(self.over_chunks(weights, work))
        self._check_possible(means)
        return vector, means

    def fresh_sums(self) -> list[Any]:
        """Arrays for each chunk to collect sums in.

        They are kept from call to call: fresh memory would cost a page fault per 4 kB. Only the vector of the first
        chunk is new, since `reduce` returns it; made here, in one thread, it takes the place of the last one.
        """
        fresh: list[Any] = []
        for chunk in self._chunks:
            if chunk.sums is None:
                chunk.sums = self.features.empty_sums()
            (vector, *others), ends = chunk.sums
            sums = (vector if fresh else np.empty_like(vector), *others)
            for array in (*sums, *ends):
                array.fill(0.0)
            fresh.append((sums, ends))
        return fresh

    def reduce(self, results: list[tuple[float, Any, Any]]) -> tuple[float, Floats]:
        """Total of numbers and feature vector of the sums that the chunks collected."""
        total, sums, ends = results[0]
        for other_total, other_sums, other_ends in results[1:]:
            total += other_total
            for mine, other in zip(sums + ends, other_sums + other_ends, strict=True):
                mine += other
        return float(total), self.features.gather(sums, ends)

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
        fresh = self.fresh_sums()

        def work(model: Any, chunk: Chunk) -> None:
            sums, ends = fresh[chunk.number]
            self._partition(
                model, every[chunk.sequences], sums, ends, log_partitions[chunk.sequences], marginals[chunk.tokens]
            )

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
        return ChainBatch(self.features, self.corpus.select(every), n_jobs=len(self._chunks))

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

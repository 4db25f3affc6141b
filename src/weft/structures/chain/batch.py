"""A chain bound to a corpus: the queries that learners ask, over all sequences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.complex_step import step_along
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures.chain import online
from weft.structures.chain.counts import generative_chain_weights
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.labellings import LabelBatch
from weft.structures.chain.layouts import TokenLayouts
from weft.structures.chain.loops import corpus as corpus_loops
from weft.structures.chain.loops.passes import scaled_tables, stepped_tables
from weft.structures.chain.loops.scores import chain_score_moments, uniform_score_moments
from weft.structures.chain.loops.tokens import count_arcs, count_pairs, list_features
from weft.structures.chain.one_hot_blocks import OneHotBlocks
from weft.structures.chain.uniform_moments import uniform_covariance, uniform_mean, uniform_variances

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = NDArray[np.int32]

NO_LABELS = np.empty(0, dtype=np.int32)


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


def sum_size(features: ChainFeatures) -> int:
    """Numbers that a sum over sequences has, features and what becomes some of them."""
    return features.n_features + (features.n_rows + features.grams.n_states) * features.grams.width


class ChainBatch(LabelBatch):
    """Output spaces of all sequences of a corpus, one weight vector for all.

    Outputs are labels, one per token of all sequences one after the other. Under the uniform distribution over the
    outputs of a fully connected first-order chain moments come in closed form: a question costs one pass over the token
    features and no dynamic programme.

    Parameters
    ----------
    features : ChainFeatures
    corpus : Corpus
    references : ndarray of int32, shape (n_tokens,), optional
        Reference labels; needed to learn.
    sample_weight : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.

    Examples
    --------
    >>> import weft
    >>> batch = weft.Tagger().fit(["ab"], ["xy"]).bind(["ab", "a"], ["xy", "x"])
    >>> batch.reference(), batch.losses(np.array([0, 0, 0], dtype=np.int32))
    (array([0, 1, 0], dtype=int32), array([1., 0.]))
    """

    def __init__(
        self,
        features: ChainFeatures,
        corpus: Corpus,
        references: Labels | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        lengths = corpus.lengths
        if len(lengths) == 0 or np.count_nonzero(lengths) < len(lengths):
            raise InputError("the corpus has no sequence, or an empty one; need at least one token each: leave it out")
        if corpus.n_columns >= len(features.pair_offsets):
            raise InputError(
                f"the corpus has {corpus.n_columns} columns, the chain {len(features.pair_offsets) - 1}; need no more "
                "than these: encode the corpus with the encoder of the chain"
            )
        self.features = features
        self.corpus, self.n_labels = corpus, features.n_labels
        super().__init__(lengths, sum_size(features), None, sample_weight, n_jobs)
        self.references = None if references is None else self._labels(references)
        self.sparse_tokens = sparse_tokens(corpus)
        self.layouts = TokenLayouts(features, corpus, self.sparse_tokens)

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.features.n_features

    # ------------------------------------------------------------------ passes

    def _over_chunks(self, weights: Floats, work: Callable[[Any, slice, float], Any]) -> None:
        """Call `work(model, chunk, size)` for each chunk of sequences; the size is that of weights, for ties."""
        tables, size = self._made_of(weights, self.features.loop_weights)
        if len(self.sparse_tokens.ids) < self.features.n_rows:
            pairs = self.features.pair_weights(weights)
            self._concatenated(lambda chunk: work(self.layouts.model_of_few(chunk, pairs, tables), chunk, size))
            return
        token_weights = self.layouts.token_weights(weights)
        self._concatenated(lambda chunk: work(self.layouts.model(chunk, token_weights, tables), chunk, size))
        self.layouts.release_rows(token_weights)

    def _sum_over_chunks(self, weights: Floats, work: Callable[[Any, slice, Any, Any], float]) -> tuple[float, Floats]:
        """Sum of the numbers that `work(model, chunk, sums, ends)` returns, and feature vector of what it adds up."""
        token_weights, tables = self.layouts.token_weights(weights), self.features.tables(weights)

        def task(shard: list[slice]) -> tuple[float, Floats]:
            sums, ends = self.layouts.fresh_sums()
            total = 0.0
            for chunk in shard:
                total += work(self.layouts.model(chunk, token_weights, tables), chunk, sums, ends)
            return total, self.layouts.gather(sums, ends)

        total, vector = self._summed(task)
        self.layouts.release_rows(token_weights)
        return float(total), vector

    def _check_possible(self, scores: Floats) -> None:
        if scores[scores.argmin()] > -np.inf:  # as usual; NaN is not
            return
        impossible = scores == -np.inf
        if np.count_nonzero(impossible):
            raise InputError(
                f"the constraints forbid every labelling of X[{np.argmax(impossible)}]; allow at least one."
            )

    def _is_uniform(self, weights: Floats) -> bool:
        """Whether all outputs weigh the same, and their moments have a closed form."""
        self.features.split(weights)  # checks the length
        return self.features.has_closed_form and not weights.any()

    # ----------------------------------------------------------------- outputs

    def select(self, sequences: Sequence[int] | Integers) -> Self:
        """The batch of these sequences, with their references and weights."""
        numbers, references = self._numbers(sequences), None
        if self.references is not None:
            begins, ends = self.corpus.offsets[numbers].tolist(), self.corpus.offsets[numbers + 1].tolist()
            references = np.concatenate(
                [self.references[a:b] for a, b in zip(begins, ends, strict=True)] or [NO_LABELS]
            )
        corpus, n_jobs = self.corpus.select(numbers), 1 if len(numbers) == 1 else self.n_jobs
        return type(self)(self.features, corpus, references, self.sample_weight[numbers], n_jobs)

    def observed(self, outputs: Labels | None = None) -> Floats:
        """Features of labels, by default the references, summed."""
        labels = self.reference() if outputs is None else self._labels(outputs)
        offsets = self.corpus.offsets
        features, grams = self.features, self.features.grams

        def work(shard: list[slice]) -> tuple[Floats]:
            here = slice(shard[0].start, shard[-1].stop)
            own, sample_weight = offsets[here.start : here.stop + 1], self.sample_weight[here]
            total = self.layouts.fresh_vector()
            count_pairs(
                own,
                self.sparse_tokens.offsets,
                self.sparse_tokens.ids,
                self.sparse_tokens.values,
                features.pair_offsets,
                features.pair_labels,
                labels,
                sample_weight,
                features.split(total)[0],
            )
            arcs, ends = np.zeros((grams.n_states, grams.width)), (np.zeros(grams.width), np.zeros(grams.width))
            count_arcs(own, labels, grams.successor, grams.order, sample_weight, arcs, *ends)
            features.put_arcs(total, arcs, ends)
            return (total,)

        return np.asarray(self._summed(work)[0])

    def features_of(self, outputs: Labels) -> csr_array:
        """Features of the labels of each sequence, as sparse rows."""
        from scipy.sparse import csr_array  # whoever only predicts need not wait for it

        labels = self._labels(outputs)
        features, tokens = self.features, self.sparse_tokens
        grams = features.grams.successor, features.grams.arc_features, len(features.grams.grams)

        def work(chunk: slice) -> tuple[Integers, Integers, Floats]:
            offsets, here = self.corpus.offsets[chunk.start : chunk.stop + 1], self.layouts.tokens(chunk)
            n_entries = int(tokens.offsets[here.stop] - tokens.offsets[here.start])
            room = n_entries + features.grams.order * (here.stop - here.start) + 2 * (len(offsets) - 1)
            ends, columns = np.empty(len(offsets) - 1, dtype=np.int64), np.empty(room, dtype=np.int64)
            values = np.empty(room)
            list_features(
                offsets,
                (tokens.offsets, tokens.ids, tokens.values),
                (features.pair_offsets, features.pair_labels),
                grams,
                features.n_labels,
                features.boundary,
                labels,
                ends,
                columns,
                values,
            )
            return np.diff(ends, prepend=0), columns[: ends[-1]], values[: ends[-1]]

        counts, columns, values = (np.concatenate(parts) for parts in zip(*self._concatenated(work), strict=True))
        ends = np.concatenate([[0], np.cumsum(counts)])
        return csr_array((values, columns, ends), shape=(self.n_sequences, self.n_features))

    def scores(self, weights: Floats, outputs: Labels) -> Floats:
        """Score of the given labels of each sequence, ``-inf`` for forbidden ones."""
        labels = self._labels(outputs)
        values = np.empty(self.n_sequences)

        def work(model: Any, chunk: slice, size: float) -> None:
            here = labels[self.layouts.tokens(chunk)], values[chunk]
            corpus_loops.score_sequences(model, self.features.n_labels, *here)

        self._over_chunks(weights, work)
        return values

    # -------------------------------------------------------------------- sums

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        if self._is_uniform(weights):
            return uniform_mean(self)
        exponentials = self._exponentials(weights)

        def work(model: Any, chunk: slice, sums: Any, ends: Any) -> float:
            weight = self.sample_weight[chunk]
            values = np.empty(len(weight))
            self._partition(model, exponentials, weight, sums, ends, values, np.empty((0, 0)))
            return dot_in_order(weight, values)

        return self._sum_over_chunks(weights, work)

    def _exponentials(self, weights: Floats) -> Any:
        """What all chunks share of the scaled pass."""
        return scaled_tables(self.features.tables(weights), self.features.mixing)

    def _partition(
        self,
        model: Any,
        exponentials: Any,
        sample_weight: Floats,
        sums: Any,
        ends: Any,
        log_partitions: Floats,
        marginals: Floats,
    ) -> None:
        """Run the scaled pass, and the one in logarithms over the sequences that need it."""
        features = self.features
        corpus_loops.partition_and_mean(
            model, exponentials, features.n_labels, sample_weight, sums, ends, log_partitions, marginals
        )
        if np.isnan(log_partitions).any():
            corpus_loops.partition_and_mean_log(
                model, features.n_labels, sample_weight, sums, ends, log_partitions, marginals
            )

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that.

        The distance is the number of wrong labels.
        """
        gold, loss = (self.reference(), float(loss)) if loss else (NO_LABELS, 0.0)
        if self._is_uniform(weights):
            return uniform_covariance(self, direction, gold, loss)
        step = step_along(direction, np.array([loss]))
        token_weights, tables = self.features.token_weights(direction), self.features.tables(direction, restrict=False)
        has_weights = bool(token_weights[0].any())
        stepped = stepped_tables(self.features.tables(weights), tables, step)
        scaled = scaled_tables(stepped, self.features.mixing)
        means = np.empty(self.n_sequences)

        def work(model: Any, chunk: slice, sums: Any, ends: Any) -> float:
            along = (token_weights, has_weights, gold[self.layouts.tokens(chunk)], loss, step)
            values = means[chunk]
            common = (along, self.features.n_labels, self.sample_weight[chunk], sums, ends, values)
            model = (*model[:-1], stepped)
            corpus_loops.covariance_products(model, scaled, *common)
            if np.isnan(values).any():
                corpus_loops.covariance_products_log(model, *common)
            return 0.0

        _, vector = self._sum_over_chunks(weights, work)
        self._check_possible(means)
        return vector, means

    # ------------------------------------------------------------ per sequence

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over all labellings of the exponential of their scores."""
        if self._is_uniform(weights):
            return np.asarray(self.corpus.lengths * np.log(self.features.n_labels))
        values, exponentials = np.empty(self.n_sequences), self._exponentials(weights)

        def work(model: Any, chunk: slice, size: float) -> None:
            corpus_loops.log_partitions(model, exponentials, self.features.n_labels, values[chunk])
            if np.isnan(values[chunk]).any():
                corpus_loops.log_partitions_log(model, self.features.n_labels, values[chunk])

        self._over_chunks(weights, work)
        self._check_possible(values)
        return values

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all labellings, each counting the same."""
        features = self.features
        means, variances = np.zeros(self.n_sequences), np.zeros(self.n_sequences)
        tables = features.tables(weights, restrict=False)

        def work(model: Any, chunk: slice, size: float) -> None:
            offsets, layout, pair_labels, token_weights, restricted = model
            tokens, here = (offsets, layout, pair_labels, token_weights), (means[chunk], variances[chunk])
            if features.has_closed_form:
                uniform_score_moments(*tokens, tables[0], features.n_labels, *here)
            else:
                chain_score_moments(*tokens, tables, restricted, features.n_labels, *here)

        self._over_chunks(weights, work)
        return means, np.maximum(variances, 0.0)

    # -------------------------------------------------------------------- best

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Labels, Floats]:
        """Labels of the largest ``score + loss * wrong labels``, and those sums."""
        gold, loss = (self.reference(), float(loss)) if loss else (NO_LABELS, 0.0)
        labels = np.empty(self.corpus.n_tokens, dtype=np.int32)
        scores = np.empty(self.n_sequences)

        def work(model: Any, chunk: slice, size: float) -> None:
            here = self.layouts.tokens(chunk)
            found = labels[here], scores[chunk]
            corpus_loops.decode_sequences(model, self.features.n_labels, gold[here], loss, *found, size)

        self._over_chunks(weights, work)
        self._check_possible(scores)
        return labels, scores

    def _rank(self, weights: Floats, labels: Labels, scores: Floats) -> None:
        def work(model: Any, chunk: slice, size: float) -> None:
            here = self.layouts.tokens(chunk)
            token_scores = np.empty((here.stop - here.start, self.features.grams.width))
            corpus_loops.token_scores(model, self.features.n_labels, token_scores)
            corpus_loops.kbest_sequences(model[0], token_scores, model[-1], labels[:, here], scores[chunk], size)

        self._over_chunks(weights, work)

    # ------------------------------------------------------------------- doubt

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each label at each token, an array (length, n_labels) for each sequence."""
        marginals = np.empty((self.corpus.n_tokens, self.features.n_labels))
        log_partitions = np.empty(self.n_sequences)
        every, exponentials = np.ones(self.n_sequences), self._exponentials(weights)

        def work(model: Any, chunk: slice, size: float) -> None:
            sums, ends = self.layouts.fresh_sums()
            here = log_partitions[chunk], marginals[self.layouts.tokens(chunk)]
            self._partition(model, exponentials, every[chunk], sums, ends, *here)
            self.layouts.release(sums, ends)

        self._over_chunks(weights, work)
        self._check_possible(log_partitions)
        return self.corpus.split(marginals)

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Labels]:
        """Random labels in proportion to the exponential of their scores, `n_samples` for each sequence."""
        shape = checked_number("n_samples", n_samples), self.corpus.n_tokens
        self.features.split(weights)  # checks the length
        if self.features.forbidden is None and not weights.any():
            return list(random.integers(self.features.n_labels, size=shape, dtype=np.int32))
        uniforms, labels = random.random(shape), np.zeros(shape, dtype=np.int32)
        log_partitions = np.empty(self.n_sequences)

        def work(model: Any, chunk: slice, size: float) -> None:
            here = self.layouts.tokens(chunk)
            corpus_loops.draw_sequences(
                model, self.features.n_labels, uniforms[:, here], labels[:, here], log_partitions[chunk]
            )

        self._over_chunks(weights, work)
        self._check_possible(log_partitions)
        return list(labels)

    # ----------------------------------------------------------------- moments

    def variances(self, weights: Floats) -> Floats:
        """Variance of each feature, summed, of the uniform fully connected chain: exact in closed form."""
        return uniform_variances(self)

    def largest_feature(self) -> float:
        """A number that no feature of any labelling exceeds: each occurrence at a token counts its absolute value."""
        tokens = self.sparse_tokens
        values = np.abs(tokens.values) if len(tokens.values) else np.ones(len(tokens.ids))
        sequence = np.repeat(np.repeat(np.arange(self.n_sequences), self.corpus.lengths), np.diff(tokens.offsets))
        codes, inverse = np.unique(sequence * (len(self.features.pair_offsets) - 1) + tokens.ids, return_inverse=True)
        totals = np.bincount(inverse, weights=values, minlength=len(codes))
        return float(max(totals.max(initial=0.0), self.corpus.lengths.max() - 1, 1))

    def block_inverse(self, ridge: float) -> Callable[[Floats], Floats]:
        """Inverse of the uniform covariance plus a ridge, for tokens with one attribute each."""
        return OneHotBlocks(self, ridge).solve

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the hidden Markov model with these feature counts."""
        return generative_chain_weights(self.features, counts, smoothing)

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Where learning from tokens alone begins: with the counts of the references, which name the labels."""
        return self.generative_weights(self.observed() if counts is None else counts, 1.0)

    maximised_weights = generative_weights  # the step of Baum and Welch

    # ----------------------------------------------------------- compiled steps

    perceptron_passes = online.perceptron_passes
    frank_wolfe_passes = online.frank_wolfe_passes

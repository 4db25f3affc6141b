"""A Hankel chain bound to a corpus: the queries of learners and estimators, over all sequences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.complex_step import step_along
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.labellings import LabelBatch
from weft.structures.chain.loops.passes import stepped_tables
from weft.structures.hankel.chain import HankelChain
from weft.structures.hankel.loops import decoding as decoding_loops
from weft.structures.hankel.loops import sums as sums_loops

Labels = NDArray[np.int32]

Model = tuple[Any, Any, Any, Any, Any, Any]

NO_LABELS = np.empty(0, dtype=np.int32)

TOKEN_COST = 16.0
"""How much more a token costs here than in a chain of pairs of labels, roughly."""


class HankelBatch(LabelBatch):
    """Output spaces of all sequences of a corpus under sparse features and a Hankel matrix.

    Outputs are labels, one per token of all sequences one after the other. Features are the sparse ones and then the
    cells of the matrix; a matrix in factors has scores, but no features of its own.

    Parameters
    ----------
    chain : HankelChain
    corpus : Corpus
    references : ndarray of int32, shape (n_tokens,), optional
        Reference labels.
    sample_weight : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.Spectral(order=2, tau=0.1), random_state=0).fit(["ab"], ["xy"])
    >>> batch = tagger.bind(["ab"], ["xy"])
    >>> batch.features_of(batch.reference()).nnz  # windows of a after the boundary, and of b after a
    2
    """

    def __init__(
        self,
        chain: HankelChain,
        corpus: Corpus,
        references: Labels | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.chain = chain
        self.corpus, self.n_labels = corpus, chain.n_labels
        self.base = ChainBatch(chain.base, corpus, references, sample_weight, n_jobs)
        grams = chain.base.grams
        n_sums = chain.base.n_features + (chain.base.n_rows + grams.n_states) * grams.width
        n_sums += chain.n_rows * chain.n_columns
        super().__init__(TOKEN_COST * corpus.lengths, n_sums, self.base.references, self.base.sample_weight, n_jobs)
        self.symbols = chain.pairs.symbols(corpus)

    @property
    def n_features(self) -> int:
        """Length of a weight vector; with factors that of one of rank zero."""
        return self.chain.n_features

    # ------------------------------------------------------------------ passes

    def _over_chunks(self, weights: Floats, work: Callable[[Any, Model, slice], Any]) -> None:
        """Call `work(offsets, model, chunk)` for each chunk of sequences.

        The model is (symbols, candidates, shape, table, chain, tokens) of `weft.structures.hankel.loops.windows`.
        """
        model = self._model(weights)
        self._concatenated(lambda chunk: work(*model(chunk), chunk))

    def _model(
        self, weights: Floats, direction: Floats | None = None, step: float = 0.0
    ) -> Callable[[slice], tuple[Any, Model]]:
        """What finds offsets and model of a chunk; with a direction, a step along it as imaginary parts."""
        base = self.chain.base
        sparse, table = self.chain.split_matrix(weights)
        token_weights = base.token_weights(sparse)
        steps: tuple[Any, Any, Any] = np.empty((0, 0)), np.empty(0), np.empty(0)
        has_steps = base.n_features > base.n_pairs or base.forbidden is not None
        tables: Any = base.tables(sparse) if has_steps else None
        if direction is not None:
            along, (matrix, _, _, _) = self.chain.split_matrix(direction)
            table = (table[0] + 1j * step * matrix, *table[1:])
            more = base.token_weights(along)
            token_weights = token_weights[0] + 1j * step * more[0], token_weights[1] + 1j * step * more[1]
            tables = stepped_tables(tables, base.tables(along, restrict=False), step) if has_steps else None
        if tables is not None:
            steps = tables[0], tables[2], tables[3]

        def bound(chunk: slice) -> tuple[Any, Model]:
            offsets, layout, pair_labels, _, _ = self.base.layouts.model(chunk, None, None)
            tokens = layout, pair_labels, token_weights, base.n_pairs > 0
            symbols = self.symbols[self._tokens(chunk)]
            return offsets, (symbols, self.chain.pairs.candidates, self.chain.shape, table, steps, tokens)

        return bound

    def _tokens(self, chunk: slice) -> slice:
        """Tokens of a run of sequences."""
        return self.base.layouts.tokens(chunk)

    def _check_possible(self, scores: Floats) -> None:
        impossible = np.flatnonzero(scores == -np.inf)
        if len(impossible):
            raise InputError(
                f"the constraints forbid every labelling of X[{impossible[0]}] with labels seen with its symbols; "
                "allow at least one."
            )

    def _check_linear(self) -> None:
        if self.chain.factored:
            raise InputError(
                "this chain keeps its Hankel matrix in factors, whose scores are not linear in weights; need a whole "
                "matrix: raise min_count or lower the order."
            )

    # ----------------------------------------------------------------- outputs

    def select(self, sequences: Sequence[int] | Integers) -> Self:
        """The batch of these sequences, with their references and weights."""
        base = self.base.select(sequences)
        return type(self)(self.chain, base.corpus, base.references, base.sample_weight, base.n_jobs)

    def weighted(self, sample_weight: Floats) -> Self:
        """The same batch with other weights of the sequences."""
        other = super().weighted(sample_weight)
        other.base = self.base.weighted(other.sample_weight)
        return other

    def features_of(self, outputs: Labels) -> csr_array:
        """Features of the labels of each sequence, sparse ones and cells of the matrix, as sparse rows."""
        self._check_linear()
        sparse, (ends, cells) = self.base.features_of(outputs), self._windows(self._labels(outputs))
        shape = self.n_sequences, self.chain.n_rows * self.chain.n_columns
        windows = csr_array((np.ones(len(cells)), cells, np.concatenate([[0], ends])), shape=shape)
        windows.sum_duplicates()
        return csr_array(hstack([sparse, windows], format="csr"))

    def _windows(self, labels: Labels) -> tuple[Integers, Integers]:
        """Cells of the windows of a labelling, one after the other, and where those of each sequence end."""
        chain = self.chain
        room = self._n_windows(np.arange(self.n_sequences))
        ends, cells = np.full(self.n_sequences, -1, dtype=np.int64), np.empty(room, dtype=np.int64)
        model = self.symbols, chain.pairs.candidates, chain.shape, chain.row_numbers
        decoding_loops.list_windows(self.corpus.offsets, *model, labels, chain.n_columns, ends, cells)
        if (ends < 0).any():
            raise InputError(
                f"X[{int(np.argmax(ends < 0))}] has a label that its symbol was never seen with; such a labelling has "
                "no features: leave it out"
            )
        return ends, cells[: ends[-1]]

    def scores(self, weights: Floats, outputs: Labels) -> Floats:
        """Score of the given labels of each sequence, ``-inf`` where a label was never seen with its symbol."""
        return self._path_scores(weights, self._labels(outputs), None)

    def _path_scores(self, weights: Floats, labels: Labels, sequences: Integers | None) -> Floats:
        values = np.zeros(self.n_sequences)

        def work(offsets: Any, model: Model, chunk: slice) -> None:
            here = labels[self._tokens(chunk)], values[chunk]
            decoding_loops.path_scores(offsets, _within(sequences, chunk), *model, *here)

        self._over_chunks(weights, work)
        return values

    # -------------------------------------------------------------------- sums

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        self._check_linear()
        total, mean, cells = self.partition_and_windows(weights)
        return total, np.concatenate([mean, cells.reshape(-1)])

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that.

        The distance is the number of wrong labels.
        """
        self._check_linear()
        step = step_along(direction, np.array([loss]))
        gold = self.reference() if loss else NO_LABELS
        values = np.empty(self.n_sequences, dtype=np.complex128)

        def fresh() -> Any:
            sums, ends = self.chain.base.empty_sums()
            return [tuple(array.astype(np.complex128) for array in part) for part in (sums, ends)]

        model = self._model(weights, direction, step)
        _, cells, sums, ends = self._expectations(model, gold, 1j * step * loss, values, fresh, None)
        self._check_possible(values.real)
        slopes = [tuple(array.imag / step for array in part) for part in (sums, ends)]
        vector = self.chain.base.gather(*slopes)
        return np.concatenate([vector, cells.imag.reshape(-1) / step]), values.imag / step

    def _expectations(
        self,
        model: Callable[[slice], tuple[Any, Model]],
        gold: Labels,
        cost: Any,
        log_partitions: Any,
        fresh: Callable[[], Any],
        release: Callable[[Any, Any], None] | None,
    ) -> tuple[float, Any, Any, Any]:
        """Sum of log partitions, expected windows, and sums of sparse features; numbers are of the type of the model.

        `fresh` makes arrays for the sums and `release` takes them back.
        """
        dtype = log_partitions.dtype
        none = np.empty((0, 0), dtype=dtype)

        def work(shard: list[slice]) -> tuple[float, Any, Any, Any]:
            sums, ends = fresh()
            cells = np.zeros((self.chain.n_rows, self.chain.n_columns), dtype=dtype)
            total = 0.0
            for chunk in shard:
                offsets, here = model(chunk)
                values, sample_weight = log_partitions[chunk], self.sample_weight[chunk]
                sums_loops.partition_and_mean(
                    offsets, *here, gold[self._tokens(chunk)], cost, sample_weight, values, none, cells, sums, ends
                )
                total += dot_in_order(sample_weight, values.real)
            return total, cells, sums, ends

        done = None if release is None else lambda partial: release(*partial[2:])
        total, cells, sums, ends = self._summed(work, done)
        return float(total), cells, sums, ends

    # ------------------------------------------------------------ per sequence

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over all labellings of the exponential of their scores."""
        return self._marginals(weights)[1]

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all labellings, each counting the same."""
        means, variances = np.zeros(self.n_sequences), np.zeros(self.n_sequences)

        def work(offsets: Any, model: Model, chunk: slice) -> None:
            sums_loops.score_moments(offsets, *model, means[chunk], variances[chunk])

        self._over_chunks(weights, work)
        return means, np.maximum(variances, 0.0)

    # -------------------------------------------------------------------- best

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Labels, Floats]:
        """Labels of the largest ``score + loss * wrong labels``, and those sums."""
        labels, scores = self._decode(weights, self.reference() if loss else NO_LABELS, float(loss), None)
        self._check_possible(scores)
        return labels, scores

    def _decode(self, weights: Floats, gold: Labels, cost: float, sequences: Integers | None) -> tuple[Labels, Floats]:
        labels = np.zeros(self.corpus.n_tokens, dtype=np.int32)
        scores = np.zeros(self.n_sequences)

        def work(offsets: Any, model: Model, chunk: slice) -> None:
            here = self._tokens(chunk)
            decoding_loops.decode(
                offsets, _within(sequences, chunk), *model, gold[here], cost, labels[here], scores[chunk]
            )

        self._over_chunks(weights, work)
        return labels, scores

    def _rank(self, weights: Floats, labels: Labels, scores: Floats) -> None:
        def work(offsets: Any, model: Model, chunk: slice) -> None:
            decoding_loops.kbest(offsets, *model, labels[:, self._tokens(chunk)], scores[chunk])

        self._over_chunks(weights, work)

    # ------------------------------------------------------------------- doubt

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each label at each token, an array (length, n_labels) for each sequence."""
        return self.corpus.split(self._marginals(weights)[0])

    def _marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        """Label probabilities of every token, and log partitions."""
        marginals = np.zeros((self.corpus.n_tokens, self.chain.n_labels))
        log_partitions, every = np.empty(self.n_sequences), np.ones(self.n_sequences)

        def work(offsets: Any, model: Model, chunk: slice) -> None:
            scratch = self.base.layouts.fresh_sums()
            here = log_partitions[chunk], marginals[self._tokens(chunk)], np.empty((0, 0))
            sums_loops.partition_and_mean(offsets, *model, NO_LABELS, 0.0, every[chunk], *here, *scratch)
            self.base.layouts.release(*scratch)

        self._over_chunks(weights, work)
        self._check_possible(log_partitions)
        return marginals, log_partitions

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Labels]:
        """Random labels in proportion to the exponential of their scores, `n_samples` for each sequence."""
        n_samples = checked_number("n_samples", n_samples)
        n_more = self.chain.shape[1] + self.chain.shape[2]  # boundaries of a sequence
        uniforms = random.random((n_samples, self.corpus.n_tokens + n_more * self.n_sequences))
        labels = np.zeros((n_samples, self.corpus.n_tokens), dtype=np.int32)
        log_partitions = np.empty(self.n_sequences)

        def work(offsets: Any, model: Model, chunk: slice) -> None:
            here = self._tokens(chunk)
            positions = slice(here.start + n_more * chunk.start, here.stop + n_more * chunk.stop)
            sums_loops.draw(offsets, *model, uniforms[:, positions], labels[:, here], log_partitions[chunk])

        self._over_chunks(weights, work)
        self._check_possible(log_partitions)
        return list(labels)

    def largest_feature(self) -> float:
        """A number that no feature of any labelling exceeds: a window ends at each position at most once."""
        n_positions = int(self.corpus.lengths.max()) + self.chain.shape[1] + self.chain.shape[2]
        return max(self.base.largest_feature(), float(n_positions))

    # ---------------------------------------------------------------- spectral

    def partition_and_windows(self, weights: Floats, cost: float = 0.0) -> tuple[float, Floats, Floats]:
        """Sum of log partitions, expected sparse features, and expected windows as a matrix.

        With a positive `cost` the partition counts wrong labels more: softmax margin.
        """
        log_partitions, layouts = np.empty(self.n_sequences), self.base.layouts
        gold = self.reference() if cost else NO_LABELS
        total, cells, sums, ends = self._expectations(
            self._model(weights), gold, cost, log_partitions, layouts.fresh_sums, layouts.release
        )
        self._check_possible(log_partitions)
        return total, layouts.gather(sums, ends), cells

    def most_violating(
        self, weights: Floats, sequences: Integers | None = None, cost: float = 1.0
    ) -> tuple[Labels, Floats]:
        """Labels of the largest score plus Hamming cost, and by how much they exceed the reference: the hinge loss.

        Only for the given sequences; the loss of others is zero.
        """
        gold = self.reference()
        sequences = None if sequences is None else self._numbers(sequences)
        labels, best = self._decode(weights, gold, cost, sequences)
        losses = best - self._path_scores(weights, gold, sequences)
        return labels, np.maximum(losses, 0.0)

    def window_steps(self, predicted: Labels, sequences: Integers | None = None) -> tuple[Integers, Floats]:
        """Cells (row, column) of the windows in which the reference and other labels differ, and their signs.

        Plus the weight of the sequence for the reference, minus for the other: minus the subgradient of the hinge.
        """
        gold, predicted = self.reference(), self._labels(predicted)
        sequences = np.arange(self.n_sequences) if sequences is None else self._numbers(sequences)
        room = 2 * self._n_windows(sequences)
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
            self.sample_weight,
            cells,
            steps,
        )
        return cells[:found], steps[:found]

    def _n_windows(self, sequences: Integers) -> int:
        """How many windows a labelling of these sequences has at the most."""
        n_windows = int(self.corpus.lengths[sequences].sum()) + len(sequences) * (self.chain.order - 1)
        return n_windows * (self.chain.order if self.chain.shorter_grams else 1)

    def sparse_steps(self, predicted: Labels, sequences: Integers | None = None) -> Floats:
        """Sparse features of the reference minus those of other labels, summed over the given sequences."""
        base = self.base
        if sequences is not None:
            sample_weight = np.zeros_like(self.sample_weight)
            sample_weight[sequences] = self.sample_weight[sequences]
            base = base.weighted(sample_weight)
        return base.observed() - base.observed(predicted)

    def observed_windows(self) -> Floats:
        """Windows of the reference labels as a matrix of counts, weighted by the sample weight of the sequences."""
        ends, cells = self._windows(self.reference())
        shape = self.chain.n_rows, self.chain.n_columns
        weights = np.repeat(self.sample_weight, np.diff(ends, prepend=0))
        return np.asarray(np.bincount(cells, weights, shape[0] * shape[1]).reshape(shape))


def _within(sequences: Integers | None, chunk: slice) -> Integers:
    """Those of the sequences that lie in a chunk, counted from its beginning."""
    if sequences is None:
        return np.arange(chunk.stop - chunk.start)
    inside = sequences[(sequences >= chunk.start) & (sequences < chunk.stop)]
    return np.asarray(inside - chunk.start)

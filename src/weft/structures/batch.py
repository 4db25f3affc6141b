"""What all batches share: sequences cut into shards, threads, sums, references and weights of the sequences."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from weft.arrays import Floats, Integers
from weft.core.array_checks import checked_floats, checked_numbers
from weft.core.shards import Partial, concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.structures.moments import Moments, SampledMoments
from weft.structures.protocol import Outputs

Result = TypeVar("Result")


def cut_sequences(costs: Floats, n_sums: int) -> list[list[slice]]:
    """Shards of sequences, each a list of chunks: what is added up in which order, whoever computes it.

    Examples
    --------
    >>> cut_sequences(np.array([3000.0, 1000.0, 2000.0, 500.0, 2500.0]), n_sums=200_000)
    [[slice(0, 1, None), slice(1, 3, None), slice(3, 5, None)]]
    """
    chunks = cut_into_shards(costs, 0)
    if len(chunks) == 1:
        return [chunks]
    chunk_costs = [float(costs[chunk].sum()) for chunk in chunks]
    return [chunks[shard] for shard in cut_into_shards(chunk_costs, n_sums)]


class Batch:
    """The output spaces of many sequences: what `weft.structures.protocol` asks of all structures alike.

    A subclass answers `n_features`, `features_of`, `losses`, `join`, `split`, `argmax` and `select`, and more if it
    can; what follows from these is here. A batch answers a question if it has a method of that name.

    Parameters
    ----------
    costs : ndarray of shape (n_sequences,)
        What a pass over each sequence costs, in times of a token of a chain.
    n_sums : int
        Numbers that a sum over the sequences has.
    references : outputs, optional
        Needed to learn.
    sample_weight : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int or None
        Threads; -1 for all cores. Answers are the same for any number, bit for bit.
    """

    hints: Any = None
    _known: tuple[Any, Any] | None = None
    """Weights of a fitted model, and what passes need of them (`kept`)."""

    if TYPE_CHECKING:  # what a subclass answers

        @property
        def n_features(self) -> int: ...  # noqa: D102
        def features_of(self, outputs: Any) -> Any: ...  # noqa: D102

    def __init__(
        self,
        costs: npt.ArrayLike,
        n_sums: int,
        references: Any,
        sample_weight: Any,
        n_jobs: int | None,
    ) -> None:
        costs = np.asarray(costs, dtype=np.float64)
        self.n_sequences = len(costs)
        self.references = references
        self.sample_weight = np.ones(len(costs)) if sample_weight is None else self._weights(sample_weight)
        self.n_jobs = n_jobs
        self.costs, self.n_sums = costs, n_sums
        self.set_shards(cut_sequences(costs, n_sums))

    def set_shards(self, shards: list[list[slice]]) -> None:
        """Cut the sequences otherwise: as they are cut in a larger batch that this one is a part of."""
        self.shards = shards
        self.chunks = [chunk for shard in shards for chunk in shard]

    def _made_of(self, weights: Floats, make: Callable[[Floats], Result]) -> Result:
        """What passes need of weights; those of a fitted model have it."""
        if self._known is not None and self._known[0] is weights:
            found: Result = self._known[1]
            return found
        return make(weights)

    # -------------------------------------------------------------- the one sum

    def _concatenated(self, work: Callable[[slice], Result]) -> list[Result]:
        """Results of `work` for each chunk of sequences, in threads."""
        return concatenate_over_shards(work, self.chunks, self.n_jobs)

    def _each(self, work: Callable[[int], Result]) -> list[Result]:
        """Results of `work` for each sequence, in threads."""
        parts = self._concatenated(lambda chunk: [work(i) for i in range(chunk.start, chunk.stop)])
        return [result for part in parts for result in part]

    def _summed(self, work: Callable[[list[slice]], Partial], release: Callable[[Partial], None] | None = None) -> Any:
        """Sum of what `work` gives for each shard, a list of chunks, in a fixed order."""
        return sum_over_shards(work, self.shards, self.n_jobs, release)

    def _total(self, values: Floats) -> float:
        """Sum of a number of each sequence times its weight."""

        def work(shard: list[slice]) -> tuple[float]:
            here = slice(shard[0].start, shard[-1].stop)
            return (dot_in_order(self.sample_weight[here], values[here]),)

        return float(sum_over_shards(work, self.shards, None)[0])

    def _summed_rows(self, rows: Any) -> Floats:
        """Sum of the rows of a matrix, one for each sequence, times the weights of these."""

        def work(shard: list[slice]) -> tuple[Floats]:
            here = slice(shard[0].start, shard[-1].stop)
            return (np.asarray(rows[here].T @ self.sample_weight[here]),)

        return np.asarray(sum_over_shards(work, self.shards, None)[0])

    # ------------------------------------------------------ weights of sequences

    def _weights(self, sample_weight: Any) -> Floats:
        return checked_floats("sample_weight", sample_weight, (self.n_sequences,), "give one number per sequence")

    def weighted(self, sample_weight: Floats) -> Self:
        """The same batch with other weights of the sequences."""
        other = copy.copy(self)
        other.sample_weight = other._weights(sample_weight)
        return other

    def _numbers(self, sequences: Any) -> Integers:
        """Numbers of sequences, checked."""
        cure = "number the sequences from 0"
        return checked_numbers("sequences", sequences, self.n_sequences, cure, dtype=np.int64)

    # --------------------------------------------------------------- references

    def reference(self) -> Outputs:
        """The right outputs; an error if the batch has none."""
        if self.references is None:
            raise InputError("this batch has no references; pass y to learn from it.")
        return self.references

    @property
    def has_partial_references(self) -> bool:
        """Whether some reference stands for several outputs."""
        return False

    def reference_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log weights, and of expected features, of the outputs that agree with the references."""
        return self._total(self.scores(weights, self.reference())), self.observed()

    def best_references(self, weights: Floats) -> tuple[Any, Floats]:
        """Best outputs that agree with the references, and their scores."""
        return self.reference(), self.scores(weights, self.reference())

    def observed(self, outputs: Outputs | None = None) -> Floats:
        """Features of outputs, by default the references, summed."""
        return self._summed_rows(self.features_of(self.reference() if outputs is None else outputs))

    def scores(self, weights: Floats, outputs: Outputs) -> Floats:
        """Score of each output."""
        return np.asarray(self.features_of(outputs) @ weights)


class MomentBatch(Batch):
    """A batch that knows the covariance of its features, and so all their moments.

    A subclass answers `covariance_with`, `log_partition_and_mean` and `sample` as well.
    """

    dense_features: ClassVar[int] = 0
    """Up to so many features the moments build the matrix of covariances, a column per pass."""

    if TYPE_CHECKING:  # what a subclass answers

        def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Any, Floats]: ...  # noqa: D102
        def covariance_with(  # noqa: D102
            self, weights: Floats, direction: Floats, loss: float = 0.0
        ) -> tuple[Floats, Floats]: ...
        def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]: ...  # noqa: D102
        def sample(  # noqa: D102
            self, weights: Floats, n_samples: int, random: np.random.Generator
        ) -> list[Any]: ...

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features, summed, times a vector."""
        return self.covariance_with(weights, direction)[0]

    def moments(self, base: Floats | None = None) -> Moments:
        """Moments under a base distribution; uniform without one."""
        return Moments(self, base)

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> SampledMoments:
        """Moments estimated from uniformly drawn outputs (MM section 3.2.2)."""
        return SampledMoments(self, self.sample(np.zeros(self.n_features), n_samples, random))

    def variances(self, weights: Floats) -> Floats:
        """An estimate of the variance of each feature, summed: counts of rare events have one like their mean."""
        return self.log_partition_and_mean(weights)[1]

    def largest_feature(self) -> float:
        """The largest absolute value of a feature of any output."""
        units = np.eye(self.n_features)
        return max(float(self.argmax(sign * unit)[1].max()) for unit in units for sign in (1.0, -1.0))

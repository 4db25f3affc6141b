"""What a batch answers: one name, one signature and one shape for each question, whatever the structure.

A *batch* is a structure bound to data: the output spaces of many sequences (or pairs, or graphs), and one weight vector
for all. A learner knows structures only through these questions and names those it asks in `Learner.needs`.

What one sequence gets is an *output*: an array of labels, of moves, of steps of a derivation, of pairs, of parts. What
all sequences get, one each, are *outputs*: a type of the structure's own, opaque to learners, that `join` makes and
`split` cuts. Scores are linear in features; a loss is a number that is 0 for the reference.

Sums weigh each sequence by `sample_weight`; what comes per sequence does not. Nothing depends on `n_jobs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.structures.online import FrankWolfePass, PerceptronState

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Output = Any
"""What one sequence gets."""
Outputs = Any
"""What all sequences get, one each."""


@runtime_checkable
class AnswersSize(Protocol):
    """How much there is."""

    sample_weight: Floats
    """Weight of each sequence in every sum."""

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        ...

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        ...


@runtime_checkable
class AnswersReferences(Protocol):
    """Given outputs: their features and their distance from what is right."""

    def reference(self) -> Outputs:
        """The right outputs; an error if the batch has none."""
        ...

    def observed(self, outputs: Outputs | None = None) -> Floats:
        """Features of outputs, by default the references, summed; shape (n_features,)."""
        ...

    def features_of(self, outputs: Outputs) -> Any:
        """Features of each output, a sparse matrix (CSR, no entry twice) of shape (n_sequences, n_features)."""
        ...

    def losses(self, outputs: Outputs) -> Floats:
        """Distance of each output from its reference."""
        ...

    def join(self, outputs: Sequence[Output]) -> Outputs:
        """One output of each sequence, as the other questions want them."""
        ...

    def split(self, outputs: Outputs) -> list[Output]:
        """The output of each sequence."""
        ...


@runtime_checkable
class AnswersPartialReferences(Protocol):
    """References of which only a part is known, so that each is a set of outputs."""

    @property
    def has_partial_references(self) -> bool:
        """Whether some reference stands for several outputs."""
        ...

    def reference_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log weights, and of expected features, of the outputs that agree with the references."""
        ...

    def best_references(self, weights: Floats) -> tuple[Outputs, Floats]:
        """Best outputs that agree with the references, and their scores."""
        ...


@runtime_checkable
class AnswersSums(Protocol):
    """Sums over all outputs of all sequences, each output in proportion to the exponential of its score."""

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        ...

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features, summed, times a vector."""
        ...

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that.

        The first is summed; the second is one number per sequence.
        """
        ...


@runtime_checkable
class AnswersRows(Protocol):
    """Expected features of each sequence, for structures with few of them."""

    def expectations(self, weights: Floats) -> Floats:
        """Expected features of each sequence, shape (n_sequences, n_features)."""
        ...


@runtime_checkable
class AnswersPerSequence(Protocol):
    """One number, or two, for each sequence."""

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over all outputs of the exponential of their scores."""
        ...

    def scores(self, weights: Floats, outputs: Outputs) -> Floats:
        """Score of each output, ``-inf`` for one that the structure does not have."""
        ...

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all outputs, each counting the same."""
        ...


@runtime_checkable
class AnswersBest(Protocol):
    """The best outputs; of those that tie, the first in an order of the structure."""

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Outputs, Floats]:
        """Outputs of the largest ``score + loss * distance``, and those sums."""
        ...

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Output, float]]]:
        """The k best outputs of each sequence with their scores, best first; all of them if there are fewer."""
        ...

    def most_accurate(self, weights: Floats, gamma: float = 1.0) -> Outputs:
        """Outputs that are expected to have most right; a larger `gamma` dares more, None (charts) wants most F1."""
        ...


@runtime_checkable
class AnswersDoubt(Protocol):
    """Probabilities of parts, and random outputs."""

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each part, an array for each sequence."""
        ...

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Outputs]:
        """Random outputs in proportion to the exponential of their scores, `n_samples` for each sequence."""
        ...


@runtime_checkable
class AnswersLikelyPairs(Protocol):
    """Probabilities of pairs of positions, where there are too many to write down all."""

    def likely_pairs(self, weights: Floats, threshold: float) -> list[csr_matrix]:
        """As `marginals`, without those below the threshold: a sparse matrix for each sequence."""
        ...


@runtime_checkable
class AnswersMoments(Protocol):
    """Moments of all outputs: one class for all structures (`weft.structures.moments`)."""

    def moments(self, base: Floats | None = None) -> Any:
        """Moments under a base distribution; uniform without one."""
        ...

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> Any:
        """Moments estimated from uniformly drawn outputs (MM section 3.2.2)."""
        ...

    def variances(self, weights: Floats) -> Floats:
        """Variance of each feature, summed, or an estimate of it that costs little: the scale of regularisers."""
        ...

    def largest_feature(self) -> float:
        """The largest absolute value of a feature of any output."""
        ...


@runtime_checkable
class AnswersBlocks(Protocol):
    """Covariances of a form that has an explicit inverse."""

    def block_inverse(self, ridge: float) -> Callable[[Floats], Floats]:
        """Inverse of the uniform covariance, summed, plus a ridge: what maps a vector to the solution."""
        ...


@runtime_checkable
class AnswersCounts(Protocol):
    """Weights from counts, where counts have a normalised form."""

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the generative model with these feature counts."""
        ...

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Where learning without references begins; `counts` are those of references that others have too."""
        ...

    def maximised_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the generative model of inputs with these expected counts."""
        ...


@runtime_checkable
class AnswersCutting(Protocol):
    """Batches of some of the sequences."""

    shards: list[list[slice]]
    """Runs of neighbouring sequences, in groups: what is added up, in which order."""

    hints: Any
    """What passes have learned about their numbers, None if nothing: it changes speed, and rounding at most."""

    def set_shards(self, shards: list[list[slice]]) -> None:
        """Cut the sequences otherwise: as they are cut in a larger batch that this one is a part of."""
        ...

    def select(self, sequences: Sequence[int] | Integers) -> Any:
        """The batch of these sequences, with their references and weights."""
        ...

    def weighted(self, sample_weight: Floats) -> Any:
        """The same batch with other weights of the sequences."""
        ...


@runtime_checkable
class AnswersCompiledSteps(Protocol):
    """Steps that depend on each other as one compiled loop; without it learners take them one by one."""

    def perceptron_passes(
        self, state: PerceptronState, random: np.random.Generator
    ) -> Iterator[tuple[PerceptronState, int]]:
        """As `weft.learners.perceptron.perceptron_passes`."""
        ...

    def frank_wolfe_passes(
        self, strength: float, random: np.random.Generator, state: Sequence[NDArray[Any]] = ()
    ) -> Iterator[FrankWolfePass]:
        """As `weft.learners.structured_svm.frank_wolfe_passes`."""
        ...


@runtime_checkable
class AnswersEarlyUpdates(Protocol):
    """Steps of a perceptron on prefixes of sequences."""

    def early_update_passes(
        self, state: PerceptronState, random: np.random.Generator
    ) -> Iterator[tuple[PerceptronState, int]]:
        """As `perceptron_passes`, with each step on the prefix at which the reference is lost."""
        ...


@runtime_checkable
class AnswersSpectral(Protocol):
    """What spectral learners ask: sparse features and the windows of a Hankel matrix apart."""

    def partition_and_windows(self, weights: Floats, cost: float = 0.0) -> tuple[float, Floats, Floats]:
        """Sum of log partitions, expected sparse features, expected windows as a matrix; wrong labels cost."""
        ...

    def most_violating(
        self, weights: Floats, sequences: Integers | None = None, cost: float = 1.0
    ) -> tuple[Outputs, Floats]:
        """Labels of the largest score plus Hamming cost, and by how much they exceed the reference: the hinge loss."""
        ...

    def window_steps(self, predicted: Outputs, sequences: Integers | None = None) -> tuple[Integers, Floats]:
        """Cells of the windows in which the reference and other labels differ, and their signs."""
        ...

    def sparse_steps(self, predicted: Outputs, sequences: Integers | None = None) -> Floats:
        """Sparse features of the reference minus those of other labels, summed over the given sequences."""
        ...

    def observed_windows(self) -> Floats:
        """Windows of the reference labels as a matrix of counts."""
        ...


class Answers(
    AnswersSize, AnswersReferences, AnswersPartialReferences, AnswersSums, AnswersRows, AnswersPerSequence, AnswersBest,
    AnswersDoubt, AnswersLikelyPairs, AnswersMoments, AnswersBlocks, AnswersCounts, AnswersCutting, Protocol,
):  # fmt: skip
    """All questions that have a meaning for every structure, for signatures.

    Few batches answer every one: `Learner.needs` names those that a learner relies on, and `Learner.check_batch` asks.
    """


class Structure(Protocol):
    """What `weft.StructuredEstimator` asks of a structure."""

    @property
    def feature_names(self) -> Sequence[Any]:
        """What each weight belongs to."""
        ...

    def bind(
        self, X: Any, y: Any = None, sample_weight: Floats | None = None, n_jobs: int | None = None, /
    ) -> AnswersSize:
        """The batch of the output spaces of inputs, with references if there are some."""
        ...

    def decode(self, x: Any, output: Any, /) -> Any:
        """An output as users write it."""
        ...


GROUPS: dict[str, type] = {
    "size": AnswersSize,
    "references": AnswersReferences,
    "references known in part": AnswersPartialReferences,
    "sums": AnswersSums,
    "rows": AnswersRows,
    "per sequence": AnswersPerSequence,
    "best": AnswersBest,
    "doubt": AnswersDoubt,
    "likely pairs": AnswersLikelyPairs,
    "moments of all outputs": AnswersMoments,
    "blocks": AnswersBlocks,
    "counts": AnswersCounts,
    "cutting": AnswersCutting,
    "compiled steps": AnswersCompiledSteps,
    "early updates": AnswersEarlyUpdates,
    "spectral": AnswersSpectral,
}
"""The groups of questions, by name."""


def queries_of(group: type) -> list[str]:
    """Names of the questions of a group, in its order.

    Examples
    --------
    >>> queries_of(AnswersDoubt)
    ['marginals', 'sample']
    """
    named = [*inspect.get_annotations(group), *vars(group)]
    return [name for name in dict.fromkeys(named) if not name.startswith("_")]

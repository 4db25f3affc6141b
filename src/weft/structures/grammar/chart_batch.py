"""What batches share whose outputs are derivations on a chart of spans: grammars, and loops of RNA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.checks import checked_number
from weft.core.row_sums import summed_rows
from weft.core.vectors import add_scaled, dot_in_order
from weft.errors import InputError
from weft.structures.batch import MomentBatch
from weft.structures.grammar.expected_f1 import largest_f1, nested_marks
from weft.structures.grammar.loops.accuracy import most_accurate_pairs
from weft.structures.grammar.queries import NOTHING, checked_symbols, rule_scores

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Output = Ids

SPANS_PER_COST = 256
"""Splits of spans, of which a sequence has the cube of its length, that take as long as a token of a chain."""


class ChartBatch(MomentBatch):
    """Outputs of all sequences under one grammar, made of *rules* that have features and set *marks* on spans.

    A subclass says how rules are counted and marked, and answers for one sequence what begins with ``_one_``, given the
    scores of the rules. The distance of two outputs is the number of marks that only one of them sets.

    Parameters
    ----------
    grammar : Grammar or LoopModel
    sequences : list of ndarrays of int32
    references : list of outputs, optional
    sample_weight : ndarray of shape (n_sequences,), optional
    n_jobs : int or None
    """

    dense_features: ClassVar[int] = 64
    _n_marks: int
    """Kinds of marks, each of which a span has or has not."""

    def __init__(
        self,
        grammar: Any,
        sequences: Sequence[Ids],
        references: Sequence[Output] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        n_symbols = len(grammar.symbols) + 1  # the last one stands for unknown symbols
        self.grammar = grammar
        self.sequences = [checked_symbols(sequence, n_symbols) for sequence in sequences]
        if not self.sequences:
            raise InputError("no sequence given; need at least one: give some")
        if references is not None and len(references) != len(self.sequences):
            raise InputError(f"{len(self.sequences)} sequences but {len(references)} references given; need as many.")
        costs = [len(sequence) ** 3 / SPANS_PER_COST for sequence in self.sequences]
        references = None if references is None else list(references)
        n_rules = grammar.rule_entries.shape[0]
        super().__init__(costs, n_rules, references, sample_weight, n_jobs)
        # Log partitions per symbol at the last weights and at no weights, which scale what passes multiply. They are
        # guesses that change rounding at most, so that batches with other sample weights share them.
        n = len(self.sequences)
        self.hints: dict[bool, list[float | None]] = {False: [None] * n, True: [None] * n}

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return int(self.grammar.n_features)

    def select(self, sequences: Sequence[int] | Integers) -> Self:
        """The batch of these sequences, with their references and weights."""
        numbers = self._numbers(sequences)
        references = None if self.references is None else [self.references[i] for i in numbers]
        n_jobs = self.n_jobs if len(numbers) > 1 else None
        return self._bound([self.sequences[i] for i in numbers], references, self.sample_weight[numbers], n_jobs)

    # --------------------------------------------------- what subclasses answer

    def _bound(
        self,
        sequences: Sequence[Ids],
        references: Sequence[Output] | None,
        sample_weight: Floats,
        n_jobs: int | None,
    ) -> Self:
        """Another batch of the same structure."""
        return type(self)(self.grammar, sequences, references, sample_weight, n_jobs)

    def _rule_counts(self, i: int, output: Output) -> tuple[NDArray[np.integer], Floats | None]:
        """Rules of an output, and how often it has each; without that, they are listed as often as they occur."""
        raise NotImplementedError

    def _marked(self, i: int, output: Output) -> tuple[NDArray[np.integer], ...]:
        """Kind, first and last position of each mark that an output sets."""
        raise NotImplementedError

    def _one_best(self, i: int, scores: Floats, bonus: Floats = NOTHING) -> tuple[Output, float]:
        """Best output of a sequence and its score, with a bonus for each mark."""
        raise NotImplementedError

    def _one_ranked(self, i: int, scores: Floats, k: int) -> list[tuple[Output, float]]:
        """The k best outputs of a sequence with their scores."""
        raise NotImplementedError

    def _one_expected(self, i: int, scores: Floats, rate: float | None, marked: Floats) -> tuple[float, Floats]:
        """Log partition and expected counts of rules; `marked` takes up those of marks."""
        raise NotImplementedError

    def _one_covariance(
        self, i: int, scores: Floats, direction: Floats, rate: float, bonus: Floats
    ) -> tuple[float, Floats] | None:
        """Mean of a linear function of rules and marks, and its covariance with counts of rules; None if that fails.

        It may fail if the rate is not near the log partition per symbol.
        """
        raise NotImplementedError

    def _one_drawn(self, i: int, scores: Floats, rate: float, n: int, random: np.random.Generator) -> list[Output]:
        """Random outputs of a sequence; none if numbers under- or overflow."""
        raise NotImplementedError

    def _one_with_pairs(self, i: int, pairs: Ids) -> Output | None:
        """The output that has these pairs and no others, None if there is none."""
        raise NotImplementedError

    # ------------------------------------------------------------ given outputs

    def join(self, outputs: Sequence[Output]) -> list[Output]:
        """One output of each sequence, as a list."""
        return list(outputs)

    def split(self, outputs: Sequence[Output]) -> list[Output]:
        """The output of each sequence."""
        return list(outputs)

    def _counted(self, outputs: Sequence[Output]) -> Sequence[Output]:
        if len(outputs) != self.n_sequences:
            raise InputError(
                f"{len(outputs)} outputs for {self.n_sequences} sequences given; need one each: give those of argmax"
            )
        return outputs

    def features_of(self, outputs: Sequence[Output]) -> csr_array:
        """Features of each output, shape (n_sequences, n_features)."""
        found = [self._rule_counts(i, output) for i, output in enumerate(self._counted(outputs))]
        rules, ends = np.concatenate([rules for rules, _ in found]), np.cumsum([len(rules) for rules, _ in found])
        counts = [own for _, own in found if own is not None]
        features = self.grammar.rule_features
        return summed_rows(
            features.indptr,
            features.indices,
            features.data,
            rules,
            ends,
            self.n_features,
            np.concatenate(counts) if counts else None,
        )

    def losses(self, outputs: Sequence[Output]) -> Floats:
        """Number of marks that only one of output and reference sets."""
        both = enumerate(zip(self._counted(outputs), self.reference(), strict=True))
        keys = ([self._mark_keys(i, output) for output in own] for i, own in both)
        return np.array([len(np.setxor1d(found, wanted)) for found, wanted in keys], dtype=np.float64)

    def _shape(self, i: int) -> tuple[int, int, int]:
        n = len(self.sequences[i])
        return self._n_marks, n, n

    def _mark_keys(self, i: int, output: Output) -> Integers:
        """Numbers of the marks that an output sets; none stands twice, since no span derives itself."""
        return np.asarray(np.ravel_multi_index(self._marked(i, output), self._shape(i)))

    def _bonus(self, i: int, loss: float) -> Floats:
        """What each mark adds to `loss` times the distance: that, or the opposite if the reference has it too."""
        if not loss:
            return NOTHING
        bonus = np.full(self._shape(i), loss)
        bonus[self._marked(i, self.reference()[i])] = -loss
        return bonus

    def _constant(self, loss: float) -> Floats | float:
        """What `loss` times the distance of each sequence begins with: all marks of the reference."""
        if not loss:
            return 0.0
        return loss * np.array([len(self._mark_keys(i, own)) for i, own in enumerate(self.reference())], dtype=float)

    def _rule_scores(self, weights: Floats) -> Floats:
        return self._made_of(weights, lambda given: rule_scores(self.grammar.rule_entries, given))

    # ------------------------------------------------------------- best outputs

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[list[Output], Floats]:
        """Best output of each sequence, and their scores, both with `loss` times the distance from the reference."""
        scores, constant = self._rule_scores(weights), self._constant(loss)
        found = self._each(lambda i: self._one_best(i, scores, self._bonus(i, loss)))
        values = np.array([score for _, score in found])
        return [output for output, _ in found], values + constant if loss else values

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Output, float]]]:
        """The k best outputs of each sequence with their scores, best first; fewer if fewer exist."""
        scores, k = self._rule_scores(weights), checked_number("k", k)
        return self._each(lambda i: self._one_ranked(i, scores, k))

    # ------------------------------------------------------------- all outputs

    def _expected(self, i: int, scores: Floats, marked: Floats = NOTHING) -> tuple[float, Floats]:
        rates = self.hints[not scores.any()]
        value, counts = self._one_expected(i, scores, rates[i], marked)
        rates[i] = value / len(self.sequences[i])  # weights move little from call to call
        return value, counts

    def _covariance(self, i: int, scores: Floats, direction: Floats, bonus: Floats = NOTHING) -> tuple[float, Floats]:
        """Mean of a linear function over all outputs of a sequence, and its covariance with counts of rules."""
        rate = self.hints[not scores.any()][i]
        found = None if rate is None else self._one_covariance(i, scores, direction, rate, bonus)
        if found is None:  # nothing is known of these weights, or something of others only
            rate = self._expected(i, scores)[0] / len(self.sequences[i])
            found = self._one_covariance(i, scores, direction, rate, bonus)
        if found is None:
            raise InputError(
                f"the weights are too large for second moments of X[{i}]; use smaller ones, or another learner."
            )
        return found

    def _summed_rules(self, work: Callable[[int], tuple[float, Floats]]) -> tuple[Floats, Floats]:
        """The number that `work` gives for each sequence; and features from its counts of rules, summed."""
        values = np.empty(self.n_sequences)

        def task(chunks: list[slice]) -> tuple[Floats]:
            total = np.zeros(self.grammar.rule_entries.shape[0])
            for i in (i for chunk in chunks for i in range(chunk.start, chunk.stop)):
                values[i], counts = work(i)
                add_scaled(total, self.sample_weight[i], counts)
            return (np.asarray(self.grammar.rule_features.T @ total),)

        [total] = self._summed(task)
        return values, np.asarray(total)

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum of the exponentials of all scores of each sequence."""
        scores = self._rule_scores(weights)
        return np.array(self._each(lambda i: self._expected(i, scores)[0]))

    def expectations(self, weights: Floats) -> Floats:
        """Expected features of each sequence, shape (n_sequences, n_features)."""
        scores = self._rule_scores(weights)
        counts = np.array(self._each(lambda i: self._expected(i, scores)[1]))
        return np.ascontiguousarray((self.grammar.rule_features.T @ counts.T).T)

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        scores = self._rule_scores(weights)
        values, mean = self._summed_rules(lambda i: self._expected(i, scores))
        return self._total(values), mean

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that."""
        scores, along = self._rule_scores(weights), self._rule_scores(direction)
        constant = self._constant(loss)
        means, total = self._summed_rules(lambda i: self._covariance(i, scores, along, self._bonus(i, loss)))
        return total, means + constant

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all outputs of each sequence, each counting the same."""
        along = self._rule_scores(weights)
        found = self._each(lambda i: self._covariance(i, np.zeros_like(along), along))
        variances = np.array([dot_in_order(covariances, along) for _, covariances in found])
        return np.array([mean for mean, _ in found]), np.maximum(variances, 0.0)

    def _probabilities(self, i: int, scores: Floats) -> Floats:
        """Probability of each mark of a sequence, shape (n_marks, n, n)."""
        marked = np.zeros(self._shape(i))
        self._expected(i, scores, marked)
        return marked

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each mark, an array (n_marks, n, n) for each sequence."""
        scores = self._rule_scores(weights)
        return self._each(lambda i: self._probabilities(i, scores))

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[list[Output]]:
        """Random outputs in proportion to the exponential of their scores."""
        scores, n = self._rule_scores(weights), checked_number("n_samples", n_samples)
        generators = random.spawn(self.n_sequences)

        def work(i: int) -> list[Output]:
            rate = self._expected(i, scores)[0] / len(self.sequences[i])
            drawn = self._one_drawn(i, scores, rate, n, generators[i])
            if not drawn:
                raise InputError(
                    f"the weights of X[{i}] under- or overflow, so that nothing can be drawn; use smaller weights."
                )
            return drawn

        return [list(outputs) for outputs in zip(*self._each(work), strict=True)]

    # ----------------------------------------------------------------- accuracy

    def most_accurate(self, weights: Floats, gamma: float | None = 1.0) -> list[Output]:
        """Outputs of the largest expected accuracy.

        With pairs as marks that is the sum of ``2 gamma p`` over pairs and of the probability to be unpaired over all
        other positions (Do, Woods and Batzoglou 2006). With nodes as marks each counts `gamma` if it is right and -1 if
        it is wrong (Goodman 1996 leaves the wrong ones out). ``gamma=None`` asks for the largest expected F1 of marks
        (`largest_f1`), for which nothing is to be chosen.
        """
        scores = self._rule_scores(weights)
        if gamma is None:
            return self._each(lambda i: self._one_of_largest_f1(i, scores))
        return self._each(lambda i: self._one_most_accurate(i, self._probabilities(i, scores), float(gamma)))

    def _one_most_accurate(self, i: int, probabilities: Floats, gamma: float) -> Output:
        nothing = np.zeros(self.grammar.rule_entries.shape[0])
        if not self._marks_are_pairs:
            return self._one_best(i, nothing, (gamma + 1.0) * probabilities - 1.0)[0]
        own = np.ascontiguousarray(probabilities[0])
        # The best of all structures is that of this grammar too, if it has it; most have, and it is quickly found.
        found = self._one_with_pairs(i, most_accurate_pairs(own, gamma))
        if found is None:
            unpaired = 1.0 - own.sum(axis=0) - own.sum(axis=1)
            gains = 2.0 * gamma * own - unpaired[:, None] - unpaired
            found, _ = self._one_best(i, nothing, gains[None])
        return found

    def _one_of_largest_f1(self, i: int, scores: Floats) -> Output:
        probabilities = np.zeros(self._shape(i))
        log_partition, _ = self._expected(i, scores, probabilities)
        nothing = np.zeros(self.grammar.rule_entries.shape[0])

        def of_grammar(gains: Floats) -> tuple[Output, tuple[NDArray[np.integer], ...]]:
            output, _ = self._one_best(i, nothing, gains)
            return output, self._marked(i, output)

        if not self._marks_are_pairs:
            return largest_f1(probabilities, of_grammar)[0]
        # As above: most often the best of all structures is one of this grammar.
        pairs, f1 = largest_f1(probabilities, nested_marks)
        found = self._one_with_pairs(i, pairs)
        if found is None:
            other, f1 = largest_f1(probabilities, of_grammar)
            found = other
        # No pairs at all are wholly right if the truth has none.
        without = self._one_with_pairs(i, np.empty((0, 2), dtype=np.int32)) if f1 < 1.0 - probabilities.max() else None
        if without is not None:
            rules, counts = self._rule_counts(i, without)
            own = scores[rules]
            score = dot_in_order(own, np.ones(len(own)) if counts is None else counts)
            if np.exp(score - log_partition) >= f1:
                return without
        return found

    @property
    def _marks_are_pairs(self) -> bool:
        return True

"""A grammar bound to sequences: the queries that learners ask, over all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats
from weft.core.checks import checked_number
from weft.core.shards import concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.core.vectors import add_scaled
from weft.errors import InputError
from weft.structures.derivation_moments import GrammarMoments, SampledGrammarMoments
from weft.structures.grammar.kbest import best_derivations
from weft.structures.grammar.queries import (
    NOTHING,
    best_derivation,
    checked_symbols,
    covariance_of_counts,
    draw_derivations,
    expected_counts,
    rule_scores,
)
from weft.structures.grammar.structure import Grammar, Steps
from weft.structures.online import PerceptronState, frank_wolfe_passes, perceptron_passes

__all__ = ["GrammarBatch"]

Floats = NDArray[np.float64]
Result = TypeVar("Result")

SPANS_PER_COST = 256
"""Splits of spans, of which a sequence has the cube of its length, that take as long as a token of a chain."""


class GrammarBatch:
    """Parse trees of all sequences of a corpus, one weight vector for all.

    An output of the corpus is a list of derivations, one per sequence.

    Parameters
    ----------
    grammar : Grammar
    sequences : list of ndarrays of int32
        As `Grammar.encode` gives them.
    references : list of derivations, optional
        Needed to learn.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    marks : {"pairs", "nodes"}
        What a loss counts and marginals are about: spans that a rule A -> a B b derives, or (nonterminal, span).
    """

    def __init__(
        self,
        grammar: Grammar,
        sequences: Sequence[NDArray[np.int32]],
        references: Sequence[Steps] | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
        marks: Literal["pairs", "nodes"] = "pairs",
    ) -> None:
        self.grammar = grammar
        self.arrays = grammar.arrays(marks)
        self.n_marks = 1 if marks == "pairs" else len(grammar.nonterminals)
        self._bind(sequences, references, importance, n_jobs)

    def _bind(
        self,
        sequences: Sequence[NDArray[np.int32]],
        references: Sequence[Steps] | None,
        importance: Floats | None,
        n_jobs: int | None,
    ) -> None:
        n_symbols = len(self.grammar.symbols) + 1  # the last one stands for unknown symbols
        self.sequences = [checked_symbols(sequence, n_symbols) for sequence in sequences]
        if not self.sequences:
            raise InputError("no sequence came; want at least one: give some")
        self.references = None if references is None else list(references)
        if self.references is not None and len(self.references) != len(self.sequences):
            raise InputError(
                f"{len(self.sequences)} sequences but {len(self.references)} references came; want as many."
            )
        size, cure = (len(self.sequences),), "give one number per sequence"
        self.importance = np.ones(size) if importance is None else checked_floats("importance", importance, size, cure)
        self.lengths = np.array([len(sequence) for sequence in self.sequences], dtype=np.int64)
        self.n_jobs = n_jobs
        self.shards = cut_into_shards(self.lengths**3 / SPANS_PER_COST, self.grammar.rule_features.shape[0])
        self._rates: list[float | None] = [None] * len(self.sequences)

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.grammar.n_features

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.sequences)

    def each(self, work: Callable[[int], Result]) -> list[Result]:
        """Results of `work(i)` for each sequence, in threads."""
        parts = concatenate_over_shards(lambda shard: [work(i) for i in _numbers(shard)], self.shards, self.n_jobs)
        return [result for part in parts for result in part]

    def total(self, work: Callable[[int], tuple[float, Floats]], importance: Floats) -> tuple[float, Floats]:
        """Sum of the number and of the counts of rules that `work(i)` gives for each sequence, times its importance."""

        def task(shard: slice) -> tuple[float, Floats]:
            total, sums = 0.0, np.zeros(self.grammar.rule_features.shape[0])
            for i in _numbers(shard):
                value, counts = work(i)
                total += importance[i] * value
                add_scaled(sums, importance[i], counts)
            return total, sums

        total, sums = sum_over_shards(task, self.shards, self.n_jobs)
        return float(total), sums

    def rule_scores(self, weights: Floats) -> Floats:
        """Score of each rule."""
        return rule_scores(self.grammar.rule_features, weights)

    def gathered(self, counts: Floats) -> Floats:
        """Features from counts of rules, one or many rows."""
        return np.asarray((self.grammar.rule_features.T @ counts.T).T)

    # ------------------------------------------------------------ given outputs

    def reference(self) -> list[Steps]:
        """Reference derivations, one per sequence."""
        if self.references is None:
            raise InputError("this batch has no reference trees; pass y to learn from it.")
        return self.references

    def counts(self, outputs: Sequence[Steps] | None = None) -> Floats:
        """Counts of rules of each output, shape (n_sequences, n_rules)."""
        return np.array([self.grammar.counts(steps) for steps in (self.reference() if outputs is None else outputs)])

    def observed(self, importance: Floats | None = None, outputs: Sequence[Steps] | None = None) -> Floats:
        """Features of the references (or others), summed over the corpus with the weights of the sequences."""
        importance = self.importance if importance is None else importance
        return self.gathered(importance @ self.counts(outputs))

    def scores(self, weights: Floats, outputs: Sequence[Steps], restrict: bool = True) -> Floats:
        """Score of the given output of each sequence."""
        return np.asarray(self.counts(outputs) @ self.rule_scores(weights))

    def marked(self, i: int, steps: Steps) -> Floats:
        """Marks that a derivation sets, shape (n_marks, n, n)."""
        n = len(self.sequences[i])
        found = np.zeros((self.n_marks, n, n))
        marks = self.arrays.marks[steps[:, 0]]
        used = steps[marks >= 0]
        found[marks[marks >= 0], used[:, 1], used[:, 2]] = 1.0
        return found

    def loss_bonus(self, i: int) -> Floats:
        """What each mark adds to the distance from the reference: 1, or -1 if the reference has it too."""
        return 1.0 - 2.0 * self.marked(i, self.reference()[i])

    # ------------------------------------------------------------- best outputs

    def argmax(self, weights: Floats) -> tuple[list[Steps], Floats]:
        """Best derivation of each sequence, and their scores."""
        rule_scores = self.rule_scores(weights)
        found = self.each(lambda i: self.best(i, rule_scores))
        return [steps for steps, _ in found], np.array([score for _, score in found])

    def best(self, i: int, rule_scores: Floats, bonus: Floats = NOTHING) -> tuple[Steps, float]:
        """Best derivation of one sequence, with a bonus for marks."""
        found = best_derivation(self.arrays, self.sequences[i], rule_scores, bonus)
        if found is None:
            raise self._no_tree(i)
        return found

    def best_of(self, i: int, weights: Floats, bonus: Floats = NOTHING) -> tuple[Steps, float]:
        """The same for weights, not scores of rules."""
        return self.best(i, self.rule_scores(weights), bonus)

    def features_of(self, i: int, steps: Steps) -> Floats:
        """Features of one derivation of one sequence."""
        return self.grammar.features(steps)

    def _no_tree(self, i: int) -> InputError:
        return InputError(f"the grammar derives no tree for X[{i}]; leave it out, or give the grammar rules for it.")

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Steps, float]]]:
        """The k best derivations of each sequence with their scores, best first; fewer if fewer exist."""
        rule_scores, k = self.rule_scores(weights), checked_number("k", k)
        found = self.each(lambda i: best_derivations(self.arrays, self.sequences[i], rule_scores, k))
        for i, ranked in enumerate(found):
            if not ranked:
                raise self._no_tree(i)
        return found

    # ------------------------------------------------------------- all outputs

    def expectations(self, weights: Floats) -> tuple[Floats, Floats]:
        """Log partition and expected counts of rules of each sequence."""
        rule_scores = self.rule_scores(weights)
        found = self.each(lambda i: self._expected(i, rule_scores))
        return np.array([value for value, _ in found]), np.array([counts for _, counts in found])

    def _expected(self, i: int, rule_scores: Floats, marked: Floats = NOTHING) -> tuple[float, Floats]:
        symbols = self.sequences[i]
        value, counts = expected_counts(
            self.arrays, symbols, self.grammar.consumed, rule_scores, self._rates[i], marked
        )
        if value == -np.inf:
            raise self._no_tree(i)
        self._rates[i] = value / len(symbols)  # weights move little from call to call
        return value, counts

    def log_partition_and_mean(self, weights: Floats, importance: Floats | None = None) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        importance = self.importance if importance is None else importance
        rule_scores = self.rule_scores(weights)
        total, counts = self.total(lambda i: self._expected(i, rule_scores), importance)
        return total, self.gathered(counts)

    def marginals(self, weights: Floats) -> tuple[list[Floats], Floats]:
        """Probability of each mark of each sequence, arrays (n_marks, n, n), and log partitions."""
        rule_scores = self.rule_scores(weights)

        def work(i: int) -> tuple[Floats, float]:
            n = len(self.sequences[i])
            marked = np.zeros((self.n_marks, n, n))
            value, _ = self._expected(i, rule_scores, marked)
            return marked, value

        found = self.each(work)
        return [marked for marked, _ in found], np.array([value for _, value in found])

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features under the model, summed over the corpus, times a vector."""
        work = self._covariances(weights, direction, loss=False)
        return self.gathered(self.total(lambda i: (0.0, work(i)[1]), self.importance)[1])

    def covariance_with(self, weights: Floats, direction: Floats, loss: bool = False) -> tuple[Floats, Floats]:
        """Expected counts of rules of each sequence, and their covariance with the score of a direction.

        With `loss` the distance to the reference takes the place of the score.
        """
        found = self.each(self._covariances(weights, direction, loss))
        return np.array([counts for counts, _ in found]), np.array([row for _, row in found])

    def _covariances(self, weights: Floats, direction: Floats, loss: bool) -> Callable[[int], tuple[Floats, Floats]]:
        """What `covariance_with` does for one sequence."""
        rule_scores, rule_direction = self.rule_scores(weights), self.rule_scores(direction)
        if any(rate is None for rate in self._rates):
            self.expectations(weights)

        def work(i: int) -> tuple[Floats, Floats]:
            rate = self._rates[i]
            assert rate is not None
            return self._covariance(i, rule_scores, rule_direction, rate, self.loss_bonus(i) if loss else NOTHING)

        return work

    def _covariance(
        self, i: int, rule_scores: Floats, direction: Floats, rate: float, bonus: Floats
    ) -> tuple[Floats, Floats]:
        return covariance_of_counts(
            self.arrays, self.sequences[i], self.grammar.consumed, rule_scores, direction, rate, bonus
        )

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the score over all outputs of each sequence, each counting the same."""
        rule_scores = self.rule_scores(weights)
        self._rates = [None] * len(self.sequences)
        counts, covariances = self.covariance_with(np.zeros_like(weights), weights)
        self._rates = [None] * len(self.sequences)
        return counts @ rule_scores, np.sqrt(np.maximum(covariances @ rule_scores, 0.0))

    def moments(self, base: Floats | None = None) -> GrammarMoments:
        """Moments of all outputs under a base distribution; uniform without one."""
        return GrammarMoments(self, base)

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> SampledGrammarMoments:
        """Moments estimated from uniformly drawn outputs (MM section 3.2.2)."""
        return SampledGrammarMoments(self, self.draw(np.zeros(self.n_features), n_samples, random))

    def draw(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[list[Steps]]:
        """Random derivations of each sequence in proportion to the exponential of their scores."""
        rule_scores = self.rule_scores(weights)
        log_partitions, _ = self.expectations(weights)
        generators = random.spawn(len(self.sequences))

        def work(i: int) -> list[Steps]:
            symbols = self.sequences[i]
            values = np.exp(rule_scores - log_partitions[i] / len(symbols) * self.grammar.consumed)
            drawn = draw_derivations(self.arrays, symbols, values, n_samples, generators[i])
            if not drawn:
                raise InputError(f"the weights of X[{i}] underflow, so that nothing can be drawn; use smaller weights.")
            return drawn

        return self.each(work)

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Log share of each rule among those of its nonterminal: a probabilistic grammar with these counts."""
        rules = self.grammar.productions[: self.grammar.n_rules]
        if any(len(rule.features) != 1 for rule in rules) or len(rules) != self.n_features:
            raise InputError("Generative needs one weight per rule, but rules of this grammar share some; use CRF.")
        heads = np.array([self.grammar.nonterminals.index(rule.head) for rule in rules])
        smoothed = counts + smoothing
        return np.asarray(np.log(smoothed / np.bincount(heads, weights=smoothed)[heads]))

    # ------------------------------------------------------------ step by step

    def perceptron(self, state: PerceptronState, random: np.random.Generator) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong marks after each pass of the averaged perceptron."""
        return perceptron_passes(self, state, random)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM."""
        return frank_wolfe_passes(self, strength, random)


def _numbers(shard: slice) -> range:
    return range(shard.start, shard.stop)

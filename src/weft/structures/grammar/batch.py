"""A grammar bound to sequences: the queries that learners ask, over all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids
from weft.errors import InputError
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.kbest import best_derivations
from weft.structures.grammar.queries import (
    NOTHING,
    best_derivation,
    covariance_of_counts,
    draw_derivations,
    expected_counts,
)
from weft.structures.grammar.structure import Grammar, Steps


class GrammarBatch(ChartBatch):
    """Parse trees of all sequences of a corpus, one weight vector for all.

    Outputs are a list of derivations, one per sequence.

    Parameters
    ----------
    grammar : Grammar
    sequences : list of ndarrays of int32
        As `Grammar.encode` gives them.
    references : list of derivations, optional
        Needed to learn.
    sample_weight : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    marks : {"pairs", "nodes"}
        What a loss counts and marginals are about: spans that a rule A -> a B b derives, or (nonterminal, span).

    Examples
    --------
    >>> grammar = Grammar("S -> S S | a")
    >>> batch = GrammarBatch(grammar, [grammar.encode("aaa")], [grammar.steps([0, 0, 1, 1, 1])], marks="nodes")
    >>> worst, scores = batch.argmax(np.zeros(2), loss=1.0)
    >>> worst[0][:2].tolist(), scores.tolist()  # other brackets: one that is wrong, one that is missing
    ([[0, 0, 2], [1, 0, 0]], [2.0])
    """

    def __init__(
        self,
        grammar: Grammar,
        sequences: Sequence[Ids],
        references: Sequence[Steps] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
        marks: Literal["pairs", "nodes"] = "pairs",
    ) -> None:
        self.marks: Literal["pairs", "nodes"] = marks
        self._n_marks = 1 if marks == "pairs" else len(grammar.nonterminals)
        self._rules = grammar.arrays(marks)
        super().__init__(grammar, sequences, references, sample_weight, n_jobs)

    def _bound(
        self,
        sequences: Sequence[Ids],
        references: Sequence[Steps] | None,
        sample_weight: Floats,
        n_jobs: int | None,
    ) -> Self:
        return type(self)(self.grammar, sequences, references, sample_weight, n_jobs, self.marks)

    # ------------------------------------------------------------ given outputs

    def _rule_counts(self, i: int, output: Steps) -> tuple[NDArray[np.integer], None]:
        return self._checked_steps(i, output)[:, 0], None

    def _checked_steps(self, i: int, steps: Steps) -> Steps:
        steps, n_rules = np.asarray(steps), self.grammar.rule_entries.shape[0]
        fits = steps.ndim == 2 and steps.shape[1] == 3 and np.issubdtype(steps.dtype, np.integer)
        if not (fits and (steps >= 0).all() and (steps < [n_rules, *[len(self.sequences[i])] * 2]).all()):
            raise InputError(
                f"the steps of y[{i}] are not a derivation of X[{i}]; need rows (rule, first, last position)"
            )
        return steps

    def _marked(self, i: int, output: Steps) -> tuple[NDArray[np.integer], ...]:
        steps = self._checked_steps(i, output)
        marks = self._rules.marks[steps[:, 0]]
        used = steps[marks >= 0]
        return marks[marks >= 0], used[:, 1], used[:, 2]

    # ------------------------------------------------------------- one sequence

    def _one_best(self, i: int, scores: Floats, bonus: Floats = NOTHING) -> tuple[Steps, float]:
        found = best_derivation(self._rules, self.sequences[i], scores, bonus)
        if found is None:
            raise self._no_tree(i)
        return found

    def _no_tree(self, i: int) -> InputError:
        return InputError(f"the grammar derives no tree for X[{i}]; leave it out, or give the grammar rules for it.")

    def _one_ranked(self, i: int, scores: Floats, k: int) -> list[tuple[Steps, float]]:
        found = best_derivations(self._rules, self.sequences[i], scores, k)
        if not found:
            raise self._no_tree(i)
        return found

    def _one_expected(self, i: int, scores: Floats, rate: float | None, marked: Floats) -> tuple[float, Floats]:
        found = expected_counts(self._rules, self.sequences[i], self.grammar.consumed, scores, rate, marked)
        if found[0] == -np.inf:
            raise self._no_tree(i)
        return found

    def _one_covariance(
        self, i: int, scores: Floats, direction: Floats, rate: float, bonus: Floats
    ) -> tuple[float, Floats] | None:
        symbols, consumed = self.sequences[i], self.grammar.consumed
        return covariance_of_counts(self._rules, symbols, consumed, scores, direction, rate, bonus)

    def _one_drawn(self, i: int, scores: Floats, rate: float, n: int, random: np.random.Generator) -> list[Steps]:
        values = np.exp(scores - rate * self.grammar.consumed)
        return draw_derivations(self._rules, self.sequences[i], values, n, random)

    def _one_with_pairs(self, i: int, pairs: Ids) -> Steps | None:
        found = self.grammar.nearest(self.sequences[i], pairs)
        return found if found is not None and len(self._marked(i, found)[0]) == len(pairs) else None

    @property
    def _marks_are_pairs(self) -> bool:
        return self.marks == "pairs"

    # ------------------------------------------------------------------- counts

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Log share of each rule among those of its nonterminal: a probabilistic grammar with these counts."""
        rules = self.grammar.productions[: self.grammar.n_rules]
        if any(len(rule.features) != 1 for rule in rules) or len(rules) != self.n_features:
            raise InputError("Generative needs one weight per rule, but rules of this grammar share some; use CRF.")
        heads = np.array([self.grammar.nonterminals.index(rule.head) for rule in rules])
        smoothed = counts + smoothing
        return np.asarray(np.log(smoothed / np.bincount(heads, weights=smoothed)[heads]))

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Where learning without references begins: with their counts if there are some, else with equal shares."""
        if counts is None:
            counts = np.zeros(self.n_features) if self.references is None else self.observed()
        return self.generative_weights(counts, 1.0)

    maximised_weights = generative_weights  # the step of the inside-outside algorithm

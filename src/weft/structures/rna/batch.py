"""A loop model bound to sequences: the queries that learners ask, over all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.grammar.queries import NOTHING
from weft.structures.rna.kbest import best_structures
from weft.structures.rna.model import LoopModel
from weft.structures.rna.queries import (
    CONSUMED,
    NO_BONUS,
    Pairs,
    best_structure,
    covariance_of_parts,
    draw_structures,
    expected_parts,
)

__all__ = ["LoopBatch"]

Floats = NDArray[np.float64]


class LoopBatch(GrammarBatch):
    """Structures of all sequences of a corpus, one weight vector for all.

    Like a `GrammarBatch`, with parts of loops in place of rules, and pairs of positions in place of derivations.

    Parameters
    ----------
    model : LoopModel
    sequences : list of ndarrays of int32
        As `LoopModel.encode` gives them.
    references : list of ndarrays of shape (n_pairs, 2), optional
        Needed to learn.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    """

    def __init__(
        self,
        model: LoopModel,
        sequences: Sequence[NDArray[np.int32]],
        references: Sequence[Pairs] | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.model = model
        self.grammar = model  # type: ignore[assignment]  # has what a batch asks of a grammar beyond its rules
        self.n_marks = 1
        self._bind(sequences, references, importance, n_jobs)

    # ------------------------------------------------------------ given outputs

    def counts(self, outputs: Sequence[Pairs] | None = None) -> Floats:
        """Counts of the parts of each output, shape (n_sequences, n_parts)."""
        outputs = self.reference() if outputs is None else outputs
        return np.array([self.model.counts(*each) for each in zip(self.sequences, outputs, strict=True)])

    def features_of(self, i: int, steps: Pairs) -> Floats:
        """Features of one structure of one sequence."""
        return self.gathered(self.model.counts(self.sequences[i], steps))

    def marked(self, i: int, steps: Pairs) -> Floats:
        """Pairs of a structure as an array of shape (1, n, n)."""
        n = len(self.sequences[i])
        found = np.zeros((1, n, n))
        found[0, steps[:, 0], steps[:, 1]] = 1.0
        return found

    # ------------------------------------------------------------- best outputs

    def best(self, i: int, rule_scores: Floats, bonus: Floats = NOTHING) -> tuple[Pairs, float]:
        """Best structure of one sequence, with a bonus for pairs."""
        return best_structure(self.sequences[i], rule_scores, self.model.min_hairpin, _of_pairs(bonus))

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Pairs, float]]]:
        """The k best structures of each sequence with their scores, best first; fewer if fewer exist."""
        scores, k = self.rule_scores(weights), checked_number("k", k)
        return self.each(lambda i: best_structures(self.sequences[i], scores, self.model.min_hairpin, k))

    # ------------------------------------------------------------- all outputs

    def _expected(self, i: int, rule_scores: Floats, marked: Floats = NOTHING) -> tuple[float, Floats]:
        symbols = self.sequences[i]
        value, counts, pairs = expected_parts(symbols, rule_scores, self.model.min_hairpin, self._rates[i])
        if len(marked):
            marked[0] = pairs
        self._rates[i] = value / len(symbols)  # weights move little from call to call
        return value, counts

    def _covariance(
        self, i: int, rule_scores: Floats, direction: Floats, rate: float, bonus: Floats
    ) -> tuple[Floats, Floats]:
        min_hairpin = self.model.min_hairpin
        return covariance_of_parts(self.sequences[i], rule_scores, min_hairpin, direction, rate, _of_pairs(bonus))

    def draw(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[list[Pairs]]:
        """Random structures of each sequence in proportion to the exponential of their scores."""
        scores = self.rule_scores(weights)
        log_partitions, _ = self.expectations(weights)
        generators = random.spawn(len(self.sequences))

        def work(i: int) -> list[Pairs]:
            symbols = self.sequences[i]
            values = np.exp(scores - log_partitions[i] / len(symbols) * CONSUMED)
            drawn = draw_structures(symbols, values, self.model.min_hairpin, n_samples, generators[i])
            if not drawn:
                raise InputError(f"the weights of X[{i}] overflow, so that nothing can be drawn; use smaller weights.")
            return drawn

        return self.each(work)

    def generative_weights(self, counts: Floats, smoothing: float) -> Any:
        """Refused: the parts of loops are no choices of which one is taken."""
        raise InputError("Generative needs one weight per rule of a grammar, and loops have none; use weft.CRF.")


def _of_pairs(bonus: Floats) -> Floats:
    return bonus[0] if len(bonus) else NO_BONUS

"""What Folder and Parser share: a grammar, and trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids
from weft.core.vectors import product
from weft.estimators.structured_estimator import StructuredEstimator
from weft.learners.base import Learner
from weft.sequences.checks import as_sequences
from weft.state_rules import HISTORY, check_arrays, check_state, floats
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.queries import rule_scores
from weft.structures.grammar.structure import Grammar, Steps

if TYPE_CHECKING:
    from weft.structures.rna.model import LoopModel


class TreeEstimator(StructuredEstimator):
    """Learns the weights of a grammar from sequences and their trees; subclasses say how both are written."""

    words: ClassVar[tuple[str, str]] = ("sequences", "trees")
    marks: ClassVar[Literal["pairs", "nodes"]] = "pairs"
    state_rules: ClassVar[dict[str, Any]] = {}
    """What a model file has beyond the parameters and the weights."""

    def _new_grammar(self) -> Any:
        raise NotImplementedError

    def _symbols(self, X: list[Any], grammar: Any) -> list[Ids]:
        raise NotImplementedError

    def _as_outputs(self, y: Any) -> Any:
        return as_sequences(y, "y")

    def _collect(self, X: Any, y: Any, learner: Learner) -> Any:
        return self._new_grammar()

    def _bind(
        self, structure: Any, X: Any, references: list[Steps] | None = None, sample_weight: Floats | None = None
    ) -> ChartBatch:
        symbols = self._symbols(X, structure)
        return GrammarBatch(structure, symbols, references, sample_weight, self.n_jobs, self.marks)

    def _prepared(self) -> Any:
        super()._prepared()
        return rule_scores(self.structure_.rule_entries, self.weights_)

    def _f1_scorer(
        self,
        structure: Any,
        X: Any,
        wanted: list[Any],
        items: Callable[[Any, Any], set[Any]],
        sample_weight: Floats | None,
    ) -> Callable[[Floats], float]:
        """F1 of what `items(output, structure)` finds in predictions, that of all sequences counted together."""
        batch = self._bind(structure, X, None, sample_weight)

        def score(weights: Floats) -> float:
            found = [items(own, structure) for own in batch.split(self._outputs(batch, weights))]
            n_right = [len(own & truth) for own, truth in zip(found, wanted, strict=True)]
            n_both = [len(own) + len(truth) for own, truth in zip(found, wanted, strict=True)]
            n_all = product(batch.sample_weight, np.array(n_both))
            return 2.0 * product(batch.sample_weight, np.array(n_right)) / n_all if n_all else 1.0

        return score

    @property
    def grammar_(self) -> Grammar | LoopModel:
        """The grammar that was learned on."""
        grammar: Grammar | LoopModel = self.structure_
        return grammar

    def _training_summary(self) -> dict[str, Any]:
        return {"n_rules": self.grammar_.n_rules, **super()._training_summary()}

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
        check_state(self.noun, state, {"history": HISTORY, **self.state_rules})
        grammar = self._new_grammar()
        check_arrays(self.noun, arrays, {"weights": floats("n_weights")}, n_weights=grammar.n_features)
        return grammar

"""What Folder and Parser share: a grammar, a learner, and questions about trees."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from weft.errors import InputError
from weft.estimators.inputs import checked_sample_weight, generator
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.moments.ranks import rank_bound
from weft.learners.monitor import Monitor, untimed
from weft.sequences.checks import as_sequences
from weft.state_rules import HISTORY, check_arrays, check_state, floats
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.structure import Steps
from weft.structures.z_scores import z_scores

__all__ = ["TreeEstimator"]

Floats = NDArray[np.float64]


class TreeEstimator(BaseEstimator):
    """Learns the weights of a grammar from sequences and their trees; subclasses say how both are written."""

    marks: ClassVar[Literal["pairs", "nodes"]] = "pairs"
    learner: Any
    n_jobs: int | None
    verbose: int
    random_state: Any

    # What subclasses give.

    def _new_grammar(self) -> Any:
        raise NotImplementedError

    def _symbols(self, X: list[Any], grammar: Any) -> list[NDArray[np.int32]]:
        raise NotImplementedError

    def _references(
        self, X: list[Any], y: list[Any], symbols: list[NDArray[np.int32]], grammar: Any
    ) -> tuple[list[Steps], dict[str, Any]]:
        """Derivations of the given trees; and what a fit learns from how they are written, as attributes."""
        raise NotImplementedError

    def _output(self, x: Any, steps: Steps) -> Any:
        raise NotImplementedError

    def _bind(
        self,
        grammar: Any,
        symbols: list[NDArray[np.int32]],
        references: list[Steps] | None = None,
        sample_weight: Floats | None = None,
    ) -> ChartBatch:
        """The output space of all sequences."""
        return GrammarBatch(grammar, symbols, references, sample_weight, self.n_jobs, self.marks)

    # ---------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from sequences and their trees.

        Parameters
        ----------
        X : list of sequences
        y : list of trees
        sample_weight : array of shape (n_sequences,), optional
        """
        X, y = self._as_examples(X, y)
        sample_weight = checked_sample_weight(sample_weight, len(X))
        learner = self._new_learner()
        grammar = self._new_grammar()
        symbols = self._symbols(X, grammar)
        references, learned = self._references(X, y, symbols, grammar)
        batch = self._bind(grammar, symbols, references, sample_weight)
        with Monitor(self.verbose) as monitor:
            weights = learner.learn(batch, np.zeros(grammar.n_features), monitor, generator(self.random_state))
        for name, value in learned.items():
            setattr(self, name, value)
        self.learner_ = learner
        self.grammar_ = grammar
        self.weights_ = weights
        self.history_ = monitor.history
        self.n_iter_ = len(monitor.history)
        return self

    def _as_examples(self, X: Any, y: Any) -> tuple[list[Any], list[Any]]:
        X, y = as_sequences(X, "X"), as_sequences(y, "y")
        if len(X) != len(y):
            raise InputError(f"X has {len(X)} sequences but y has {len(y)} trees; each sequence needs its own.")
        return X, y

    def _new_learner(self) -> Any:
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise InputError(
                f"learner is {self.learner!r}; a learner such as weft.CRF() or weft.Perceptron() is wanted, or None."
            )
        return CRF() if self.learner is None else clone(self.learner)

    @property
    def feature_names_(self) -> list[str]:
        """What each weight belongs to."""
        check_is_fitted(self, "weights_")
        return list(self.grammar_.feature_names)

    # -------------------------------------------------------------- predicting

    def labelled_batch(self, X: Any, y: Any) -> ChartBatch:
        """Sequences and their trees, bound to the fitted grammar: for queries beyond those of this class."""
        check_is_fitted(self, "weights_")
        X, y = self._as_examples(X, y)
        symbols = self._symbols(X, self.grammar_)
        return self._bind(self.grammar_, symbols, self._references(X, y, symbols, self.grammar_)[0])

    def _batch(self, X: Any) -> tuple[list[Any], ChartBatch]:
        check_is_fitted(self, "weights_")
        X = as_sequences(X, "X")
        symbols = self._symbols(X, self.grammar_)
        return X, self._bind(self.grammar_, symbols)

    def predict(self, X: Any) -> list[Any]:
        """Best tree of each sequence."""
        X, batch = self._batch(X)
        return [self._output(x, steps) for x, steps in zip(X, batch.argmax(self.weights_)[0], strict=True)]

    def predict_kbest(self, X: Any, k: Any) -> list[list[tuple[Any, float]]]:
        """The k best trees of each sequence with their probabilities, best first; fewer if fewer exist."""
        if not (isinstance(k, int | np.integer) and k >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is wanted.")
        X, batch = self._batch(X)
        ranked = batch.kbest(self.weights_, int(k))
        log_partitions = batch.log_partitions(self.weights_)
        return [
            [(self._output(x, steps), float(np.exp(min(score - total, 0.0)))) for steps, score in own]
            for x, own, total in zip(X, ranked, log_partitions.tolist(), strict=True)
        ]

    def confidence(self, X: Any) -> Floats:
        """Probability that the model gives to its own prediction, one number per sequence."""
        _, batch = self._batch(X)
        _, scores = batch.argmax(self.weights_)
        return np.asarray(np.exp(np.minimum(scores - batch.log_partitions(self.weights_), 0.0)))

    def z_score(self, X: Any) -> Floats:
        """How far the score of each prediction stands above the mean over all trees, in standard deviations.

        By Chebyshev's inequality at most a share of ``1 / (1 + z^2)`` of all trees scores as high (MM Theorem 5).
        """
        return z_scores(self._batch(X)[1], self.weights_)

    def relative_rank_bound(self, X: Any) -> Floats:
        """Bound on the share of all trees that score at least as high as the best one: ``1 / (1 + z^2)``."""
        return rank_bound(self.z_score(X))

    # ------------------------------------------------------------- model files

    def _training_summary(self) -> dict[str, Any]:
        last = self.history_[-1] if self.history_ else {}
        return {
            "n_rules": self.grammar_.n_rules,
            "n_weights": len(self.weights_),
            "n_iterations": self.n_iter_,
            **({"objective": last["objective"]} if "objective" in last else {}),
        }

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "weights_")
        return {"history": untimed(self.history_)}, {"weights": self.weights_}

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a grammar", state, {"history": HISTORY})
        grammar = self._new_grammar()
        check_arrays("a grammar", arrays, {"weights": floats("n_weights")}, n_weights=grammar.n_features)
        weights = arrays["weights"]
        self.learner_ = self._new_learner()
        self.grammar_ = grammar
        self.weights_ = weights
        self.history_ = state["history"]
        self.n_iter_ = len(self.history_)

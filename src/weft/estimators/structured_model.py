"""Questions to weights on a structure: what they predict, the k best, how sure they are, moments of their scores."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from weft.annotations import Inputs
from weft.arrays import Floats
from weft.core.kept import kept
from weft.errors import InputError
from weft.estimators.inputs import check_weights, checked_sample_weight
from weft.estimators.predictions import Predictions
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.moments.ranks import rank_bound
from weft.parameters import Parameters, check_is_fitted
from weft.sequences.checks import as_list, as_sequences, empty_places
from weft.structures.protocol import Answers
from weft.structures.z_scores import z_scores

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked


class StructuredModel(Parameters):
    """Answers questions about inputs by weights on a structure.

    `StructuredEstimator` extends it by learning, and has the parameters and the attributes of fits that are read here.
    """

    default_learner: ClassVar[Callable[[], Learner]] = CRF
    words: ClassVar[tuple[str, str]] = ("inputs", "outputs")
    """What messages call X and y."""
    needs_outputs: ClassVar[bool] = False
    """Whether even a learner that learns without outputs needs them, to know what they are called."""
    empty_output: ClassVar[Any] = None
    """What is predicted for an empty sequence; None if there is nothing to predict, and it is refused."""
    default_gamma: ClassVar[float] = 1.0

    learner: Learner | None
    decode: str | None
    gamma: float | None = None  # of estimators that have no such parameter
    n_jobs: int | None
    structure_: Any
    weights_: Floats

    # ----------------------------------------------- what a subclass may say itself

    def _as_inputs(self, X: Any, name: str = "X") -> Any:
        """Inputs as a list."""
        return as_sequences(X, name)

    def _as_outputs(self, y: Any) -> Any:
        """Outputs as a list; those of a structure of one's own may be anything."""
        return as_list(y, "y", "a list of outputs is needed")

    def _references(self, structure: Any, X: Any, y: Any) -> tuple[Any, dict[str, Any]]:
        """Outputs as users write them, in the form that `_bind` takes, and attributes that a fit gets from them."""
        return y, {}

    def _bind(self, structure: Any, X: Any, references: Any = None, sample_weight: Floats | None = None) -> Any:
        """The batch of the output spaces of inputs."""
        return structure.bind(X, references, sample_weight, self.n_jobs)

    def _written(self, X: Any, i: int, output: Any) -> Any:
        """An output of input number i as users write it."""
        return self.structure_.decode(X[i], output)

    def _all_written(self, X: Any, batch: Any, outputs: Any) -> list[Any]:
        """Outputs of all inputs as users write them."""
        return [self._written(X, i, output) for i, output in enumerate(batch.split(outputs))]

    def _scorer(self, structure: Any, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """What `score` says about weights: the share of inputs whose prediction is `y`, if nothing else is said."""
        batch = self._bind(structure, X, None, sample_weight)

        def score(weights: Floats) -> float:
            outputs = batch.split(self._outputs(batch, weights))
            right = [structure.decode(x, own) == wanted for x, own, wanted in zip(X, outputs, y, strict=True)]
            return float(np.average(right, weights=batch.sample_weight))

        return score

    def _decoding(self) -> str:
        """How outputs are chosen, "best" or "expected"; by the learner, where that is left open."""
        if self.decode is not None:
            return self.decode
        learner = type(self).default_learner if self.learner is None else self.learner
        return "expected" if getattr(learner, "probabilistic", False) else "best"

    def _usual_gamma(self) -> float | None:
        """What gamma=None means; None is the largest expected F1, where the structure can tell."""
        return type(self).default_gamma

    # -------------------------------------------------------------- predicting

    def _as_examples(self, X: Any, y: Any, learner: Learner | None = None) -> tuple[Any, Any]:
        """Inputs and outputs, one each; no outputs for a learner that wants none."""
        X = self._as_inputs(X)
        goes_without = getattr(learner, "learns_without_references", False) and not self.needs_outputs
        if y is None and goes_without:
            return X, None
        if y is None:
            who = "a score" if learner is None else type(learner).__name__
            raise InputError(f"y is None, but {who} needs {self.words[1]}; pass y, or learn by weft.EM() without them.")
        y = self._as_outputs(y)
        if len(X) != len(y):
            given, wanted = self.words
            raise InputError(f"X has {len(X)} {given} but y has {len(y)} {wanted}; each of the {given} needs its own.")
        return X, None if goes_without else y

    def _check_predicting(self) -> None:
        """Refuse parameters that no prediction can mean."""

    def _check_decoding(self, batch: Any) -> None:
        if self._decoding() == "expected" and not hasattr(batch, "most_accurate"):
            raise InputError(
                f"decode='expected' needs 'most_accurate', which {type(batch).__name__} does not answer; "
                "use decode='best', or add the answer to the structure."
            )

    def _batch(self, X: Any) -> tuple[Any, Any]:
        """Inputs as a list, and their output spaces."""
        check_is_fitted(self, "weights_")
        self._check_predicting()
        weights = self.weights_
        made = kept(weights, self.structure_, self._prepared, copied=self._copied())
        X = self._as_inputs(X)
        batch = self._bind(self.structure_, X)
        if made is not None:
            batch._known = weights, made
        return X, batch

    def _prepared(self) -> Any:
        """What passes need of the fitted weights, which are looked at here; None if that is nothing."""
        check_weights(self.weights_)

    def _copied(self) -> bool | slice:
        """Of which weights `_prepared` has copies."""
        return True

    def _chosen(self, batch: Any, weights: Floats) -> tuple[Any, Floats]:
        """Outputs that are predicted, and their scores."""
        if self._decoding() == "best":
            found: tuple[Any, Floats] = batch.argmax(weights)
            return found
        outputs = self._outputs(batch, weights)
        return outputs, batch.scores(weights, outputs)

    def _outputs(self, batch: Any, weights: Floats) -> Any:
        """Outputs that are predicted."""
        if self._decoding() == "best":
            return batch.argmax(weights)[0]
        self._check_decoding(batch)
        return batch.most_accurate(weights, self._usual_gamma() if self.gamma is None else float(self.gamma))

    def bind(self, X: Asked, y: Inputs | None = None) -> Answers:
        """Inputs, with their outputs if given, bound to the fitted structure: for questions beyond those of this class.

        Returns
        -------
        Batch
            Answers the questions of `weft.structures.protocol`.
        """
        if y is None:
            batch: Answers = self._batch(X)[1]
        else:
            check_is_fitted(self, "weights_")
            inputs, outputs = self._as_examples(X, y)
            batch = self._bind(self.structure_, inputs, self._references(self.structure_, inputs, outputs)[0])
        return batch

    def _answered(self, X: Any, ask: Callable[[Any], Any], empty: Callable[[], Any]) -> list[Any]:
        """Answers for all inputs; an empty one has the answer of nothing, where this kind of output has one.

        Another input takes the place of an empty one while the others are answered, so that errors count right.
        """
        check_is_fitted(self, "weights_")
        places = [] if self.empty_output is None else empty_places(X)
        if not places:
            return list(ask(X))
        X = as_list(X, "X")
        full = next((x for i, x in enumerate(X) if i not in set(places)), None)
        if full is None:
            return [empty() for _ in X]
        found = list(ask([full if i in set(places) else x for i, x in enumerate(X)]))
        for i in places:
            found[i] = empty()
        return found

    def _nothing(self) -> Any:
        """The output of an empty input."""
        return copy.copy(self.empty_output)

    def predict(self, X: Asked) -> list[Any]:
        """Output of each input; that of an empty sequence is empty."""
        return Predictions(self._answered(X, self._predict, self._nothing))

    def _predict(self, X: Any) -> list[Any]:
        X, batch = self._batch(X)
        return self._all_written(X, batch, self._outputs(batch, self.weights_))

    def predict_kbest(self, X: Asked, k: int) -> list[list[tuple[Any, float]]]:
        """The k best outputs of each input with their probabilities, best first; fewer if fewer exist."""
        number: Any = k
        if not (isinstance(number, int | np.integer) and number >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is needed.")
        return self._answered(X, lambda given: self._kbest(given, int(k)), lambda: [(self._nothing(), 1.0)])

    def _kbest(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        X, batch = self._batch(X)
        found = batch.kbest(self.weights_, k)  # first: long inputs are refused here
        totals = batch.log_partitions(self.weights_).tolist()
        return [
            [(self._written(X, i, output), float(np.exp(min(score - total, 0.0)))) for output, score in ranked]
            for i, (ranked, total) in enumerate(zip(found, totals, strict=True))
        ]

    def predict_marginals(self, X: Asked) -> list[Any]:
        """Probability of each part of the outputs of each input, an array each."""
        return list(self._batch(X)[1].marginals(self.weights_))

    def confidence(self, X: Asked) -> Floats:
        """Probability that the model gives to its own prediction, one number per input; 1 for an empty one."""

        def ask(given: Any) -> Floats:
            _, batch = self._batch(given)
            _, scores = self._chosen(batch, self.weights_)
            return np.asarray(np.exp(np.minimum(scores - batch.log_partitions(self.weights_), 0.0)))

        return np.array(self._answered(X, ask, lambda: 1.0))

    def z_score(self, X: Asked) -> Floats:
        """How far the score of each prediction stands above the mean over all outputs, in standard deviations.

        The moments are those of the model's own scores over every possible output. By Chebyshev's inequality at most a
        share of ``1 / (1 + z^2)`` of all outputs scores as high (MM Theorem 5): see `relative_rank_bound`.
        """
        _, batch = self._batch(X)
        return z_scores(batch, self.weights_, self._outputs(batch, self.weights_))

    def relative_rank_bound(self, X: Asked) -> Floats:
        """Bound on the share of all outputs that score at least as high as the prediction: ``1 / (1 + z^2)``."""
        return rank_bound(self.z_score(X))

    def score(self, X: Asked, y: Inputs, sample_weight: ArrayLike | None = None) -> float:
        """How good the predictions are, 1 at best; `sample_weight` counts each input that many times."""
        check_is_fitted(self, "weights_")
        self._check_predicting()
        check_weights(self.weights_)
        inputs, outputs = self._as_examples(X, y)
        weights = checked_sample_weight(sample_weight, len(inputs))
        return self._scorer(self.structure_, inputs, outputs, weights)(self.weights_)

    @property
    def feature_names_(self) -> list[Any]:
        """What each weight belongs to."""
        check_is_fitted(self, "weights_")
        return list(self.structure_.feature_names)

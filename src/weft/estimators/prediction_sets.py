"""Several answers instead of one, as many as it takes: sets that have the right output with a stated probability.

Split conformal prediction (Vovk, Gammerman and Shafer 2005) with the score of Sadinle, Lei and Wasserman (2019): of n
examples that the model did not learn from, note the probability that it gives to the right output. The set of a new
input is all outputs that are at least as probable as the k-th largest of these, k = ceil(coverage (n + 1)). If the new
example and the n come from one source, in any order with equal probability, the right output is in its set with at
least the probability `coverage`, whatever the model and the source are. That holds over draws of all n + 1 together:
neither for each input, nor for one calibration sample for ever.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.annotations import Inputs, RankedPredictor
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.estimators.rewrite.inputs import normalised
from weft.parameters import Parameters, check_is_fitted, is_fitted

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked

ROUNDING = 1e-9
"""Share by which an output may be less probable than the threshold, as of sums in another order."""


class PredictionSets(Parameters):
    """Sets of outputs that contain the right one with a stated probability, for any model that ranks its outputs.

    Parameters
    ----------
    model : fitted estimator
        One whose `predict_kbest` gives outputs with probabilities: `Rewriter`, `Tagger`, `Aligner`, `Folder`, `Parser`,
        `StringRegressor` and others with a structure.
    coverage : float
        Probability that a set has the right output, between 0 and 1.
    n_outputs : int
        Maximum number of outputs in a set. If that is too few for the coverage, `fit` says which coverage is possible.

    Attributes
    ----------
    threshold_ : float
        Least probability of an output of a set. The most probable output is in the set, however improbable.
    n_examples_ : int
        Examples that it was chosen on.
    largest_coverage_ : float
        What could be promised with these examples and `n_outputs`.

    Examples
    --------
    >>> import weft
    >>> X = ["cat", "chat", "hat", "tac", "ach"]
    >>> y = [["K", "A", "T"], ["SH", "A", "T"], ["H", "A", "T"], ["T", "A", "K"], ["A", "SH"]]
    >>> rewriter = weft.Rewriter(random_state=0).fit(X, y)
    >>> sets = weft.PredictionSets(rewriter, coverage=0.5).fit(["tach", "hac"], [["T", "A", "SH"], ["H", "A", "K"]])
    >>> sets.predict(["chac"])
    [[['SH', 'A', 'K']]]
    """

    def __init__(self, model: RankedPredictor | None = None, coverage: float = 0.9, n_outputs: int = 20) -> None:
        self.model = model
        self.coverage = coverage
        self.n_outputs = n_outputs

    def fit(self, X: Asked, y: Inputs, **asked: Any) -> PredictionSets:
        """Choose how probable outputs must be, on examples that the model did not learn from.

        Parameters
        ----------
        X : inputs, as `predict_kbest` of the model takes them
        y : list of outputs
        **asked
            What `predict_kbest` takes beside, such as ``tags=`` of a `Rewriter`.

        Returns
        -------
        PredictionSets
        """
        coverage = self._checked_coverage()
        right = [_comparable(output) for output in self._outputs(y)]
        ranked = self._ranked(X, asked)
        if len(ranked) != len(right):
            raise InputError(f"X has {len(ranked)} inputs but y has {len(right)} outputs; each needs its own.")
        n, rank = len(right), math.ceil(coverage * (len(right) + 1))
        if rank > n:
            needed = math.ceil(coverage / (1.0 - coverage) - ROUNDING)
            raise InputError(f"{n} examples given; a coverage of {coverage:g} needs at least {needed}: give more.")
        found = [
            max((share for output, share in row if _comparable(output) == wanted), default=0.0)
            for row, wanted in zip(ranked, right, strict=True)
        ]
        n_found = sum(share > 0.0 for share in found)
        self.largest_coverage_ = n_found / (n + 1)
        if rank > n_found:
            raise InputError(
                f"{n - n_found} of {n} examples do not have the right output among the {self.n_outputs} most probable, "
                f"so that a coverage of {coverage:g} cannot be promised; need at most "
                f"{math.floor(1000 * self.largest_coverage_) / 1000:g}, or more outputs: raise n_outputs "
                "(--kbest of weft predict)."
            )
        self.threshold_ = float(np.sort(found)[n - rank])
        self.n_examples_ = n
        return self

    def predict(self, X: Asked, **asked: Any) -> list[list[Any]]:
        """The set of each input: outputs, the most probable first."""
        return [[output for output, _ in row] for row in self.predict_with_probabilities(X, **asked)]

    def predict_with_probabilities(self, X: Asked, **asked: Any) -> list[list[tuple[Any, float]]]:
        """The set of each input: outputs with their probabilities, the most probable first."""
        check_is_fitted(self, "threshold_")
        least = self.threshold_ * (1.0 - ROUNDING)
        return [row[:1] + [each for each in row[1:] if each[1] >= least] for row in self._ranked(X, asked)]

    def score(self, X: Asked, y: Inputs, **asked: Any) -> float:
        """Share of the inputs whose set has the right output."""
        right = [_comparable(output) for output in self._outputs(y)]
        sets = self.predict(X, **asked)
        if len(sets) != len(right):
            raise InputError(f"X has {len(sets)} inputs but y has {len(right)} outputs; each needs its own.")
        return float(np.mean([wanted in map(_comparable, found) for found, wanted in zip(sets, right, strict=True)]))

    def _checked_coverage(self) -> float:
        given: Any = self.coverage
        if not isinstance(given, float | np.floating) or not 0.0 < given < 1.0:
            raise InputError(f"coverage is {given!r}; a probability between 0 and 1 is needed, such as 0.9.")
        return float(given)

    def _ranked(self, X: Any, asked: dict[str, Any]) -> list[list[tuple[Any, float]]]:
        checked_number("n_outputs", self.n_outputs)
        model: Any = self.model
        if not hasattr(model, "predict_kbest") or not hasattr(model, "confidence"):
            raise InputError(
                f"model is {type(self.model).__name__}, which gives no outputs with probabilities; need one with "
                "predict_kbest and confidence, such as Rewriter or Tagger."
            )
        if not is_fitted(self.model):
            raise InputError(
                f"model is a {type(self.model).__name__} that has learned nothing; fit it on other examples."
            )
        ranked: list[list[tuple[Any, float]]] = model.predict_kbest(X, self.n_outputs, **asked)
        return ranked

    def _outputs(self, y: Any) -> list[Any]:
        """Outputs as the model writes them."""
        if isinstance(y, str | bytes) or not hasattr(y, "__iter__"):
            raise InputError(f"y is a {type(y).__name__}; a list of outputs is needed.")
        side = getattr(self.model, "output_side_", None)
        return list(y) if side is None else normalised(list(y), side.form)


def _comparable(output: Any) -> Any:
    """An output as something that equals others of the same content: lists, tuples and arrays are alike."""
    if isinstance(output, np.ndarray):
        output = output.tolist()
    return tuple(map(_comparable, output)) if isinstance(output, list | tuple) else output

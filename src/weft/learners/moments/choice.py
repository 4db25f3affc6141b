"""Which moment learner suits the data: decided on held-out sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.moments.learners import SODA, LossRegression, MarginRegression, ZScore
from weft.learners.monitor import Monitor
from weft.structures.protocol import Answers

KINDS = {"z-score": ZScore, "soda": SODA, "margin": MarginRegression, "loss": LossRegression}


class MomentLearner(Learner):
    """Chooses the moment learner and its regulariser that predict held-out training sequences best.

    Each of them can fail: `ZScore` collapses on skewed labels, `LossRegression` ignores transitions. All are cheap, so
    all are tried, and the best is fitted again on all data.

    Parameters
    ----------
    kind : {"auto", "z-score", "soda", "margin", "loss"}
        "auto" tries all four; a name tries this one and chooses only `alpha`.
    alphas : sequence of float
        Strengths of the regulariser to try, see `ZScore`.
    validation_fraction : float
        Share of the training sequences that is held out for the choice.
    max_iter, tol
        As in `ZScore`.

    Attributes
    ----------
    kind_ : str
        What was chosen.
    alpha_ : float
    losses_ : dict
        Held-out loss of each (kind, alpha): mean distance of a prediction from its reference.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.MomentLearner(), random_state=0).fit(["abab", "bbaa"] * 5, ["xyxy", "yyxx"] * 5)
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    >>> tagger.learner_.kind_ in ("z-score", "soda", "margin", "loss")
    True
    """

    needs: ClassVar[tuple[str, ...]] = ("moments", "argmax", "losses", "select")

    def __init__(
        self,
        kind: str = "auto",
        alphas: Sequence[float] | None = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0),
        *,
        validation_fraction: float = 0.2,
        max_iter: int = 200,
        tol: float = 1e-6,
    ) -> None:
        self.kind = kind
        self.alphas = alphas
        self.validation_fraction = validation_fraction
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights of the best candidate; with nothing to choose, or one sequence, there is no held-out part."""
        self.check_batch(batch)
        self._check_iterations(self.max_iter)
        kinds, alphas = self._candidates()
        self.losses_: dict[tuple[str, float], float] = {}
        candidates = [(kind, alpha) for kind in kinds for alpha in alphas]
        if len(candidates) > 1:
            if batch.n_sequences < 2:
                raise InputError("MomentLearner needs at least 2 sequences to choose on; give kind and one alpha.")
            kept, held_out = self._split(batch, random)
            for kind, alpha in candidates:
                with Monitor(warns=False) as quiet:
                    weights = self._learner(kind, alpha).learn(kept, initial, quiet, random)
                self.losses_[kind, alpha] = float(np.mean(held_out.losses(held_out.argmax(weights)[0])))
            # Ties go to the stronger regulariser of the earlier kind.
            candidates.sort(key=lambda each: (self.losses_[each], kinds.index(each[0]), -each[1]))
        self.kind_, self.alpha_ = candidates[0]
        return self._learner(self.kind_, self.alpha_).learn(batch, initial, monitor, random)

    def _candidates(self) -> tuple[list[str], list[float]]:
        if self.kind != "auto" and self.kind not in KINDS:
            raise InputError(f"kind of MomentLearner is {self.kind!r}; use 'auto' or one of {', '.join(KINDS)}.")
        given: Any = self.alphas
        alphas = list(np.atleast_1d(given)) if np.size(given) else []
        if not alphas:
            raise InputError("alphas of MomentLearner is empty; at least one number is needed.")
        for alpha in alphas:
            self._check_positive(alphas=alpha)
        if not 0.0 < self.validation_fraction < 1.0:
            raise InputError(
                f"validation_fraction of MomentLearner is {self.validation_fraction!r}; a number between 0 and 1 is "
                "needed."
            )
        return list(KINDS) if self.kind == "auto" else [self.kind], [float(alpha) for alpha in alphas]

    def _learner(self, kind: str, alpha: float) -> Learner:
        learner: Learner = KINDS[kind](alpha, max_iter=self.max_iter, tol=self.tol)
        return learner

    def _split(self, batch: Any, random: np.random.Generator) -> tuple[Any, Any]:
        """The same features over two parts of the sequences."""
        order = random.permutation(batch.n_sequences)
        n_held_out = min(max(1, round(self.validation_fraction * len(order))), len(order) - 1)
        return batch.select(np.sort(order[n_held_out:])), batch.select(np.sort(order[:n_held_out]))

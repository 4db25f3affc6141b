"""From moment learners to the CRF, step by step: beyond Magic Moments.

A moment step solves ``(C_w + 2 c2 I) delta = b_w - 2 c2 w`` with moments under the last model w. From zero the first
one is the Z-score; from loss regression the steps add transitions to a token model. The default of `MomentSteps`, 15
products a step, stands beside steps that are solved well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from weft.datasets import load_conll2000, load_conll2002_es
from weft.estimators.tag.tagger import Tagger
from weft.experiments.report import Measurement, Report
from weft.experiments.tuning import error_rate
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.moments.steps import MomentSteps
from weft.learners.monitor import Monitor
from weft.metrics.chunks import chunk_f1
from weft.sequences.window import WindowFeatures

N_STEPS = 5
N_TRAIN = 3000
THOROUGH = 40
"""Products per step of the walks that are solved well."""


class Zeros(Learner):
    """Start from nothing: the first step is then the Z-score."""

    def learn(self, batch: Any, initial: Any, monitor: Monitor, random: np.random.Generator) -> Any:
        """Zeros."""
        return np.zeros(batch.n_features)


class Walk(Learner):
    """Moment steps that keep the weights of every step."""

    needs: ClassVar[tuple[str, ...]] = MomentSteps.needs

    def __init__(self, steps: MomentSteps) -> None:
        self.steps = steps

    def learn(self, batch: Any, initial: Any, monitor: Monitor, random: np.random.Generator) -> Any:
        """Weights of the last step."""
        keeper = _Keeper()
        with keeper:
            weights = self.steps.learn(batch, initial, keeper, random)
        self.points_ = keeper.points
        return weights


class _Keeper(Monitor):
    def __init__(self) -> None:
        super().__init__()
        self.points: list[Any] = []

    def record(self, iteration: int, objective: float, weights: Any) -> bool:
        self.points.append(weights.copy())
        return super().record(iteration, objective, weights)


def walk(
    steps: MomentSteps, train: tuple[Any, Any], test: tuple[Any, Any], features: Any = None
) -> list[tuple[float, float]]:
    """Token error and chunk F1, in percent, before the first step and after each.

    Examples
    --------
    >>> walk(MomentSteps(1), (["ab", "ba"], [["B-X", "O"], ["O", "B-X"]]), (["aab"], [["B-X", "B-X", "O"]]))
    [(0.0, 100.0), (0.0, 100.0)]
    """
    tagger = Tagger(Walk(steps), features=features, random_state=0).fit(*train)
    corpus = tagger.encode(test[0])
    reached = []
    for weights in tagger.learner_.points_:
        tagger.weights_ = weights
        reached.append(_scores(test[1], [list(labels) for labels in tagger.predict(corpus)]))
    # A walk that arrived early stays where it is.
    return reached + [reached[-1]] * (steps.n_steps + 1 - len(reached))


def _scores(y: Sequence[Any], predicted: Sequence[Any]) -> tuple[float, float]:
    return error_rate(predicted, y), 100.0 * chunk_f1(y, predicted)


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Walk on both corpora from zero and from loss regression; the CRF is where the walks lead."""
    n_train, n_test, n_steps = (100, 50, 2) if quick else (N_TRAIN, None, N_STEPS)
    corpora = {
        "CoNLL-2000": (load_conll2000("train"), load_conll2000("test")),
        "CoNLL-2002": (load_conll2002_es("train"), load_conll2002_es("testb")),
    }
    measurements = []
    for name, (train_data, test_data) in corpora.items():
        train = (train_data.tokens[:n_train], train_data.labels[:n_train])
        test = (test_data.tokens[:n_test], test_data.labels[:n_test])
        features = WindowFeatures()
        starts: dict[str, MomentSteps] = {
            "from zero (Z-score first)": MomentSteps(n_steps, start=Zeros(), max_products=THOROUGH),
            "from loss regression": MomentSteps(n_steps, max_products=THOROUGH),
            "from loss regression, 15 products": MomentSteps(n_steps),
        }
        for start, learner in starts.items():
            progress(f"{name}, {start}")
            for step, (error, f1) in enumerate(walk(learner, train, test, features)):
                measurements.append(Measurement(str(step), f"{name}, {start}", (error,)))
                measurements.append(Measurement(str(step), f"{name}, {start}", (f1,), quantity="chunk F1"))
        progress(f"{name}, CRF")
        crf = Tagger(CRF(c2=1.0), features=features).fit(*train)
        error, f1 = _scores(test[1], [list(labels) for labels in crf.predict(test[0])])
        for step in (0, n_steps):
            measurements.append(Measurement(str(step), f"{name}, CRF", (error,)))
            measurements.append(Measurement(str(step), f"{name}, CRF", (f1,), quantity="chunk F1"))
    return Report(
        "steps",
        "From moment learners to the CRF",
        "% of labels wrong",
        measurements,
        notes=["Nothing is published: the paper stops at the first step. c2 = 1 throughout; nothing is tuned here."],
        facts={"n_steps": n_steps, "n_train": n_train, "n_test": n_test, "seed": seed},
        style="lines",
        axis="moment steps",
    )

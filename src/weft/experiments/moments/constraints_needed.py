"""How many constraints it takes to reconstruct a hidden sequence: Figure 7 of Magic Moments.

One pair of length 100 from an HMM with two labels and four symbols; the labels are the Viterbi path, so that weights
exist which give them back. Counted is one constraint per output that a learner was shown: rounds of the constrained
Z-score add one each, the perceptron one per mistake, the SVM one per Frank-Wolfe step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from weft.estimators.tag.tagger import Tagger
from weft.experiments.moments.hmm import true_decoding
from weft.experiments.moments.random_hmm import concentrated_hmm
from weft.experiments.report import Measurement, Report
from weft.learners.base import Learner
from weft.learners.moments.learners import ZScore
from weft.learners.monitor import Monitor
from weft.structures.online import PerceptronState

MOST = 2000
HARD = 100.0
"""Price of a violated margin: the labels can be separated, so it should be dear."""

MARGIN = 1e-3


class Counting(Learner):
    """Learn until the training labels come back, and count the outputs that were used.

    Parameters
    ----------
    kind : {"perceptron", "SVM"}
    """

    needs: ClassVar[tuple[str, ...]] = ("argmax", "losses", "features_of", "select")

    def __init__(self, kind: str = "perceptron") -> None:
        self.kind = kind

    def learn(self, batch: Any, initial: Any, monitor: Monitor, random: np.random.Generator) -> Any:
        """Weights of the first step that reconstructs, or of the last one allowed."""
        self.n_constraints_ = 0
        weights = np.zeros(batch.n_features)
        steps = self._steps(batch, random)
        while self.n_constraints_ < MOST and (batch.argmax(weights)[0] != batch.reference()).any():
            weights = next(steps)
            self.n_constraints_ += 1
        return weights

    def _steps(self, batch: Any, random: np.random.Generator) -> Any:
        if self.kind == "SVM":
            for weights, *_ in batch.frank_wolfe_passes(HARD, random):
                yield weights
        state = PerceptronState(np.zeros(batch.n_features), np.zeros(batch.n_features))
        for reached, _ in batch.perceptron_passes(state, random):
            yield reached.weights


LEARNERS: dict[str, Learner] = {
    "constrained Z": ZScore(
        1e-6, margin_constraints=True, slack=np.inf, margin=MARGIN, max_rounds=MOST, max_constraints=MOST
    ),
    "perceptron": Counting("perceptron"),
    "SVM": Counting("SVM"),
}


def _pair(random: np.random.RandomState) -> tuple[list[list[str]], list[list[str]]]:
    """Observed and hidden sequence, drawn again until both labels occur."""
    while True:
        hmm = concentrated_hmm(2, 4, random)
        X, _ = hmm.sample(1, 100, 0.0, random)
        y = true_decoding(hmm, X)
        if len(set(y[0])) == 2:
            return X, y


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Count for 100 pairs."""
    n_replicates = n_replicates or (5 if quick else 100)
    counts: dict[str, list[float]] = {method: [] for method in LEARNERS}
    solved: dict[str, int] = dict.fromkeys(LEARNERS, 0)
    for replicate in range(n_replicates):
        random = np.random.RandomState([seed, replicate])
        X, y = _pair(random)
        for method, learner in LEARNERS.items():
            progress(f"pair {replicate + 1} of {n_replicates}: {method}")
            tagger = Tagger(learner, random_state=0, n_jobs=1).fit(X, y)
            counts[method].append(float(tagger.learner_.n_constraints_))
            solved[method] += tagger.predict(X) == y
    return Report(
        "hmm-constraints",
        "Constraints needed to reconstruct a hidden sequence of length 100",
        "constraints",
        [Measurement("(2,4)", method, tuple(values)) for method, values in counts.items()],
        notes=[
            "Published as histograms without numbers: the constrained Z-score needs far fewer than the others.",
            f"Pairs of {n_replicates} whose prediction is the hidden sequence: "
            + ", ".join(f"{m} {n}" for m, n in solved.items())
            + f". The Z-score asks for a margin of {MARGIN:g} standard deviations: with none, pairs end in ties.",
        ],
        facts={"n_replicates": n_replicates, "seed": seed, "length": 100, "margin": MARGIN, "solved": solved},
        style="histogram",
    )

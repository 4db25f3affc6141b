"""Learners with the strengths to try for each, and the choice by validation sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.estimators.tag.tagger import Tagger
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.generative import Generative
from weft.learners.moments.learners import SODA, LossRegression, MarginRegression, ZScore
from weft.learners.perceptron import Perceptron
from weft.learners.structured_svm import StructuredSVM

ALPHAS = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
"""One grid for all moment learners. It is wide because under noise validation sends SODA to 10 and 100."""

METHODS: dict[str, list[Learner]] = {
    "Z-score": [ZScore(alpha) for alpha in ALPHAS],
    "SODA": [SODA(alpha) for alpha in ALPHAS],
    "margin form": [MarginRegression(alpha) for alpha in ALPHAS],
    "loss regression": [LossRegression(alpha) for alpha in ALPHAS],
    "counts": [Generative(1.0)],
    "SVM": [StructuredSVM(C, max_iter=60) for C in (0.001, 0.01, 0.1, 1.0)],
    "perceptron": [Perceptron(n) for n in (5, 20, 100)],
    "CRF": [CRF(c2=c2) for c2 in (0.01, 0.1, 1.0, 10.0)],
    "constrained Z": [ZScore(1e-3, margin_constraints=True, slack=slack) for slack in (0.1, 1.0, 10.0)],
}
"""What is tried for each method."""


class TokenFrequencies:
    """The most frequent label of each symbol, whatever stands around it; of all symbols for an unseen one.

    Examples
    --------
    >>> TokenFrequencies().fit(["aab", "b"], ["xyz", "z"]).predict(["abc"])
    [['x', 'z', 'z']]
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> TokenFrequencies:
        """Count."""
        pairs = Counter((s, z) for row, labels in zip(X, y, strict=True) for s, z in zip(row, labels, strict=True))
        self.best_: dict[Any, Any] = {}
        for (symbol, label), _ in sorted(pairs.items(), key=lambda item: (-item[1], str(item[0]))):
            self.best_.setdefault(symbol, label)
        self.usual_ = Counter(z for labels in y for z in labels).most_common(1)[0][0]
        return self

    def predict(self, X: Sequence[Any]) -> list[list[Any]]:
        """Look up."""
        return [[self.best_.get(symbol, self.usual_) for symbol in row] for row in X]


def error_rate(predicted: Sequence[Any], y: Sequence[Any]) -> float:
    """Percentage of tokens with another label.

    Examples
    --------
    >>> error_rate([["x", "y"]], ["xx"])
    50.0
    """
    wrong = [p != z for row, labels in zip(predicted, y, strict=True) for p, z in zip(row, labels, strict=True)]
    return 100.0 * float(np.mean(wrong))


def fit_best(learners: Sequence[Learner], X: Any, y: Any, X_check: Any, y_check: Any, **parameters: Any) -> Tagger:
    """Fit a tagger with each learner; return the one with the fewest wrong labels on the validation sequences.

    Examples
    --------
    >>> fit_best(METHODS["SODA"], ["ab", "ba"], ["xy", "yx"], ["aa"], ["xx"]).predict(["b"])
    [['y']]
    """
    taggers = [Tagger(learner, random_state=0, n_jobs=1, **parameters).fit(X, y) for learner in learners]
    if len(taggers) == 1:
        return taggers[0]
    return min(taggers, key=lambda tagger: error_rate(tagger.predict(X_check), y_check))

"""REG-constraints of RG 1.7.2: a regression for each place of a word, on the images of all places.

With soft constraints on all coefficients that join different places, the system decouples: the regression for place i
has penalty gamma for features of its own place and gamma + eta for the others. In the dual, with K_p the Gram matrix of
the features of place p,

    K_i = K_i' / gamma + sum over p != i of K_p / (gamma + eta),    scores = k_i(x) (K_i + I)^-1 Y_i,

which is one system of the number of words for each place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.experiments.regression.ocr_words import WordSplit
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge.path import solve_ridge
from weft.kernels.base import Kernel
from weft.kernels.vectors.products import PolynomialKernel

GAMMAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
N_CHOOSE = 4
"""Places that decide on gamma and eta: the first ones, which most words have."""


class PositionRegressors:
    """Gram matrices of the empirical kernel map (RG equation 1.69), place by place.

    Parameters
    ----------
    split : WordSplit
    letters : str
    kernel : Kernel, optional
        Of images; None is ``(1 + x.y / 128)^3``.
    prepare : callable
        What is done to the images of a place before the kernel sees them.
    """

    def __init__(
        self,
        split: WordSplit,
        letters: str,
        kernel: Kernel | None = None,
        prepare: Callable[[Any], Any] = np.asarray,
    ) -> None:
        self.split = split
        self.letters = letters
        self.prepare = prepare
        self.kernel = PolynomialKernel(3, 1 / 128) if kernel is None else kernel
        self.n_places = max(map(len, split.y))
        self.features = [self._features(split.X, place) for place in range(self.n_places)]
        self.grams = [each @ each.T for each in self.features]
        self.total = sum(self.grams[1:], self.grams[0].copy())
        self._right: dict[tuple[float, float], int] = {}

    def _features(self, X: Sequence[Floats], place: int) -> Floats:
        """Similarities to the training images of a place; zero for words that are too short."""
        basis = self.prepare(np.array([x[place] for x in self.split.X if len(x) > place]))
        rows = np.zeros((len(X), len(basis)))
        long = [i for i, x in enumerate(X) if len(x) > place]
        if long:
            rows[long] = self.kernel.gram(self.prepare(np.array([X[i][place] for i in long])), basis)
        return rows

    def _targets(self, place: int) -> Floats:
        rows = np.zeros((len(self.split.y), len(self.letters)))
        for i, word in enumerate(self.split.y):
            if len(word) > place:
                rows[i, self.letters.index(word[place])] = 1.0
        return rows

    def _joined(self, total: Floats, own: Floats, gamma: float, eta: float) -> Floats:
        return total / (gamma + eta) + own * (1.0 / gamma - 1.0 / (gamma + eta))

    def n_right(self, gamma: float, eta: float) -> int:
        """Letters in the first places that are right when their groups are left out."""
        if (gamma, eta) not in self._right:
            places = range(min(N_CHOOSE, self.n_places))
            targets = [self._targets(place) for place in places]
            # Without constraints all places have the same system.
            systems = [targets] if eta == 0.0 else [[each] for each in targets]
            scores: list[Floats] = []
            for place, columns in enumerate(systems):
                gram = self._joined(self.total, self.grams[place], gamma, eta)
                found = leave_groups_out(gram, np.hstack(columns), 1.0, self.split.groups)
                scores += np.split(found, len(columns), axis=1)
            right = [
                (a.argmax(axis=1) == b.argmax(axis=1))[b.any(axis=1)] for a, b in zip(scores, targets, strict=True)
            ]
            self._right[gamma, eta] = int(sum(each.sum() for each in right))
        return self._right[gamma, eta]

    def choose(self, etas: Sequence[float]) -> tuple[float, float]:
        """Gamma and eta under which groups that are left out are predicted best."""
        return max(((gamma, eta) for gamma in GAMMAS for eta in etas), key=lambda each: self.n_right(*each))

    def predict(self, settings: Sequence[tuple[float, float]]) -> list[list[str]]:
        """Letters of the test words for each pair of gamma and eta."""
        X = self.split.X_test
        own = [self._features(X, place) @ self.features[place].T for place in range(self.n_places)]
        totals = sum(own[1:], own[0].copy())
        # Words may be longer than those of training; nothing is known there.
        n_places = max(self.n_places, *(len(x) for x in X))
        best = np.zeros((len(settings), len(X), n_places), dtype=np.int64)
        for s, (gamma, eta) in enumerate(settings):
            for place in range(self.n_places):
                gram = self._joined(self.total, self.grams[place], gamma, eta)
                coefficients = solve_ridge(gram, self._targets(place), 1.0)
                best[s, :, place] = (self._joined(totals, own[place], gamma, eta) @ coefficients).argmax(axis=1)
        return [
            ["".join(self.letters[k] for k in rows[i, : len(x)].tolist()) for i, x in enumerate(X)] for rows in best
        ]


def choose_positions(
    candidates: Sequence[PositionRegressors], etas: Sequence[float]
) -> tuple[PositionRegressors, tuple[float, float]]:
    """The kernel, gamma and eta under which groups that are left out are predicted best."""
    chosen = [(each, each.choose(etas)) for each in candidates]
    return max(chosen, key=lambda pair: pair[0].n_right(*pair[1]))

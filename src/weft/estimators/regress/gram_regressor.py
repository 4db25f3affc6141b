"""Ridge regression onto n-gram counts: the part of StringRegressor that is repeated when several vote."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.kernel_methods.ridge.kernel_columns import taken
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge.regressor import KernelRidge
from weft.kernels.precomputed import PrecomputedKernel
from weft.parameters import clone
from weft.preimages.gram_space import GramSpace
from weft.preimages.thresholds import discretize, fit_thresholds
from weft.sequences.checks import shown

N_FOLDS = 3
"""Parts in which approximations predict each other's counts."""


class GramRegressor:
    """Counts of n-grams from inputs, and thresholds that make their averages right (RG 1.7.3).

    Parameters
    ----------
    ridge : KernelRidge
        Fitted.
    space : GramSpace
    thresholds, caps : ndarray of shape (n_grams,)
        See `fit_thresholds`.
    held_out : ndarray of shape (n_examples, n_grams), optional
        Predictions for training examples by models that did not see them.
    """

    def __init__(
        self, ridge: KernelRidge, space: GramSpace, thresholds: Floats, caps: Floats, held_out: Floats | None = None
    ) -> None:
        self.ridge = ridge
        self.space = space
        self.thresholds = thresholds
        self.caps = caps
        self.held_out = held_out

    @classmethod
    def fit(
        cls, ridge: KernelRidge, X: Any, outputs: Sequence[Any], lengths: Sequence[int], groups: Sequence[Any] | None
    ) -> GramRegressor:
        """Fit the ridge, and thresholds on held-out predictions."""
        space = GramSpace.learn(outputs, lengths)
        counts = space.counts(outputs).toarray()
        held_out = held_out_predictions(ridge, X, counts, groups)
        caps = np.maximum(counts.max(axis=0), 1.0)
        return cls(ridge, space, fit_thresholds(held_out, counts, caps), caps, held_out)

    def counts(self, X: Any) -> Floats:
        """Predicted counts, real numbers."""
        return self.ridge.predict(X)

    def shifted(self, predicted: Floats) -> Floats:
        """Counts whose rounding is what thresholds say: half a count is where the threshold was."""
        return predicted - self.thresholds + 0.5

    def whole(self, predicted: Floats) -> Integers:
        """Counts as whole numbers."""
        return discretize(predicted, self.thresholds, self.caps)


def held_out_predictions(ridge: KernelRidge, X: Any, targets: Floats, groups: Sequence[Any] | None = None) -> Floats:
    """Fit, and predict each example by a model that did not see its group: in closed form, or in parts.

    None stands for groups of one example. Of several strengths the one with the smallest error of these predictions is
    taken. Approximations have no closed form: the examples are dealt into three parts, groups as a whole.
    """
    owners = list(range(len(targets))) if groups is None else list(groups)
    n_groups = len(set(owners))
    if n_groups == 1:
        ridge.set_params(leave_one_out=False).fit(X, targets)
        return targets.copy()
    if ridge.approximation is not None:
        number = {group: i for i, group in enumerate(dict.fromkeys(owners))}
        part = np.array([number[group] % min(N_FOLDS, n_groups) for group in owners])
        predicted = np.empty_like(targets)
        for k in range(int(part.max()) + 1):
            rest, held = np.flatnonzero(part != k), np.flatnonzero(part == k)
            is_given = isinstance(ridge.kernel, PrecomputedKernel)
            inside, outside = (X[np.ix_(i, rest)] if is_given else taken(X, i) for i in (rest, held))
            predicted[held] = ridge.fit(inside, targets[rest]).predict(outside)
        ridge.fit(X, targets)
        return predicted
    if groups is None:
        ridge.set_params(leave_one_out=True).fit(X, targets)
        found = ridge.leave_one_out_
        assert found is not None
        ridge.leave_one_out_ = None
        return found
    gram = clone(ridge.kernel).gram(X)
    strengths: Any = [ridge.alpha] if np.isscalar(ridge.alpha) else list(ridge.alpha)  # type: ignore[arg-type]
    tried = [(float(alpha), leave_groups_out(gram, targets, alpha, owners)) for alpha in strengths]
    alpha, predicted = min(tried, key=lambda each: float(((each[1] - targets) ** 2).sum()))
    ridge.set_params(alpha=alpha, leave_one_out=False).fit(X, targets)
    return predicted


def average(regressors: Sequence[GramRegressor], predicted: Sequence[Floats], space: GramSpace) -> Floats:
    """Mean of the shifted counts of all regressors that have n-grams of a length."""
    total = np.zeros((len(predicted[0]), space.n_grams))
    for n in space.lengths:
        having = [(each, z) for each, z in zip(regressors, predicted, strict=True) if n in each.space.lengths]
        for each, z in having:
            total[:, space.block(n)] += each.shifted(z)[:, each.space.block(n)] / len(having)
    return total


def bigram_votes(regressors: Sequence[GramRegressor], predicted: Sequence[Floats], space: GramSpace) -> Integers:
    """Counts of bigrams that more than half of the regressors predict at least (RG 1.7.3).

    Longer n-grams speak for the bigrams that they contain.
    """
    votes = []
    for each, z in zip(regressors, predicted, strict=True):
        whole = each.whole(z)
        said = np.zeros((space.n_grams, len(z)), dtype=np.int64)
        for grams, start in zip(each.space.grams, each.space.starts, strict=False):
            for i in range(grams.shape[1] - 1):
                places = np.searchsorted(space.keys[0], space.encode_rows(grams[:, i : i + 2]))
                np.maximum.at(said, places, whole[:, start : start + len(grams)].T)
        votes.append(said.T)
    return np.asarray(-np.sort(-np.array(votes), axis=0)[len(votes) // 2])


GUESSED = r"X\[\d+\].*has no feature that the model knows.*the output is a guess"
"""What `warn_of_guesses` says."""


def warn_of_guesses(X: Any, predicted: Sequence[Floats]) -> None:
    """Say which inputs nothing is known of: every regressor predicts zeros."""
    if not isinstance(X, list):
        return
    is_zero = np.logical_and.reduce([~np.any(each, axis=1) for each in predicted])
    places = [i for i in np.flatnonzero(is_zero).tolist() if isinstance(X[i], str | list | tuple) and len(X[i])]
    if places:
        others = f", nor have {len(places) - 1:,} of the {len(X) - 1:,} others" if len(places) > 1 else ""
        warnings.warn(
            f"X[{places[0]}], {shown(X[places[0]])}, has no feature that the model knows{others}; the output is a "
            "guess: it may be too short, or have other symbols than the training data.",
            stacklevel=4,
        )

"""Probabilities from decisions about held-out examples: a sigmoid for each problem (Platt 1999)."""

from __future__ import annotations

import numpy as np

from weft.arrays import Floats


def fit_sigmoid(decisions: Floats, signs: Floats, sample_weight: Floats | None = None) -> tuple[float, float]:
    """Slope and constant of the sigmoid that turns decisions into probabilities of +1.

    Targets are not 0 and 1 but what Laplace's rule makes of the two counts, so that separable data give no step.

    Examples
    --------
    >>> slope, constant = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0]))
    >>> slope > 0, abs(constant) < 1e-3
    (True, True)
    """
    weights = np.ones(len(signs)) if sample_weight is None else sample_weight
    n_above, n_below = weights[signs > 0].sum(), weights[signs < 0].sum()
    target = np.where(signs > 0, (n_above + 1.0) / (n_above + 2.0), 1.0 / (n_below + 2.0))
    # A soft target is two examples: one of each class, weighted.
    scale = max(float(np.abs(decisions).max(initial=0.0)), 1e-300)
    doubled = np.concatenate([decisions, decisions])[:, None] / scale
    classes = np.repeat([1, 0], len(signs))
    from sklearn.linear_model import LogisticRegression  # only fitting needs it, and it loads slowly

    model = LogisticRegression(C=np.inf, max_iter=1000)
    model.fit(doubled, classes, sample_weight=np.concatenate([weights * target, weights * (1.0 - target)]))
    return float(model.coef_[0, 0]) / scale, float(model.intercept_[0])


def class_probabilities(decisions: Floats, slopes: Floats, constants: Floats) -> Floats:
    """Probability of each class, in rows that sum to one.

    Parameters
    ----------
    decisions : ndarray of shape (n_examples, n_problems)
    slopes, constants : ndarray of shape (n_problems,)

    Examples
    --------
    >>> class_probabilities(np.zeros((1, 1)), np.ones(1), np.zeros(1))
    array([[0.5, 0.5]])
    """
    from scipy.special import expit

    above = expit(decisions * slopes + constants)
    if above.shape[1] == 1:
        return np.hstack([1.0 - above, above])
    total = above.sum(axis=1, keepdims=True)
    even = np.full_like(above, 1.0 / above.shape[1])
    return np.asarray(np.divide(above, total, out=even, where=total > 0.0))

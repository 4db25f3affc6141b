"""Predictions for groups of examples by ridge regressions that never saw the group, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # which loads its linalg at first use: not to predict

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.kernel_methods.ridge.path import checked_alpha, checked_problem, solve_ridge


@one_algebra_thread(scipy=True)
def leave_groups_out(gram: Any, targets: Any, alpha: float, groups: Any) -> Floats:
    """Prediction for each example by the model trained on all examples of other groups.

    With ``G = K + alpha I`` and ``c = G^-1 Y``, the residuals of a group g that is left out are
    ``((G^-1)_gg)^-1 c_g``; a group of one example is the usual leave-one-out formula. Where an output occurs many
    times, groups of equal outputs say how well a model does on outputs unseen in training.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n,) or (n, n_outputs)
    alpha : float
        Above 0.
    groups : sequence of hashable of length n

    Returns
    -------
    ndarray of the shape of `targets`

    Examples
    --------
    >>> K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> leave_groups_out(K, [1.0, 0.0, 2.0], 1.0, ["a", "b", "b"]).round(4)
    array([-0.25  ,  0.3333,  0.    ])
    """
    K, Y = checked_problem(gram, targets, square=True)
    strength = checked_alpha(alpha)
    if len(groups) != len(K):
        raise InputError(f"{len(K)} examples but {len(groups)} groups given; need one group for each example.")
    numbers = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    owner = np.array([numbers[group] for group in groups])
    inverse = solve_ridge(K, np.eye(len(K)), strength)
    coefficients = inverse @ Y
    if len(numbers) == len(K):
        diagonal = inverse.diagonal() if Y.ndim == 1 else inverse.diagonal()[:, None]
        return np.asarray(Y - coefficients / diagonal)
    predicted = np.empty_like(Y)
    order = np.argsort(owner, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        block = inverse[np.ix_(members, members)]
        predicted[members] = Y[members] - scipy.linalg.solve(block, coefficients[members], assume_a="pos")
    return predicted

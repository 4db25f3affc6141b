"""What a classifier keeps of its solved problems, and begins the next fit with."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import convergence_warning
from weft.kernel_methods.svm.descent import SVMSolution
from weft.kernel_methods.svm.storages.size import StorageSize
from weft.learners.monitor import Monitor

if TYPE_CHECKING:
    from weft.estimators.classify.sequence_svc import SequenceSVC


def keep_solutions(
    svc: SequenceSVC,
    solutions: list[SVMSolution],
    sizes: list[StorageSize],
    X: list[Any],
    monitor: Monitor,
    before: list[dict[str, Any]] | None = None,
) -> None:
    """Make the solutions of all problems the model of a classifier; a warning says if passes ended too soon.

    Without explicit features the examples of `X` that count are kept. `before` is the history of a stream.
    """
    weights = np.array([solution.weights for solution in solutions])
    svc._known_names = None
    svc.support_ = None
    if svc.features_ is None:
        used = np.flatnonzero(np.any(weights != 0.0, axis=0))
        svc.support_ = [X[i] for i in used]
        svc.weights_ = weights[:, used]
        svc.bias_ = svc.weights_.sum(axis=1) * float(svc.bias)
    elif svc.bias:
        svc.weights_, svc.bias_ = np.ascontiguousarray(weights[:, :-1]), weights[:, -1].copy()
    else:
        svc.weights_, svc.bias_ = weights, np.zeros(len(weights))
    svc.storage_size_ = sizes
    svc.history_ = [*(before or []), *monitor.history]
    svc.n_iter_ = max(solution.n_passes for solution in solutions)
    svc.gap_ = np.array([solution.gap for solution in solutions])
    if any(solution.n_passes >= svc.max_iter and not solution.converged for solution in solutions):
        warnings.warn(
            f"SequenceSVC stopped after max_iter={svc.max_iter} passes, before tol={svc.tol} was reached; "
            "raise max_iter or tol, or lower C.",
            convergence_warning(),
            stacklevel=3,
        )


def earlier_alpha(svc: SequenceSVC, n_examples: int, classes: NDArray[Any]) -> Floats | None:
    """Dual variables of the last fit, where the next one may begin with them."""
    alpha: Floats | None = getattr(svc, "alpha_", None)
    if not svc.warm_start or alpha is None or alpha.shape[1] != n_examples:
        return None
    return alpha if np.array_equal(svc.classes_, classes) else None

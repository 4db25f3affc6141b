"""The objective that CRFs and moment steps share: negative log-likelihood plus an L2 penalty."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import add_scaled, dot, penalise


class PenalisedLikelihood:
    """``sum log Z_i - w . phi_i + c2 ||w - p||^2`` of a batch: value, gradient and Hessian products.

    The prior p is zero unless it is given. The gradient is ``-b_w + 2 c2 (w - p)`` and the Hessian
    ``C_w + 2 c2 I``, with moments under the model w. With one c2 for each weight the penalty is
    ``sum_k c2_k (w_k - p_k)^2``. Weights whose c2 is infinite are p_k from the start and have no slope: they stay.

    A batch with `has_partial_references` knows of each reference only that it is one of a set of outputs. The
    likelihood is then that of the sets: ``w . phi_i`` becomes the log weight of the set, phi_i the mean over it. The
    Hessian leaves out the covariance within the sets, so that it stays positive.

    Examples
    --------
    >>> import numpy as np, weft
    >>> from weft.structures.chain.batch import ChainBatch
    >>> tagger = weft.Tagger().fit(["ab"], ["xy"])
    >>> batch = ChainBatch(tagger.chain_, tagger.encode(["ab"]), np.array([0, 1], dtype=np.int32))
    >>> value, gradient = PenalisedLikelihood(batch, c2=1.0)(np.zeros(batch.n_features))
    >>> round(value, 4)  # four labellings, all alike
    1.3863
    """

    def __init__(self, batch: Any, c2: float | Floats, prior: Floats | None = None) -> None:
        self.batch = batch
        self.held = np.flatnonzero(np.isinf(c2)) if isinstance(c2, np.ndarray) else np.empty(0, dtype=np.int64)
        self.c2 = np.where(np.isinf(c2), 0.0, c2) if len(self.held) else c2
        self.prior = prior
        self.is_partial = bool(getattr(batch, "has_partial_references", False))
        self.observed: Floats = batch.observed()

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        log_partition, gradient = self.batch.log_partition_and_mean(weights)
        away = weights if self.prior is None else weights - self.prior
        of_set, observed = None, self.observed
        if self.is_partial:
            of_set, observed = self.batch.reference_partition_and_mean(weights)
        if isinstance(self.c2, np.ndarray):
            pull = self.c2 * away
            reference, _ = penalise(gradient, observed, weights, away, 0.0)
            add_scaled(gradient, 2.0, pull)
            penalty = dot(pull, away)
            gradient[self.held] = 0.0
        else:
            reference, square = penalise(gradient, observed, weights, away, self.c2)
            penalty = self.c2 * square
        return log_partition - (reference if of_set is None else of_set) + penalty, gradient

    def hessian_product(self, weights: Floats, vector: Floats) -> Floats:
        """Hessian at `weights`, times a vector."""
        product: Floats = self.batch.covariance_product(weights, vector)
        if isinstance(self.c2, np.ndarray):
            add_scaled(product, 2.0, self.c2 * vector)
            product[self.held] = 0.0
        else:
            add_scaled(product, 2.0 * self.c2, vector)
        return product

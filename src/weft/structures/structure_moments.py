"""What a structure answers when asked for the moments of all outputs of an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class StructureMoments:
    """Moments of the feature vector over all outputs of one input, each output with the same weight.

    Attributes
    ----------
    log_count : float
        Logarithm of the number of outputs.
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)
    feature_names : list
    """

    log_count: float
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    feature_names: list[Any]


@dataclass(frozen=True)
class LossMoments:
    """Moments of a loss against one reference over all outputs of one input.

    Attributes
    ----------
    mean, variance : float
    covariance : ndarray of shape (d,)
        With each feature.
    """

    mean: float
    variance: float
    covariance: NDArray[np.float64]

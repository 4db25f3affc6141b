"""Dynamic programming on arrays: semirings, derivation graphs, passes and queries."""

from __future__ import annotations

from weft.core.graph import DerivationGraph
from weft.core.mean_covariance import Moments
from weft.core.passes import inside, outside
from weft.core.posteriors import posterior
from weft.core.queries import (
    Derivation,
    argmax,
    covariance,
    covariance_product,
    kbest,
    log_count,
    log_partition,
    marginals,
    mean,
    moments,
    sample,
)
from weft.core.semirings import Counting, Draw, Dual, Log, MaxPlus
from weft.core.tracebacks import traceback
from weft.spelling import suggest_names

__all__ = [
    "Counting",
    "Derivation",
    "DerivationGraph",
    "Draw",
    "Dual",
    "Log",
    "MaxPlus",
    "Moments",
    "argmax",
    "covariance",
    "covariance_product",
    "inside",
    "kbest",
    "log_count",
    "log_partition",
    "marginals",
    "mean",
    "moments",
    "outside",
    "posterior",
    "sample",
    "traceback",
]

suggest_names(__name__)

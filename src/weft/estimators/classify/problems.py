"""The binary problems that a kernel and the options of a classifier make of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.ties import ordered
from weft.errors import InputError
from weft.estimators.classify.inputs import (
    as_examples,
    encode_targets,
    frequent_features,
    held_out_scores,
    learned_features,
)
from weft.kernel_methods.svm.one_vs_rest import Settings
from weft.kernel_methods.svm.problems import COSTS, FeatureProblems, KernelProblems, Problems
from weft.kernel_methods.svm.smo import KernelRows
from weft.kernels.base import Kernel
from weft.kernels.feature_map import FeatureMap

if TYPE_CHECKING:
    from weft.estimators.classify.sequence_svc import SequenceSVC

BIAS_NAME = ""
"""Name of the constant feature; no other feature has an empty one."""


def problems_of(svc: SequenceSVC, kernel: Any, X: list[Any], min_count: int) -> tuple[FeatureMap | None, Problems]:
    """Problems over sequences, and the features that they are seen by, if the kernel has explicit ones."""
    if kernel.has_features:
        mapped, matrix = learned_features(kernel, X)
        if min_count > 1:
            mapped, matrix = frequent_features(mapped, matrix, min_count)
        return mapped, feature_problems(svc, mapped, matrix)
    if kernel.learns_weights:
        raise InputError(
            f"idf=True given inside {type(kernel).__name__}, which has no explicit features to keep its weights "
            "with; use idf=False, or a sum of kernels."
        )
    if svc.storage not in ("array", "naive"):
        raise InputError(
            f"storage={svc.storage!r} needs explicit features, which {type(kernel).__name__} lacks; "
            "use 'array', or another kernel."
        )
    rows = KernelRows.of_kernel(kernel, X, int(svc.cache_size * 1e6))
    if svc.bias:
        plain = rows
        rows = KernelRows(lambda i: plain[i] + 1.0, plain.diagonal + 1.0, 0)
    return None, KernelProblems(rows, settings_of(svc))


def feature_problems(svc: SequenceSVC, mapped: FeatureMap, matrix: Any) -> FeatureProblems:
    """Problems over rows with explicit features."""

    def names() -> list[str]:
        return [*mapped.names(), *([BIAS_NAME] if svc.bias else [])]

    return FeatureProblems(_with_bias(svc, matrix), settings_of(svc), svc.storage, names)


def settings_of(svc: SequenceSVC) -> Settings:
    """How each problem is solved."""
    return Settings(svc.loss, float(svc.tol), int(svc.max_iter), svc.n_jobs)  # type: ignore[arg-type]


def _with_bias(svc: SequenceSVC, matrix: Any) -> Any:
    if not svc.bias:
        return matrix
    return scipy.sparse.hstack([matrix, np.ones((matrix.shape[0], 1))], format="csr")


def chosen_kernel(
    svc: SequenceSVC, kernels: list[Kernel], X: list[Any], targets: Integers, n_classes: int, costs: Floats
) -> tuple[Kernel, Floats | None]:
    """The kernel that ranks best what it did not see, and the scores of all if there are several."""
    if len(kernels) == 1:
        return kernels[0], None
    from weft.estimators.classify.choice import kernel_scores

    cost = COSTS[0] if svc.C is None else float(svc.C)
    scores = kernel_scores(
        lambda kernel, some: problems_of(svc, kernel, some, min_count=1)[1],  # features that are rare among a few
        kernels, X, targets, n_classes, cost * costs,
    )  # fmt: skip
    return kernels[int(ordered(scores)[0])], scores


def scores_of_passes(
    svc: SequenceSVC, kernel: Kernel, mapped: FeatureMap | None, X_dev: Any, y_dev: Any, classes: NDArray[Any]
) -> list[Callable[[Floats], float]]:
    """Score on held-out data as a function of the weights, of each problem; none without such data."""
    if X_dev is None:
        if svc.patience is not None:
            raise InputError("patience needs held-out data; pass X_dev and y_dev or set validation_fraction.")
        return []
    if mapped is None or svc.storage != "array":
        came = f"{type(kernel).__name__}, storage={svc.storage!r}"
        raise InputError(
            f"held-out data given with {came}; passes are scored with explicit features and 'array' only: leave "
            "validation_fraction and X_dev out."
        )
    X_dev = as_examples(X_dev, "X_dev")
    targets = encode_targets(X_dev, y_dev, classes, "_dev")
    return held_out_scores(_with_bias(svc, mapped.transform(X_dev)), targets, classes)

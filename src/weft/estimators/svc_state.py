"""What a model file keeps of a SequenceSVC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from weft.checkpoint import pack_symbols, unpack_symbols
from weft.errors import ModelFileError
from weft.estimators.svc_inputs import chosen_kernel

if TYPE_CHECKING:
    from weft.estimators.sequence_svc import SequenceSVC

__all__ = ["svc_from_state", "svc_to_state"]

Arrays = dict[str, NDArray[Any]]

PACKED = ("data", "offsets", "kinds")
"""Arrays that hold a list of symbols in a model file."""


def svc_to_state(svc: SequenceSVC) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted classifier; dual variables are not among them."""
    check_is_fitted(svc, "weights_")
    arrays: Arrays = {"weights": svc.weights_, "bias": svc.bias_, "gap": svc.gap_, **_packed("classes", svc.classes_)}
    state: dict[str, Any] = {"history": svc.history_, "n_iter": svc.n_iter_}
    if svc.calibration_ is not None:
        arrays["calibration"] = svc.calibration_
    if svc.features_ is not None:
        state["features"], own = svc.features_.to_state()
        arrays.update({f"features.{name}": array for name, array in own.items()})
    else:
        support = svc.support_ or []
        state["form"] = "characters" if all(isinstance(each, str) for each in support) else "tokens"
        if state["form"] == "tokens" and not all(isinstance(each, list | tuple) for each in support):
            raise ModelFileError(
                "cannot save support sequences that are neither strings nor lists of tokens; use a kernel with "
                "explicit features, or pickle the model."
            )
        arrays.update(_packed("support", [symbol for sequence in support for symbol in sequence]))
        arrays["support.lengths"] = np.array([len(sequence) for sequence in support], dtype=np.int64)
    return state, arrays


def svc_from_state(svc: SequenceSVC, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `svc_to_state` gave on a classifier that has the same parameters."""
    svc.kernel_ = clone(chosen_kernel(svc.kernel))
    svc.classes_ = np.array(_unpacked("classes", arrays))
    svc.weights_, svc.bias_, svc.gap_ = arrays["weights"], arrays["bias"], arrays["gap"]
    svc.calibration_ = arrays.get("calibration")
    svc.history_, svc.n_iter_ = state["history"], state["n_iter"]
    svc.storage_size_, svc.alpha_ = [], None
    svc.features_, svc.support_ = None, None
    if "features" in state:
        own = {name.removeprefix("features."): array for name, array in arrays.items() if name.startswith("features.")}
        svc.features_ = svc.kernel_.restore_feature_map((state["features"], own))
        n_columns = svc.features_.n_features
    else:
        symbols, ends = _unpacked("support", arrays), np.cumsum(arrays["support.lengths"]).tolist()
        parts = [symbols[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        svc.support_ = ["".join(part) for part in parts] if state["form"] == "characters" else parts
        n_columns = len(svc.support_)
    n_problems = 1 if len(svc.classes_) == 2 else len(svc.classes_)
    if svc.weights_.shape != (n_problems, n_columns) or svc.bias_.shape != (n_problems,):
        raise ModelFileError("weights, classes and features do not fit each other")


def _packed(name: str, symbols: Any) -> Arrays:
    plain = symbols.tolist() if isinstance(symbols, np.ndarray) else symbols
    packed: tuple[NDArray[Any], ...] = pack_symbols(plain)
    return {f"{name}.{key}": array for key, array in zip(PACKED, packed, strict=True)}


def _unpacked(name: str, arrays: Arrays) -> list[Any]:
    return unpack_symbols(*(arrays[f"{name}.{key}"] for key in PACKED))

"""What a model file keeps of a SequenceSVC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_named, unpack_named
from weft.checkpoint.sequences import FORM, pack_sequences, sequence_rules, unpack_sequences
from weft.core.ties import ordered
from weft.errors import ModelFileError
from weft.estimators.classify.inputs import offered_kernels
from weft.kernels.base import Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.ngram import NGramKernel
from weft.kernels.words import DEFAULTS
from weft.learners.monitor import untimed
from weft.parameters import check_is_fitted, clone
from weft.state_rules import (
    HISTORY,
    ArrayRule,
    anything,
    check_arrays,
    check_state,
    choice,
    floats,
    optional,
    packed_symbols,
    part,
    real,
    rest,
    whole,
)

if TYPE_CHECKING:
    from weft.estimators.classify.sequence_svc import SequenceSVC

Arrays = dict[str, NDArray[Any]]

STATE = {
    "history": HISTORY,
    "n_iter": whole(),
    "C": real(0.0),
    "chosen": optional(whole()),
    "form": optional(FORM),
    "default": optional(choice(*DEFAULTS)),
    "features": optional(anything("settings of a feature map", lambda value: isinstance(value, dict))),
}
ARRAYS = {
    **packed_symbols("classes", "n_classes"),
    "bias": floats("n_problems"),
    "weights": floats("n_problems", "n_columns"),
    "gap": ArrayRule(("float64",), ("n_problems",)),  # not a number where none was measured
    "calibration": optional(floats("n_problems", 2)),
    "kernel_scores": optional(floats("n_kernels", low=0.0, high=1.0)),
}
EARLIER = Normalized(NGramKernel(4))
"""What no kernel meant before there were `BlendedSpectrumKernel`s, as files still have it."""
SUPPORT = sequence_rules("support", "n_columns")
"""What each value and array of a model file must be; feature maps have rules of their own."""


def svc_to_state(svc: SequenceSVC) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted classifier; dual variables are not among them."""
    check_is_fitted(svc, "weights_")
    arrays: Arrays = {"weights": svc.weights_, "bias": svc.bias_, "gap": svc.gap_}
    arrays |= pack_named("classes", svc.classes_.tolist())
    state: dict[str, Any] = {"history": untimed(svc.history_), "n_iter": svc.n_iter_, "C": svc.C_}
    names = [name for name, kernel in DEFAULTS.items() if str(kernel) == str(svc.kernel_)]
    if svc.kernel is None and names:
        state["default"] = names[0]
    if svc.calibration_ is not None:
        arrays["calibration"] = svc.calibration_
    if svc.kernel_scores_ is not None:
        arrays["kernel_scores"] = svc.kernel_scores_
        state["chosen"] = int(ordered(svc.kernel_scores_)[0])
    if svc.features_ is not None:
        state["features"], own = svc.features_.to_state()
        arrays.update({f"features.{name}": array for name, array in own.items()})
    else:
        state["form"], own = pack_sequences("support", svc.support_ or [])
        arrays |= own
    return state, arrays


def _default_of(state: dict[str, Any]) -> Kernel:
    """What no kernel meant for the training data; earlier files do not say it."""
    if "parts" not in state.get("features", {}):
        return EARLIER
    return DEFAULTS[state.get("default", "symbols")]


def svc_from_state(svc: SequenceSVC, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `svc_to_state` gave on a classifier that has the same parameters."""
    check_state("a classifier", state, STATE)
    if ("features" in state) == ("form" in state):
        raise ModelFileError("a classifier has features or support sequences; both or none given")
    own = part(arrays, "features") if "features" in state else {}
    rules = ARRAYS if "features" in state else ARRAYS | SUPPORT
    sizes = check_arrays("a classifier", rest(arrays, "features") if own else arrays, rules)
    kernels = [_default_of(state)] if svc.kernel is None else offered_kernels(svc.kernel, [])
    svc.kernel_scores_ = arrays.get("kernel_scores")
    if len(kernels) != sizes.get("n_kernels", 1):
        raise ModelFileError(f"{sizes.get('n_kernels', 1)} scores of kernels given; needed {len(kernels)}")
    best = 0 if svc.kernel_scores_ is None else int(ordered(svc.kernel_scores_)[0])
    if state.get("chosen", best) != best:  # features of one kernel may pass for those of another, and match nothing
        raise ModelFileError(f"kernel {state['chosen']} was chosen, but scores are best for {best}")
    svc.kernel_ = clone(kernels[best])
    svc.classes_ = np.array(unpack_named("classes", arrays))
    svc.weights_, svc.bias_, svc.gap_ = arrays["weights"], arrays["bias"], arrays["gap"]
    svc.calibration_ = arrays.get("calibration")
    svc.history_, svc.n_iter_, svc.C_ = state["history"], state["n_iter"], state["C"]
    svc.storage_size_, svc.alpha_ = [], None
    svc.features_, svc.support_ = None, None
    if "features" in state:
        svc.features_ = svc.kernel_.restore_feature_map((state["features"], own))
        n_columns = svc.features_.n_features
    else:
        svc.support_ = unpack_sequences("support", state["form"], arrays)
        n_columns = len(svc.support_)
    n_problems = 1 if len(svc.classes_) == 2 else len(svc.classes_)
    if (sizes["n_problems"], sizes["n_columns"]) != (n_problems, n_columns) or len(svc.classes_) < 2:
        raise ModelFileError("weights, classes and features do not fit each other")

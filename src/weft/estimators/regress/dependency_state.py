"""What a model file keeps of a KernelDependencyEstimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.estimators.examples import FORMS, pack_examples, unpack_examples
from weft.estimators.regress.string_preimages import StringPreimages
from weft.kernel_methods.pca import KernelComponents
from weft.kernel_methods.ridge.regressor import KernelRidge
from weft.kernels.base import Kernel
from weft.parameters import check_is_fitted
from weft.state_rules import (
    anything,
    check_arrays,
    check_state,
    choice,
    floats,
    integers,
    list_of,
    optional,
    part,
    real,
    rest,
    whole,
)

if TYPE_CHECKING:
    from weft.estimators.regress.kernel_dependency_estimator import KernelDependencyEstimator

Arrays = dict[str, NDArray[Any]]

KERNEL = anything("a kernel", lambda value: isinstance(value, Kernel))
FACTS = anything("settings or null", lambda value: value is None or isinstance(value, dict))
STATE = {
    "input_kernel": KERNEL,
    "output_kernel": anything("a kernel or null", lambda value: value is None or isinstance(value, Kernel)),
    "alpha": real(0.0),
    "preimage": choice("candidates", "fixed_point", "inverse", "euler", "nearest"),
    "input_form": choice(*FORMS),
    "basis": FACTS,
    "features": FACTS,
    "outputs": FACTS,
    "lengths": optional(list_of(whole(1, 64), 1)),
}
ARRAYS = {
    "coefficients": floats("n_rows", "n_components"),
    "thresholds": optional(floats("n_grams")),
    "landmarks": integers("n_landmarks"),
}
"""What each value and array of a model file must be; components, examples and feature maps have rules of their own."""


def dependency_to_state(model: KernelDependencyEstimator) -> tuple[dict[str, Any], Arrays]:
    """Plain values, kernels and arrays of a fitted estimator."""
    check_is_fitted(model, "regression_")
    regression = model.regression_
    state: dict[str, Any] = {
        "input_kernel": model.input_kernel_,
        "output_kernel": model.output_kernel_,
        "alpha": model.alpha_,
        "preimage": model.preimage_,
        "input_form": model.input_form_,
        "basis": None,
        "features": None,
    }
    arrays: Arrays = {f"components.{key}": array for key, array in model.components_.to_arrays().items()}
    arrays["coefficients"], arrays["landmarks"] = regression.coefficients_, model.landmarks_
    state["outputs"], packed = pack_examples("outputs", model.outputs_, model.output_form_)
    arrays.update(packed)
    if regression.basis_ is not None:
        state["basis"], packed = pack_examples("basis", regression.basis_, model.input_form_)
        arrays.update(packed)
    elif regression.features_ is not None:
        state["features"], own = regression.features_.to_state()
        arrays.update({f"features.{name}": array for name, array in own.items()})
    if model.preimage_ in ("euler", "nearest"):
        state["lengths"], arrays["thresholds"] = model.string_preimages_.lengths, model.string_preimages_.thresholds
    return state, arrays


def dependency_from_state(model: KernelDependencyEstimator, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `dependency_to_state` gave on an estimator that has the same parameters."""
    check_state("a dependency estimator", state, STATE)
    check_arrays("a dependency estimator", rest(arrays, "components", "outputs", "basis", "features"), ARRAYS)
    model.input_kernel_, model.output_kernel_, model.alpha_ = (
        state[key] for key in ("input_kernel", "output_kernel", "alpha")
    )
    negative: Any = model.negative
    model.components_ = KernelComponents(model.n_components, negative).from_arrays(part(arrays, "components"))
    model.output_form_, model.input_form_ = state["outputs"]["form"], state["input_form"]
    model.outputs_ = unpack_examples("outputs", state["outputs"], arrays)
    regression = KernelRidge(
        model.input_kernel_, model.alpha_, approximation=model.approximation, n_basis=model.n_basis
    )
    regression.kernel_, regression.alpha_ = model.input_kernel_, model.alpha_
    regression.coefficients_, regression.leave_one_out_ = arrays["coefficients"], None
    regression.basis_, regression.features_ = None, None
    n_rows = len(regression.coefficients_)
    if state["basis"] is not None:
        regression.basis_ = unpack_examples("basis", state["basis"], arrays)
        n_rows = len(regression.basis_)
    elif state["features"] is not None:
        mapped = model.input_kernel_.restore_feature_map((state["features"], part(arrays, "features")))
        regression.features_ = mapped
        n_rows = mapped.n_features
    model.regression_ = regression
    model.landmarks_ = arrays["landmarks"]
    n_anchors, n_components = model.components_.axes_.shape
    n_outputs = len(model.components_.coordinates_)
    fits = n_rows == len(regression.coefficients_) and len(model.landmarks_) == n_anchors
    fits &= bool((model.landmarks_ < n_outputs).all())
    if len(model.outputs_) != n_outputs or not fits or regression.coefficients_.shape[1:] != (n_components,):
        raise ModelFileError("outputs, components and coefficients do not fit each other")
    model._set_candidates()
    model.preimage_ = state["preimage"]
    if model.preimage_ != (model.preimage or model.preimage_):
        raise ModelFileError(f"its pre-image is {model.preimage_!r}, but its parameters say {model.preimage!r}")
    by_grams = model.preimage_ in ("euler", "nearest")
    if not by_grams == ("lengths" in state) == ("thresholds" in arrays):
        raise ModelFileError("thresholds and lengths of n-grams belong to pre-images by n-grams, and only there")
    if by_grams:
        thresholds = arrays["thresholds"]
        model.string_preimages_ = StringPreimages(model.outputs_, state["lengths"], model.preimage_, thresholds)
        if thresholds.shape != (model.string_preimages_.space.n_grams,):
            raise ModelFileError("thresholds and n-grams do not fit each other")

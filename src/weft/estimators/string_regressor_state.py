"""What a model file keeps of a StringRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from weft.checkpoint import pack_symbols, unpack_symbols
from weft.errors import ModelFileError
from weft.estimators.examples import pack_examples, unpack_examples
from weft.estimators.gram_regressor import GramRegressor
from weft.kernel_methods.kernel_ridge import KernelRidge
from weft.preimages.gram_space import GramSpace

if TYPE_CHECKING:
    from weft.estimators.string_regressor import StringRegressor

__all__ = ["regressor_from_state", "regressor_to_state"]

Arrays = dict[str, NDArray[Any]]
PACKED = ("data", "offsets", "kinds")


def regressor_to_state(model: StringRegressor) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted regressor."""
    check_is_fitted(model, "regressors_")
    state: dict[str, Any] = {
        "form": model._form,
        "text": model._text,
        "max_length": model._max_length,
        "temperature": model.temperature_,
        "candidates": model.candidates_,
        "orders": model.space_.orders,
        "members": [],
    }
    arrays: Arrays = dict(zip((f"symbols.{key}" for key in PACKED), pack_symbols(model.classes_), strict=True))
    arrays.update(_space_arrays("space", model.space_))
    if model.language_model_ is not None:
        state["language_model"], own = model.language_model_._to_state()
        arrays.update({f"language_model.{name}": array for name, array in own.items()})
    whole: Any = None
    for i, member in enumerate(model.regressors_):
        facts, own = _ridge_state(f"member{i}", member.ridge, model._form, whole)
        if whole is None and "basis" in facts:
            whole = member.ridge.basis_
        state["members"].append({**facts, "kernel": member.ridge.kernel_, "orders": member.space.orders})
        arrays.update(own)
        arrays.update(_space_arrays(f"member{i}.space", member.space))
        arrays[f"member{i}.thresholds"], arrays[f"member{i}.caps"] = member.thresholds, member.caps
    return state, arrays


def regressor_from_state(model: StringRegressor, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `regressor_to_state` gave on a regressor that has the same parameters."""
    model._form, model._text, model._max_length = state["form"], state["text"], state["max_length"]
    model.temperature_, model.candidates_ = state["temperature"], state["candidates"]
    model.classes_ = unpack_symbols(*(arrays[f"symbols.{key}"] for key in PACKED))
    model.space_ = _space("space", state["orders"], model.classes_, arrays)
    model.language_model_ = None
    if "language_model" in state:
        if model.language_model is None:
            raise ModelFileError("it has a language model in its state, but none among its parameters")
        model.language_model_ = clone(model.language_model)
        prefix = "language_model."
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        model.language_model_._from_state(state["language_model"], own)
    model.regressors_ = []
    whole: Any = None
    for i, facts in enumerate(state["members"]):
        ridge = _ridge(f"member{i}", facts, arrays, whole)
        if whole is None and "basis" in facts:
            whole = ridge.basis_
        space = _space(f"member{i}.space", facts["orders"], model.classes_, arrays)
        thresholds, caps = arrays[f"member{i}.thresholds"], arrays[f"member{i}.caps"]
        if thresholds.shape != (space.n_grams,) or ridge.coefficients_.shape[1:] != (space.n_grams,):
            raise ModelFileError("coefficients, thresholds and n-grams do not fit each other")
        model.regressors_.append(GramRegressor(ridge, space, thresholds, caps))


def _space_arrays(name: str, space: GramSpace) -> Arrays:
    return {f"{name}.{order}": grams for order, grams in zip(space.orders, space.grams, strict=True)}


def _space(name: str, orders: list[int], symbols: list[Any], arrays: Arrays) -> GramSpace:
    return GramSpace(symbols, [arrays[f"{name}.{order}"] for order in orders])


def _ridge_state(name: str, ridge: KernelRidge, form: str, whole: Any) -> tuple[dict[str, Any], Arrays]:
    """Coefficients, and the basis or the feature map; a basis that all share is kept once."""
    facts: dict[str, Any] = {"alpha": ridge.alpha_}
    arrays: Arrays = {f"{name}.coefficients": ridge.coefficients_}
    if ridge.features_ is not None:
        facts["features"], own = ridge.features_.to_state()
        arrays.update({f"{name}.features.{key}": array for key, array in own.items()})
    elif whole is not None and _same(ridge.basis_, whole):
        facts["shares_basis"] = True
    else:
        facts["basis"], own = pack_examples(f"{name}.basis", ridge.basis_, form)
        arrays.update(own)
    return facts, arrays


def _same(basis: Any, whole: Any) -> bool:
    return len(basis) == len(whole) and all(a is b for a, b in zip(basis, whole, strict=True))


def _ridge(name: str, facts: dict[str, Any], arrays: Arrays, whole: Any) -> KernelRidge:
    ridge = KernelRidge(facts["kernel"], facts["alpha"])
    ridge.kernel_, ridge.alpha_ = clone(facts["kernel"]), facts["alpha"]
    ridge.coefficients_ = np.asarray(arrays[f"{name}.coefficients"])
    ridge.features_, ridge.basis_, ridge.leave_one_out_ = None, None, None
    if "features" in facts:
        prefix = f"{name}.features."
        own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
        ridge.features_ = ridge.kernel_.restore_feature_map((facts["features"], own))
    else:
        ridge.basis_ = whole if "shares_basis" in facts else unpack_examples(f"{name}.basis", facts["basis"], arrays)
    return ridge

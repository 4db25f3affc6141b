"""What a model file keeps of a StringRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_named, unpack_named
from weft.errors import ModelFileError
from weft.estimators.examples import FORMS, pack_examples, unpack_examples
from weft.estimators.regress.gram_regressor import GramRegressor
from weft.kernel_methods.ridge.regressor import KernelRidge
from weft.kernels.base import Kernel
from weft.parameters import check_is_fitted, clone
from weft.preimages.gram_space import GramSpace
from weft.state_rules import (
    anything,
    boolean,
    check_arrays,
    check_state,
    choice,
    floats,
    integers,
    list_of,
    optional,
    packed_symbols,
    part,
    real,
    rest,
    whole,
)

if TYPE_CHECKING:
    from weft.estimators.regress.string_regressor import StringRegressor

Arrays = dict[str, NDArray[Any]]

MOST_REPEATS = 1e6
"""No output has an n-gram so often; counts decide how long an Euler path is."""

IS_DICT = anything("a dict", lambda value: isinstance(value, dict))
LENGTHS = list_of(whole(1, 64), 1)
STATE = {
    "form": choice(*FORMS),
    "text": boolean(),
    "max_length": whole(1),
    "temperature": anything("a number of at least 0, or null", lambda value: value is None or real(0.0).accepts(value)),
    "candidates": list_of(anything("a string or a list", lambda value: isinstance(value, str | list | tuple))),
    "lengths": LENGTHS,
    "members": list_of(IS_DICT, 1),
    "language_model": optional(IS_DICT),
    "came_fitted": optional(choice(True)),
    "preimage": optional(choice("nearest", "euler", "candidates")),
}
MEMBER = {
    "alpha": real(0.0),
    "kernel": anything("a kernel", lambda value: isinstance(value, Kernel)),
    "lengths": LENGTHS,
    "features": optional(IS_DICT),
    "basis": optional(IS_DICT),
    "shares_basis": optional(choice(True)),
}
MEMBER_ARRAYS = {
    "thresholds": floats("n_grams"),
    "caps": floats("n_grams", low=0.0, high=MOST_REPEATS),
    "coefficients": floats("n_rows", "n_grams"),
}
"""What each value and array of a model file must be; examples, feature maps and the language model have their own."""


def regressor_to_state(model: StringRegressor) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted regressor."""
    check_is_fitted(model, "regressors_")
    state: dict[str, Any] = {
        "form": model._form,
        "text": model._text,
        "max_length": model._max_length,
        "temperature": model.temperature_,
        "candidates": model.candidates_,
        "lengths": model.space_.lengths,
        "members": [],
        "preimage": model.preimage_,
    }
    arrays: Arrays = pack_named("symbols", model.classes_)
    arrays.update(_space_arrays("space", model.space_))
    if model.language_model_ is not None:
        state["language_model"], own = model.language_model_._to_state()
        arrays.update({f"language_model.{name}": array for name, array in own.items()})
        if model.language_model_ is model.language_model:
            state["came_fitted"] = True
    shared: Any = None
    for i, member in enumerate(model.regressors_):
        facts, own = _ridge_state(f"member{i}", member.ridge, model._form, shared)
        if shared is None and "basis" in facts:
            shared = member.ridge.basis_
        state["members"].append({**facts, "kernel": member.ridge.kernel_, "lengths": member.space.lengths})
        arrays.update(own)
        arrays.update(_space_arrays(f"member{i}.space", member.space))
        arrays[f"member{i}.thresholds"], arrays[f"member{i}.caps"] = member.thresholds, member.caps
    return state, arrays


def regressor_from_state(model: StringRegressor, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `regressor_to_state` gave on a regressor that has the same parameters."""
    check_state("a string regressor", state, STATE)
    members = [f"member{i}" for i in range(len(state["members"]))]
    own = rest(arrays, "language_model", "space", *members)
    check_arrays("a string regressor", own, packed_symbols("symbols", "n_symbols"))
    model._form, model._text, model._max_length = state["form"], state["text"], state["max_length"]
    model.temperature_, model.candidates_ = state["temperature"], state["candidates"]
    way = state.get("preimage", model.preimage)  # older files have it among the parameters alone
    if way is None or way != (model.preimage or way):
        raise ModelFileError(f"its pre-image is {way!r}, but its parameters say {model.preimage!r}")
    model.preimage_ = way
    model.classes_ = unpack_named("symbols", arrays)
    if len(set(model.classes_)) != len(model.classes_):
        raise ModelFileError("a string regressor has the same symbol twice")
    model.space_ = _space("space", state["lengths"], model.classes_, arrays)
    model.language_model_ = None
    if "language_model" in state:
        if model.language_model is None:
            raise ModelFileError("it has a language model in its state, but none among its parameters")
        model.language_model_ = clone(model.language_model)
        model.language_model_._from_state(state["language_model"], part(arrays, "language_model"))
        if "came_fitted" in state:
            model.language_model = model.language_model_
    model.regressors_ = []
    shared: Any = None
    for i, facts in enumerate(state["members"]):
        check_state("a regressor", facts, MEMBER)
        own = part(arrays, f"member{i}")
        sizes = check_arrays("a regressor", rest(own, "space", "basis", "features"), MEMBER_ARRAYS)
        ridge = _ridge(f"member{i}", facts, arrays, shared)
        if shared is None and "basis" in facts:
            shared = ridge.basis_
        space = _space(f"member{i}.space", facts["lengths"], model.classes_, arrays)
        n_rows = len(ridge.basis_) if ridge.features_ is None else ridge.features_.n_features
        if (sizes["n_rows"], sizes["n_grams"]) != (n_rows, space.n_grams):
            raise ModelFileError("coefficients, thresholds and n-grams do not fit each other")
        model.regressors_.append(GramRegressor(ridge, space, own["thresholds"], own["caps"]))
    model.output_order_ = model.output_order
    if model.output_order_ is None and len(model.regressors_) == 1:
        model.output_order_ = max(model.space_.lengths)
    _check_members(model)


def _check_members(model: StringRegressor) -> None:
    """Raise unless the members speak about the n-grams that strings are made from."""
    space, votes = model.space_, model.preimage_ == "euler" and len(model.regressors_) > 1
    if votes and space.lengths != [2]:
        raise ModelFileError(f"regressors vote about bigrams, but n-grams have the lengths {space.lengths}")
    for each in model.regressors_:
        shared = [n for n in space.lengths if n in each.space.lengths]
        same = all(
            np.array_equal(space.grams[space.lengths.index(n)], each.space.grams[each.space.lengths.index(n)])
            for n in shared
        )
        if votes:
            pairs = [grams[:, i : i + 2] for grams in each.space.grams for i in range(grams.shape[1] - 1)]
            same &= all(bool(np.isin(space.encode_rows(rows), space.keys[0]).all()) for rows in pairs)
        elif model.preimage_ == "euler":
            same &= shared == each.space.lengths == space.lengths
        if not same:
            raise ModelFileError("a string regressor and its members have different n-grams")


def _space_arrays(name: str, space: GramSpace) -> Arrays:
    return {f"{name}.{n}": grams for n, grams in zip(space.lengths, space.grams, strict=True)}


def _space(name: str, lengths: list[int], symbols: list[Any], arrays: Arrays) -> GramSpace:
    if sorted(set(lengths)) != list(lengths):
        raise ModelFileError(f"n-grams have the lengths {lengths}; needed them sorted, each once")
    own = part(arrays, name)
    check_arrays("n-grams", own, {str(n): integers(f"n_{n}", n, below=len(symbols) + 1) for n in lengths})
    space = GramSpace(symbols, [own[str(n)] for n in lengths])
    if space.base ** lengths[-1] > 2**62 or any(bool((keys[1:] <= keys[:-1]).any()) for keys in space.keys):
        raise ModelFileError("n-grams are too long to number, or not sorted without repeats")
    return space


def _ridge_state(name: str, ridge: KernelRidge, form: str, shared: Any) -> tuple[dict[str, Any], Arrays]:
    """Coefficients, and the basis or the feature map; a basis that all share is kept once."""
    facts: dict[str, Any] = {"alpha": ridge.alpha_}
    arrays: Arrays = {f"{name}.coefficients": ridge.coefficients_}
    if ridge.features_ is not None:
        facts["features"], own = ridge.features_.to_state()
        arrays.update({f"{name}.features.{key}": array for key, array in own.items()})
    elif shared is not None and _same(ridge.basis_, shared):
        facts["shares_basis"] = True
    else:
        facts["basis"], own = pack_examples(f"{name}.basis", ridge.basis_, form)
        arrays.update(own)
    return facts, arrays


def _same(basis: Any, shared: Any) -> bool:
    return len(basis) == len(shared) and all(a is b for a, b in zip(basis, shared, strict=True))


def _ridge(name: str, facts: dict[str, Any], arrays: Arrays, shared: Any) -> KernelRidge:
    if ("features" in facts) + ("basis" in facts) + ("shares_basis" in facts) != 1:
        raise ModelFileError("a regressor has basis examples or features; several or none given")
    if "shares_basis" in facts and shared is None:
        raise ModelFileError("a regressor shares its basis with none")
    ridge = KernelRidge(facts["kernel"], facts["alpha"])
    ridge.kernel_, ridge.alpha_ = clone(facts["kernel"]), facts["alpha"]
    ridge.coefficients_ = np.asarray(arrays[f"{name}.coefficients"])
    ridge.features_, ridge.basis_, ridge.leave_one_out_ = None, None, None
    if "features" in facts:
        ridge.features_ = ridge.kernel_.restore_feature_map((facts["features"], part(arrays, f"{name}.features")))
    else:
        ridge.basis_ = shared if "shares_basis" in facts else unpack_examples(f"{name}.basis", facts["basis"], arrays)
    return ridge

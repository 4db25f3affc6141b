"""What the parameters of a StringRegressor mean together: pre-images to choose from, strengths, candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernel_methods.ridge.regressor import KernelRidge
from weft.kernels.base import Kernel
from weft.language_model import NGramLanguageModel
from weft.sequences.checks import as_sequences, check_symbols

if TYPE_CHECKING:
    from weft.estimators.regress.string_regressor import StringRegressor

PREIMAGES = ("nearest", "euler", "candidates")
STRENGTHS = (0.0001, 0.001, 0.01, 0.1, 1.0)
APPROXIMATE_STRENGTH = 0.01
"""What None means: among what leave-one-out predictions choose, and what serves approximations, which have none."""


def check_parameters(regressor: StringRegressor) -> None:
    """Refuse a pre-image that there is not, and parameters that would change nothing."""
    if regressor.preimage is not None and regressor.preimage not in PREIMAGES:
        raise InputError(f"preimage is {regressor.preimage!r}; use one of {', '.join(map(repr, PREIMAGES))}.")
    for name in ("beam_width", "max_length"):
        if getattr(regressor, name) is not None:
            checked_number(name, getattr(regressor, name))
    model = regressor.language_model
    if model is not None and not isinstance(model, NGramLanguageModel):
        raise InputError(f"language_model is {model!r:.60}; an NGramLanguageModel is needed, or None.")
    ways, several = ways_of(regressor), regressor.n_regressors != 1
    nearest = "nearest" in ways
    ranked = nearest or (regressor.preimage == "euler" and regressor.language_model is not None)
    for name, is_used, user in (
        ("candidates", "candidates" in ways, "preimage='candidates'"),
        ("language_model", ways != ("candidates",), "preimage='nearest' and 'euler'"),
        ("new_gram_cost", nearest, "preimage='nearest'"),
        ("max_length", nearest, "preimage='nearest'"),
        ("model_weight", nearest and regressor.language_model is not None, "preimage='nearest' with a language_model"),
        ("beam_width", ranked, "preimage='nearest', and 'euler' with a language_model,"),
        ("output_order", not several or isinstance(regressor.input_kernel, list | tuple), "n_regressors=1"),
        ("n_basis", regressor.approximation is not None, "an approximation"),
    ):
        value = getattr(regressor, name)
        if value is not None and not is_used:
            shown = type(value).__name__ if name in ("candidates", "language_model") else repr(value)
            raise InputError(f"{name} is {shown}, but only {user} can use it; leave it out, or change that.")


def ways_of(regressor: StringRegressor) -> tuple[str, ...]:
    """Pre-images to choose from: the one that was given, that some option belongs to, or two."""
    if regressor.preimage is not None:
        return (regressor.preimage,)
    if regressor.candidates is not None:
        return ("candidates",)
    searched = (
        regressor.language_model,
        regressor.model_weight,
        regressor.new_gram_cost,
        regressor.beam_width,
        regressor.max_length,
    )
    return ("nearest", "candidates") if all(option is None for option in searched) else ("nearest",)


def ridge_of(regressor: StringRegressor, kernel: Kernel, seed: int) -> KernelRidge:
    """A regression onto n-gram counts, not fitted."""
    alpha = regressor.alpha
    if alpha is None:
        alpha = STRENGTHS if regressor.approximation is None else APPROXIMATE_STRENGTH
    return KernelRidge(
        kernel, alpha, approximation=regressor.approximation, n_basis=regressor.n_basis, random_state=seed
    )


def candidates_of(regressor: StringRegressor, outputs: list[Any]) -> list[Any]:
    """Different strings to choose among, as lists of symbols that training outputs have; none if none are needed."""
    if "candidates" not in ways_of(regressor):
        return []
    chosen = outputs if regressor.candidates is None else as_sequences(regressor.candidates, "candidates")
    for place, candidate in enumerate(chosen):
        check_symbols(candidate, f"candidates[{place}]")
    found = list(dict.fromkeys(tuple(each) for each in chosen))
    unknown = {symbol for each in found for symbol in each} - {symbol for each in outputs for symbol in each}
    if unknown:
        raise InputError(
            f"candidates have the symbol {sorted(map(repr, unknown))[0]}, which no training output has; "
            "drop them, or train on outputs that have it."
        )
    return [list(each) for each in found]

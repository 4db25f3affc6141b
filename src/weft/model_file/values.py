"""Values in model files: plain ones as JSON, numbers in arrays, components by name and parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from weft.checkpoint.array_file import Arrays
from weft.errors import ModelFileError
from weft.model_file.classes import FITTED_PARTS, class_name_of, class_of, is_of_type, parameter_types
from weft.parameters import is_fitted

# Parameters that say how something runs and not what comes out: not written, so that equal models are equal files.
NOT_WRITTEN = frozenset({"n_jobs", "verbose"})

NESTED = "value/"
"""Before the names of arrays inside parameters and state; those that an estimator returns live apart."""


def build(name: Any, parameters: Any, arrays: Arrays, given: dict[str, Any] | None = None) -> Any:
    """An object of a named class with the encoded parameters, each of a type that the class allows."""
    made = class_of(name)
    hints = parameter_types(name)
    values = {str(key): decode(value, arrays) for key, value in parameters.items()}
    for key, value in values.items():
        if not is_of_type(value, hints.get(key, Any)):
            raise ModelFileError(f"parameter {key[:40]!r} of {name} is a {type(value).__name__}, which it cannot be")
    return made(**values, **(given or {}))


def encode_parameters(component: Any, arrays: Arrays, where: str) -> dict[str, Any]:
    """What a component was built with, as JSON."""
    return {
        key: encode(value, arrays, f"parameter {key!r} of {where}")
        for key, value in component.get_params(deep=False).items()
        if key not in NOT_WRITTEN and not (key == "structure" and class_name_of(value) is None)
    }


def encode(value: Any, arrays: Arrays, where: str) -> Any:
    """Turn a value into JSON; whatever JSON lacks becomes an object with one key, a ``$`` name."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, list):
        return [encode(each, arrays, where) for each in value]
    if isinstance(value, tuple):
        return {"$tuple": [encode(each, arrays, where) for each in value]}
    if isinstance(value, dict):
        items = [[encode(key, arrays, where), encode(each, arrays, where)] for key, each in value.items()]
        return {"$dict": items}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        key = f"{NESTED}{len(arrays)}"
        arrays[key] = value
        return {"$array": key}
    name = class_name_of(value)
    if name is not None:
        encoded = {"$component": name, "parameters": encode_parameters(value, arrays, name)}
        if name in FITTED_PARTS and is_fitted(value):
            encoded["learned"] = [encode(each, arrays, f"the state of {name}") for each in value._to_state()]
        return encoded
    raise ModelFileError(
        f"cannot save {where}: it is a {type(value).__name__}, and model files hold no code. "
        "Use a number, string, list, tuple, dict, numeric array or one of weft's components there."
    )


def decode(value: Any, arrays: Arrays) -> Any:
    """Turn the JSON of `encode` back into the value."""
    if isinstance(value, list):
        return [decode(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$float": str(text)} if text in ("nan", "inf", "-inf"):
            return float(text)
        case {"$tuple": list(items)}:
            return tuple(decode(each, arrays) for each in items)
        case {"$dict": list(items)}:
            return {decode(key, arrays): decode(each, arrays) for key, each in items}
        case {"$array": str(key)}:
            return arrays[key]
        case {"$component": name, "parameters": dict(parameters), "learned": [state, own]} if name in FITTED_PARTS:
            part = build(name, parameters, arrays)
            part._from_state(decode(state, arrays), decode(own, arrays))
            return part
        case {"$component": name, "parameters": dict(parameters)}:
            return build(name, parameters, arrays)
    raise ModelFileError("its header has a value of an unknown kind")

"""Objects of scikit-learn that have an estimator of ours inside: what of them can be saved."""

from __future__ import annotations

from copy import copy
from typing import Any

from weft.model_file.classes import class_name_of


def _steps(value: Any) -> list[Any]:
    """Steps of a pipeline that do something; none of what is no pipeline."""
    steps = getattr(value, "steps", None)
    if not (isinstance(steps, list) and all(isinstance(each, tuple) and len(each) == 2 for each in steps)):
        return []
    return [step for _, step in steps if step is not None and step != "passthrough"]


def estimator_of(value: Any) -> Any:
    """The estimator that does what a pipeline of ours does: its last step, with the window before it as `features`."""
    match _steps(value):
        case [last] if class_name_of(last) is not None:
            return last
        case [window, last] if class_name_of(window) == "WindowFeatures" and class_name_of(last) is not None:
            if last.get_params(deep=False).get("features", window) is None:
                joined = copy(last)
                joined.features = window
                return joined
    return value


def what_to_save(value: Any) -> str | None:
    """What to do with an object of others that has an estimator of ours inside."""
    for attribute, what in (("best_estimator_", "the best one"), ("estimator_", "the model inside")):
        if class_name_of(getattr(value, attribute, None)) is not None:
            return f"model files hold estimators alone; save {what}, weft.save(it.{attribute}, path)."
    steps = _steps(value)
    if not steps:
        return None
    last = steps[-1]
    if class_name_of(last) is None or not hasattr(last, "_to_state"):
        return f"its last step is a {type(last).__name__}, and model files hold estimators of weft; use one there."
    others = ", ".join(type(step).__name__ for step in steps[:-1])
    return (
        f"model files hold one estimator, and no {others} before it; save the last step, weft.save(it[-1], path), keep "
        "it[:-1] by other means, such as skops or joblib, and predict from what it[:-1].transform gives."
    )

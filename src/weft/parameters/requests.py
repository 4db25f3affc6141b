"""Arguments of methods beyond X and y, as scikit-learn's metadata routing asks for them."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "split",
    "transform",
    "inverse_transform",
)
"""What scikit-learn routes arguments to."""

DATA = {"X", "y", "Y", "Xt", "yt"}
"""Arguments that are no metadata."""


def metadata_of(kind: type) -> dict[str, list[str]]:
    """For each method that a class has, the names of its arguments beyond the data, sorted.

    Examples
    --------
    >>> from weft.estimators.rewrite.rewriter import Rewriter
    >>> metadata_of(Rewriter)["predict"]
    ['tags']
    """
    found = {}
    for method in METHODS:
        function = getattr(kind, method, None)
        if not isinstance(function, FunctionType):
            continue
        _, *arguments = inspect.signature(function).parameters.values()
        found[method] = sorted(
            argument.name
            for argument in arguments
            if argument.name not in DATA and argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
        )
    return found


def metadata_request(owner: Any) -> Any:
    """A `MetadataRequest` of scikit-learn: what was set by ``set_fit_request`` and the like, or nothing yet decided."""
    from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

    if hasattr(owner, "_metadata_request"):
        return get_routing_for_object(owner._metadata_request)
    request = MetadataRequest(owner=type(owner).__name__)  # a name: some versions copy the owner deeply
    for method, names in metadata_of(type(owner)).items():
        for name in names:
            getattr(request, method).add_request(param=name, alias=None)
    return request


class SetRequest:
    """Makes ``set_fit_request`` and its like: which arguments a router is to hand to the method."""

    def __init__(self, method: str, names: list[str]) -> None:
        self.method = method
        self.names = names

    def __get__(self, owner: Any, kind: type) -> Any:
        def set_request(*me: Any, **requests: Any) -> Any:
            from sklearn import get_config
            from sklearn.utils.metadata_routing import UNCHANGED

            if not get_config()["enable_metadata_routing"]:
                raise RuntimeError(
                    "This method is only available when metadata routing is enabled. You can enable it using "
                    "sklearn.set_config(enable_metadata_routing=True)."
                )
            bound, *more = me if owner is None else (owner, *me)
            if more:
                raise TypeError(f"set_{self.method}_request() takes only keywords")
            unknown = sorted(requests.keys() - set(self.names))
            if unknown:
                raise TypeError(
                    f"{self.method} of {type(bound).__name__} has no argument {unknown[0]!r}; "
                    f"it has {', '.join(self.names) or 'none'}"
                )
            request = bound._get_metadata_request()
            for name, alias in requests.items():
                if alias is not UNCHANGED:
                    getattr(request, self.method).add_request(param=name, alias=alias)
            bound._metadata_request = request
            return bound

        arguments = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] if owner is None else []
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default="$UNCHANGED$") for name in self.names
        ]
        made: Any = set_request
        made.__name__ = f"set_{self.method}_request"
        made.__qualname__ = f"{kind.__qualname__}.{made.__name__}"
        made.__doc__ = (
            f"Say which arguments a router of scikit-learn hands to `{self.method}`: True, False, None (an error if "
            "they are given), or the name under which they come."
        )
        made.__signature__ = inspect.Signature([*arguments, *keywords])
        return made

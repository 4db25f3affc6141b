"""What is there only after fitting, or only with some parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, cast


def is_fitted(estimator: Any) -> bool:
    """Whether anything was learned: attributes whose names end in an underscore tell.

    Examples
    --------
    >>> from weft.language_model.model import NGramLanguageModel
    >>> is_fitted(NGramLanguageModel(2)), is_fitted(NGramLanguageModel(2).fit(["ab"]))
    (False, True)
    """
    if hasattr(estimator, "__sklearn_is_fitted__"):
        return bool(estimator.__sklearn_is_fitted__())
    return any(name.endswith("_") and not name.startswith("__") for name in getattr(estimator, "__dict__", ()))


def check_is_fitted(estimator: Any, attribute: str | None = None) -> None:
    """Raise scikit-learn's `NotFittedError` unless `attribute` (None: anything) was learned.

    Examples
    --------
    >>> from weft.language_model.model import NGramLanguageModel
    >>> check_is_fitted(NGramLanguageModel(2), "tables_")
    Traceback (most recent call last):
    ...
    sklearn.exceptions.NotFittedError: This NGramLanguageModel instance is not fitted yet. Call 'fit' ...
    """
    if is_fitted(estimator) if attribute is None else hasattr(estimator, attribute):
        return
    # The type that users of scikit-learn catch; whoever only predicts never comes here.
    from sklearn.exceptions import NotFittedError

    raise NotFittedError(
        f"This {type(estimator).__name__} instance is not fitted yet. "
        "Call 'fit' with appropriate arguments before using this estimator."
    )


class _Available:
    """A method that objects have only if `check` says so, so that `hasattr` tells."""

    def __init__(self, method: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self.method = method
        self.check = check
        functools.update_wrapper(cast("Any", self), method)

    def _ask(self, owner: Any) -> None:
        message = f"This {type(owner).__name__!r} has no attribute {self.method.__name__!r}"
        try:
            available = self.check(owner)
        except Exception as error:
            raise AttributeError(message) from error
        if not available:
            raise AttributeError(message)

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Any]:
        if owner is not None:
            self._ask(owner)
            return MethodType(self.method, owner)

        @functools.wraps(self.method)
        def unbound(*arguments: Any, **options: Any) -> Any:
            self._ask(arguments[0])
            return self.method(*arguments, **options)

        return unbound


def available_if(check: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a method that is there only if `check` of the object is true.

    Parameters
    ----------
    check : callable
        Gives True, or gives False or raises when there is no such method.

    Examples
    --------
    >>> class Words:
    ...     many = False
    ...     @available_if(lambda words: words.many)
    ...     def split(self):
    ...         return ["a", "b"]
    >>> hasattr(Words(), "split")
    False
    """
    return lambda method: _Available(method, check)

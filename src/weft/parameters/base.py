"""Parameters: what the constructor takes, to be read, set, shown and searched."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

from weft.errors import InputError
from weft.parameters.display import parameters_html, parameters_text
from weft.parameters.requests import SetRequest, metadata_of, metadata_request
from weft.spelling import did_you_mean

if TYPE_CHECKING:
    from weft.annotations import Inputs


def _parameter_names(kind: type) -> tuple[str, ...]:
    """Names that the constructor takes, sorted."""
    init: Any = kind.__init__  # type: ignore[misc]
    if init is object.__init__:
        return ()
    _, *parameters = inspect.signature(init).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        raise RuntimeError(f"{kind.__name__} takes *args; its constructor must name each parameter.")
    return tuple(sorted(parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD))


class Parameters:
    """An object that is made from the parameters of its constructor, each kept in an attribute of its name.

    Examples
    --------
    >>> class Ridge(Parameters):
    ...     def __init__(self, strength=1.0, solver=None):
    ...         self.strength = strength
    ...         self.solver = solver
    >>> Ridge(2.0).get_params()
    {'solver': None, 'strength': 2.0}
    >>> Ridge().set_params(strength=3.0)
    Ridge(strength=3.0)
    >>> Ridge().set_params(strenth=3.0)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: Ridge has no parameter 'strenth'; did you mean 'strength'? It has solver, strength.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for method, names in metadata_of(cls).items():
            setter = f"set_{method}_request"
            inherited = inspect.getattr_static(cls, setter, None)
            # A method that someone wrote stays; one of ours is made again, for the arguments may be others here.
            if isinstance(inherited, SetRequest) or (inherited is None and names):
                setattr(cls, setter, SetRequest(method, names))

    # ------------------------------------------------------------- parameters

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters, sorted; scikit-learn asks under this name."""
        return list(_parameter_names(cls))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name.

        Parameters
        ----------
        deep : bool
            Also those of parameters that have some themselves, as ``learner__c2``.
        """
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            found[name] = value
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, those of parts as ``learner__c2``; nothing is set when this has no such parameter.

        Raises
        ------
        InputError
            When there is no such parameter, or the part that it belongs to has none.
        """
        inner: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for path, value in parameters.items():
            name, divider, rest = path.partition("__")
            if name not in self._get_param_names():
                raise InputError(self._no_such(name))
            if divider:
                inner.setdefault(name, {})[rest] = value
            else:
                own[name] = value
        for name, value in own.items():
            setattr(self, name, value)
        for name, values in inner.items():
            part = getattr(self, name)
            if not hasattr(part, "set_params"):
                raise InputError(
                    f"{name} of {type(self).__name__} is {part!r}, so {name}__{next(iter(values))} cannot be set; "
                    f"give {name} an object with that parameter first."
                )
            part.set_params(**values)
        return self

    def _no_such(self, name: str) -> str:
        known = self._get_param_names()
        near = did_you_mean(name, known)
        guess = f"did you mean {near!r}? " if near else ""
        return (
            f"{type(self).__name__} has no parameter {name!r}; {guess}"
            f"{'It' if guess else 'it'} has {', '.join(known) or 'none'}."
        )

    # ----------------------------------------------------------------- showing

    def __repr__(self) -> str:
        return parameters_text(self)

    def _repr_html_(self) -> str:
        """All parameters as a table, for notebooks."""
        return parameters_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __dir__(self) -> list[str]:
        # Without the methods that `available_if` hides.
        return [name for name in super().__dir__() if hasattr(self, name)]

    # ------------------------------------------------- what scikit-learn asks

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def _get_metadata_request(self) -> Any:
        return metadata_request(self)

    def get_metadata_routing(self) -> Any:
        """Which arguments beyond X and y each method asks for (a `MetadataRequest` of scikit-learn)."""
        return self._get_metadata_request()


class Classifier:
    """Tells scikit-learn that classes are predicted, so that its cross-validation keeps their shares.

    Stands before `Parameters` among the bases.
    """

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags


class Transformer:
    """Gives whoever has `fit` and `transform` the method `fit_transform`, and tells scikit-learn.

    Stands before `Parameters` among the bases.
    """

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags()
        return tags

    def fit_transform(self, X: Inputs, y: object = None, **fit_options: Any) -> Any:
        """Fit, and transform the same inputs."""
        me: Any = self
        fitted = me.fit(X, **fit_options) if y is None else me.fit(X, y, **fit_options)
        return fitted.transform(X)

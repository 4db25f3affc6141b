"""Predictions and scores on a cluster: partitions in, partitions out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from weft.errors import InputError
from weft.scale.examples import Examples

if TYPE_CHECKING:
    from weft.annotations import Client, Predictor

__all__ = ["evaluate", "predict"]

Result = TypeVar("Result")


def predict(estimator: Predictor, X: Any, client: Client | None = None) -> Any:
    """Predictions of a fitted estimator, where the inputs are.

    Parameters
    ----------
    estimator : fitted estimator
        It travels to each worker once.
    X : Dask bag of inputs, or `Examples`
    client : dask.distributed.Client
        Whose workers read and predict `Examples`; a bag goes wherever it is computed.

    Returns
    -------
    Dask bag or list of lists
        A bag of predictions for a bag, computed when it is asked for; else the predictions of each part.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger().fit(["ab", "ba"], ["xy", "yx"])
    >>> parts = weft.scale.Examples.from_lists(["aab", "b", "a"], ["xxy", "y", "x"], n_parts=2)
    >>> weft.scale.predict(tagger, parts, client)  # doctest: +SKIP
    [[['x', 'x', 'y']], [['y'], ['x']]]
    """
    if type(X).__module__.startswith("dask.bag"):
        return X.map_partitions(_predictions, estimator)
    return [predicted for _, predicted in _answered(estimator, X, client, False)]


def evaluate(
    estimator: Predictor, examples: Examples, metric: Callable[[list[Any], list[Any]], Result], client: Client
) -> Result:
    """What a metric says about the predictions for examples in parts: the same as on one machine.

    Workers read and predict; outputs come to the client, which needs room for them.

    Parameters
    ----------
    estimator : fitted estimator
    examples : Examples
    metric : callable
        Gets references and predictions of all examples, such as those of `weft.metrics`.
    client : dask.distributed.Client
    """
    found = _answered(estimator, examples, client, True)
    return metric([y for own, _ in found for y in own], [y for _, own in found for y in own])


def _answered(estimator: Any, examples: Any, client: Any, with_references: bool) -> list[tuple[Any, Any]]:
    if not isinstance(examples, Examples):
        raise InputError(f"a {type(examples).__name__} given; need weft.scale.Examples, or a Dask bag to predict.")
    if client is None:
        raise InputError("client is None; pass the dask.distributed.Client whose workers predict.")
    from weft.scale.cluster import check_workers, gathered, submitted

    check_workers(client)
    there = submitted(client, _same, estimator)
    return gathered(client, [submitted(client, _answer, there, each, with_references) for each in examples.readers])


def _same(value: Any) -> Any:
    return value


def _answer(estimator: Any, reader: Callable[[], tuple[Any, Any]], with_references: bool) -> tuple[Any, Any]:
    X, y = reader()
    return (list(y) if with_references else None), _predictions(X, estimator)


def _predictions(X: Any, estimator: Any) -> list[Any]:
    from weft.core.threads import core_share

    X = list(X)
    with core_share(1):
        return list(estimator.predict(X)) if X else []

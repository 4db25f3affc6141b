"""How the answers of parts become the answer of the whole: one table for all questions of the contract.

A part is a batch of some of the sequences. What it gives is *final* (`weft.core.shards`), so that anybody can merge two
neighbours: sums are added, what belongs to single sequences is put one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import vstack

from weft.core.shards import added

__all__ = ["SHAPES", "PartOutputs", "answer", "finished", "merged", "own_arguments"]

SHAPES: dict[str, str | tuple[str, ...]] = {
    "observed": "sum",
    "log_partition_and_mean": ("sum", "sum"),
    "reference_partition_and_mean": ("sum", "sum"),
    "covariance_product": "sum",
    "covariance_with": ("sum", "numbers"),
    "variances": "sum",
    "log_partitions": "numbers",
    "scores": "numbers",
    "losses": "numbers",
    "expectations": "numbers",
    "score_moments": ("numbers", "numbers"),
    "features_of": "rows",
    "reference": "outputs",
    "best_references": ("outputs", "numbers"),
    "argmax": ("outputs", "numbers"),
    "most_accurate": "outputs",
    "kbest": "list",
    "marginals": "list",
    "likely_pairs": "list",
    "largest_feature": "largest",
    "expected_chunks": ("sum", "sum"),
    "best_chunks": ("numbers", "numbers"),
}
"""What each question gives: a sum, numbers of each sequence, rows of a sparse matrix, outputs, a list."""


class PartOutputs(list[Any]):
    """Outputs of all sequences, as those of each part."""


def own_arguments(arguments: Sequence[Any], part: int) -> tuple[Any, ...]:
    """The arguments of a question for one part: of outputs, those of its sequences.

    Examples
    --------
    >>> own_arguments([np.ones(1), PartOutputs(["a", "b"])], 1)
    (array([1.]), 'b')
    """
    return tuple(given[part] if isinstance(given, PartOutputs) else given for given in arguments)


def answer(batch: Any, question: str, arguments: Sequence[Any], sample_weight: Any = None) -> Any:
    """What a part answers, in the form that `merged` takes: its values in lists, one for each part.

    Examples
    --------
    >>> import weft
    >>> batch = weft.Tagger().fit(["ab"], ["xy"]).bind(["ab", "a"], ["xy", "x"])
    >>> answer(batch, "losses", [batch.reference()])
    [array([0., 0.])]
    """
    if sample_weight is not None:
        batch = batch.weighted(sample_weight)
    found, shape = getattr(batch, question)(*arguments), SHAPES[question]
    if isinstance(shape, tuple):
        return tuple(_one(own, value) for own, value in zip(shape, found, strict=True))
    return _one(shape, found)


def _one(shape: str, value: Any) -> Any:
    return value if shape == "sum" else [value]


def merged(question: str, left: Any, right: Any) -> Any:
    """The answer of two neighbours; arrays of the first are changed in place.

    Examples
    --------
    >>> merged("losses", [np.zeros(2)], [np.ones(1)])
    [array([0., 0.]), array([1.])]
    >>> merged("log_partition_and_mean", (1.0, np.ones(2)), (2.0, np.ones(2)))
    (3.0, array([2., 2.]))
    """
    shape = SHAPES[question]
    if isinstance(shape, tuple):
        return tuple(_merged(own, *both) for own, *both in zip(shape, left, right, strict=True))
    return _merged(shape, left, right)


def _merged(shape: str, left: Any, right: Any) -> Any:
    return added(left, right) if shape == "sum" else left + right


def finished(question: str, found: Any) -> Any:
    """The merged answers of all parts as a batch of all sequences would give them.

    Examples
    --------
    >>> finished("losses", [np.zeros(2), np.ones(1)])
    array([0., 0., 1.])
    """
    shape = SHAPES[question]
    if isinstance(shape, tuple):
        return tuple(_finished(own, value) for own, value in zip(shape, found, strict=True))
    return _finished(shape, found)


def _finished(shape: str, values: Any) -> Any:
    if shape == "numbers":
        return np.concatenate(values)
    if shape == "rows":
        return vstack(values, format="csr")
    if shape == "outputs":
        return PartOutputs(values)
    if shape == "list":
        return [each for own in values for each in own]
    return max(values) if shape == "largest" else values

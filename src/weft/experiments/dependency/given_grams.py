"""Kernel dependency estimation on given Gram matrices, and the neighbours that it is compared with.

Experiments choose widths and strengths by cross-validation inside a training fold; with Gram matrices at hand a choice
costs one decomposition per width and fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats, Integers
from weft.kernel_methods.pca import KernelComponents
from weft.kernel_methods.ridge.path import RidgePath
from weft.preimages.candidates import nearest_candidates


class Chosen(NamedTuple):
    """Width and strength with the smallest loss in cross-validation."""

    width: float
    alpha: float
    loss: float


def gaussian(squared: Floats, width: float) -> Floats:
    """Gaussian kernel of squared distances.

    Examples
    --------
    >>> gaussian(np.array([2.0]), 1.0).round(3)
    array([0.368])
    """
    found: Floats = np.exp(-squared / (2.0 * width * width))
    return found


def folds(n: int, n_folds: int, random: np.random.Generator) -> Iterator[tuple[Integers, Integers]]:
    """Random parts of equal size: for each, the others and itself.

    Examples
    --------
    >>> sorted(len(part) for _, part in folds(7, 3, np.random.default_rng(0)))
    [2, 2, 3]
    """
    parts = np.array_split(random.permutation(n), n_folds)
    for part in parts:
        yield np.setdiff1d(np.arange(n), part), np.sort(part)


def predicted_places(
    gram: Floats, output_gram: Floats, cross: Floats, alphas: Sequence[float], n_components: int | None = None
) -> list[Integers]:
    """For each strength, which training output each test input is mapped to.

    Parameters
    ----------
    gram, output_gram : ndarray of shape (n, n)
        Of training inputs and outputs.
    cross : ndarray of shape (n_test, n)
        Kernel of test and training inputs.
    alphas : sequence of float
    n_components : int, optional

    Examples
    --------
    >>> predicted_places(np.eye(2), np.eye(2), np.array([[0.1, 0.9]]), [1.0])
    [array([1])]
    """
    components = KernelComponents(n_components).fit(output_gram)
    path = RidgePath(gram, components.coordinates_)
    images = components.coordinates_
    return [nearest_candidates(cross @ path.coefficients(alpha), images)[0][:, 0] for alpha in alphas]


def choose(
    squared: Floats,
    output_gram: Floats,
    losses: Floats,
    widths: Sequence[float],
    alphas: Sequence[float],
    random: np.random.Generator,
    n_folds: int = 5,
) -> Chosen:
    """Width of the input kernel and strength, by the mean loss over folds of the training data.

    Parameters
    ----------
    squared : ndarray of shape (n, n)
        Squared distances of training inputs.
    output_gram : ndarray of shape (n, n)
    losses : ndarray of shape (n, n)
        What it costs to give output j for example i.
    widths, alphas : sequences of float
    random : Generator
    n_folds : int

    Examples
    --------
    >>> x = np.arange(12.0)[:, None]
    >>> labels = (x > 5).astype(float)
    >>> found = choose((x - x.T) ** 2, labels @ labels.T, (labels != labels.T) * 1.0, [0.01, 3.0], [0.1],
    ...                np.random.default_rng(0), 3)
    >>> found.width
    3.0
    """
    totals = np.zeros((len(widths), len(alphas)))
    for train, part in folds(len(squared), n_folds, random):
        own = np.ix_(train, train)
        for i, width in enumerate(widths):
            gram = gaussian(squared[own], width)
            cross = gaussian(squared[np.ix_(part, train)], width)
            for j, places in enumerate(predicted_places(gram, output_gram[own], cross, alphas)):
                totals[i, j] += float(losses[part, train[places]].sum())
    best, other = divmod(int(totals.argmin()), len(alphas))
    return Chosen(float(widths[best]), float(alphas[other]), float(totals.min()) / len(squared))


def outputs_of(neighbours_of: Integers, losses: Floats) -> Integers:
    """Of all training outputs the one with the smallest summed loss to those of the neighbours, for each row."""
    return np.asarray(losses[neighbours_of].sum(axis=1).argmin(axis=1))


def neighbours(
    cross: Floats, squared: Floats, losses: Floats, sizes: Sequence[int], random: np.random.Generator, n_folds: int = 5
) -> tuple[Integers, int]:
    """Outputs by the nearest training inputs, as many as cross-validation says, and how many these are.

    Parameters
    ----------
    cross : ndarray of shape (n_test, n)
        Squared distances of test and training inputs.
    squared : ndarray of shape (n, n)
    losses : ndarray of shape (n, n)
        Between training outputs.
    sizes : sequence of int
    random : Generator
    n_folds : int

    Examples
    --------
    >>> squared = (np.arange(6.0)[:, None] - np.arange(6.0)) ** 2
    >>> neighbours(squared, squared, 1.0 - np.eye(6), [1], np.random.default_rng(0), 2)
    (array([0, 1, 2, 3, 4, 5]), 1)
    """
    totals = np.zeros(len(sizes))
    if len(sizes) > 1:
        for train, part in folds(len(squared), n_folds, random):
            order = np.argsort(squared[np.ix_(part, train)], axis=1, kind="stable")
            own = losses[np.ix_(train, train)]
            for i, size in enumerate(sizes):
                totals[i] += float(losses[part, train[outputs_of(order[:, :size], own)]].sum())
    size = int(sizes[int(totals.argmin())])
    order = np.argsort(cross, axis=1, kind="stable")[:, :size]
    return outputs_of(order, losses), size


def squared_distances(rows: Any, others: Any = None) -> Floats:
    """Squared Euclidean distances.

    Examples
    --------
    >>> squared_distances([[0.0], [3.0]])
    array([[0., 9.],
           [9., 0.]])
    """
    X = np.asarray(rows, dtype=np.float64)
    Y = X if others is None else np.asarray(others, dtype=np.float64)
    found = np.einsum("ij,ij->i", X, X)[:, None] + np.einsum("ij,ij->i", Y, Y) - 2.0 * X @ Y.T
    return np.asarray(np.maximum(found, 0.0))


Progress = Callable[[str], None]

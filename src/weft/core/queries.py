"""Questions about the derivations of a graph; every learner asks only these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.annotations import Matrix
from weft.core.checks import (
    checked_features,
    checked_number,
    checked_scores,
    no_derivation,
    require_derivation,
)
from weft.core.graph import DerivationGraph, IntArray, SmallIntArray
from weft.core.k_best import best_derivations
from weft.core.mean_covariance import Moments, graph_moments
from weft.core.passes import inside
from weft.core.posteriors import posterior
from weft.core.semirings import Counting, Draw, Dual, FloatArray, Log, MaxPlus
from weft.core.tracebacks import traceback
from weft.errors import InputError

RandomState = int | np.random.Generator | np.random.RandomState | None


@dataclass(frozen=True, eq=False)
class Derivation:
    """One member of the set that a graph describes.

    Parameters
    ----------
    edges : ndarray of int64
        Top-down: each edge stands before those of its left and then its right tail.
    parts : ndarray of int32
        Parts of those edges that carry one, in the same order.
    score : float
        Sum of the scores of the parts.

    Examples
    --------
    >>> Derivation(np.array([3, 0]), np.array([1], dtype=np.int32), 2.0).score
    2.0
    """

    edges: IntArray
    parts: SmallIntArray
    score: float


def argmax(graph: DerivationGraph, scores: npt.ArrayLike) -> Derivation:
    """Find the derivation with the highest score; the first edge of a node wins ties.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
        ``-inf`` forbids a part.

    Returns
    -------
    Derivation

    Examples
    --------
    >>> from weft.core import DerivationGraph, argmax
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> argmax(graph, [1.0, 2.0]).parts
    array([1], dtype=int32)
    """
    scores = checked_scores(graph, scores)
    table = inside(MaxPlus(), graph, scores)
    require_derivation(table[-1])
    return _derivation(graph, traceback(MaxPlus(), graph, scores, table), float(table[-1]))


def kbest(graph: DerivationGraph, scores: npt.ArrayLike, k: int) -> list[Derivation]:
    """List the k derivations with the highest scores, best first; all of them if there are fewer.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
    k : int

    Returns
    -------
    list of Derivation
        The first is `argmax`.

    Examples
    --------
    >>> from weft.core import DerivationGraph, kbest
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> [derivation.score for derivation in kbest(graph, [1.0, 2.0], k=3)]
    [2.0, 1.0]
    """
    scores = checked_scores(graph, scores)
    found, found_scores = best_derivations(graph, scores, checked_number("k", k))
    if not found:
        require_derivation(-np.inf)
    return [_derivation(graph, edges, float(score)) for edges, score in zip(found, found_scores, strict=True)]


def log_partition(graph: DerivationGraph, scores: npt.ArrayLike) -> float:
    """Logarithm of the sum of ``exp(score)`` over all derivations; ``-inf`` if there is none.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)

    Returns
    -------
    float

    Examples
    --------
    >>> from weft.core import DerivationGraph, log_partition
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> round(float(np.exp(log_partition(graph, np.log([1.0, 2.0])))), 12)
    3.0
    """
    return float(inside(Log(), graph, checked_scores(graph, scores))[-1])


def log_count(graph: DerivationGraph, scores: npt.ArrayLike | None = None) -> float:
    """Logarithm of the number of derivations; ``-inf`` if there is none.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,), optional
        If given, derivations with a part of score ``-inf`` are left out. Other scores do not matter.

    Returns
    -------
    float

    Examples
    --------
    >>> from weft.core import DerivationGraph, log_count
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> round(float(np.exp(log_count(graph))), 12)
    2.0
    >>> log_count(graph, [-np.inf, 5.0])
    0.0
    """
    scores = np.zeros(graph.n_parts) if scores is None else checked_scores(graph, scores)
    return float(inside(Counting(), graph, scores)[-1])


def marginals(graph: DerivationGraph, scores: npt.ArrayLike) -> FloatArray:
    """Count how often each part is expected to occur in a random derivation of weight ``exp(score)``.

    Where no derivation uses a part twice, this is the probability that the part occurs.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)

    Returns
    -------
    ndarray of shape (n_parts,)

    Examples
    --------
    >>> from weft.core import DerivationGraph, marginals
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> marginals(graph, np.log([1.0, 3.0]))
    array([0.25, 0.75])
    """
    scores = checked_scores(graph, scores)
    table = inside(Log(), graph, scores)
    require_derivation(table[-1])
    return posterior(Log(), graph, scores, table)[1].real


def mean(graph: DerivationGraph, scores: npt.ArrayLike, features: Matrix) -> FloatArray:
    """Average the features of all derivations with weights ``exp(score)``.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
    features : sparse matrix or array-like of shape (n_parts, d)
        Features of each part; those of a derivation are their sum.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> from weft.core import DerivationGraph, mean
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> mean(graph, [0.0, 0.0], [[1.0, 0.0], [1.0, 4.0]])
    array([1., 2.])
    """
    rows = checked_features(graph, features)
    expected: FloatArray = rows.T @ marginals(graph, scores)
    return expected


def moments(graph: DerivationGraph, scores: npt.ArrayLike, features: Matrix) -> Moments:
    """Log partition, mean and covariance in one go.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
        Zeros give the moments over all derivations alike; ``log_weight`` is then `log_count`.
    features : sparse matrix or array-like of shape (n_parts, d)

    Returns
    -------
    Moments

    Examples
    --------
    >>> from weft.core import DerivationGraph, moments
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> moments(graph, [0.0, 0.0], [[0.0], [2.0]]).mean
    array([1.])
    """
    scores = checked_scores(graph, scores)
    found = graph_moments(graph, scores, checked_features(graph, features))
    if found is None:
        raise no_derivation()
    return found


def covariance(graph: DerivationGraph, scores: npt.ArrayLike, features: Matrix) -> FloatArray:
    """Covariance matrix of the features of a random derivation of weight ``exp(score)``.

    For d beyond a few hundred use `covariance_product`.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
    features : sparse matrix or array-like of shape (n_parts, d)

    Returns
    -------
    ndarray of shape (d, d)

    Examples
    --------
    >>> from weft.core import DerivationGraph, covariance
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> covariance(graph, [0.0, 0.0], [[0.0], [2.0]])
    array([[1.]])
    """
    return moments(graph, scores, features).covariance


def covariance_product(
    graph: DerivationGraph, scores: npt.ArrayLike, features: Matrix, vector: npt.ArrayLike
) -> FloatArray:
    """Covariance matrix of the features times a vector, at the cost of one inside-outside pass.

    ``C v`` is the covariance of the features with their projection on ``v``, and that is the derivative of
    the mean when scores move by the projections: one pass with dual numbers, and no d x d matrix.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
    features : sparse matrix or array-like of shape (n_parts, d)
    vector : array-like of shape (d,)

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> from weft.core import DerivationGraph, covariance_product
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> covariance_product(graph, [0.0, 0.0], [[0.0], [2.0]], [3.0])
    array([3.])
    """
    scores = checked_scores(graph, scores)
    rows = checked_features(graph, features)
    vector = np.asarray(vector, dtype=np.float64)
    if vector.shape != (rows.shape[1],):
        raise InputError(f"vector of shape {vector.shape} given; need ({rows.shape[1]},): give one number per feature")
    semiring = Dual(np.ascontiguousarray(rows @ vector))
    table = inside(semiring, graph, scores)
    require_derivation(table[-1].real)
    derivatives = posterior(semiring, graph, scores, table)[1].imag
    product: FloatArray = rows.T @ derivatives
    return product


def sample(
    graph: DerivationGraph, scores: npt.ArrayLike, n_samples: int, random_state: RandomState = None
) -> list[Derivation]:
    """Independent derivations, drawn exactly in proportion to ``exp(score)``.

    Parameters
    ----------
    graph : DerivationGraph
    scores : array-like of shape (n_parts,)
        Zeros draw uniformly.
    n_samples : int
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Returns
    -------
    list of Derivation

    Examples
    --------
    >>> from weft.core import DerivationGraph, sample
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> [int(draw.parts[0]) for draw in sample(graph, [0.0, -np.inf], 3, random_state=0)]
    [0, 0, 0]
    """
    scores = checked_scores(graph, scores)
    n_samples = checked_number("n_samples", n_samples)
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    semiring = Draw(np.random.default_rng(random_state))
    table = inside(Log(), graph, scores)
    require_derivation(table[-1])
    draws = []
    for _ in range(n_samples):
        edges = traceback(semiring, graph, scores, table)
        parts = graph.parts[edges]
        draws.append(_derivation(graph, edges, float(scores[parts[parts >= 0]].sum())))
    return draws


def _derivation(graph: DerivationGraph, edges: IntArray, score: float) -> Derivation:
    parts = graph.parts[edges]
    return Derivation(edges, parts[parts >= 0], score)

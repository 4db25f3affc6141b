"""Pre-images among given candidates: the nearest one to each predicted point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Matrix
from weft.arrays import Floats, Integers
from weft.core.algebra import one_algebra_thread
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE, ordered
from weft.errors import InputError

BLOCK_CELLS = 4_000_000
"""Distances that are in memory at once."""


@one_algebra_thread()
def nearest_candidates(
    predicted: ArrayLike,
    candidates: Matrix,
    k: int = 1,
    *,
    residuals: ArrayLike | None = None,
    block_cells: int = BLOCK_CELLS,
) -> tuple[Integers, Floats]:
    """The `k` candidates nearest to each predicted point, and their squared distances.

    ``|p - c|^2`` is computed in blocks, so that only distances of one block are ever in memory.

    Parameters
    ----------
    predicted : array of shape (n, d)
    candidates : array or sparse array of shape (n_candidates, d)
        Images of the candidates, or their projections onto a subspace.
    k : int
    residuals : array of shape (n_candidates,), optional
        Where candidates are projections: squared distance of each from the subspace. It is added to the projected
        distance, which makes it the full one: with centred kernel l' and projection c, ``l'(y, y) - |c|^2``.
    block_cells : int
        Distances in one block, at the most.

    Returns
    -------
    places : ndarray of shape (n, k)
        Nearest first; of equal ones (`weft.core.ties`) the first.
    distances : ndarray of shape (n, k)

    Examples
    --------
    >>> places, distances = nearest_candidates([[0.9, 0.2]], [[0, 0], [1, 0], [0, 1]], k=2)
    >>> places, distances.round(2)
    (array([[1, 0]]), array([[0.05, 0.85]]))
    """
    points = np.asarray(predicted, dtype=np.float64)
    sparse = scipy.sparse.issparse(candidates)
    images: Any = scipy.sparse.csr_array(candidates) if sparse else np.asarray(candidates, dtype=np.float64)
    if points.ndim != 2 or images.ndim != 2 or points.shape[1] != images.shape[1]:
        raise InputError(
            f"points of shape {points.shape} and candidates of shape {images.shape} given; need rows of one length."
        )
    n_candidates = int(images.shape[0])
    if not 1 <= checked_number("k", k) <= n_candidates:
        raise InputError(f"k={k} of {n_candidates} candidates was asked for; give more candidates or a smaller k.")
    squares = images.multiply(images).sum(axis=1) if sparse else np.einsum("ij,ij->i", images, images)
    offsets = np.asarray(squares, dtype=np.float64)
    if residuals is not None:
        offsets = offsets + np.asarray(residuals, dtype=np.float64)
    n_rows = max(1, block_cells // n_candidates)
    places = np.empty((len(points), k), dtype=np.int64)
    distances = np.empty((len(points), k))
    for begin in range(0, len(points), n_rows):
        block = points[begin : begin + n_rows]
        found = offsets - 2.0 * np.asarray((images @ block.T).T if sparse else block @ images.T)
        norms = np.einsum("ij,ij->i", block, block)[:, None]
        least = found.min(axis=1, keepdims=True)
        tolerance = TIE_TOLERANCE * np.maximum(norms, np.abs(least))
        best = np.argmax(found <= least + tolerance, axis=1)[:, None] if k == 1 else ordered(-found, tolerance)[:, :k]
        places[begin : begin + n_rows] = best
        distances[begin : begin + n_rows] = np.maximum(np.take_along_axis(found, best, axis=1) + norms, 0.0)
    return places, distances


def places_of_candidates(
    outputs: Sequence[Any], candidates: Sequence[Any], groups: Sequence[Any] | None = None
) -> tuple[Integers, NDArray[np.bool_]]:
    """Place of each output among distinct candidates, and whether it stays one while its own group is left out.

    An output that is no candidate has the place -1.

    Examples
    --------
    >>> places_of_candidates(["ab", "c", "ab"], ["c", "ab"])
    (array([1, 0, 1]), array([ True, False,  True]))
    >>> places_of_candidates(["ab", "c", "ab"], ["c", "ab"], ["x", "y", "x"])[1]
    array([False, False, False])
    >>> places_of_candidates(["ab", "d"], ["c", "ab"])[0]
    array([ 1, -1])
    """
    place_of = {tuple(each): place for place, each in enumerate(candidates)}
    places = [place_of.get(tuple(output), -1) for output in outputs]
    owners: list[set[Any]] = [set() for _ in range(len(candidates) + 1)]  # the last one answers for -1
    for place, group in zip(places, range(len(outputs)) if groups is None else groups, strict=True):
        owners[place].add(group)
    return np.array(places, dtype=np.int64), np.array([len(owners[place]) > 1 for place in places], dtype=bool)


def nearest_others(predicted: Any, candidates: Any, own: Integers, stays: NDArray[np.bool_]) -> Integers:
    """Place of the candidate nearest to each point, which is its own one only if that stays when the point is left out.

    Examples
    --------
    >>> nearest_others([[0.9], [0.9]], [[0], [1], [3]], np.array([1, 1]), np.array([True, False]))
    array([1, 0])
    """
    n_candidates = candidates.shape[0] if scipy.sparse.issparse(candidates) else len(candidates)
    places, _ = nearest_candidates(predicted, candidates, min(2, n_candidates))
    return np.where((places[:, 0] == own) & ~stays, places[:, -1], places[:, 0])

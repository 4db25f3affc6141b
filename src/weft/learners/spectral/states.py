"""What a learned Hankel matrix says about its latent states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.learners.spectral.operator_model import InputOutputOOM
from weft.learners.spectral.proximal import singular_values
from weft.structures.hankel.chain import HankelChain

BOUNDARY = ("boundary", None)
"""The bi-symbol outside a sequence."""


@dataclass(frozen=True)
class LatentState:
    """One singular direction of a Hankel matrix, and the bi-symbols that lie furthest along it.

    Windows that begin with one of `prefixes` score high with an ending of `suffixes` and low with one of
    `opposite_suffixes`; for `opposite_prefixes` it is the other way round.

    Attributes
    ----------
    singular_value : float
    share : float
        Part of the sum of all singular values.
    suffixes, opposite_suffixes : list of (bi-symbol, loading)
    prefixes, opposite_prefixes : list of (tuple of bi-symbols, loading)
    """

    singular_value: float
    share: float
    suffixes: list[tuple[Any, float]]
    opposite_suffixes: list[tuple[Any, float]]
    prefixes: list[tuple[Any, float]]
    opposite_prefixes: list[tuple[Any, float]]


@one_algebra_thread()
def spectrum(chain: HankelChain, weights: Floats) -> Floats:
    """Singular values of the Hankel matrix, from largest to smallest."""
    _, (matrix, _, left, right) = chain.split_matrix(weights)
    if not chain.factored:
        return singular_values(matrix)
    # L R' and (triangle of L) (triangle of R)' have the same singular values, and the triangles are small.
    left_triangle, right_triangle = np.linalg.qr(left)[1], np.linalg.qr(right)[1]
    return np.asarray(np.linalg.svd(left_triangle @ right_triangle.T, compute_uv=False))


@one_algebra_thread()
def latent_states(
    chain: HankelChain, weights: Floats, names: list[tuple[Any, Any]], n_states: int, n_nearest: int
) -> list[LatentState]:
    """The strongest singular directions, each with its nearest bi-symbols.

    Parameters
    ----------
    chain : HankelChain
    weights : ndarray
    names : list
        Bi-symbols, without the boundary.
    n_states, n_nearest : int
    """
    left, values, right = np.linalg.svd(chain.matrix(weights), full_matrices=False)
    pairs = [*names, BOUNDARY]
    total = max(float(values.sum()), np.finfo(float).tiny)
    states = []
    for j in range(min(n_states, int(np.count_nonzero(values > 1e-9 * total)))):
        # The sign of a singular vector means nothing: the strongest ending is made positive.
        sign = np.sign(right[j, np.argmax(np.abs(right[j]))])
        suffixes, prefixes = sign * right[j, : len(pairs)], sign * left[:, j]
        ends, begins = np.argsort(-suffixes, kind="stable"), np.argsort(-prefixes, kind="stable")
        states.append(
            LatentState(
                float(values[j]),
                float(values[j]) / total,
                [(pairs[b], float(suffixes[b])) for b in ends[:n_nearest]],
                [(pairs[b], float(suffixes[b])) for b in ends[::-1][:n_nearest]],
                [(_row_name(chain, pairs, r), float(prefixes[r])) for r in begins[:n_nearest]],
                [(_row_name(chain, pairs, r), float(prefixes[r])) for r in begins[::-1][:n_nearest]],
            )
        )
    return states


def _row_name(chain: HankelChain, pairs: list[Any], place: Any) -> tuple[Any, ...]:
    """Bi-symbols that the windows of a stored row begin with."""
    row = int(chain.row_numbers[place]) if chain.factored else int(place)
    length = max(n for n in chain.gram_lengths if chain.row_begins[n] <= row)
    code = row - int(chain.row_begins[length])
    digits = [code // chain.base_size**power % chain.base_size for power in range(length - 2, -1, -1)]
    return tuple(pairs[digit] for digit in digits)


def operators(chain: HankelChain, weights: Floats, names: list[tuple[Any, Any]]) -> InputOutputOOM:
    """An operator model whose scores of windows are those of the matrix.

    A constrained matrix holds the blocks from which singular vectors recover a model of all lengths (SP section 3.1).
    Without constraints there is only a table of windows of certain lengths; the model then gives those their scores
    and strings of other lengths zero.
    """
    matrix, size = chain.matrix(weights), chain.base_size
    pairs = [*names, BOUNDARY]
    if not chain.constrained:
        model: InputOutputOOM | None = None
        for length in chain.gram_lengths:
            begin = chain.row_begins[length]
            table = matrix[begin : begin + size ** (length - 1)].reshape((size,) * length)
            part = InputOutputOOM.from_grams(pairs, table)
            model = part if model is None else model + part
        assert model is not None
        return model
    # Prefixes are all strings of at most order - 2 bi-symbols; the matrix has the rows of one more.
    lengths = range(1, chain.order)
    prefixes = np.concatenate([chain.row_begins[n] + np.arange(size ** (n - 1)) for n in lengths])
    shifted = {
        pair: matrix[
            np.concatenate([chain.row_begins[n + 1] + np.arange(size ** (n - 1)) * size + number for n in lengths])
        ]
        for number, pair in enumerate(pairs)
    }
    # Suffixes are the bi-symbols and, in the last column, the empty one; row 0 is the empty prefix.
    return InputOutputOOM.from_hankel(matrix[prefixes], shifted, matrix[prefixes, -1], matrix[0], tol=1e-6)

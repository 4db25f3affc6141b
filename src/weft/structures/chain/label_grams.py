"""States and arcs of a chain that remembers its last k labels, and the label n-grams that score its arcs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weft.core.memory import require_memory
from weft.errors import InputError
from weft.structures.chain.loops.passes import padded_width

MOST_ORDER = 1000
"""What is more has no number of n-grams that could be written."""
MAX_ARCS = 50_000_000

BYTES_PER_ARC = 250
"""Taken while the layout is made: numbers, and the labels of each n-gram as a tuple."""


@dataclass(frozen=True)
class LabelGrams:
    """A chain of order k over `n_labels`, whose arcs are scored by label n-grams of length 2 to k + 1.

    Attributes
    ----------
    n_labels, order, width : int
    successor : ndarray of int64, shape (n_states,)
        First state of the block that a step from this state leads to (see `weft.structures.chain.loops.passes`).
    arc_features : ndarray of int32, shape (n_states * width, order)
        N-grams that score each arc, -1 for none.
    grams : tuple of tuples
        Labels of each n-gram that has a weight.

    Examples
    --------
    >>> grams = LabelGrams.build(n_labels=2, order=1)
    >>> grams.grams
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """

    n_labels: int
    order: int
    width: int
    successor: NDArray[np.int64]
    arc_features: NDArray[np.int32]
    grams: tuple[tuple[int, ...], ...]

    @property
    def n_states(self) -> int:
        """Number of (history, label) pairs, padding included."""
        return len(self.successor)

    @cached_property
    def real_arcs(self) -> NDArray[np.bool_]:
        """Which entries of the (n_states, width) arc table are arcs and not padding."""
        is_label = np.arange(self.width) < self.n_labels
        from_label = np.tile(is_label, self.n_states // self.width)
        return np.asarray(from_label[:, None] & is_label[None, :])

    @classmethod
    def build(cls, n_labels: int, order: int = 1, grams: list[NDArray[np.int64]] | None = None) -> LabelGrams:
        """Lay out states and arcs.

        Parameters
        ----------
        n_labels : int
        order : int
        grams : list of arrays of shape (n, length), optional
            N-grams that have a weight, for lengths 2 to order + 1; all of them by default.
        """
        require_label_grams(n_labels, order)
        if grams is None:
            grams = [_all_grams(n_labels, length) for length in range(2, order + 2)]
        numbers = []
        names: list[tuple[int, ...]] = []
        for length, rows in enumerate(grams, start=2):
            number = np.full(n_labels**length, -1, dtype=np.int32)
            codes = rows @ (n_labels ** np.arange(length - 1, -1, -1))
            number[codes] = len(names) + np.arange(len(codes), dtype=np.int32)
            numbers.append(number)
            names.extend(map(tuple, rows.tolist()))
        width = padded_width(n_labels)
        first_block = np.cumsum([0] + [n_labels**j for j in range(order)])
        n_blocks = int(first_block[-1])
        successor = np.zeros((n_blocks, width), dtype=np.int64)
        arc_features = np.full((n_blocks, width, width, order), -1, dtype=np.int32)
        label = np.arange(n_labels)
        for known in range(order):  # number of labels in the block's history
            history = np.arange(n_labels**known)
            blocks = slice(int(first_block[known]), int(first_block[known + 1]))
            kept = min(known + 1, order - 1)
            seen = history[:, None] * n_labels + label  # history and current label as one code
            successor[blocks, :n_labels] = (first_block[kept] + seen % n_labels**kept) * width
            for length in range(2, known + 3):
                code = (seen % n_labels ** (length - 1))[:, :, None] * n_labels + label
                arc_features[blocks, :n_labels, :n_labels, length - 2] = numbers[length - 2][code]
        return cls(
            n_labels,
            order,
            width,
            successor.reshape(-1),
            arc_features.reshape(-1, order),
            tuple(names),
        )

    def arc_scores(self, gram_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Score of every arc; padding is forbidden."""
        padded = np.append(gram_weights, 0.0)  # the last entry answers for n-grams without a weight, number -1
        scores = padded[self.arc_features].sum(axis=1).reshape(self.n_states, self.width)
        scores[~self.real_arcs] = -np.inf
        return np.asarray(scores)

    def gram_sums(self, arc_sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transpose of `arc_scores`: total of all arcs that each n-gram scores."""
        flat = np.repeat(arc_sums.reshape(-1), self.order)
        features = self.arc_features.reshape(-1)
        return np.asarray(np.bincount(features + 1, weights=flat, minlength=len(self.grams) + 1)[1:], dtype=np.float64)

    def arcs_of_grams(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Arcs that each n-gram scores, as offsets and flat arc numbers."""
        features = self.arc_features.reshape(-1)
        used = np.flatnonzero(features >= 0)
        by_feature = used[np.argsort(features[used], kind="stable")]
        offsets = np.searchsorted(features[by_feature], np.arange(len(self.grams) + 1))
        return offsets.astype(np.int64), (by_feature // self.order).astype(np.int64)


def require_label_grams(n_labels: int, order: int) -> None:
    """Refuse labels whose n-grams would not fit into memory, and orders below 1."""
    _check_order(order)
    if order > MOST_ORDER:
        raise InputError(f"order is {order!r:.30}; a chain remembers at most {MOST_ORDER} labels: lower it.")
    n_arcs = n_labels ** (order + 1)
    if n_arcs > MAX_ARCS:
        raise InputError(
            f"a chain of order {order} over {n_labels:,} labels has {n_arcs:,} label n-grams, which take "
            f"{BYTES_PER_ARC * n_arcs / 1e9:,.0f} GB; at most {MAX_ARCS:,} fit: lower the order or merge labels."
        )
    require_memory(
        BYTES_PER_ARC * n_arcs,
        f"{n_arcs:,} label n-grams of a chain of order {order} over {n_labels:,} labels",
        "lower the order or merge labels",
    )


def _check_order(order: object) -> None:
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 1:
        raise InputError(f"order is {order!r}; a chain remembers at least 1 label: use order=1 or more.")


def _all_grams(n_labels: int, length: int) -> NDArray[np.int64]:
    return np.stack(np.unravel_index(np.arange(n_labels**length), (n_labels,) * length), axis=1)


def observed_grams(
    labels: NDArray[np.int32], offsets: NDArray[np.int64], n_labels: int, order: int, min_frequency: float = 0.0
) -> list[NDArray[np.int64]]:
    """Distinct label n-grams of length 2 to order + 1 that occur within a sequence, at least so often.

    Examples
    --------
    >>> observed_grams(np.array([0, 1, 1], dtype=np.int32), np.array([0, 2, 3]), 2, 1)
    [array([[0, 1]])]
    """
    _check_order(order)
    position = np.arange(len(labels)) - np.repeat(offsets[:-1], np.diff(offsets))
    found = []
    for length in range(2, order + 2):
        ends = np.flatnonzero(position >= length - 1)
        windows = labels[ends[:, None] + np.arange(1 - length, 1)].astype(np.int64)
        codes, counts = np.unique(windows @ (n_labels ** np.arange(length - 1, -1, -1)), return_counts=True)
        codes = codes[counts >= min_frequency]
        found.append(np.stack(np.unravel_index(codes, (n_labels,) * length), axis=1))
    return found

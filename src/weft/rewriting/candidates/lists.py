"""Lists of whole candidates with sparse features: the structure that a reranker learns on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from weft.arrays import Floats, Integers
from weft.core.array_checks import checked_numbers
from weft.core.ties import first_best, tolerance_of
from weft.core.vectors import product
from weft.errors import InputError
from weft.structures.batch import Batch

__all__ = ["ListBatch", "frequent_keys", "key_matrix"]


def frequent_keys(keys: Integers, owners: Integers, min_count: int = 2) -> Integers:
    """Different keys other than 0, sorted, that candidates of at least `min_count` lists have.

    Examples
    --------
    >>> frequent_keys(np.array([[7, 5], [7, 0], [5, 9]]), np.array([0, 0, 1]))
    array([5])
    """
    flat = keys.ravel()
    order = np.argsort(flat, kind="stable")
    flat, lists = flat[order], np.repeat(owners, keys.shape[1])[order]
    new_key = np.append(True, np.diff(flat) != 0)
    new_pair = new_key | np.append(True, np.diff(lists) != 0)
    starts = np.flatnonzero(new_key)
    counts = np.add.reduceat(new_pair.astype(np.int64), starts) if len(flat) else starts
    return np.asarray(flat[starts][(counts >= min_count) & (flat[starts] != 0)])


def key_matrix(keys: Integers, known: Integers) -> Any:
    """Sparse matrix that says which of the sorted `known` keys each row has.

    Examples
    --------
    >>> key_matrix(np.array([[7, 5], [7, 0]]), np.array([5, 7])).toarray()
    array([[1., 1.],
           [0., 1.]])
    """
    if not len(known):
        return sparse.csr_matrix((len(keys), 0))
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    has = known[places] == keys
    offsets = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    columns = places[has].astype(np.int32)
    return sparse.csr_matrix((np.ones(len(columns)), columns, offsets), shape=(len(keys), len(known)))


class ListBatch(Batch):
    """Lists of candidates bound to their features.

    Outputs are an array with the place of one candidate in each list. References are shares of what is right, so that
    several candidates may be.

    Parameters
    ----------
    features : sparse matrix of shape (n_candidates, n_keys)
    scores : ndarray of shape (n_candidates,)
        One more feature of each candidate, with the last weight.
    owners : ndarray of shape (n_candidates,)
        List of each candidate, ascending from 0.
    references : ndarray of shape (n_candidates,), optional
        Share of each candidate in what is right; the shares of a list sum to 1.
    sample_weight : ndarray of shape (n_lists,), optional

    Examples
    --------
    >>> batch = ListBatch(sparse.csr_matrix((2, 0)), np.log([0.75, 0.25]), np.array([0, 0]), np.array([1.0, 0.0]))
    >>> value, mean = batch.log_partition_and_mean(np.ones(1))
    >>> bool(abs(value) < 1e-12)
    True
    """

    def __init__(
        self,
        features: Any,
        scores: Floats,
        owners: Integers,
        references: Floats | None = None,
        sample_weight: Floats | None = None,
    ) -> None:
        self._features = sparse.hstack([features, sparse.csr_matrix(scores[:, None])], format="csr")
        self._turned = self._features.T.tocsr()
        self._owners = owners
        self._starts = np.flatnonzero(np.diff(owners, prepend=-1))
        sizes = np.diff(np.append(self._starts, len(owners)))
        super().__init__(sizes, self.n_features, references, sample_weight, n_jobs=1)

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return int(self._features.shape[1])

    # ------------------------------------------------------------ given outputs

    def observed(self, outputs: Any = None) -> Floats:
        """Features of outputs, by default of what is right, summed."""
        if outputs is not None:
            return super().observed(outputs)
        return self._sum(self.reference())

    def features_of(self, outputs: Any) -> Any:
        """Features of the chosen candidate of each list."""
        return self._features[self._chosen(outputs)]

    def _chosen(self, outputs: Any) -> Integers:
        sizes = np.diff(np.append(self._starts, len(self._owners)))
        cure = "count the candidates of each list from 0"
        places = checked_numbers("outputs", outputs, int(sizes.max()), cure, size=len(sizes), dtype=np.int64)
        if (places >= sizes).any():
            raise InputError(f"a place is beyond the candidates of its list: {cure}")
        return np.asarray(self._starts + places)

    def losses(self, outputs: Any) -> Floats:
        """Share of what is right that the chosen candidate of each list lacks."""
        return np.asarray(1.0 - self.reference()[self._chosen(outputs)])

    def join(self, outputs: Sequence[Any]) -> Integers:
        """One place for each list as one array."""
        return np.array([int(place) for place in outputs], dtype=np.int64)

    def split(self, outputs: Any) -> list[Any]:
        """The place in each list."""
        return list(outputs)

    def best_references(self, weights: Floats) -> tuple[Integers, Floats]:
        """Best of what is right in each list, and its score."""
        return self._best(np.where(self.reference() > 0.0, self._features @ weights, -np.inf))

    def reference_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Score and features of what is right: shares are given, they do not follow the weights."""
        return product(self.observed(), weights), self.observed()

    def select(self, sequences: Any) -> ListBatch:
        """The batch of these lists."""
        chosen = self._numbers(sequences)
        ends = np.append(self._starts, len(self._owners))
        rows = np.concatenate([np.arange(ends[i], ends[i + 1]) for i in chosen])
        owners = np.repeat(np.arange(len(chosen)), ends[chosen + 1] - ends[chosen])
        features, shares = self._features[rows], None if self.references is None else self.references[rows]
        scores = features[:, [-1]].toarray()[:, 0]
        return ListBatch(features[:, :-1], scores, owners, shares, self.sample_weight[chosen])

    # ------------------------------------------------------------- all outputs

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        probabilities, logs = self._probabilities(weights)
        return product(self.sample_weight, logs), self._sum(probabilities)

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over each list of the exponential of its scores."""
        return self._probabilities(weights)[1]

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each candidate of each list."""
        return np.split(self._probabilities(weights)[0], self._starts[1:])

    def _probabilities(self, weights: Floats) -> tuple[Floats, Floats]:
        scores = self._features @ weights
        tops = np.maximum.reduceat(scores, self._starts)
        shares = np.exp(scores - tops[self._owners])
        sums = np.add.reduceat(shares, self._starts)
        return shares / sums[self._owners], tops + np.log(sums)

    def _sum(self, shares: Floats) -> Floats:
        return np.asarray(self._turned @ (shares * self.sample_weight[self._owners]))

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Integers, Floats]:
        """Places of the largest ``score + loss * distance``, and those sums."""
        values = self._features @ weights
        return self._best(values + loss * (1.0 - self.reference()) if loss else values)

    def _best(self, values: Floats) -> tuple[Integers, Floats]:
        tolerance = tolerance_of(values[np.isfinite(values)])
        places = [first_best(own, len(own), tolerance) for own in np.split(values, self._starts[1:])]
        return np.array(places, dtype=np.int64), values[self._starts + places]

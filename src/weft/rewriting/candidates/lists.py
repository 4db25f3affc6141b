"""Lists of whole candidates with sparse features: the structure that a reranker learns on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["ListBatch", "frequent_keys", "key_matrix"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def frequent_keys(keys: Ids, owners: Ids, min_count: int = 2) -> Ids:
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


def key_matrix(keys: Ids, known: Ids) -> Any:
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


class ListBatch:
    """Lists of candidates bound to their features: what learners ask, see `ARCHITECTURE.md`.

    Parameters
    ----------
    features : sparse matrix of shape (n_candidates, n_keys)
    scores : ndarray of shape (n_candidates,)
        One more feature of each candidate, with the last weight.
    owners : ndarray of shape (n_candidates,)
        List of each candidate, ascending from 0.
    targets : ndarray of shape (n_candidates,), optional
        Share of each candidate in what is right; the shares of a list sum to 1.

    Examples
    --------
    >>> batch = ListBatch(sparse.csr_matrix((2, 0)), np.log([0.75, 0.25]), np.array([0, 0]), np.array([1.0, 0.0]))
    >>> value, mean = batch.log_partition_and_mean(np.ones(1))
    >>> bool(abs(value) < 1e-12)
    True
    """

    def __init__(self, features: Any, scores: Floats, owners: Ids, targets: Floats | None = None) -> None:
        self.features = features
        self.turned = features.T.tocsr()
        self.base = scores
        self.owners = owners
        self.starts = np.flatnonzero(np.diff(owners, prepend=-1))
        self.targets = targets

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return int(self.features.shape[1]) + 1

    def scores(self, weights: Floats) -> Floats:
        """Score of each candidate."""
        return np.asarray(self.features @ weights[:-1] + weights[-1] * self.base)

    def observed(self) -> Floats:
        """Features of what is right, summed over the lists."""
        return self._sum(np.zeros(len(self.owners)) if self.targets is None else self.targets)

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of the log partitions, and of the expected features."""
        probabilities, logs = self.probabilities(weights)
        return float(logs.sum()), self._sum(probabilities)

    def probabilities(self, weights: Floats) -> tuple[Floats, Floats]:
        """Probability of each candidate within its list, and the log partition of each list."""
        scores = self.scores(weights)
        tops = np.maximum.reduceat(scores, self.starts)
        shares = np.exp(scores - tops[self.owners])
        sums = np.add.reduceat(shares, self.starts)
        return shares / sums[self.owners], tops + np.log(sums)

    def _sum(self, shares: Floats) -> Floats:
        return np.append(self.turned @ shares, shares @ self.base)

"""Solve with the covariance of a fully connected chain whose tokens have one attribute each (MM Appendix B).

The covariance has four blocks: E for (attribute, label) weights, T for label pairs, and M between them. One attribute
per token makes E block-diagonal with blocks ``c_q (I / h - 11' / h^2)``, so its inverse is explicit, and what is left
is one dense system over label pairs: the Schur complement ``T - M' E^-1 M``. E is singular, so all of it is done
with the ridge added; the appendix prints the inverse without one and with a sign and a factor missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import product
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.structures.chain.batch import ChainBatch


class OneHotBlocks:
    """Inverse of ``sum C_i + ridge I`` by block elimination.

    Parameters
    ----------
    batch : ChainBatch
        Of a fully connected first-order chain; every token has exactly one attribute, of value 1.
    ridge : float
        Positive.
    """

    def __init__(self, batch: ChainBatch, ridge: float) -> None:
        features = batch.features
        tokens, offsets = batch.sparse_tokens, batch.corpus.offsets
        if not features.has_closed_form:
            raise InputError("solver='block' needs a fully connected first-order chain; use solver='cg'.")
        if not (np.diff(tokens.offsets) == 1).all() or (len(tokens.values) and (tokens.values != 1.0).any()):
            raise InputError("solver='block' needs exactly one attribute per token, with value 1; use solver='cg'.")
        if not ridge > 0.0:
            raise InputError(f"the ridge of the blocks is {ridge!r}; a positive number is needed.")
        h = features.n_labels
        lengths = batch.corpus.lengths
        sample_weight = np.repeat(batch.sample_weight, lengths)
        has_left, has_right = np.ones(len(sample_weight), dtype=bool), np.ones(len(sample_weight), dtype=bool)
        has_left[offsets[:-1]] = False
        has_right[offsets[1:] - 1] = False
        n_columns = len(features.pair_offsets) - 1

        def count(weights: Floats) -> Floats:
            """Weighted occurrences of the attribute of each pair."""
            per_attribute = np.bincount(tokens.ids, weights=weights, minlength=n_columns)
            return np.asarray(per_attribute[features.pair_attributes], dtype=np.float64)

        self._labels, self._attributes, self._n_columns = features.pair_labels, features.pair_attributes, n_columns
        everywhere = count(sample_weight)
        self._entered, self._left = count(sample_weight * has_left), count(sample_weight * has_right)
        # E_q + ridge I = scale I - share 11': inverted by Sherman and Morrison.
        self._scale = everywhere / h + ridge
        share = everywhere / h**2
        n_labels_of = np.bincount(self._attributes, minlength=n_columns)[self._attributes]
        self._lift = share / (self._scale - n_labels_of * share)
        origin, target = np.array(features.grams.grams, dtype=np.int64).reshape(-1, 2).T
        # Covariance of the label at one end of a step with the step: rows are labels, columns label pairs.
        self._as_target = (np.arange(h)[:, None] == target) / h**2 - 1 / h**3
        self._as_origin = (np.arange(h)[:, None] == origin) / h**2 - 1 / h**3
        n_steps = product(batch.sample_weight, (lengths - 1).astype(np.float64))
        n_inner = product(batch.sample_weight, np.maximum(lengths - 2, 0).astype(np.float64))
        same = (origin[:, None] == origin) & (target[:, None] == target)
        linked = (target[:, None] == origin).astype(np.float64) + (origin[:, None] == target)
        steps = n_steps * (same / h**2 - 1 / h**4) + n_inner * (linked / h**3 - 2 / h**4)
        schur = steps + ridge * np.eye(len(origin))
        for column in range(len(origin)):
            unit = np.zeros(len(origin))
            unit[column] = 1.0
            schur[:, column] -= self._across_back(self._inverse_of_pairs(self._across(unit)))
        from scipy.linalg import cho_factor  # whoever predicts has no use for it

        self._schur = cho_factor(schur) if len(origin) else None

    def _across(self, steps: Floats) -> Floats:
        """M times weights of label pairs."""
        as_target, as_origin = self._as_target @ steps, self._as_origin @ steps
        return np.asarray(self._entered * as_target[self._labels] + self._left * as_origin[self._labels])

    def _across_back(self, pairs: Floats) -> Floats:
        """M' times (attribute, label) weights."""
        h = len(self._as_target)
        entered = np.bincount(self._labels, weights=self._entered * pairs, minlength=h)
        left = np.bincount(self._labels, weights=self._left * pairs, minlength=h)
        return np.asarray(entered @ self._as_target + left @ self._as_origin)

    def _inverse_of_pairs(self, pairs: Floats) -> Floats:
        """(E + ridge I)^-1 times a vector."""
        sums = np.bincount(self._attributes, weights=pairs, minlength=self._n_columns)[self._attributes]
        return np.asarray((pairs + self._lift * sums) / self._scale)

    def solve(self, right: Floats) -> Floats:
        """The vector that the regularised covariance maps to `right`."""
        pairs, steps = np.split(right, [len(self._labels)])
        inner = self._inverse_of_pairs(pairs)
        if self._schur is None:
            return inner
        from scipy.linalg import cho_solve

        steps = cho_solve(self._schur, steps - self._across_back(inner))
        return np.concatenate([inner - self._inverse_of_pairs(self._across(steps)), steps])

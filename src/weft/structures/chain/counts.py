"""Weights of a hidden Markov model from counts."""

from __future__ import annotations

import numpy as np

from weft.arrays import Floats, Mask
from weft.errors import InputError
from weft.structures.chain.features import ChainFeatures


def generative_chain_weights(features: ChainFeatures, counts: Floats, smoothing: float) -> Floats:
    """Log conditional probabilities of an HMM that was counted with Laplace smoothing."""
    n_columns, n_grams = len(features.pair_offsets) - 1, len(features.grams.grams)
    h = features.n_labels
    every_gram = sum(h ** (n + 1) for n in range(1, features.grams.order + 1))
    if features.n_pairs < n_columns * h or n_grams < every_gram:
        raise InputError(
            "Generative needs a weight for each (attribute, label) and each label n-gram, also unseen ones; use "
            "pairs='all' in the tagger."
        )
    if counts.min(initial=0.0) < 0:
        raise InputError("Generative counts attributes, but X holds negative values; use values >= 0.")
    pairs, grams, start, end = features.split(counts)
    allowed = None if features.forbidden is None else ~features.forbidden.start
    return np.concatenate(
        [
            log_shares(pairs.reshape(n_columns, h), smoothing, axis=0).reshape(-1),
            _gram_weights(grams, features, smoothing),
            log_shares(start, smoothing, axis=0, allowed=allowed),
            np.zeros_like(end),  # how sequences end is no event of an HMM of given length
        ]
    )


def _gram_weights(counts: Floats, features: ChainFeatures, smoothing: float) -> Floats:
    """``log p(z | p)`` for pairs; ``log p(z | o p) - log p(z | p)`` for triples, and so on."""
    h = features.n_labels
    allowed = np.ones((h, h), dtype=bool) if features.forbidden is None else ~features.forbidden.steps
    parts: list[Floats] = []
    shorter = np.zeros((1, h))
    begin = 0
    for order in range(1, features.grams.order + 1):
        rows = counts[begin : begin + h ** (order + 1)].reshape(-1, h)  # n-grams are in lexicographic order
        begin += rows.size
        shares = log_shares(rows, smoothing, axis=1, allowed=np.tile(allowed, (len(rows) // h, 1)))
        parts.append((shares - np.tile(shorter, (len(shares) // len(shorter), 1))).reshape(-1))
        shorter = shares
    return np.concatenate(parts)


def log_shares(counts: Floats, smoothing: float, axis: int, allowed: Mask | None = None) -> Floats:
    """Smoothed relative frequencies along an axis; forbidden events take no share and have weight zero."""
    if not counts.size:
        return counts
    smoothed = counts + smoothing
    if allowed is not None:
        smoothed = np.where(allowed, smoothed, 0.0)
    totals = smoothed.sum(axis=axis, keepdims=True)
    shares = np.divide(smoothed, totals, out=np.ones_like(smoothed), where=smoothed > 0)
    return np.asarray(np.log(shares))

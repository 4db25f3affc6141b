"""Smaller rewriting models: small weights of the chain go, contexts without weights, and n-grams that say little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from weft.arrays import Integers, Mask
from weft.language_model.model import NGramLanguageModel
from weft.language_model.pruning import prune_tables
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import Contexts
from weft.rewriting.model import RewriteModel


def prune_model(model: RewriteModel, min_weight: float, min_gain: float) -> RewriteModel:
    """The model without small weights of the chain, and without n-grams that gain little.

    Parameters
    ----------
    model : RewriteModel
    min_weight : float
        Share of the mean size of the weights that are not zero.
    min_gain : float
        Nats per symbol; see `weft.language_model.pruning`.
    """
    sizes = np.abs(model.weights)
    least = min_weight * float(sizes[sizes > 0.0].mean()) if sizes.any() else 0.0
    chain, weights = model.chain.prune(np.where(sizes < least, 0.0, model.weights))
    smaller: dict[str, Any] = {"chain": _without_idle_contexts(chain), "weights": weights}
    for name in ("joint", "language_model", "tier"):
        part = getattr(model, name)
        if part is not None:
            smaller[name] = _prune_language_model(part, min_gain)
    return replace(model, **smaller)


def _prune_language_model(model: NGramLanguageModel, min_gain: float) -> NGramLanguageModel:
    smaller = NGramLanguageModel(**model.get_params())
    smaller.discounts_ = model.discounts_
    smaller._set_alphabet(model._alphabet)
    smaller.tables_, smaller.start_state_ = prune_tables(model.tables_, model.start_state_, min_gain)
    return smaller


def _without_idle_contexts(chain: CandidateChain) -> CandidateChain:
    """The chain without contexts that neither have a weight nor lead to one that has."""
    counts = np.diff(chain.entry_offsets)
    contexts: list[Any] = []
    kept_counts, begin = [], 0
    for each in chain.contexts:
        own = counts[begin : begin + len(each)]
        begin += len(each)
        used = own > 0
        if isinstance(each, Contexts):
            smaller, used = _without(each, used)
            contexts.append(smaller)
        else:
            contexts.append(replace(each, keys=each.keys[used], table=None))
        kept_counts.append(own[used])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(kept_counts))]).astype(np.int64)
    return replace(chain, contexts=tuple(contexts), entry_offsets=offsets)


def _without(contexts: Contexts, used: Mask) -> tuple[Contexts, Mask]:
    """Contexts that are used or whose longer ones are, under new numbers; which they are."""
    base, n_roots = contexts.view.packed[2] + 1, contexts.n_roots
    parents: Integers = contexts.keys // base - n_roots
    used = used.copy()
    while True:
        needed = parents[used & (parents >= 0)]
        if used[needed].all():
            break
        used[needed] = True
    numbers = n_roots + np.cumsum(used) - 1
    heads = contexts.keys // base
    longer = heads >= n_roots
    heads = np.where(longer, numbers[np.maximum(parents, 0)], heads)
    keys = (heads * base + contexts.keys % base)[used]
    return Contexts(contexts.view, keys), used

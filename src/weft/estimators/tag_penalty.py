"""The penalty of a tagger's CRF when nobody gives one.

For tokens with names (symbols, attributes, feature dicts) a weak penalty is better on most data, and much better where
names are rare. It is worse where labels are ambiguous and each attribute is seen with many of them. Held-out sequences
tell these apart: `python -m benchmarks.strengths` has the figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids
from weft.learners.crf import CRF, USUAL_C2
from weft.learners.monitor import Monitor
from weft.parameters.cloning import clone
from weft.sequences.corpus import Corpus
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.features import ChainFeatures

WEAK_C2 = 0.1
LEAST_SEQUENCES = 50
"""With fewer the held-out part says too little, and the penalty is weak."""
MOST_TOKENS = 25_000
"""Tokens to choose on, so that the choice costs seconds however large the data."""
HELD_OUT = 5
"""One sequence in so many is held out."""


def usual_penalty(learner: CRF, batch: Any, has_names: bool, collect: Callable[[Corpus, Ids], ChainFeatures]) -> float:
    """What ``c2=None`` of a CRF means for these sequences.

    Parameters
    ----------
    learner : CRF
        Its other parameters are those of the fits that are compared.
    batch : batch with references
        Parts of data that are not in memory have no sequences to choose from; their penalty is weak.
    has_names : bool
        Whether attributes have names: arrays have none, and the usual penalty.
    collect : callable
        Gives the features of sequences and their labels.

    Returns
    -------
    float
        0.1, or 1 if that is better on held-out sequences by more than the standard error of the difference.
    """
    if not has_names or learner.prior is not None:
        return USUAL_C2
    if not isinstance(batch, ChainBatch) or batch.n_sequences < LEAST_SEQUENCES:
        return WEAK_C2
    order = np.random.default_rng(0).permutation(batch.n_sequences)
    n_chosen = int(np.searchsorted(np.cumsum(batch.corpus.lengths[order]), MOST_TOKENS, side="right"))
    chosen = order[: max(LEAST_SEQUENCES, n_chosen)]
    n_held_out = len(chosen) // HELD_OUT
    kept, held_out = batch.select(np.sort(chosen[n_held_out:])), batch.select(np.sort(chosen[:n_held_out]))
    # Pairs of the held-out part alone would get weights below zero, so that its labels could hardly win.
    features = collect(kept.corpus, kept.reference())
    kept, held_out = _with_features(kept, features), _with_features(held_out, features)
    weak, strong = (_losses(learner, c2, kept, held_out) for c2 in (WEAK_C2, USUAL_C2))
    gains = held_out.sample_weight * (weak - strong)
    return USUAL_C2 if gains.sum() > np.sqrt(len(gains)) * gains.std() else WEAK_C2


def _with_features(batch: ChainBatch, features: ChainFeatures) -> ChainBatch:
    return ChainBatch(features, batch.corpus, batch.reference(), batch.sample_weight, batch.n_jobs)


def _losses(learner: CRF, c2: float, kept: ChainBatch, held_out: ChainBatch) -> Floats:
    """Wrong labels of each held-out sequence after a fit to the others."""
    single = clone(learner).set_params(c2=c2)
    with Monitor(warns=False) as quiet:
        weights = single.learn(kept, np.zeros(kept.n_features), quiet, np.random.default_rng(0))
    return held_out.losses(held_out.argmax(weights)[0])

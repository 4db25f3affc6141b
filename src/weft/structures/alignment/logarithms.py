"""One pair whose scores are so far apart that plain numbers under- or overflow: summed in logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.structures.alignment.loops.logarithms import log_space_sums
from weft.structures.alignment.loops.passes import block_rows
from weft.structures.alignment.pair_corpus import PairCorpus
from weft.structures.alignment.structure import Alignment


def sums_in_logarithms(
    structure: Alignment,
    corpus: PairCorpus,
    index: int,
    weights: Floats,
    posterior: Floats,
    entries: tuple[float, Any, Any, Floats],
) -> tuple[float, Floats, int]:
    """Log partition, expected features and number of likely pairs of positions.

    `posterior` receives the probabilities of all pairs of positions, unless it is empty; `entries` are a threshold, and
    room for the positions and probabilities of those that reach it.
    """
    pairs, opening, extension = structure.reduced(weights, corpus.n_symbols)
    first, second = corpus.pair(index)
    n, m = len(first), len(second)
    n_rows, counts = block_rows(n, m), np.zeros(pairs.shape)
    before, kept = np.empty((3, n_rows + 1, m + 1)), np.empty((3, n // n_rows + 1, m + 1))
    posterior = posterior.reshape((n, m) if posterior.size else (0, 0))
    log_total, openings, extensions, n_entries = log_space_sums(
        first, second, pairs, opening, before, kept, counts, posterior, entries
    )
    features = structure.pair_features(corpus.n_symbols)
    counted = np.bincount(features.reshape(-1), counts.reshape(-1), structure.n_features)
    mean: Floats = counted.astype(np.float64)
    np.add.at(mean, structure.gap_features, (openings, extensions))
    return log_total + extension * (n + m), mean, n_entries

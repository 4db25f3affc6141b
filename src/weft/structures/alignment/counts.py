"""Weights of a generative model of alignments from counts."""

from __future__ import annotations

import numpy as np

from weft.arrays import Floats
from weft.structures.alignment.structure import Alignment


def generative_alignment_weights(
    structure: Alignment, counts: Floats, n_symbols: int, smoothing: float, background: Floats | None = None
) -> Floats:
    """Log probabilities of a process that writes alignments column by column, counted with Laplace smoothing.

    After a pair or a finished gap comes another pair, or a gap in either sequence. A gap goes on with the same
    probability after each symbol. Symbols against a gap come from the distribution q of symbols in pairs; dividing
    by q of all symbols, the same for all alignments of two sequences, leaves ``log p(a, b) / (q(a) q(b))`` for a
    pair, as in the well-known matrices. Model "match" takes all symbols for equally likely. A given `background`
    stands for q.

    Examples
    --------
    >>> structure = Alignment("match", gaps="linear")
    >>> generative_alignment_weights(structure, np.array([8.0, 0.0, 0.0]), 4, smoothing=1.0).round(2)
    array([ 1.18, -2.12, -3.  ])
    """
    pair_counts, gap_counts = counts[: structure.n_pair_features], counts[structure.n_pair_features :]
    if structure.model == "match":
        smoothed = pair_counts + smoothing
        n_others = max(n_symbols - 1, 1)
        odds = np.log(smoothed / smoothed.sum()) + np.log([n_symbols, n_symbols / n_others])
    else:
        features = structure.pair_features(n_symbols)
        low, high = np.triu_indices(n_symbols)
        # An unordered pair of different symbols is two events: (a, b) and (b, a).
        halves = np.where(low == high, 1.0, 0.5) * (pair_counts + smoothing)
        joint = halves[features] / halves[features].sum()
        single = joint.sum(axis=0) if background is None else background
        odds = np.log(joint / np.outer(single, single))[low, high]
    n_pairs, n_gaps = pair_counts.sum() + smoothing, gap_counts[0] + smoothing
    pair = np.log(n_pairs / (n_pairs + n_gaps))
    opening = np.log(n_gaps / (n_pairs + n_gaps) / 2)  # in one sequence or the other
    if structure.gaps == "linear":
        return np.append(odds + pair, opening)
    n_further = gap_counts[1] + smoothing
    further = n_further / (n_further + n_gaps)
    return np.concatenate([odds + pair, [opening + np.log(1 - further), np.log(further)]])

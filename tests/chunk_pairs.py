"""Pairs of sequences as chunks want them."""

import numpy as np

from weft.rewriting.chunks.alignment import Pairs


def make_pairs(sequences):
    def flat(side):
        offsets = np.concatenate([[0], np.cumsum([len(pair[side]) for pair in sequences])]).astype(np.int64)
        return np.array([s for pair in sequences for s in pair[side]], dtype=np.int32), offsets

    return Pairs(*flat(0), *flat(1))

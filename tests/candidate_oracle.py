"""All labellings of a chain of candidates."""

import itertools

import numpy as np

from weft.rewriting.candidates.chain import CandidateBatch

FIRST = np.array([0, 2, 5, 6])
LABELS = np.array([0, 1, 0, 2, 3, 4], dtype=np.int32)


def labellings(batch, i):
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    sizes = np.diff(FIRST)[batch.symbols[begin:end]]
    return [np.array(each, dtype=np.int16) for each in itertools.product(*map(range, sizes))]


def features(batch, i, places):
    """Features of one labelling: what `observed` says of a batch of this sequence alone."""
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    symbols, offsets = batch.symbols[begin:end], np.array([0, end - begin])
    one = CandidateBatch(batch.chain, symbols, offsets, batch.chain.find(symbols, offsets), places, n_jobs=1)
    return one.observed()

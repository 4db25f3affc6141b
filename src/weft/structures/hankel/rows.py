"""Which rows of a Hankel matrix training data can reach."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from weft.sequences.corpus import Corpus
from weft.structures.hankel.chain import HankelChain


def reachable_rows(chain: HankelChain, corpus: Corpus) -> NDArray[np.int64]:
    """Sorted numbers of the rows whose windows some candidate labelling of the corpus has.

    A row that no step touches stays zero under every proximal step, so a matrix over these rows is the whole one.

    Parameters
    ----------
    chain : HankelChain
    corpus : Corpus
    """
    _, before, after, _, scored = chain.shape
    outside = len(chain.pairs.begins) - 1  # stands for the boundary, and for symbols never seen
    runs = [range(*bounds) for bounds in zip(chain.pairs.begins[:-1], chain.pairs.begins[1:], strict=True)]
    runs.append(range(chain.pairs.n_pairs, chain.pairs.n_pairs + 1))
    symbols = chain.pairs.symbols(corpus)
    padded = [
        np.concatenate([np.full(before, outside), np.where(part < 0, outside, part), np.full(after, outside)])
        for part in corpus.split(symbols)
    ]
    rows: set[int] = set()
    for length in range(1, chain.order + 1):
        if scored[length] < 0:
            continue
        windows = {tuple(word[i : i + length - 1].tolist()) for word in padded for i in range(len(word) - length + 1)}
        powers = chain.base_size ** np.arange(length - 2, -1, -1)
        for window in windows:
            for spelled in product(*(runs[symbol] for symbol in window)):
                rows.add(int(scored[length]) + int(np.dot(spelled, powers)) if length > 1 else int(scored[length]))
    return np.array(sorted(rows), dtype=np.int64)

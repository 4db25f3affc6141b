"""Bi-symbols of plain words: what the latent-state baselines of SP section 5 are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Integers


class JointSymbols:
    """Numbers for the bi-symbols of training data, those of a letter in a row; most frequent labels for new letters.

    Examples
    --------
    >>> JointSymbols(["ab"], ["xy"]).pairs
    [('a', 'x'), ('b', 'y')]
    """

    def __init__(self, X: Sequence[Any], y: Sequence[Any]) -> None:
        counts = Counter((s, z) for word, labels in zip(X, y, strict=True) for s, z in zip(word, labels, strict=True))
        self.pairs = sorted(counts)
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.symbols = sorted({s for s, _ in self.pairs})
        first = {s: i for i, (s, _) in reversed(list(enumerate(self.pairs)))}
        self.begins = np.array([*(first[s] for s in self.symbols), len(self.pairs)], dtype=np.int64)
        self.place = {s: i for i, s in enumerate(self.symbols)}
        self.usual = Counter(z for labels in y for z in labels).most_common(1)[0][0]

    def encode(self, X: Sequence[Any], y: Sequence[Any]) -> tuple[Integers, Integers]:
        """Bi-symbols of all words in a row, and where each word begins."""
        flat = [self.number[pair] for word, z in zip(X, y, strict=True) for pair in zip(word, z, strict=True)]
        return np.array(flat, dtype=np.int64), _offsets(X)

    def symbols_of(self, word: Sequence[Any]) -> Integers:
        """Numbers of the letters of a word, -1 for one never seen."""
        return np.array([self.place.get(s, -1) for s in word], dtype=np.int64)


def _offsets(X: Sequence[Any]) -> Integers:
    return np.concatenate([[0], np.cumsum([len(word) for word in X])]).astype(np.int64)

"""Strings for points of an output space, through the n-gram counts that training outputs have."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.kernels.base import Kernel
from weft.kernels.grams.ngram import NGramKernel
from weft.preimages.euler_decoder import EulerDecoder
from weft.preimages.gram_space import GramSpace
from weft.preimages.nearest import nearest_strings
from weft.preimages.thresholds import discretize, fit_thresholds


class StringPreimages:
    """Turns weights of training outputs into strings.

    A point of the output space is a weighted sum of images of training outputs; the same sum of their n-gram counts is
    what it says about a string. Thresholds make counts agree with the training data on average (RG 1.7.3).

    Parameters
    ----------
    outputs : list of strings or token lists
    lengths : list of int
        Lengths of n-grams.
    way : {"euler", "nearest"}
    thresholds : ndarray of shape (n_grams,)

    Examples
    --------
    >>> found = StringPreimages.learn(["ab", "ba"], None, "euler", np.eye(2))
    >>> found.decode(np.array([[1.0, 0.0]]))
    ['ab']
    """

    def __init__(self, outputs: list[Any], lengths: list[int], way: str, thresholds: Floats) -> None:
        self.lengths, self.way, self.thresholds = lengths, way, thresholds
        self.space = GramSpace.learn(outputs, lengths)
        self.counts = self.space.counts(outputs)
        self.joined = isinstance(outputs[0], str)
        self.max_length = max(1, 2 * max(map(len, outputs)))
        self.caps = np.maximum(np.asarray(self.counts.max(axis=0).toarray()).ravel(), 1.0)

    @classmethod
    def learn(cls, outputs: list[Any], kernel: Kernel | None, way: str, weights: Floats) -> StringPreimages:
        """Fit thresholds to the weights that held-out predictions give to the training outputs."""
        n = kernel.n if isinstance(kernel, NGramKernel) and kernel.n > 1 else 2
        made = cls(outputs, [n] if way == "euler" else [n, n + 1], way, np.zeros(0))
        made.thresholds = fit_thresholds(weights @ made.counts, made.counts)
        return made

    def decode(self, weights: Floats) -> list[Any]:
        """One string, or list of tokens, for each row of weights."""
        predicted = np.asarray(weights @ self.counts)
        if self.way == "euler":
            found = EulerDecoder(self.space).decode(discretize(predicted, self.thresholds, self.caps))
        else:
            shifted = predicted - self.thresholds + 0.5
            found = [best[0] for best in nearest_strings(shifted, self.space, max_length=self.max_length).strings]
        return ["".join(symbols) for symbols in found] if self.joined else found

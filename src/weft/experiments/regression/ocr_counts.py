"""Counts of n-grams from the images of whole words, with every choice made on the training words.

Kernel and penalty are those whose counts for words that were left out, or for all examples of a word that were left
out together, are wrong least often after thresholds: one linear system each, in closed form. The squared error before
thresholds would not do: where words are new it is smallest for predictions that are shrunk to almost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.estimators.regress.gram_regressor import GramRegressor, bigram_votes
from weft.experiments.regression.ocr_words import WordSplit, blurred
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge.path import solve_ridge
from weft.kernels.base import Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.vectors.products import PolynomialKernel, RBFKernel
from weft.kernels.vectors.sums import SumKernel
from weft.preimages.gram_space import GramSpace
from weft.preimages.thresholds import discretize, fit_thresholds

STRENGTHS = (1e-4, 1e-2, 1e-1, 1.0, 10.0, 100.0)
"""Ridge penalties, in units of the mean of k(x, x)."""

DEGREES = (2, 3)
DIVISORS = (1, 16, 128)
"""Inner products of images are divided by one, by something between, or by the number of pixels."""

BLURS = (0.5, 1.0, 1.5, 2.0)
POWERS = (1, 2, 3)
WIDTHS = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class WordKernel:
    """A kernel of words; images are blurred before if `blur` is above 0, values raised to `power` after it."""

    name: str
    kernel: Kernel
    blur: float = 0.0
    power: int = 1

    def gram(self, X: Sequence[Floats], Y: Sequence[Floats] | None = None) -> Floats:
        """Matrix of kernel values."""
        prepare: Any = partial(blurred, down=self.blur, across=self.blur) if self.blur else np.asarray
        values = self.kernel.gram([prepare(x) for x in X], None if Y is None else [prepare(y) for y in Y])
        return values if self.power == 1 else np.asarray(values**self.power)


def aligned(n: int) -> list[WordKernel]:
    """Sums over equal places of windows of `n` images.

    Examples
    --------
    >>> [each.name for each in aligned(1)][:3]
    ['(1 + x.y/1)^2', '(1 + x.y/16)^2', '(1 + x.y/128)^2']
    """
    return [
        WordKernel(f"(1 + x.y/{divisor * n})^{degree}", SumKernel(PolynomialKernel(degree, 1 / (divisor * n)), n=n))
        for degree, divisor in product(DEGREES, DIVISORS)
    ]


def blurred_words() -> list[WordKernel]:
    """Sums over equal places of blurred images, made cosines of words, which may be raised to a power."""
    return [
        WordKernel(f"blur {blur}, power {power}", Normalized(SumKernel(PolynomialKernel(2))), blur, power)
        for blur, power in product(BLURS, POWERS)
    ]


def without_places(blur: float) -> list[WordKernel]:
    """Sums over all pairs of places of windows of two or three images: nothing says which stands where."""
    return [
        WordKernel(f"Gaussian {width}, windows of {n}", SumKernel(RBFKernel(width), "all", n), blur)
        for n, width in product((2, 3), WIDTHS)
    ]


def wrong_counts(held_out: Floats, counts: Floats) -> float:
    """Sum of the differences between true counts and predicted ones that thresholds made whole.

    Examples
    --------
    >>> wrong_counts(np.array([[0.1], [0.3]]), np.array([[0.0], [1.0]]))
    0.0
    """
    caps = np.maximum(counts.max(axis=0), 1.0)
    return float(np.abs(discretize(held_out, fit_thresholds(held_out, counts, caps), caps) - counts).sum())


class CountPredictions:
    """Counts of n-grams for the test words by the best kernel, and for training words by models that did not see them.

    Parameters
    ----------
    split : WordSplit
    kernels : sequence of WordKernel
        To choose from.
    lengths : tuple of int

    Attributes
    ----------
    kernel : WordKernel
    alpha : float
    held_out : ndarray of shape (n_words, n_grams)
    """

    def __init__(self, split: WordSplit, kernels: Sequence[WordKernel], lengths: tuple[int, ...] = (2, 3)) -> None:
        self.split = split
        self.space = GramSpace.learn(split.y, lengths)
        self.counts = self.space.counts(split.y).toarray()
        self.error: float = np.inf
        for kernel in kernels:
            gram = kernel.gram(split.X)
            for strength in STRENGTHS:
                alpha = strength * float(gram.diagonal().mean())
                held_out = leave_groups_out(gram, self.counts, alpha, split.groups)
                error = wrong_counts(held_out, self.counts)
                if error < self.error:
                    self.error, self.kernel, self.alpha = error, kernel, alpha
                    self.gram, self.held_out = gram, held_out

    @cached_property
    def predicted(self) -> Floats:
        """Counts for the test words."""
        cross = self.kernel.gram(self.split.X_test, self.split.X)
        return np.asarray(cross @ solve_ridge(self.gram, self.counts, self.alpha))

    def part(self, lengths: Sequence[int]) -> tuple[GramRegressor, Floats]:
        """The n-grams of some lengths: their thresholds, and predictions."""
        columns = self._columns(lengths)
        return self.regressor(lengths), self.predicted[:, columns]

    def regressor(self, lengths: Sequence[int]) -> GramRegressor:
        """Thresholds and held-out predictions of the n-grams of some lengths."""
        columns = self._columns(lengths)
        held_out, counts = self.held_out[:, columns], self.counts[:, columns]
        caps = np.maximum(counts.max(axis=0), 1.0)
        nothing: Any = None
        space = GramSpace.learn(self.split.y, lengths)
        return GramRegressor(nothing, space, fit_thresholds(held_out, counts, caps), caps, held_out)

    def _columns(self, lengths: Sequence[int]) -> NDArray[np.int64]:
        return np.concatenate([np.arange(self.space.n_grams)[self.space.block(n)] for n in lengths])


def choose_voters(by_length: dict[int, CountPredictions], n_voters: int) -> list[tuple[int, int]]:
    """Lengths of image n-grams and of output n-grams whose held-out bigrams are right most often."""
    errors: dict[tuple[int, int], int] = {}
    for length, predictions in by_length.items():
        bigrams = predictions.regressor([2]).space
        truth = bigrams.counts(predictions.split.y).toarray()
        for n in predictions.space.lengths:
            voter = predictions.regressor([n])
            assert voter.held_out is not None
            votes = bigram_votes([voter], [voter.held_out], bigrams)
            errors[length, n] = int(np.abs(votes - truth).sum())
    return sorted(errors, key=lambda each: errors[each])[:n_voters]

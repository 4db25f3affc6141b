"""How good a model must be on unseen inputs: the bounds of MM section 6 and Theorem 5.

The functions take a fitted estimator, inputs and their outputs; formulas that need no model take numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, sqrt
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import product
from weft.errors import InputError
from weft.learners.moments.ranks import rank_bound, ranking_losses, relative_rank_bounds, relative_ranks

__all__ = [
    "RademacherBound",
    "pac_bound",
    "rademacher_bound",
    "rademacher_of_outputs",
    "rademacher_of_pairs",
    "rank_bound",
    "ranking_losses",
    "relative_rank_bounds",
    "relative_ranks",
]


# ------------------------------------------------------------ Rademacher bound


def rademacher_of_outputs(squared_norms: Any, c: float) -> float:
    """Bound on the Rademacher term of n sampled outputs of one input (Proposition 10, with the +1 outside the root).

    Parameters
    ----------
    squared_norms : array of shape (n,)
        ``||phi(x, reference) - phi(x, y_j)||^2`` of the drawn outputs.
    c : float
        Bound on ``||theta||^2``.

    Examples
    --------
    >>> rademacher_of_outputs([1.0, 1.0, 1.0, 1.0], c=1.0)
    4.0
    """
    squares = np.asarray(squared_norms, dtype=np.float64)
    inner = c * sqrt(float(np.mean(squares**2))) + 2.0 * sqrt(c) * sqrt(float(np.mean(squares))) + 1.0
    return 2.0 / sqrt(len(squares)) * inner


def rademacher_of_pairs(second_moments: Any, squared_means: Any, c: float) -> float:
    """Bound on the Rademacher term of l training pairs (Proposition 11, with the +1 outside the root).

    Parameters
    ----------
    second_moments : array of shape (l,)
        ``||C_i + b_i b_i'||_F^2``, which equals the mean of squared inner products over all pairs of outputs.
    squared_means : array of shape (l,)
        ``||b_i||^2``.
    c : float
        Bound on ``||theta||^2``.

    Examples
    --------
    >>> round(rademacher_of_pairs([48.875], [5.75], c=1.0), 10)
    25.5737945007
    """
    second, means = np.asarray(second_moments, dtype=np.float64), np.asarray(squared_means, dtype=np.float64)
    inner = c * sqrt(float(np.mean(second))) + 2.0 * sqrt(c) * sqrt(float(np.mean(means))) + 1.0
    return 2.0 / sqrt(len(second)) * inner


@dataclass(frozen=True)
class RademacherBound:
    """The terms of MM Theorem 7; their sum bounds the expected ranking loss with probability 1 - delta.

    Attributes
    ----------
    empirical : float
        Mean ranking loss on the data.
    output_complexity, pair_complexity : float
        Rademacher terms of the sampled outputs (mean over inputs) and of the training pairs.
    output_deviation, pair_deviation : float
        Confidence terms; those of the outputs are zero when moments are exact.
    """

    empirical: float
    output_complexity: float
    pair_complexity: float
    output_deviation: float
    pair_deviation: float

    @property
    def total(self) -> float:
        """The bound."""
        return (
            self.empirical + self.output_complexity + self.pair_complexity + self.output_deviation + self.pair_deviation
        )


def rademacher_bound(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    c: float | None = None,
    n_samples: int | None = None,
    conservative: bool = False,
    random_state: Any = None,
) -> RademacherBound:
    """Bound on the expected ranking loss of a fitted model (MM Theorem 7, Propositions 10 and 11 corrected).

    It holds for all weights with ``||theta||^2 <= c`` at once; loose unless there are very many short sequences.

    Parameters
    ----------
    estimator : fitted Tagger, Aligner, Folder or Parser
    X, y
        The training data.
    delta : float
        Probability with which the bound may fail.
    c : float, optional
        Bound on the squared norm, to be fixed before looking at the data; by default that of the weights.
    n_samples : int, optional
        Outputs drawn per sequence, if the moments of the fit were sampled; the terms of Proposition 10 then join.
        By default moments are exact, those terms vanish and all of `delta` goes to the training pairs.
    conservative : bool
        Use the usual constants ``log(4 l / delta)`` and ``log(4 / delta)``, twice those printed inside the logarithm.
    random_state : int, optional

    Returns
    -------
    RademacherBound

    Examples
    --------
    >>> import weft
    >>> X, y = ["abab", "bbaa"] * 20, ["xyxy", "yyxx"] * 20
    >>> bound = rademacher_bound(weft.Tagger(weft.SODA()).fit(X, y), X, y)
    >>> bound.empirical < 0.5 < bound.total
    True
    """
    if not 0.0 < delta < 1.0:
        raise InputError(f"delta is {delta!r}; a probability between 0 and 1 is needed.")
    batch = estimator.bind(X, y)
    weights, n_pairs = estimator.weights_, batch.n_sequences
    squared_norm = product(weights, weights)
    if c is None:
        c = squared_norm
    if squared_norm > c * (1 + 1e-12):
        raise InputError(f"the weights have squared norm {squared_norm:.4g} > c={c:.4g}; raise c.")
    parts = [batch.select([i]).weighted(np.ones(1)) for i in range(n_pairs)]
    second, squared_means = np.array([_second_moment(part) for part in parts]).T
    largest = (batch.largest_feature() * sqrt(batch.n_features * c) + 1.0) ** 2  # M of the theorem
    doubled = 2.0 if conservative else 1.0
    output_complexity = output_deviation = 0.0
    share = 1.0
    if n_samples is not None:
        random = np.random.default_rng(random_state)
        output_complexity = float(
            np.mean([rademacher_of_outputs(_drawn_norms(part, n_samples, random), c) for part in parts])
        )
        output_deviation = 3.0 * largest * sqrt(log(doubled * 2.0 * n_pairs / delta) / (2.0 * n_samples))
        share = 2.0  # delta is split between outputs and pairs
    return RademacherBound(
        empirical=float(np.mean(ranking_losses(estimator, X, y))),
        output_complexity=output_complexity,
        pair_complexity=rademacher_of_pairs(second, squared_means, c),
        output_deviation=output_deviation,
        pair_deviation=3.0 * largest * sqrt(log(doubled * share / delta) / (2.0 * n_pairs)),
    )


def _second_moment(part: Any) -> tuple[float, float]:
    """``||C + b b'||_F^2`` and ``||b||^2`` of one sequence, from one covariance product per feature that it has."""
    moments = part.moments()
    b = moments.difference
    squares = 0.0
    unit = np.zeros(part.n_features)
    for j in np.flatnonzero((moments.diagonal > 0.0) | (b != 0.0)):
        unit[j] = 1.0
        row = moments.product(unit) + b[j] * b
        squares += product(row, row)
        unit[j] = 0.0
    return squares, product(b, b)


def _drawn_norms(part: Any, n_samples: int, random: np.random.Generator) -> Floats:
    reference = part.observed()
    drawn = part.sample(np.zeros(part.n_features), n_samples, random)
    return np.array([np.sum((reference - part.observed(outputs)) ** 2) for outputs in drawn])


# ------------------------------------------------------------------- PAC bound


def pac_bound(n_features: int, largest: float, n_pairs: int, delta: float = 0.05, *, form: str = "exact") -> float:
    """Bound on the share of wrong outputs of a model without training errors (MM Theorem 8).

    Parameters
    ----------
    n_features : int
        d, at least 2.
    largest : int
        C: features are whole numbers from 0 to C. For the features of an HMM the length of a sequence suffices.
    n_pairs : int
        Training pairs, all of which the model predicts exactly.
    delta : float
        Probability with which the bound may fail.
    form : {"exact", "printed"}
        The number of prediction functions as it is, or the looser expression of the paper.

    Returns
    -------
    float
        Says nothing if it is 1 or more.

    Examples
    --------
    >>> round(pac_bound(10, 7, 1000, form="printed"), 10), round(pac_bound(10, 7, 1000), 10)
    (0.2602659329, 0.2305994362)
    """
    d = n_features
    if d < 2 or largest < 1 or n_pairs < 1 or not 0.0 < delta < 1.0:
        raise InputError(
            f"n_features={d}, largest={largest}, n_pairs={n_pairs}, delta={delta}; at least 2 features, 1, 1 pair and "
            "a probability between 0 and 1 are needed."
        )
    if form == "printed":
        factorial = (d - 2) * log(d - 2) if d > 2 else 0.0
        return (d * d * log(2.0 * largest) - factorial + d - log(delta)) / n_pairs
    if form != "exact":
        raise InputError(f"form is {form!r}; use 'exact' or 'printed'.")
    count = (d * d - d + 1) * log(2.0) + d * (d - 1) * log(largest) - lgamma(d - 1)
    return (count - log(delta)) / n_pairs

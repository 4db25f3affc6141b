"""Outputs of one model, or of several that vote, best first."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.ties import TIE_TOLERANCE, ordered_list
from weft.rewriting.model import Outputs, RewriteModel

N_LIST = 12
"""Outputs of each input that are ordered anew."""
N_VOTES, FEWEST_BEST = 6, 2
"""Outputs of each model that take part in a vote, at the least; of a model that is alone."""


@dataclass(frozen=True)
class Copies:
    """What positions write whose symbols training lacks.

    Attributes
    ----------
    symbols : dict of int to int
        Output symbol of a position; -1 for none.
    stand_in : int, optional
        Output symbol in whose place it comes, if the model has one; else it is all that the position writes.

    Examples
    --------
    >>> Copies({}, stand_in=3).at(7, [3, 5]), Copies({}).at(7, []), Copies({}).at(-1, [2])
    ([7, 5], [7], [])
    """

    symbols: dict[int, int]
    stand_in: int | None = None

    def at(self, symbol: int, written: list[int]) -> list[int]:
        """Output symbols of a position that would have `written`."""
        if symbol < 0:
            return []
        if self.stand_in is None:
            return [symbol]
        return [symbol if each == self.stand_in else each for each in written]


def ranked_outputs(
    model: RewriteModel, outputs: Outputs, offsets: NDArray[np.int64], copies: Copies | None = None
) -> list[list[tuple[Any, float]]]:
    """For each sequence its outputs as tuples of numbers and their log-scores, best first."""
    spelled = [model.spell(row) for row in outputs.candidates]
    copies = copies or Copies({})
    for place, symbol in copies.symbols.items():
        for row in spelled:
            row[place] = copies.at(symbol, row[place])
    ranked = []
    for scores, (begin, end) in zip(outputs.scores.tolist(), itertools.pairwise(offsets.tolist()), strict=True):
        order = [k for k in ordered_list(scores) if scores[k] > -math.inf]
        ranked.append([(tuple(itertools.chain.from_iterable(spelled[k][begin:end])), scores[k]) for k in order])
    return ranked


def by_probability(found: list[tuple[tuple[int, ...], float]]) -> list[tuple[tuple[int, ...], float]]:
    """Outputs and their probabilities, best first; equal ones (`weft.core.ties`) stay in their order.

    Examples
    --------
    >>> by_probability([((1,), 0.1 + 0.2), ((2,), 0.4), ((3,), 0.3)])
    [((2,), 0.4), ((1,), 0.30000000000000004), ((3,), 0.3)]
    """
    order = ordered_list([probability for _, probability in found], TIE_TOLERANCE)
    falling = itertools.accumulate((found[place][1] for place in order), min)
    return [(found[place][0], probability) for place, probability in zip(order, falling, strict=True)]


def vote(
    models: list[RewriteModel],
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    k: int,
    *,
    beam_width: int,
    n_jobs: int | None,
    copies: Copies | None = None,
    sizes: list[float | None] | None = None,
) -> list[list[tuple[tuple[int, ...], float]]]:
    """The k outputs of each sequence with the largest mean probability over the models.

    `sizes` are those of their weights, where they are known.
    """
    n_best = max(k, FEWEST_BEST if len(models) == 1 else N_VOTES)
    votes: list[dict[tuple[int, ...], float]] = [{} for _ in range(len(offsets) - 1)]
    for model, size in zip(models, sizes or [None] * len(models), strict=True):
        width = max(beam_width, n_best)
        found = model.decode(symbols, offsets, n_best, beam_width=width, n_jobs=n_jobs, size=size)
        _add_votes(votes, model, found, offsets, len(models), copies)
    return [by_probability(list(counts.items()))[:k] for counts in votes]


def _add_votes(
    votes: list[dict[tuple[int, ...], float]],
    model: RewriteModel,
    found: Outputs,
    offsets: NDArray[np.int64],
    n_models: int,
    copies: Copies | None = None,
) -> None:
    """Add what a model says of the outputs of each sequence."""
    ranked = ranked_outputs(model, found, offsets, copies)
    scores = np.array([score for outputs in ranked for _, score in outputs])
    totals = found.totals.repeat([len(outputs) for outputs in ranked])
    shares = iter((np.exp(np.minimum(scores - totals, 0.0)) / n_models).tolist())
    for counts, outputs in zip(votes, ranked, strict=True):
        for output, _ in outputs:
            counts[output] = counts.get(output, 0.0) + next(shares)


def best_outputs(
    model: RewriteModel,
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    *,
    beam_width: int,
    n_jobs: int | None,
    size: float | None = None,
) -> list[tuple[int, ...]]:
    """The first of the outputs that `vote` gives to each sequence, of one model and without what symbols copy.

    Where the output found first has the larger score, it has the larger probability too, and nothing else is asked.
    """
    width = max(beam_width, FEWEST_BEST)
    found = model.decode(symbols, offsets, FEWEST_BEST, beam_width=width, n_jobs=n_jobs, size=size)
    spelled, outputs, together = model.spell(found.candidates[0]), [], itertools.chain.from_iterable
    bounds = offsets.tolist()
    for i, (first, second) in enumerate(found.scores.tolist()):
        begin, end = bounds[i], bounds[i + 1]
        if first >= second and first > -math.inf:
            outputs.append(tuple(together(spelled[begin:end])))
            continue
        own = Outputs(found.candidates[:, begin:end], found.scores[i : i + 1], found.totals[i : i + 1])
        votes: list[dict[tuple[int, ...], float]] = [{}]
        _add_votes(votes, model, own, offsets[i : i + 2] - begin, 1)
        outputs.append(by_probability(list(votes[0].items()))[0][0])
    return outputs

"""The string whose n-gram counts are nearest to predicted ones, n-grams of several lengths together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weft.arrays import Floats, Integers, Mask
from weft.core.checks import checked_number
from weft.core.threads import effective_jobs, in_threads
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.language_model.model import NGramLanguageModel
from weft.language_model.tables import BackOffTables
from weft.preimages.euler_decoder import EulerDecoder, model_numbers
from weft.preimages.gram_space import BOUNDARY, GramSpace
from weft.preimages.loops.nearest import Beam, Grams, search_rows
from weft.preimages.viterbi import FLOOR

MOST_USES = 1_000_000
"""How often a string may have an n-gram; a search counts every use."""

LONGEST = 10_000
"""Symbols of a string, if the user does not say."""
LONGEST_GIVEN = 1_000_000
"""Symbols of a string that a user may ask for."""


@dataclass(frozen=True)
class NearestStrings:
    """What a search found.

    Attributes
    ----------
    strings : list of list of list of symbols
        For each row the best strings, the nearest first.
    costs : list of ndarray
        ``|counts - z|^2 - |z|^2`` of each, n-grams outside of the space counted as `nearest_strings` says, plus the
        language model's part.
    bounds : ndarray of shape (n,)
        No string that the beam dropped costs less than this.
    """

    strings: list[list[list[Any]]]
    costs: list[Floats]
    bounds: Floats

    @property
    def is_proven(self) -> Mask:
        """Whether no string at all is nearer than the first one found, by more than a tie (`weft.core.ties`)."""
        best = np.array([costs[0] if len(costs) else np.inf for costs in self.costs])
        return np.asarray(best <= self.bounds + 1e-9)


def nearest_strings(
    predicted: ArrayLike,
    space: GramSpace,
    *,
    beam_width: int = 40,
    k: int = 1,
    max_length: int | None = None,
    weights: Sequence[float] | None = None,
    new_gram_cost: float | Sequence[float] | None = None,
    language_model: NGramLanguageModel | None = None,
    model_weight: float | None = None,
    n_jobs: int | None = -1,
) -> NearestStrings:
    """Strings y that minimise ``sum_g (count_g(y) - z_g)^2``, less a multiple of their log probability.

    The k-th use of an n-gram adds ``2 k - 1 - 2 z`` to the distance. A beam of partial strings grows symbol by symbol.
    What a partial string can still gain is at most all unused increments below zero; that bounds its completions from
    below, and proves the result optimal wherever everything that the beam dropped has a bound above it. The search
    begins with the Euler paths of rounded counts, so that no result is worse than these.

    Predictions of a ridge regression are shrunk. Give ``z - threshold + 1/2`` (see `fit_thresholds`) rather than z.

    Parameters
    ----------
    predicted : array of shape (n, n_grams)
        One column for each n-gram of the space.
    space : GramSpace
    beam_width : int
        Partial strings that are kept at each length.
    k : int
        Strings to return for each row, strings of equal counts among them.
    max_length : int, optional
        None takes twice the number of n-grams that any row rounds to, at least 30 and at most 10,000.
    weights : sequence of float, optional
        Weight of each length of n-grams in the distance; None is 1.
    new_gram_cost : float or sequence of float, optional
        Cost of an n-gram that the space does not have, for each length. None forbids symbols that never followed each
        other, and lets longer n-grams cost 1, as if a count of 0 was predicted for them.
    language_model : NGramLanguageModel, optional
    model_weight : float, optional
        Multiple of the log probability; None is 0.05. Only with a language model.
    n_jobs : int
        Threads.

    Returns
    -------
    NearestStrings

    Examples
    --------
    >>> space = GramSpace.learn(["abc", "cab", "bca"], [2])
    >>> found = nearest_strings([space.counts(["cabc"]).toarray()[0] * 0.9], space)
    >>> found.strings[0][0], bool(found.is_proven[0])
    (['c', 'a', 'b', 'c'], True)
    """
    z = np.ascontiguousarray(predicted, dtype=np.float64)
    if z.ndim != 2 or z.shape[1] != space.n_grams:
        raise InputError(f"predictions of shape {z.shape} given; need (n, {space.n_grams}): one column per n-gram.")
    if not np.isfinite(z).all():
        raise InputError("predictions hold numbers that are not finite; need finite ones.")
    if z.size and z.max() > MOST_USES:
        raise InputError(f"a count of {z.max():.3g} is predicted; at most {MOST_USES} are searched: scale predictions.")
    grams = _arrays(space, weights, new_gram_cost)
    tables, start, numbers = _model_arrays(language_model, space)
    weight = _model_weight(model_weight, language_model)
    # Half a count is a tie: it must not hang on rounding.
    whole = np.maximum(np.ceil(z - 0.5 - TIE_TOLERANCE * np.maximum(np.abs(z), 1.0)), 0.0).astype(np.int64)
    totals = [int(whole[:, space.block(n)].sum(axis=1).max(initial=0)) for n in space.lengths]
    longest = min(max(30, 2 * max(totals)), LONGEST) if max_length is None else _checked_length(max_length)
    beam = Beam(checked_number("beam_width", beam_width), longest, checked_number("k", k), weight, FLOOR)
    starts, lengths = _starts(whole, space, longest)
    jobs = min(effective_jobs(n_jobs), max(1, len(z) // 16))
    parts = in_threads(
        lambda cut: search_rows(z[cut], grams, beam, tables, start, numbers, starts[cut], lengths[cut]),
        [slice(cut[0], cut[-1] + 1) for cut in np.array_split(np.arange(len(z)), jobs)] if len(z) else [slice(0, 0)],
    )
    strings, costs = [], []
    for texts, found, n_found, _ in parts:
        for i in range(len(texts)):
            lengths = found[i, : n_found[i], 0].astype(np.int64).tolist()
            strings.append([space.decode(texts[i, j, :length].tolist()) for j, length in enumerate(lengths)])
            costs.append(np.maximum.accumulate(found[i, : n_found[i], 1]))
    return NearestStrings(strings, costs, np.concatenate([part[3] for part in parts]))


def _model_weight(weight: Any, model: NGramLanguageModel | None) -> float:
    if model is None:
        if weight is not None:
            raise InputError(f"model_weight is {weight!r}, but there is no language_model to weigh; leave it out.")
        return 0.0
    weight = 0.05 if weight is None else weight
    if not isinstance(weight, int | float | np.number) or not 0.0 <= weight < np.inf:
        raise InputError(f"model_weight is {weight!r}; a finite number >= 0 is needed.")
    return float(weight)


def _checked_length(max_length: Any) -> int:
    length = checked_number("max_length", max_length)
    if length > LONGEST_GIVEN:
        raise InputError(f"max_length={length} given; strings have at most {LONGEST_GIVEN:,} symbols: lower it.")
    return length


def _prices(new_gram_cost: Any, n_lengths: int) -> Floats:
    """Cost of a new n-gram of each length; a negative one would reward what no training string has."""
    try:
        prices = np.broadcast_to(np.asarray(new_gram_cost, dtype=np.float64), (n_lengths,)).copy()
    except (TypeError, ValueError):
        prices = np.full(n_lengths, np.nan)
    if not (prices >= 0.0).all():
        raise InputError(
            f"new_gram_cost is {new_gram_cost!r:.60}; a number of at least 0 is needed, one for each of the "
            f"{n_lengths} lengths of n-grams, or None."
        )
    return prices


def _starts(whole: Integers, space: GramSpace, longest: int) -> tuple[Integers, Integers]:
    """Euler paths of the counts of each length, those that are not too long, as numbers of symbols."""
    all_n = [n for n in space.lengths if n >= 2]
    texts = np.zeros((len(whole), len(all_n), longest + 1), dtype=np.int64)
    lengths = np.zeros(texts.shape[:2], dtype=np.int64)
    for j, n in enumerate(all_n):
        strings = EulerDecoder(space, n).decode(whole[:, space.block(n)])
        flat, offsets = space.encode(strings)
        for i, string in enumerate(strings):
            if len(string) <= longest:
                lengths[i, j] = len(string)
                texts[i, j, : len(string)] = flat[offsets[i] + 1 : offsets[i + 1] - 1]
    return texts, lengths


def _arrays(space: GramSpace, weights: Sequence[float] | None, new_gram_cost: float | Sequence[float] | None) -> Grams:
    """The space as the compiled search wants it."""
    n_lengths = len(space.lengths)
    shares = np.ones(n_lengths) if weights is None else np.asarray(weights, dtype=np.float64)
    if shares.shape != (n_lengths,) or not (shares > 0.0).all():
        raise InputError(f"weights are {weights!r}; need {n_lengths} numbers above 0, one for each length.")
    lengths = np.array(space.lengths, dtype=np.int64)
    if new_gram_cost is None:
        prices, allowed = np.where(lengths <= 2, np.inf, shares), _neighbours(space)
    else:
        prices = _prices(new_gram_cost, n_lengths)
        allowed = np.ones((space.base, space.base), dtype=bool)
    rows, successors = np.nonzero(allowed)
    return Grams(
        lengths,
        np.array(space.starts, dtype=np.int64),
        np.concatenate(space.keys),
        np.repeat(shares, np.diff(space.starts)),
        prices,
        np.concatenate([(each[:, -1] == BOUNDARY) for each in space.grams]),
        np.concatenate([(each[:, 0] == BOUNDARY) for each in space.grams]),
        np.searchsorted(rows, np.arange(space.base + 1)).astype(np.int64),
        successors.astype(np.int64),
        space.base ** (lengths - 1),
        space.base,
    )


def _neighbours(space: GramSpace) -> Mask:
    """Which symbol may follow which: those that do so in some n-gram; all, if there are single symbols only."""
    allowed = np.zeros((space.base, space.base), dtype=bool)
    for grams in space.grams:
        for i in range(grams.shape[1] - 1):
            allowed[grams[:, i], grams[:, i + 1]] = True
    return allowed if allowed.any() else ~allowed


def _model_arrays(model: NGramLanguageModel | None, space: GramSpace) -> tuple[BackOffTables, int, Integers]:
    if model is not None:
        return model.tables_, model.start_state_, model_numbers(model, space)
    none, nothing = np.zeros(1, dtype=np.int64), np.zeros(1)
    return BackOffTables(none, none, nothing, none, none, nothing), 0, np.zeros(space.base, dtype=np.int64)

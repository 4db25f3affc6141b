"""Two models of edits, one that writes forms from their beginning and one that writes them from their end.

What the first knows of an ending when it leaves the stem the second has yet to learn, and the other way round, so that
forms that both find probable are the better ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from weft.arrays import Ids, Integers
from weft.rewriting.edits.model import EditModel, Words
from weft.rewriting.model import reversed_sequences
from weft.rewriting.ranking import Copies, by_probability
from weft.rewriting.tagged import Tagged

Ranked = list[list[tuple[tuple[int, ...], float]]]

N_VOTES = 6
"""Forms of each model that take part in a vote, at the least."""


@dataclass(frozen=True)
class Edits:
    """Models of edits from the beginning and from the end, which vote."""

    forwards: EditModel
    backwards: EditModel

    @property
    def n_weights(self) -> int:
        """Number of weights of both."""
        return len(self.forwards.weights) + len(self.backwards.weights)

    def rank(self, words: Words, k: int, n_jobs: int | None = -1) -> Ranked:
        """The k forms of each word with the largest mean probability, best first."""
        n_best = max(k, N_VOTES)
        found = self.forwards.rank(words, n_best, n_jobs=n_jobs)
        reverse = self.backwards.rank(turned(words), n_best, n_jobs=n_jobs)
        other = [[(form[::-1], share) for form, share in each] for each in reverse]
        return mixed(found, other, 0.5, k)

    def prune(self, min_weight: float) -> Edits:
        """Both without weights smaller than this share of their mean size."""
        return Edits(self.forwards.prune(min_weight), self.backwards.prune(min_weight))


def mixed(found: Ranked, other: Ranked, share: float, k: int) -> Ranked:
    """The k outputs of each input with the largest mean probability, where the second list counts `share`.

    Examples
    --------
    >>> mixed([[((1,), 0.75), ((2,), 0.25)]], [[((2,), 1.0)]], 0.5, 1)
    [[((2,), 0.625)]]
    """
    ranked = []
    for first, second in zip(found, other, strict=True):
        sums: dict[tuple[int, ...], float] = {}
        for output, probability in chain(
            ((output, (1.0 - share) * p) for output, p in first), ((output, share * p) for output, p in second)
        ):
            sums[output] = sums.get(output, 0.0) + probability
        ranked.append(by_probability(list(sums.items()))[:k])
    return ranked


def turned(words: Words) -> Words:
    """The words from their end to their beginning."""
    return replace(words, symbols=reversed_sequences(words.symbols, words.offsets))


def words_of(symbols: Ids, offsets: Integers, tagged: Tagged, copies: Copies | None = None) -> Words:
    """Words as the outputs that would repeat them, and their tags, from inputs between their tags and ends.

    Symbols unseen in training are what `copies` has for their places; those without a copy are left out.
    """
    own = tagged.own[symbols]
    for place, symbol in ({} if copies is None else copies.symbols).items():
        own[place] = symbol
    letters = (tagged.kinds[symbols] == 0) & (own >= 0)
    tags = tagged.is_tag[symbols]
    bounds = [np.concatenate([[0], np.cumsum(each)])[offsets] for each in (letters, tags)]
    return Words(own[letters], bounds[0], symbols[tags], bounds[1])

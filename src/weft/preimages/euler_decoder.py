"""Euler pre-images of many predictions at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Matrix
from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.language_model.model import NGramLanguageModel
from weft.preimages.euler import check_total
from weft.preimages.gram_space import BOUNDARY, GramSpace
from weft.preimages.loops.euler import walks
from weft.preimages.loops.euler_paths import best_paths
from weft.preimages.viterbi import FLOOR


@dataclass(frozen=True)
class RankedPaths:
    """The most probable strings that a search found.

    Attributes
    ----------
    strings : list of list of symbols
        One for each row of counts.
    scores : ndarray of shape (n,)
        Their log probabilities; what the model forbids counts as -10,000 each time.
    bounds : ndarray of shape (n,)
        No string that the search left out has a higher one; -inf if it left out none.
    """

    strings: list[list[Any]]
    scores: Floats
    bounds: Floats

    @property
    def is_proven(self) -> NDArray[np.bool_]:
        """Whether no string of these counts is more probable, by more than a tie (`weft.core.ties`)."""
        return np.asarray(self.scores >= self.bounds - TIE_TOLERANCE * np.abs(self.scores))


class EulerDecoder:
    """Strings from whole counts of the n-grams of a space, by the generalised Euler algorithm (RG 1.4.8).

    A walk begins at the boundary symbol, and edges to the boundary are examined first, so that a string ends where
    counts say it may. Where counts admit a pre-image that begins and ends with boundaries, it is found.

    Parameters
    ----------
    space : GramSpace
    n : int, optional
        Which n-grams of the space, of at least 2 symbols; None takes its shortest such.

    Examples
    --------
    >>> space = GramSpace.learn(["abc", "cab"], [2])
    >>> EulerDecoder(space).decode(space.counts(["cabc"]).toarray())
    [['c', 'a', 'b', 'c']]
    """

    def __init__(self, space: GramSpace, n: int | None = None) -> None:
        possible = [each for each in space.lengths if each >= 2]
        if n is None and not possible:
            raise InputError(
                f"Euler pre-images need n-grams of at least 2 symbols; the space has lengths {space.lengths}."
            )
        self.space = space
        self.n = possible[0] if n is None else checked_number("n", n)
        if self.n not in possible:
            raise InputError(f"n={n} given; the space has n-grams of lengths {possible}: take one of them.")
        grams = space.grams[space.lengths.index(self.n)]
        keys_before, keys_after = space.encode_rows(grams[:, :-1]), space.encode_rows(grams[:, 1:])
        vertices = np.unique(np.concatenate([keys_before, keys_after]))
        self.sources = np.searchsorted(vertices, keys_before)
        self.targets = np.searchsorted(vertices, keys_after)
        self.last_symbols = grams[:, -1].copy()
        self.vertex_symbols = space.decode_keys(vertices, self.n - 1)
        self.preferred = self.vertex_symbols[:, 0] == BOUNDARY
        self.offsets = np.searchsorted(self.sources, np.arange(len(vertices) + 1))
        # Rows of `grams` are sorted, and the boundary has the smallest number: edges to it come first already.
        self.edge_order = np.arange(len(grams))

    def _whole(self, counts: Any) -> Integers:
        whole = np.ascontiguousarray(counts.toarray() if hasattr(counts, "toarray") else counts, dtype=np.int64)
        if whole.ndim != 2 or whole.shape[1] != len(self.sources):
            wanted = f"(n, {len(self.sources)})"
            raise InputError(f"counts of shape {whole.shape} given; need {wanted}: one column per n-gram.")
        if whole.size and whole.min() < 0:
            raise InputError("a count is negative; whole numbers >= 0 are needed: use discretize first.")
        check_total(float(whole.sum(dtype=np.float64)))
        return whole

    def paths(self, counts: Matrix) -> tuple[Integers, Integers]:
        """Edges of all walks, one after the other, and where each begins; edges are rows of the space's n-grams."""
        whole = self._whole(counts)
        edges, begins = walks(self.offsets, self.edge_order, self.sources, self.targets, self.preferred, whole)
        return edges, begins

    def decode(self, counts: Matrix) -> list[list[Any]]:
        """One string for each row of counts, in linear time: that of the first edges, wherever there is a choice.

        Parameters
        ----------
        counts : array of shape (n, n_grams)
            Whole numbers for the n-grams of length `n`.

        Returns
        -------
        list of list of symbols
        """
        return self._strings(*self.paths(counts))

    def rank(self, counts: Matrix, language_model: NGramLanguageModel, *, beam_width: int = 200) -> RankedPaths:
        """The most probable string with the counts of each row (RG 1.4.8).

        Where no string has them, one that lists all n-grams with the fewest jumps, places where an n-gram does not
        begin with what was before it; after a jump its last symbol alone is read, so that lengths agree with counts.

        Parameters
        ----------
        counts : array of shape (n, n_grams)
            Whole numbers for the n-grams of length `n`.
        language_model : NGramLanguageModel
            Fitted.
        beam_width : int
            Partial strings that are kept at each length. Two that have used the same n-grams, end alike and leave the
            model in the same state count as one, so that few are needed to look at all strings.

        Returns
        -------
        RankedPaths

        Examples
        --------
        >>> space = GramSpace.learn(["bcbcca", "bccbca"], [2])
        >>> model = NGramLanguageModel(3, "witten_bell").fit(["bccbca"])
        >>> found = EulerDecoder(space).rank(space.counts(["bcbcca"]).toarray(), model)
        >>> "".join(found.strings[0]), bool(found.is_proven[0])
        ('bccbca', True)
        """
        whole = self._whole(counts)
        numbers = model_numbers(language_model, self.space)
        limits, slack = self._limits(language_model, numbers)
        edges, begins, scores, bounds = best_paths(
            self.sources,
            self.targets,
            whole,
            self.last_symbols,
            self.vertex_symbols,
            self.preferred,
            limits,
            slack,
            (language_model.tables_, language_model.start_state_, language_model.end_, numbers, FLOOR),
            checked_number("beam_width", beam_width),
        )
        return RankedPaths(self._strings(edges, begins), scores, bounds)

    def _limits(self, model: NGramLanguageModel, numbers: Integers) -> tuple[Floats, float]:
        """Largest log probability of the last symbol of each n-gram, and how much larger it may be after a jump.

        A state of the model ends with the last symbol that was read. If it has no arc for a symbol, it backs off to
        states that end likewise, and then to the empty one; probabilities only shrink on the way.
        """
        tables = model.tables_
        sources = np.repeat(np.arange(len(tables.back_off_states)), np.diff(tables.offsets))
        last = np.full(len(tables.back_off_states), -1)
        into = tables.targets > 0
        last[tables.targets[into]] = tables.symbols[into]
        n = model.unknown_ + 1
        before, after = numbers[self.vertex_symbols[self.sources, -1]], numbers[self.last_symbols]
        pairs, pair_of = np.unique(before * n + after, return_inverse=True)
        arcs = last[sources] * n + tables.symbols
        places = np.minimum(np.searchsorted(pairs, arcs), len(pairs) - 1)
        hits = (pairs[places] == arcs) & (last[sources] >= 0)
        found = np.full(len(pairs), -np.inf)
        np.maximum.at(found, places[hits], tables.scores[hits])
        single = (tables.back_off_states == 0) & (last >= 0)
        empty, largest = np.zeros(n), np.full(n, -np.inf)
        empty[last[single]] = tables.back_off_scores[single]
        np.maximum.at(largest, tables.symbols, tables.scores)
        limits = np.maximum(found[pair_of.ravel()], empty[before] + tables.scores[after])
        # After a boundary the symbol before that counts, which may be any.
        limits = np.where(self.vertex_symbols[self.sources, -1] == BOUNDARY, largest[after], limits)
        limits, most = (
            np.where(self.last_symbols == BOUNDARY, 0.0, np.maximum(x, FLOOR)) for x in (limits, largest[after])
        )
        return limits, float((most - limits).max(initial=0.0))

    def _strings(self, edges: Integers, begins: Integers) -> list[list[Any]]:
        lengths = np.diff(begins)
        # A walk reads as the symbols of its first vertex and the last symbol of each edge.
        prefix = self.n - 1
        rows = np.flatnonzero(lengths)
        symbols = np.zeros(len(edges) + prefix * len(rows), dtype=np.int64)
        heads = begins[rows] + prefix * np.arange(len(rows))
        tail = np.ones(len(symbols), dtype=bool)
        for i in range(prefix):
            symbols[heads + i] = self.vertex_symbols[self.sources[edges[begins[rows]]], i]
            tail[heads + i] = False
        symbols[tail] = self.last_symbols[edges]
        owners = np.repeat(rows, lengths[rows] + prefix)[symbols != BOUNDARY]
        ends = np.cumsum(np.bincount(owners, minlength=len(lengths))).tolist()
        flat = self.space.decode(symbols[symbols != BOUNDARY].tolist())
        return [flat[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def model_numbers(model: NGramLanguageModel, space: GramSpace) -> Integers:
    """Number in the language model of each symbol of the space; the boundary is the end."""
    numbers, _ = model.encode([space.alphabet.symbols])
    return np.concatenate([[model.end_], numbers])

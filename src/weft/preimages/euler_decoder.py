"""Euler pre-images of many predictions at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.language_model.model import NGramLanguageModel
from weft.preimages.euler import check_total
from weft.preimages.gram_space import BOUNDARY, GramSpace
from weft.preimages.loops.euler import best_walks, walks

__all__ = ["EulerDecoder", "model_numbers"]

Integers = NDArray[np.int64]


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
            raise InputError(f"n={n} came; the space has n-grams of lengths {possible}: take one of them.")
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

    def paths(self, counts: Any, language_model: NGramLanguageModel | None = None, **options: Any) -> Any:
        """Edges of all walks, one after the other, and where each begins; edges are rows of the space's n-grams."""
        whole = np.ascontiguousarray(counts, dtype=np.int64)
        if whole.ndim != 2 or whole.shape[1] != len(self.sources):
            wanted = f"(n, {len(self.sources)})"
            raise InputError(f"counts of shape {whole.shape} came; want {wanted}: one column for each n-gram.")
        if whole.size and whole.min() < 0:
            raise InputError("a count is negative; whole numbers >= 0 are wanted: use discretize first.")
        check_total(float(whole.sum(dtype=np.float64)))
        graph = (self.offsets, self.edge_order, self.sources, self.targets, self.preferred, whole)
        if language_model is None:
            return walks(*graph)
        limit, seed = options.get("limit", 300), options.get("random_state", 0)
        return best_walks(
            *graph,
            self.last_symbols,
            self.vertex_symbols,
            language_model.tables_,
            language_model.start_state_,
            language_model.end_,
            model_numbers(language_model, self.space),
            checked_number("limit", limit),
            seed,
        )

    def decode(
        self, counts: Any, language_model: NGramLanguageModel | None = None, *, limit: int = 300, random_state: int = 0
    ) -> list[list[Any]]:
        """One string for each row of counts.

        Parameters
        ----------
        counts : array of shape (n, n_grams)
            Whole numbers for the n-grams of length `n`.
        language_model : NGramLanguageModel, optional
            Ranks the strings of different orders of examination; None takes the first.
        limit : int
            Orders that are tried for one string, at the most; where there are more, they are drawn at random.
        random_state : int
            For that.

        Returns
        -------
        list of list of symbols
        """
        edges, begins = self.paths(counts, language_model, limit=limit, random_state=random_state)
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

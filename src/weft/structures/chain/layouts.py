"""Tokens of a corpus as the compiled loops read them, and arrays to collect sums of features in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.lent_vectors import LentVectors
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.loops.tokens import lay_out_tokens

NO_PAIRS = np.empty(0)
ARRAYS = ("row_offsets", "rows", "row_values", "entry_offsets", "entries", "entry_values")


def lay_out(features: ChainFeatures, tokens: SparseTokens) -> dict[str, NDArray[Any]]:
    """All tokens as the compiled loops read them, in named arrays: for a file."""
    return dict(zip(ARRAYS, _laid_out(features, tokens, 0, len(tokens))[0], strict=True))


def _laid_out(features: ChainFeatures, tokens: SparseTokens, first: int, last: int, pairs: Floats = NO_PAIRS) -> Any:
    """Some tokens as the loops read them, and the dense rows of their attributes alone if pairs have weights."""
    width = features.grams.width if pairs is not NO_PAIRS else 0
    arrays = tokens.offsets, tokens.ids, tokens.values, features.pair_offsets, features.dense_row, features.pair_labels
    return lay_out_tokens(first, last, *arrays, pairs, width)


def checked_layout(features: ChainFeatures, n_tokens: int, arrays: Mapping[str, NDArray[Any]]) -> tuple[Any, ...]:
    """What `lay_out` gave, from a file that anybody may have written."""
    cure = "delete the folder of --spill, and it is made again"
    found: list[NDArray[Any]] = []
    for kind, stop in (("row", features.n_rows), ("entry", features.n_pairs)):
        name = "rows" if kind == "row" else "entries"
        numbers = checked_numbers(name, arrays[name], stop, cure)
        offsets = checked_offsets(f"{kind}_offsets", arrays[f"{kind}_offsets"], len(numbers), cure, n_ranges=n_tokens)
        n_values = len(numbers) if len(arrays["row_values"]) + len(arrays["entry_values"]) else 0
        found += [offsets, numbers, checked_floats(f"{kind}_values", arrays[f"{kind}_values"], (n_values,), cure)]
    return tuple(found)


@dataclass(frozen=True)
class SpareSums:
    """Arrays for weights and sums that are free again; batches of one structure can share them."""

    others: list[Any] = field(default_factory=list)
    vectors: LentVectors = field(default_factory=LentVectors)
    rows: list[Floats] = field(default_factory=list)


class TokenLayouts:
    """Layouts of the tokens of each chunk, made when a chunk is first used, and spare arrays for sums.

    Parameters
    ----------
    features : ChainFeatures
    corpus : Corpus
    tokens : SparseTokens
        Those of the corpus, zeros left out.
    laid_out : tuple of arrays, optional
        The layout of all tokens, if it was made before (`checked_layout`).
    spare : SpareSums, optional
        Shared with others.
    """

    def __init__(
        self,
        features: ChainFeatures,
        corpus: Corpus,
        tokens: SparseTokens,
        laid_out: tuple[Any, ...] | None = None,
        spare: SpareSums | None = None,
    ) -> None:
        self.features = features
        self._corpus, self._offsets = corpus, corpus.offsets
        self._sparse = tokens
        self._laid_out = laid_out
        self._layouts: dict[tuple[int, int], Any] = {}
        self._spare = SpareSums() if spare is None else spare

    def tokens(self, chunk: slice) -> slice:
        """Tokens of a run of sequences."""
        return slice(int(self._offsets[chunk.start]), int(self._offsets[chunk.stop]))

    def model(self, chunk: slice, token_weights: Any, tables: Any) -> Any:
        """The arguments that every pass over a chunk shares."""
        tokens, key = self.tokens(chunk), (chunk.start, chunk.stop)
        layout = self._layouts.get(key)
        if self._laid_out is not None:  # offsets count from the first token of all, so that a slice of them will do
            rows, entries, here = self._laid_out[:3], self._laid_out[3:], slice(tokens.start, tokens.stop + 1)
            layout = (rows[0][here], *rows[1:], entries[0][here], *entries[1:])
        elif layout is None:
            layout = self._layouts[key] = _laid_out(self.features, self._sparse, tokens.start, tokens.stop)[0]
        return self._from(chunk, tokens), layout, self.features.pair_labels, token_weights, tables

    def with_rows_here(self) -> TokenLayouts:
        """The same tokens with dense rows for their attributes alone, unless they are laid out already."""
        features = self.features if self._laid_out is not None else self.features.with_rows_of(self._sparse)
        return self if features is self.features else TokenLayouts(features, self._corpus, self._sparse)

    def model_of_few(self, chunk: slice, pairs: Floats, tables: Any) -> Any:
        """As `model` for a few tokens, with the dense rows of their attributes alone: to spread all takes longer."""
        tokens = self.tokens(chunk)
        layout, rows = _laid_out(self.features, self._sparse, tokens.start, tokens.stop, pairs)
        return self._from(chunk, tokens), layout, self.features.pair_labels, (pairs, rows), tables

    def _from(self, chunk: slice, tokens: slice) -> Any:
        """Where each sequence of a chunk begins, counted from its first token."""
        return self._offsets[chunk.start : chunk.stop + 1] - tokens.start

    def token_weights(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weights of pairs and dense rows; give the rows back with `release_rows`."""
        try:
            rows = self._spare.rows.pop()
        except IndexError:
            rows = None
        return self.features.token_weights(weights, rows)

    def release_rows(self, token_weights: tuple[Floats, Floats]) -> None:
        """Give back the rows of `token_weights`."""
        self._spare.rows.append(token_weights[1])

    # -------------------------------------------------------------------- sums

    def fresh_sums(self) -> Any:
        """Arrays for a shard to collect sums in, all zero.

        They are kept from call to call (`release`): fresh memory would cost a page fault per 4 kB.
        """
        try:
            others, ends = self._spare.others.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            return self.features.empty_sums(self.fresh_vector())
        for array in (*others, *ends):
            array.fill(0.0)
        return (self.fresh_vector(), *others), ends

    def fresh_vector(self) -> Floats:
        """A vector of a zero for each feature; its memory is used again when nobody holds it any more."""
        return self._spare.vectors.zeros(self.features.n_features)

    def release(self, sums: Any, ends: Any) -> None:
        """Give back arrays of `fresh_sums`."""
        self._spare.others.append((sums[1:], ends))

    def gather(self, sums: Any, ends: Any) -> Floats:
        """Feature vector of sums; one of their arrays becomes the vector, the others are given back."""
        vector = self.features.gather(sums, ends)
        self._spare.others.append((sums[1:], ends))  # only now: another thread takes them at once
        return vector

"""Tokens of a corpus as the compiled loops read them, and arrays to collect sums of features in."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.sequences.corpus import Corpus, SparseTokens
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.loops.tokens import lay_out_tokens


class TokenLayouts:
    """Layouts of the tokens of each chunk, made when a chunk is first used, and spare arrays for sums.

    Parameters
    ----------
    features : ChainFeatures
    corpus : Corpus
    tokens : SparseTokens
        Those of the corpus, zeros left out.
    """

    def __init__(self, features: ChainFeatures, corpus: Corpus, tokens: SparseTokens) -> None:
        self.features = features
        self._offsets = corpus.offsets
        self._sparse = tokens
        self._layouts: dict[tuple[int, int], Any] = {}
        self._spare: list[Any] = []
        self._vectors: list[Floats] = []

    def tokens(self, chunk: slice) -> slice:
        """Tokens of a run of sequences."""
        return slice(int(self._offsets[chunk.start]), int(self._offsets[chunk.stop]))

    def model(self, chunk: slice, token_weights: Any, tables: Any) -> Any:
        """The arguments that every pass over a chunk shares."""
        tokens, key = self.tokens(chunk), (chunk.start, chunk.stop)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = lay_out_tokens(
                tokens.start,
                tokens.stop,
                self._sparse.offsets,
                self._sparse.ids,
                self._sparse.values,
                self.features.pair_offsets,
                self.features.dense_row,
            )
        offsets = self._offsets[chunk.start : chunk.stop + 1] - tokens.start
        return offsets, layout, self.features.pair_labels, token_weights, tables

    # -------------------------------------------------------------------- sums

    def fresh_sums(self) -> Any:
        """Arrays for a shard to collect sums in, all zero.

        They are kept from call to call (`release`): fresh memory would cost a page fault per 4 kB.
        """
        try:
            others, ends = self._spare.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            return self.features.empty_sums()
        try:
            vector = self._vectors.pop()
        except IndexError:
            vector = np.empty(self.features.n_features)
        for array in (vector, *others, *ends):
            array.fill(0.0)
        return (vector, *others), ends

    def release(self, sums: Any, ends: Any) -> None:
        """Give back arrays of `fresh_sums`."""
        self._vectors.append(sums[0])
        self._spare.append((sums[1:], ends))

    def release_vector(self, vector: Floats) -> None:
        """Give back a vector of `gather`."""
        self._vectors.append(vector)

    def gather(self, sums: Any, ends: Any) -> Floats:
        """Feature vector of sums; one of their arrays becomes the vector, the others are given back."""
        vector = self.features.gather(sums, ends)
        self._spare.append((sums[1:], ends))  # only now: another thread takes them at once
        return vector

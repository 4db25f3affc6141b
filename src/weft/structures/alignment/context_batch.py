"""Alignments by symbols and neighbours, all pairs of a corpus.

Every two positions of a pair have a score of their own, so that each pair is asked as one of sequences in which no
symbol occurs twice: the weights of its batch are those scores, and what it expects of them goes back to features.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from weft.arrays import Floats, Integers
from weft.core.array_checks import checked_numbers
from weft.core.memory import require_memory
from weft.errors import InputError
from weft.structures.alignment.batch import NO_PLACES, AlignmentBatch, Moves
from weft.structures.alignment.context import ContextAlignment, WindowCorpus
from weft.structures.alignment.loops.windows import window_counts, window_scores
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import NO_ENTRIES, Alignment

NO_COUNTS = "{} counts pairs of symbols, and neighbours have no counts of their own; use weft.CRF(), or context=0."
BYTES_PER_CELL = 80
"""Of a pair of positions, in the tables of one pair."""


class Positions(Alignment):
    """Alignments of n and m symbols, each of which occurs once: a weight for each two of them, and for gaps.

    Examples
    --------
    >>> Positions(2, 3, "affine").pair_features(3)
    array([[0, 1, 2],
           [3, 4, 5]])
    """

    def __init__(self, n: int, m: int, gaps: str) -> None:
        self.model, self.gaps, self.alphabet, self._numbers = "substitution", gaps, None, {}
        self.shape = (n, m)

    @property
    def n_pair_features(self) -> int:
        """Number of weights of pairs."""
        return self.shape[0] * self.shape[1]

    def pair_features(self, n_symbols: int) -> Integers:
        """Feature of each two positions."""
        return np.arange(self.n_pair_features).reshape(self.shape)


class Places:
    """Some pairs as sequences in which no symbol occurs twice.

    Parameters
    ----------
    structure : ContextAlignment
    corpus : WindowCorpus
    begin, end : int
        Pairs of the corpus.
    given : References, optional
        Of the corpus; then there is one pair.
    """

    def __init__(
        self, structure: ContextAlignment, corpus: Any, begin: int, end: int, given: References | None = None
    ) -> None:
        self.structure = structure
        offsets = [each[begin : end + 1] for each in (corpus.first_offsets, corpus.second_offsets)]
        symbols = (corpus.first[offsets[0][0] : offsets[0][-1]], corpus.second[offsets[1][0] : offsets[1][-1]])
        n, m = map(len, symbols)
        what = f"scores of all pairs of {n:,} and {m:,} positions"
        require_memory(BYTES_PER_CELL * n * m, what, "use context=0, or align shorter pieces")
        self.first, self.second = (corpus.windows[each] for each in symbols)
        numbers = np.arange(max(n, m), dtype=np.int32)
        own = PairCorpus(numbers[:n], offsets[0] - offsets[0][0], numbers[:m], offsets[1] - offsets[1][0], max(n, m, 1))
        references = None
        if given is not None:
            anchors = given.anchors[offsets[0][0] : offsets[0][-1]]
            references = References(Alignments.empty(own), anchors, given.n_anchors[begin:end], None, NO_PLACES)
        self.batch = AlignmentBatch(Positions(n, m, structure.gaps), own, references, n_jobs=1)

    def scores(self, weights: Floats) -> Floats:
        """Weights of the batch."""
        structure = self.structure
        table = structure.tables(weights, len(structure.alphabet or ()))[0]
        out = np.empty((len(self.first), len(self.second)))
        window_scores(self.first, self.second, table, weights[structure.neighbour_features], out)
        return np.concatenate([out.reshape(-1), weights[structure.gap_features[0] :]])

    def features(self, values: Floats) -> Floats:
        """Features of a number for each weight of the batch: `scores`, transposed."""
        structure, n_places = self.structure, len(self.first) * len(self.second)
        out = np.zeros(structure.n_features)
        places = np.ascontiguousarray(values[:n_places]).reshape((len(self.first), len(self.second)))
        table = structure.pair_features(len(structure.alphabet or ()))
        window_counts(self.first, self.second, places, table, structure.neighbour_features, out)
        out[structure.gap_features[0] :] += values[n_places:]
        return out


class ContextBatch(AlignmentBatch):
    """As `AlignmentBatch`, for `ContextAlignment`.

    Examples
    --------
    >>> structure = ContextAlignment("ACG", "linear", context=1, classes=["A", "CG"])
    >>> batch = ContextBatch(structure, structure.encode([("ACG", "AG")]))
    >>> alignments, scores = batch.argmax(np.array([2.0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0.5, -1]))
    >>> alignments[0], scores  # two equal pairs, a gap, and a place that both ends stand beside
    (array([0, 1, 0], dtype=uint8), array([4.]))
    """

    structure: ContextAlignment
    corpus: WindowCorpus

    def _check_symbols(self) -> None:
        corpus: Any = self.corpus
        cure, width = "encode the pairs with this structure", 1 + 2 * self.structure.context
        if not isinstance(corpus, WindowCorpus) or corpus.windows.shape[1:] != (width,):
            raise InputError(f"a corpus without windows of {width} numbers given; {cure}")
        checked_numbers("symbols", corpus.windows[:, 0], len(self.structure.alphabet or ()), cure)
        checked_numbers("classes", corpus.windows[:, 1:].reshape(-1), self.structure.n_classes, cure)

    @cached_property
    def _letters(self) -> AlignmentBatch:
        """The same pairs and references without neighbours, for what does not ask for scores."""
        structure = self.structure
        plain = Alignment("substitution", structure.alphabet, structure.gaps)
        corpus = self.corpus.letters(len(structure.alphabet or ()))
        return AlignmentBatch(plain, corpus, self.references, None, self.n_jobs)

    def losses(self, outputs: Alignments | References) -> Floats:
        """Number of reference pairs of positions that each alignment does not have."""
        return self._letters.losses(outputs)

    def _anchor_features(self, references: References) -> Floats:
        features = np.zeros((len(self.corpus), self.n_features))
        table = self.structure.pair_features(len(self.structure.alphabet or ()))
        neighbours = self.structure.neighbour_features
        for index in range(len(self.corpus)):
            begin, end = self.corpus.first_offsets[index : index + 2]
            columns = references.anchors[begin:end]
            known = np.flatnonzero(columns >= 0)
            first, second = self.corpus.windows_of(index)
            a, b = first[known], second[columns[known]]
            np.add.at(features[index], table[a[:, 0], b[:, 0]], 1.0)
            np.add.at(features[index], self.structure._features_of_windows(a, b, neighbours), 1.0)
        return features

    def _mean_of_set(self, references: References, weights: Floats) -> tuple[Floats, Floats]:
        if references.stretches is None:
            return super()._mean_of_set(references, weights)
        features = self._anchor_features(references)
        log_weights = features @ weights
        ends = np.searchsorted(references.owners, np.arange(len(self.corpus) + 1))

        def add_stretches(index: int) -> None:
            if ends[index] == ends[index + 1]:
                return
            places = Places(self.structure, references.stretches, ends[index], ends[index + 1])
            ones = np.ones(len(places.batch.corpus))
            log_partitions, means = places.batch._expected(places.scores(weights), ones, separate=False)
            log_weights[index] += log_partitions.sum()
            features[index] += places.features(means[0])

        self._each(add_stretches)
        return log_weights, features

    def _places(self, index: int, with_reference: bool = False) -> Places:
        """One pair by its positions."""
        given = self.reference() if with_reference else None
        return Places(self.structure, self.corpus, index, index + 1, given)

    # -------------------------------------------------------------------- passes

    def _expected(
        self,
        weights: Floats,
        sample_weight: Floats,
        separate: bool,
        posteriors: Floats | None = None,
        places: Integers = NO_PLACES,
        entries: tuple[float, Any, Any, Floats, Integers] = NO_ENTRIES,
    ) -> tuple[Floats, Floats]:
        log_partitions = np.zeros(len(self.corpus))
        threshold, first, second, values, n_entries = entries

        def work(chunk: slice, out: Floats) -> None:
            for index in range(chunk.start, chunk.stop):
                if sample_weight[index] == 0.0:
                    continue
                room, own, here = None, NO_ENTRIES, NO_PLACES
                if len(places):
                    there = slice(places[index], places[index + 1])
                    here = np.array([0, there.stop - there.start])
                    room = None if posteriors is None else posteriors[there]
                    if len(values):
                        own = (threshold, first[there], second[there], values[there], n_entries[index : index + 1])
                pair = self._places(index)
                found = pair.batch._expected(pair.scores(weights), np.ones(1), True, room, here, own)
                log_partitions[index] = found[0][0]
                out[index if separate else 0] += sample_weight[index] * pair.features(found[1][0])

        out = self._collected(work, separate)
        return log_partitions, out

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * missed reference pairs``, and its mean."""
        means = np.zeros(len(self.corpus))

        def work(chunk: slice, out: Floats) -> None:
            for index in range(chunk.start, chunk.stop):
                pair = self._places(index, bool(loss))
                product, mean = pair.batch.covariance_with(pair.scores(weights), pair.scores(direction), loss)
                means[index] = mean[0]
                out[0] += self.sample_weight[index] * pair.features(product)

        return self._collected(work, separate=False)[0], means

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all alignments of each pair, each counting the same."""
        pairs = map(self._places, range(len(self.corpus)))
        found = [pair.batch.score_moments(pair.scores(weights)) for pair in pairs]
        return np.array([mean[0] for mean, _ in found]), np.array([variance[0] for _, variance in found])

    # ------------------------------------------------------------------- outputs

    def _decode(self, weights: Floats, loss: float) -> Alignments:
        def best(index: int) -> Moves:
            pair = self._places(index, bool(loss))
            return pair.batch._decode(pair.scores(weights), loss)[0]

        return self.join(self._each(best))

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Alignments, Floats]:
        """Alignments of the largest score plus `loss` times the number of missed reference pairs, and these sums."""
        found = self._decode(weights, loss)
        scores = self.scores(weights, found)
        return found, scores + loss * self.losses(found) if loss else scores

    def scores(self, weights: Floats, outputs: Alignments | References) -> Floats:
        """Score of an alignment of each pair; of a partial reference, the mean over its alignments."""
        if isinstance(outputs, References) and not outputs.is_partial:
            outputs = outputs.alignments
        found: csr_matrix = self.features_of(outputs)
        return np.asarray(found @ weights)

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Moves, float]]]:
        """Moves of the k best alignments of each pair with their scores; fewer if fewer exist."""

        def best(index: int) -> list[tuple[Moves, float]]:
            pair = self._places(index)
            return pair.batch.kbest(pair.scores(weights), k)[0]

        return self._each(best)

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Alignments]:
        """Alignments of each pair, drawn exactly in proportion to ``exp(score)``; uniformly for zero weights."""
        pairs = map(self._places, range(len(self.corpus)))
        drawn = [pair.batch.sample(pair.scores(weights), n_samples, random) for pair in pairs]
        return [self.join([own[draw][0] for own in drawn]) for draw in range(n_samples)]

    # ----------------------------------------------------------------- learning

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Refused: counts of neighbours overlap."""
        raise InputError(NO_COUNTS.format("Generative"))

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Refused, as `generative_weights`."""
        raise InputError(NO_COUNTS.format("EM"))

    def maximised_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Refused, as `generative_weights`."""
        raise InputError(NO_COUNTS.format("EM"))

"""Rewriting with latent states: a spectral tagger labels each symbol with what it becomes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids, Integers
from weft.core.ties import ordered
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.loops.search import LEAST
from weft.rewriting.model import MARGIN, Mixture, Outputs, RewriteModel, Scored, reversed_sequences


def fit_tagger(
    tagger: Any,
    symbols: Ids,
    offsets: Integers,
    labels: Ids,
    sample_weight: Floats | None,
    random: np.random.Generator,
) -> Any:
    """Learn to label symbols."""
    tagger.random_state = int(random.integers(2**31))
    names, wanted = _names(symbols), labels.tolist()
    bounds = list(itertools.pairwise(offsets.tolist()))
    return tagger.fit([names[a:b] for a, b in bounds], [wanted[a:b] for a, b in bounds], sample_weight)


def bare_chain(first: Integers, labels: Ids) -> CandidateChain:
    """The candidates of each symbol, and no weights but one step that is never counted."""
    nothing = np.zeros(len(labels), dtype=np.int32)
    no_offsets, no_traits = np.zeros(len(labels) + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    none = np.zeros(1, dtype=np.int64)
    return CandidateChain(first, labels, nothing, no_offsets, no_traits, (), none, np.empty(0, dtype=np.int16))


@dataclass
class SpectralRewriteModel(RewriteModel):
    """A spectral tagger in the place of the chain, mixed with the same n-gram models.

    Its best labellings are found exactly, `beam_width` of them, and the n-gram models order these anew. Symbols unseen
    in training are not shown to the tagger.

    Attributes
    ----------
    tagger : Tagger, fitted
        Its labels are numbers of labels.
    """

    tagger: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._latest: tuple[Any, Any] = (None, None)

    @property
    def n_weights(self) -> int:
        """Number of weights of the tagger."""
        return len(self.tagger.weights_)

    def decode(
        self,
        symbols: Ids,
        offsets: Integers,
        k: int = 1,
        *,
        beam_width: int = 20,
        margin: float = MARGIN,
        n_jobs: int | None = -1,
        mixture: Mixture | None = None,
        size: float | None = None,
        chain_scores: Floats | None = None,
        scored: Scored | None = None,
    ) -> Outputs:
        """The k best outputs of every sequence among those of the `beam_width` best labellings.

        No size is needed, and no scores of a chain or of labellings.
        """
        symbols = self._as_read(symbols, offsets)
        key = (symbols.tobytes(), offsets.tobytes(), max(beam_width, k))
        known, labellings = self._latest  # as one: another thread may predict too
        if known != key:  # tuning asks for the same sequences with one mixture after the other
            labellings = self._labellings(symbols, offsets, max(beam_width, k))
            self._latest = (key, labellings)
        owners, candidates, outputs, parts = labellings
        values = parts @ np.array(self.mixture if mixture is None else mixture)
        n_sequences = len(offsets) - 1
        found = np.tile(self.chain.first[symbols], (k, 1))
        scores, totals = np.full((n_sequences, k), -np.inf), np.empty(n_sequences)
        bounds = np.searchsorted(owners, np.arange(n_sequences + 1)).tolist()
        for i, (begin, end) in enumerate(itertools.pairwise(bounds)):
            best: dict[tuple[int, ...], list[Any]] = {}
            for row in (begin + ordered(values[begin:end])).tolist():
                known = best.setdefault(outputs[row], [row, -np.inf])
                known[1] = np.logaddexp(known[1], values[row])
            different = list(best.values())
            places = ordered([score for _, score in different])[:k].tolist()
            for rank, (row, score) in enumerate(different[place] for place in places):
                found[rank, offsets[i] : offsets[i + 1]] = candidates[row]
                scores[i, rank] = score
            totals[i] = np.logaddexp.reduce(values[begin:end])
        if self.backwards:
            found = np.stack([reversed_sequences(row, offsets) for row in found])
        return Outputs(found, scores, totals)

    def chain_scores(self, symbols: Ids, offsets: Integers, n_jobs: int | None = -1) -> Floats:
        """None: there is no chain."""
        return np.zeros((len(symbols), 0))

    def _labellings(self, symbols: Ids, offsets: Integers, n_best: int) -> Any:
        """Sequence, candidates, output and scores by all parts of each labelling that takes part."""
        first, unknown = self.chain.first, len(self.chain.first) - 2
        place = {
            (symbol, int(self.chain.labels[candidate])): candidate
            for symbol in range(unknown)
            for candidate in range(first[symbol], first[symbol + 1])
        }
        names = _names(symbols)
        known = [[t for t in range(a, b) if symbols[t] != unknown] for a, b in itertools.pairwise(offsets.tolist())]
        seen = [i for i, positions in enumerate(known) if positions]
        labellings: list[list[tuple[list[int], float]]] = [[([], 0.0)] for _ in known]
        if seen:
            batch: Any = self.tagger.bind([[names[t] for t in known[i]] for i in seen])
            classes = self.tagger.classes_
            for i, ranked in zip(seen, batch.kbest(self.tagger.weights_, n_best), strict=True):
                labellings[i] = [(classes[labels].tolist(), score) for labels, score in ranked]
        owners, candidates, chain_scores = [], [], []
        for i, (a, b) in enumerate(itertools.pairwise(offsets.tolist())):
            for wanted, score in labellings[i]:
                row = [int(first[unknown])] * (b - a)
                for t, label in zip(known[i], wanted, strict=True):
                    # A label that the symbol does not have as a candidate writes nothing.
                    row[t - a] = place.get((int(symbols[t]), label), row[t - a])
                owners.append(i)
                candidates.append(row)
                chain_scores.append(score)
        outputs = [tuple(self._written(row)) for row in candidates]
        parts = [np.array(chain_scores), self.joint.log_probability(candidates)]
        for model, numbers in ((self.language_model, self.language_numbers), (self.tier, self.tier_numbers)):
            parts.append(np.zeros(len(owners)) if model is None else _output_scores(model, numbers, outputs))
        parts.append(self._network_sums(symbols, offsets, owners, candidates))
        return np.array(owners), candidates, outputs, np.maximum(np.column_stack(parts), LEAST)

    def _network_sums(self, symbols: Ids, offsets: Integers, owners: list[int], candidates: list[list[int]]) -> Floats:
        """Score of each labelling by the network."""
        if self.network is None:
            return np.zeros(len(owners))
        if self.reads_outputs:
            positions = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in owners])
            bounds = np.concatenate([[0], np.cumsum([len(row) for row in candidates])]).astype(np.int64)
            return np.asarray(self.labelling_scores(symbols[positions], bounds, np.concatenate(candidates)[None, :])[0])
        scores = self.network_scores(symbols, offsets)
        sums = []
        for i, row in zip(owners, candidates, strict=True):
            positions = np.arange(offsets[i], offsets[i + 1])
            sums.append(scores[positions, np.array(row) - self.chain.first[symbols[positions]]].sum())
        return np.array(sums)

    def _written(self, candidates: list[int]) -> list[int]:
        """Output symbols in the order in which the model reads."""
        bounds = self._spelled_offsets
        return [s for c in candidates for s in self._spelled[bounds[c] : bounds[c + 1]].tolist()]


def _names(symbols: Ids) -> list[str]:
    return [str(symbol) for symbol in symbols.tolist()]


def _output_scores(model: Any, numbers: Any, outputs: Sequence[tuple[int, ...]]) -> Floats:
    """Scores of outputs by an n-gram model of them, or of those symbols that it has numbers for."""
    names = [*model.symbols_, None, None]
    spelled = [[names[numbers[s]] for s in output if numbers[s] >= 0] for output in outputs]
    return np.asarray(model.log_probability(spelled))

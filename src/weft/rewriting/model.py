"""One model that rewrites sequences: a chain over aligned chunks, mixed with n-gram models and a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.core.checks import checked_number
from weft.core.shards import concatenate_over_shards, cut_into_shards
from weft.core.ties import mean_size, ordered
from weft.errors import InputError
from weft.language_model import NGramLanguageModel
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.loops.chains import score_positions
from weft.rewriting.joint_arcs import JointArcs, joint_arcs
from weft.rewriting.loops.search import search
from weft.rewriting.network.recurrent import Networks

Mixture = tuple[float, float, float, float, float]

Scored = dict[tuple[int, bytes], float]
"""Scores of labellings by a network: number of the sequence and candidates, as bytes, to score."""

MARGIN = 25.0
"""Log-score by which a hypothesis may be worse than the best one, in units of the larger weight."""

MOST_KEPT = 100_000
"""Scores of a network are kept for the next question about the same sequences if these have so few symbols."""

N_RESCORED = 12
"""Best outputs of the other parts that a network orders anew which reads what was written."""


@dataclass(frozen=True)
class Outputs:
    """The k best outputs of sequences.

    Attributes
    ----------
    candidates : ndarray of shape (k, n_positions)
        Candidate at each position of the best labelling of each output.
    scores : ndarray of shape (n_sequences, k)
        Log-sum of the scores of all labellings in the beam with that output; ``-inf`` where there are fewer outputs.
    totals : ndarray of shape (n_sequences,)
        Log-sum over all of the beam.
    """

    candidates: Integers
    scores: Floats
    totals: Floats


def reversed_sequences(values: NDArray[Any], offsets: Integers) -> NDArray[Any]:
    """Every sequence from its end to its beginning.

    Examples
    --------
    >>> reversed_sequences(np.array([1, 2, 3, 4, 5]), np.array([0, 2, 5]))
    array([2, 1, 5, 4, 3])
    """
    ends = np.repeat(offsets[:-1] + offsets[1:] - 1, np.diff(offsets))
    return np.asarray(values[ends - np.arange(len(values))])


@dataclass
class RewriteModel:
    """Chain, joint n-gram model over (symbol, label) pairs and n-gram models of outputs, with weights for each.

    Attributes
    ----------
    chain : CandidateChain
    weights : ndarray
    label_offsets, label_symbols : ndarrays
        Output symbols of each label.
    joint : NGramLanguageModel
        Its symbols are numbers of candidates.
    mixture : tuple of five floats
        Weights of the chain, of the joint model, of the language model, of the tier and of the network.
    backwards : bool
        Whether the model reads from the end to the beginning.
    language_model : NGramLanguageModel, optional
    language_numbers : ndarray, optional
        Number of each output symbol in the language model.
    tier, tier_numbers : optional
        The same for a model of some output symbols only; the others have the number -1.
    network : Networks, optional
        Its labels are those of the chain.
    """

    chain: CandidateChain
    weights: Floats
    label_offsets: Integers
    label_symbols: Ids
    joint: NGramLanguageModel
    mixture: Mixture
    backwards: bool = False
    language_model: NGramLanguageModel | None = None
    language_numbers: Integers | None = None
    tier: NGramLanguageModel | None = None
    tier_numbers: Integers | None = None
    network: Networks | None = None

    def __post_init__(self) -> None:
        self._latest_network: tuple[Any, Any] = (None, None)
        n_candidates = len(self.chain.labels)
        self._pair_numbers = np.full(n_candidates, self.joint.unknown_, dtype=np.int64)
        known = np.array(self.joint.symbols_, dtype=np.int64)
        self._pair_numbers[known] = np.arange(len(known))
        starts, ends = self.label_offsets[self.chain.labels], self.label_offsets[self.chain.labels + 1]
        parts = [self.label_symbols[a:b] for a, b in zip(starts, ends, strict=True)]
        self._spelled_offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
        # Backwards the outputs of a chunk are met backwards too, so that equal outputs look equal.
        nothing = np.empty(0, dtype=np.int32)
        self._spelled = np.concatenate([*(part[::-1] if self.backwards else part for part in parts), nothing])

    @property
    def n_weights(self) -> int:
        """Number of weights that were learned beside the n-gram models."""
        return len(self.weights)

    def _as_read(self, symbols: Ids, offsets: Integers) -> Ids:
        """Symbols in the model's direction, those without candidates as the one unseen in training."""
        known = self._read_as[symbols]
        return reversed_sequences(known, offsets) if self.backwards else known

    @cached_property
    def _read_as(self) -> Ids:
        """Each symbol, or the one unseen in training in its place."""
        n_symbols = len(self.chain.first) - 1
        return np.where(self.chain.n_candidates > 0, np.arange(n_symbols), n_symbols - 1).astype(np.int32)

    @cached_property
    def _joint_arcs(self) -> JointArcs:
        return joint_arcs(self.joint.tables_, self._pair_numbers, self.joint.unknown_, self.joint.start_state_)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_joint_arcs"}

    def size_of_weights(self) -> float:
        """Size of the weights of contexts, for ties."""
        return float(mean_size(self.weights[: self.chain.n_entries]))

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
        """The k best outputs of every sequence; all must have symbols.

        The last symbol stands for those unseen in training, and takes the place of symbols without candidates. `size`
        and `chain_scores` are what `size_of_weights` and `chain_scores` give, if that is known. Whoever asks about the
        same sequences again, with other mixtures, passes the same dict `scored`, which keeps a network's scores.
        """
        n_best, beam_width = checked_number("k", k), checked_number("beam_width", beam_width)
        weights = self.mixture if mixture is None else mixture
        symbols, offsets = self._checked(symbols, offsets)
        chain = self._chain_scores(symbols, offsets, n_jobs) if chain_scores is None else chain_scores
        if len(chain) != len(symbols) or chain.shape[1] < self.chain.most_candidates:
            raise InputError(f"chain_scores of shape {chain.shape} given; use those of the same sequences.")
        network_weight = 0.0 if self.network is None else float(weights[4])
        is_rescored = bool(network_weight) and self.reads_outputs
        k = max(n_best, N_RESCORED) if is_rescored else n_best
        places = np.zeros((k, len(symbols)), dtype=np.int16)
        scores, totals = np.empty((len(offsets) - 1, k)), np.empty(len(offsets) - 1)
        language, language_weight = self._output_model(self.language_model, self.language_numbers, weights[2])
        tier, tier_weight = self._output_model(self.tier, self.tier_numbers, weights[3])
        searched_weight = 0.0 if is_rescored else network_weight
        network = self.network_scores(symbols, offsets) if searched_weight else np.zeros((1, 1))
        size = self.size_of_weights() if size is None else size
        steps = self.chain.split(self.weights)[1]
        scale = max(abs(weights[0]), abs(weights[1]), searched_weight, 1e-12)

        def work(part: slice) -> None:
            search(
                (offsets[part.start : part.stop + 1], symbols, self.chain.first, self.chain.classes, chain, steps),
                self._joint_arcs,
                language,
                tier,
                network,
                (float(weights[0]), float(weights[1]), language_weight, tier_weight, searched_weight, size),
                beam_width,
                float(margin * scale),
                (self._spelled_offsets, self._spelled),
                (places, scores[part], totals[part]),
            )

        concatenate_over_shards(work, cut_into_shards(offsets[1:] - offsets[:-1], 0), n_jobs)
        found = Outputs(self.chain.first[symbols] + places, scores, totals)
        if is_rescored:
            found = self._rescored(found, symbols, offsets, network_weight, n_best, scored)
        if self.backwards:
            found = replace(found, candidates=np.stack([reversed_sequences(row, offsets) for row in found.candidates]))
        return found

    @property
    def reads_outputs(self) -> bool:
        """Whether there is a network that reads what was written."""
        return self.network is not None and self.network.shape.history > 0

    def _rescored(
        self, found: Outputs, symbols: Ids, offsets: Integers, weight: float, k: int, scored: Scored | None
    ) -> Outputs:
        """The k best outputs when the network's scores of their labellings are added.

        Outputs that were not found count as if the network liked them as little as the last one that was.
        """
        listed = found.scores > -np.inf
        own = weight * self.labelling_scores(symbols, offsets, found.candidates, scored).T
        scores = np.where(listed, found.scores + own, -np.inf)
        order = ordered(scores)[:, :k]
        shares = np.exp(found.scores - found.totals[:, None]).sum(axis=1)
        others = found.totals + np.log(np.maximum(1.0 - shares, 1e-300)) + np.where(listed, own, np.inf).min(axis=1)
        owners = np.repeat(np.arange(len(order)), np.diff(offsets))
        candidates = np.take_along_axis(found.candidates, order[owners].T, axis=0)
        totals = np.logaddexp(np.logaddexp.reduce(scores, axis=1), others)
        return Outputs(candidates, np.take_along_axis(scores, order, axis=1), totals)

    def labelling_scores(
        self, symbols: Ids, offsets: Integers, candidates: Integers, scored: Scored | None = None
    ) -> Floats:
        """What a network that reads what was written says of rows of candidates, each of all sequences.

        Scores that are in `scored` are taken from there, others added to it.
        """
        if self.network is None:
            return np.zeros((len(candidates), len(offsets) - 1))
        labels = self.chain.labels[candidates]
        labels[:, symbols == len(self.chain.first) - 2] = -1  # one unseen in training has no label of the network
        if scored is None:
            return np.stack([self.network.labelling_scores(symbols, offsets, row) for row in labels])
        bounds = list(pairwise(offsets.tolist()))
        names = [(number, row[a:b].tobytes()) for row in candidates for number, (a, b) in enumerate(bounds)]
        rows = {name: place // len(bounds) for place, name in enumerate(names) if name not in scored}
        if rows:
            places = [np.arange(*bounds[number]) for number, _ in rows]
            ends = np.cumsum([0, *map(len, places)])
            row, place = np.repeat(list(rows.values()), np.diff(ends)), np.concatenate(places)
            scores = self.network.labelling_scores(symbols[place], ends, labels[row, place])
            scored.update(zip(rows, scores.tolist(), strict=True))
        return np.array([scored[name] for name in names]).reshape(len(candidates), -1)

    def chain_scores(self, symbols: Ids, offsets: Integers, n_jobs: int | None = -1) -> Floats:
        """What the contexts of each position say of its candidates, for `decode`: it is the same for any mixture."""
        return self._chain_scores(*self._checked(symbols, offsets), n_jobs)

    def _checked(self, symbols: Ids, offsets: Integers) -> tuple[Ids, Integers]:
        """Sequences as the model reads them."""
        symbols = checked_numbers("symbols", symbols, len(self.chain.first) - 1, "number them as in training")
        offsets = checked_offsets("offsets", offsets, len(symbols), "end with the number of symbols")
        lengths = offsets[1:] - offsets[:-1]  # np.diff takes ten times as long for few
        if len(lengths) == 0 or np.count_nonzero(lengths) < len(lengths):
            raise InputError("no sequence given, or an empty one; need at least one symbol each: leave it out")
        symbols = self._as_read(symbols, offsets)
        if np.count_nonzero(self.chain.n_candidates[symbols]) < len(symbols):
            raise InputError("a symbol has no candidate; need at least one each: leave the sequence out")
        return symbols, offsets

    def _chain_scores(self, symbols: Ids, offsets: Integers, n_jobs: int | None) -> Floats:
        chain = self.chain
        scores = np.zeros((len(symbols), chain.most_candidates))
        entries = (chain.entry_offsets, chain.entry_places, chain.split(self.weights)[0])
        candidates = (chain.first, chain.classes, chain.trait_offsets, chain.traits)

        views = chain.joined_views

        def work(part: slice) -> None:
            bounds = offsets[part.start : part.stop + 1]
            here = slice(int(bounds[0]), int(bounds[-1]))
            if views is not None:
                own = (chain.first, chain.trait_offsets, chain.traits)
                views.score(symbols, bounds, own, chain.n_places, entries, scores)
                return
            found = chain.find(symbols[here], bounds - bounds[0])
            score_positions((symbols[here], *found), candidates, entries, scores[here])

        concatenate_over_shards(work, cut_into_shards(offsets[1:] - offsets[:-1], 0), n_jobs)
        return scores

    def _output_model(
        self, model: NGramLanguageModel | None, numbers: Integers | None, weight: float
    ) -> tuple[Any, float]:
        """What the search takes of a model of outputs, and its weight; a stand-in without weight if there is none."""
        if model is None or numbers is None:
            nothing = np.zeros(len(self._spelled), dtype=np.int64)
            return (self.joint.tables_, nothing, self.joint.start_state_, self.joint.end_), 0.0
        cure = "number the output symbols as the language model does"
        spelled = checked_numbers("numbers", numbers[self._spelled], model.unknown_ + 1, cure, low=-1, dtype=np.int64)
        if model is self.language_model and spelled.min(initial=0) < 0:
            raise InputError(f"an output symbol has no number in the language model: {cure}")
        return (model.tables_, spelled, model.start_state_, model.end_), float(weight)

    def network_scores(self, symbols: Ids, offsets: Integers) -> Floats:
        """Log-probability that the network gives to each candidate of symbols in the model's direction."""
        if self.network is None:
            return np.zeros((len(symbols), 1))
        key = (symbols.tobytes(), offsets.tobytes())
        known, scores = self._latest_network  # as one: another thread may predict too
        if known != key:  # tuning asks for the same sequences with one mixture after the other
            first, unknown = self.chain.first, len(self.chain.first) - 2
            places = np.arange(int(np.diff(first).max()))
            labels = self.chain.labels[np.minimum(first[:-1, None] + places, first[1:, None] - 1)]
            labels[unknown] = 0  # it writes nothing, which is no label of the network
            scores = self.network.log_probabilities(symbols, offsets, labels)
            scores[symbols == unknown] = 0.0
            if len(symbols) <= MOST_KEPT:
                self._latest_network = (key, scores)
        return np.asarray(scores)

    def spell(self, candidates: Integers) -> list[list[int]]:
        """Output symbols that the candidate at each position writes."""
        written = self._label_outputs
        return [written[z] for z in self.chain.labels[candidates].tolist()]

    @cached_property
    def _label_outputs(self) -> list[list[int]]:
        """Output symbols of each label."""
        symbols = self.label_symbols.tolist()
        return [symbols[begin:end] for begin, end in pairwise(self.label_offsets.tolist())]

"""A candidate chain bound to sequences: the questions of learners, over all of them at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.core.checks import checked_number
from weft.core.complex_step import step_along
from weft.core.ties import mean_size
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.layout import Layout
from weft.rewriting.candidates.loops import chains as chains_loops
from weft.rewriting.candidates.loops import outputs as outputs_loops
from weft.rewriting.candidates.loops.frank_wolfe import frank_wolfe_candidates
from weft.rewriting.candidates.loops.perceptron import perceptron_candidates
from weft.structures.batch import MomentBatch
from weft.structures.chain.labellings import likeliest_labels
from weft.structures.online import FrankWolfePass, PerceptronState

__all__ = ["CandidateBatch", "loop_model"]

Places = NDArray[np.int16]

MORE_SLOTS = 8
"""Labellings of each sequence that the dual of the structural SVM makes room for at once."""

NO_PLACES = np.empty(0, dtype=np.int16)
COUNT_CURE = "count candidates from the first one of each symbol"


class CandidateBatch(MomentBatch):
    """A candidate chain bound to sequences.

    Outputs are an int16 array with the candidate of each position, counted from the first one of its symbol.

    Parameters
    ----------
    chain : CandidateChain
    symbols, offsets : ndarrays
        Symbols of all sequences, every one of them with candidates, and where the sequences begin.
    found : (offsets, contexts), optional
        From ``chain.find``, if that was asked before.
    references : ndarray of int16, optional
    sample_weight : ndarray, optional
    n_jobs : int
    """

    def __init__(
        self,
        chain: CandidateChain,
        symbols: Ids,
        offsets: Integers,
        found: tuple[Integers, Ids] | None = None,
        references: Places | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        cure = "number the symbols as the chain does"
        self.chain = chain
        self.symbols = checked_numbers("symbols", symbols, len(chain.first) - 1, cure)
        self.offsets = offsets = checked_offsets("offsets", offsets, len(self.symbols), cure)
        lengths = offsets[1:] - offsets[:-1]
        if len(lengths) == 0 or np.count_nonzero(lengths) < len(lengths):
            raise InputError("no sequence given, or an empty one; need at least one symbol each: leave it out")
        self._n_candidates = chain.n_candidates[self.symbols]
        if np.count_nonzero(self._n_candidates) < len(self.symbols):
            raise InputError("a symbol has no candidate; need at least one each: leave the sequence out")
        if found is None:
            self.found = chain.find(self.symbols, offsets)
        else:
            contexts = checked_numbers("contexts", found[1], len(chain.entry_offsets) - 1, "use chain.find")
            rows = checked_offsets("found", found[0], len(contexts), "use chain.find", len(self.symbols))
            self.found = rows, contexts
        references = None if references is None else self._checked(references)
        super().__init__(lengths, chain.n_features, references, sample_weight, n_jobs)
        self._spare: list[Floats] = []

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.chain.n_features

    def _checked(self, outputs: Any) -> Places:
        """Candidates as the loops read them."""
        size = len(self.symbols)
        places = checked_numbers("places", outputs, 1 << 15, COUNT_CURE, size=size, dtype=np.int16)
        if (places >= self._n_candidates).any():
            raise InputError(f"a place is beyond the candidates of its symbol: {COUNT_CURE}")
        return places

    def _split(self, weights: Any) -> tuple[Any, Any]:
        return self.chain.split(weights)

    # ------------------------------------------------------------ given outputs

    def observed(self, outputs: Any = None) -> Floats:
        """Features of outputs, by default the references, summed."""
        places = self.reference() if outputs is None else self._checked(outputs)
        sums = np.zeros(self.n_features)
        chains_loops.observed_candidates(loop_model(self, sums), places, self.sample_weight, *self._split(sums))
        return sums

    def features_of(self, outputs: Any) -> Any:
        """Features of each output as sparse rows."""
        from scipy.sparse import csr_matrix  # whoever only predicts need not wait for it

        places = self._checked(outputs)
        model = loop_model(self, np.zeros(self.n_features))
        starts = np.zeros(self.n_sequences + 1, dtype=np.int64)
        outputs_loops.feature_numbers(model, places, starts, np.empty(0, dtype=np.int64))
        numbers = np.empty(starts[-1], dtype=np.int64)
        outputs_loops.feature_numbers(model, places, starts, numbers)
        rows = csr_matrix((np.ones(len(numbers)), numbers, starts), shape=(self.n_sequences, self.n_features))
        rows.sum_duplicates()
        return rows

    def losses(self, outputs: Any) -> Floats:
        """Number of positions at which each output has another candidate than its reference."""
        wrong = self._checked(outputs) != self.reference()
        return np.add.reduceat(wrong, self.offsets[:-1], dtype=np.float64)

    def join(self, outputs: Sequence[Any]) -> Places:
        """One output of each sequence as one array."""
        return self._checked(np.concatenate([np.asarray(each, dtype=np.int16) for each in outputs]))

    def split(self, outputs: Any) -> list[Places]:
        """The output of each sequence."""
        return np.split(self._checked(outputs), self.offsets[1:-1])

    def select(self, sequences: Any) -> CandidateBatch:
        """The batch of these sequences, with their references and weights."""
        chosen = self._numbers(sequences)
        positions = _ranges(self.offsets, chosen)
        row_offsets, contexts = self.found
        found = np.append(0, np.cumsum(np.diff(row_offsets)[positions])), contexts[_ranges(row_offsets, positions)]
        return CandidateBatch(
            self.chain,
            self.symbols[positions],
            np.append(0, np.cumsum(np.diff(self.offsets)[chosen])),
            found,
            None if self.references is None else self.references[positions],
            self.sample_weight[chosen],
            self.n_jobs,
        )

    # ------------------------------------------------------------- all outputs

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions, and of expected features."""
        factors = self._factors(weights)

        def work(shard: list[slice]) -> tuple[float, Floats]:
            sums, total = self._fresh_sums(), 0.0
            entry_sums, step_sums = self._split(sums)
            for part in shard:
                logs, sample_weight = np.empty(part.stop - part.start), self.sample_weight[part]
                model = loop_model(self, weights, part, factors)
                chains_loops.partition_candidates(
                    model, (NO_PLACES, 0.0), sample_weight, logs, entry_sums, step_sums, np.empty((0, 0))
                )
                total += dot_in_order(logs, sample_weight)
            step_sums *= factors
            return total, sums

        value, total = self._summed(work, lambda partial: self._spare.append(partial[1]))
        self._check_finite(value)
        return float(value), total

    def _fresh_sums(self) -> Floats:
        """Zeros, in an array of an earlier sum if there is one: fresh memory costs a page fault per 4 kB."""
        try:
            sums = self._spare.pop()
        except IndexError:  # asked for and not looked up, since other threads take some too
            return np.zeros(self.n_features)
        sums.fill(0.0)
        return sums

    def _factors(self, weights: Any) -> Any:
        """Exponentials of the steps, of complex ones to first order."""
        steps = self._split(weights)[1]
        factors = np.exp(np.clip(steps.real, -300.0, 300.0))
        return factors * (1.0 + 1j * steps.imag) if np.iscomplexobj(steps) else factors

    def _check_finite(self, values: Any) -> None:
        if not np.isfinite(values).all():
            raise InputError("the weights grew so large that probabilities underflow; raise c2 of the CRF.")

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that.

        By a complex step: the pass of `log_partition_and_mean` over complex numbers.
        """
        step = step_along(direction, np.array([loss]))
        stepped = weights + (1j * step) * direction
        factors = self._factors(stepped)
        distance = self.reference() if loss else NO_PLACES, 1j * step * loss
        means = np.empty(self.n_sequences)

        def work(shard: list[slice]) -> tuple[Floats]:
            sums = np.zeros(self.n_features, dtype=np.complex128)
            entry_sums, step_sums = self._split(sums)
            for part in shard:
                logs = np.empty(part.stop - part.start, dtype=np.complex128)
                model = loop_model(self, stepped, part, factors)
                chains_loops.partition_candidates(
                    model, distance, self.sample_weight[part], logs, entry_sums, step_sums, np.empty((0, 0))
                )
                means[part] = logs.imag / step
            step_sums *= factors
            return (sums.imag / step,)

        total = self._summed(work)[0]
        self._check_finite(means)
        return np.asarray(total), means

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over all outputs of the exponential of their scores."""
        return self._marginals(weights)[1]

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of every candidate at every position, rows with room for the most that a symbol has."""
        return np.split(self._marginals(weights)[0], self.offsets[1:-1])

    def _marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        factors = self._factors(weights)
        most = int(np.diff(self.chain.first).max(initial=0))
        marginals, logs = np.zeros((len(self.symbols), most)), np.empty(self.n_sequences)

        def work(part: slice) -> None:
            nothing = np.zeros((self.chain.n_classes, self.chain.n_classes))
            model = loop_model(self, weights, part, factors)
            every = np.ones(part.stop - part.start)
            chains_loops.partition_candidates(
                model, (NO_PLACES, 0.0), every, logs[part], np.empty(0), nothing, marginals
            )

        self._concatenated(work)
        self._check_finite(logs)
        return marginals, logs

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all outputs, each counting the same."""
        means, variances = np.empty(self.n_sequences), np.empty(self.n_sequences)
        self._concatenated(
            lambda part: outputs_loops.score_moments(loop_model(self, weights, part), means[part], variances[part])
        )
        return means, variances

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Places]:
        """Random outputs in proportion to the exponential of their scores."""
        uniforms = random.random((checked_number("n_samples", n_samples), len(self.symbols)))
        drawn = np.empty(uniforms.shape, dtype=np.int16)
        model = loop_model(self, weights, None, self._factors(weights))
        if not outputs_loops.draw_candidates(model, uniforms, drawn):
            self._check_finite(np.nan)
        return list(drawn)

    # ------------------------------------------------------------- best outputs

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Places, Floats]:
        """Outputs of the largest ``score + loss * distance``, and those sums."""
        places, scores = np.empty(len(self.symbols), dtype=np.int16), np.empty(self.n_sequences)
        distance = self.reference() if loss else NO_PLACES, float(loss)

        def work(part: slice) -> None:
            chains_loops.decode_candidates(loop_model(self, weights, part), distance, places, scores[part])

        self._concatenated(work)
        return places, scores

    def most_accurate(self, weights: Floats, gamma: float = 1.0) -> Places:
        """The most probable candidate of each position, of equal ones the first."""
        return likeliest_labels(self.marginals(weights), gamma).astype(np.int16)

    # ------------------------------------------------------------ step by step

    def perceptron_passes(
        self, state: PerceptronState, random: np.random.Generator
    ) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong positions after each pass of the averaged perceptron."""
        return self._passes(state, random, early_update=False)

    def early_update_passes(
        self, state: PerceptronState, random: np.random.Generator
    ) -> Iterator[tuple[PerceptronState, int]]:
        """The same with steps on the prefixes of sequences at which their references are lost."""
        return self._passes(state, random, early_update=True)

    def _passes(
        self, state: PerceptronState, random: np.random.Generator, early_update: bool
    ) -> Iterator[tuple[PerceptronState, int]]:
        layout = Layout.of(self)
        weights, totals, clock = state.weights.copy(), state.totals.copy(), state.clock
        (entries, steps), (entry_totals, step_totals) = self._split(weights), self._split(totals)
        here, here_totals = layout.laid_out(entries), layout.laid_out(entry_totals)
        model = layout.loop_model(self, here, steps)
        while True:
            clock, n_wrong = perceptron_candidates(
                random.permutation(self.n_sequences), model, self.reference(), self.sample_weight, clock,
                layout.parts(here_totals), step_totals, mean_size(entries), early_update,
            )  # fmt: skip
            layout.take_back(here, entries)
            layout.take_back(here_totals, entry_totals)
            yield PerceptronState(weights, totals, clock), int(n_wrong)

    def frank_wolfe_passes(
        self, strength: float, random: np.random.Generator, state: Sequence[NDArray[Any]] = ()
    ) -> Iterator[FrankWolfePass]:
        """Weights, dual value and gaps after each pass of the structural SVM."""
        weights = np.zeros(self.n_features)
        model = loop_model(self, weights)
        strengths = strength * self.sample_weight
        n_sequences = self.n_sequences
        paths, shares, losses = self.reference()[None], np.ones((n_sequences, 1)), np.zeros(n_sequences)
        values, touched = np.empty(self.n_features), np.empty(self.n_features, dtype=np.int64)
        done = np.zeros(1, dtype=np.int64)
        if state:
            weights[:], paths, shares, losses, done = (array.copy() for array in state)
        for n_passes in itertools.count(int(done[0]) + 1):
            if n_passes >= len(paths):  # a pass adds one labelling at the most
                paths = np.concatenate([paths, np.zeros((MORE_SLOTS, len(self.symbols)), dtype=np.int16)])
                shares = np.concatenate([shares, np.zeros((n_sequences, MORE_SLOTS))], axis=1)
            gap = frank_wolfe_candidates(
                random.permutation(n_sequences), model, weights, self.reference(), strengths,
                (paths, shares, losses), (values, np.full(self.n_features, -1), touched),
            )  # fmt: skip
            dual = dot_in_order(strengths, losses) - 0.5 * dot_in_order(weights, weights)
            state = (weights, paths, shares, losses, np.array([n_passes]))
            yield FrankWolfePass(weights.copy(), dual, gap, state)


def loop_model(batch: CandidateBatch, weights: Any, part: slice | None = None, steps: Any = None) -> Any:
    """What the compiled loops take, for a part of the sequences; `steps` in place of the weights of steps."""
    chain = batch.chain
    offsets = batch.offsets if part is None else batch.offsets[part.start : part.stop + 1]
    entries, own_steps = batch._split(weights)
    return (
        (offsets, batch.symbols, *batch.found),
        (chain.first, chain.classes, chain.trait_offsets, chain.traits),
        (chain.entry_offsets, chain.entry_places, entries),
        own_steps if steps is None else steps,
    )


def _ranges(offsets: Integers, chosen: Any) -> Integers:
    """The numbers of all ranges ``offsets[i]:offsets[i + 1]`` for chosen i, one after the other."""
    sizes = offsets[np.asarray(chosen) + 1] - offsets[chosen]
    starts = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(offsets[chosen] - starts, sizes))

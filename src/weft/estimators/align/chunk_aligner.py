"""ChunkAligner: which chunks of two sequences belong together, learned without alignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Symbols
from weft.arrays import Floats, Ids, Integers
from weft.checkpoint import pack_named, unpack_named
from weft.core.checks import checked_number
from weft.errors import InputError, ModelFileError
from weft.estimators.align.inputs import as_pairs
from weft.estimators.inputs import check_shared, checked_sample_weight
from weft.learners.monitor import Monitor, untimed
from weft.parameters import Parameters, check_is_fitted
from weft.parameters.rules import is_number
from weft.rewriting.chunks.alignment import ChunkAlignment, Pairs, allowed_steps, possible_pairs
from weft.state_rules import HISTORY, LARGEST, check_arrays, check_state, floats, integers, packed_symbols

LONGEST_CHUNK = 100
Table = dict[tuple[tuple[Any, ...], tuple[Any, ...]], float]
STATE = {
    **packed_symbols("alphabet0", "n_first"),
    **packed_symbols("alphabet1", "n_second"),
    "probabilities": floats("n_chunks", low=0.0, high=1.0 + 1e-6),
    "chunks0": integers("n_chunks", "longest_first", low=-1, below="n_first", dtype="int32"),
    "chunks1": integers("n_chunks", "longest_second", low=-1, below="n_second", dtype="int32"),
}
"""What each array of a model file must be."""
UNSEEN = 1e-3
"""Probability of a chunk pair unseen in training, as a share of the smallest one that was seen."""


class ChunkAligner(Parameters):
    """Learns many-to-many alignments by expectation-maximisation, from unaligned pairs.

    A symbol of the first sequence is aligned with none, one or several of the second, or several with one: letters and
    sounds, syllables and signs. The two sequences may have different alphabets. If every symbol is aligned with one or
    none, `Aligner` with `EM` learns gaps too.

    Parameters
    ----------
    max_chunk : int or (int, int)
        Maximum symbols of a chunk, of the first and of the second sequence.
    many_to_many : bool
        Let chunks have several symbols on both sides at once. They then tend to swallow pairs of plain steps.
    max_iter : int
        Maximum number of iterations; a warning says when they end the fit.
    tol : float
        Stop when an iteration improves the log-likelihood by less than ``tol`` times its size.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    chunk_probabilities_ : dict
        Probability of each pair of chunks, tuples of symbols, in a path of such pairs.
    history_ : list of dict
        Objective, the negative log-likelihood, and seconds of each iteration.

    Examples
    --------
    >>> import weft
    >>> X = [("phone", "fon"), ("graph", "graf"), ("photo", "foto"), ("note", "not"), ("hero", "hero")] * 3
    >>> weft.ChunkAligner().fit(X).predict([("phon", "fon")])
    [[('ph', 'f'), ('o', 'o'), ('n', 'n')]]
    """

    def __init__(
        self,
        max_chunk: int | tuple[int, int] = 2,
        *,
        many_to_many: bool = False,
        max_iter: int = 30,
        tol: float = 1e-4,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.max_chunk = max_chunk
        self.many_to_many = many_to_many
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Iterable[Sequence[Symbols]], y: object = None, sample_weight: ArrayLike | None = None
    ) -> ChunkAligner:
        """Learn from pairs of sequences.

        Parameters
        ----------
        X : list of pairs (s1, s2)
            Strings or lists of symbols.
        y : ignored
        sample_weight : array of shape (n_pairs,), optional
        """
        check_shared(self)
        checked_number("max_iter", self.max_iter)
        if not is_number(self.tol, LARGEST):
            raise InputError(f"tol is {self.tol!r:.30}; a finite number >= 0 is needed, at most {LARGEST}.")
        pairs = as_pairs(X)
        sample_weight = checked_sample_weight(sample_weight, len(pairs))
        numbers: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
        encoded = self._encode(pairs, numbers)
        alignment = ChunkAlignment(encoded, self._steps(), sample_weight, self.n_jobs)
        with Monitor(self.verbose) as monitor:
            monitor.start("chunks", self.max_iter)
            alignment.learn(
                self.max_iter, self.tol, lambda step, value: monitor.record(step, -value, alignment.probabilities)
            )
            monitor.finish(len(monitor.history))
            if not alignment.converged:
                monitor.unfinished(self)
        self._set_model((list(numbers[0]), list(numbers[1])), alignment.chunks(), alignment.probabilities)
        self.history_ = monitor.history
        return self

    def _set_model(
        self, alphabets: tuple[list[Any], list[Any]], chunks: tuple[Ids, Ids], probabilities: Floats
    ) -> None:
        self.alphabets_ = alphabets
        self._chunks, self._values = chunks, probabilities
        self.chunk_probabilities_: Table = {
            (_spelled(first, alphabets[0]), _spelled(second, alphabets[1])): value
            for first, second, value in zip(chunks[0].tolist(), chunks[1].tolist(), probabilities.tolist(), strict=True)
        }

    def _steps(self) -> Integers:
        given: Any = self.max_chunk
        longest = tuple(given) if isinstance(given, tuple | list) else (given, given)
        if len(longest) != 2 or not all(
            isinstance(n, int | np.integer) and not isinstance(n, bool) and 1 <= n <= LONGEST_CHUNK for n in longest
        ):
            raise InputError(
                f"max_chunk is {given!r:.60}; a whole number from 1 to {LONGEST_CHUNK}, or two, is needed."
            )
        steps = allowed_steps(int(longest[0]), int(longest[1]))
        if not self.many_to_many:
            return steps
        both = [(a, b) for a in range(2, longest[0] + 1) for b in range(2, longest[1] + 1)]
        return np.concatenate([steps, np.array(both, dtype=np.int64).reshape(-1, 2)])

    def _encode(self, pairs: list[tuple[Any, Any]], numbers: tuple[dict[Any, int], dict[Any, int]]) -> Pairs:
        """Pairs as numbers; symbols without a number get the next one."""
        columns: list[Any] = []
        for side in (0, 1):
            known = numbers[side]
            symbols = [known.setdefault(symbol, len(known)) for pair in pairs for symbol in pair[side]]
            offsets = np.zeros(len(pairs) + 1, dtype=np.int64)
            np.cumsum([len(pair[side]) for pair in pairs], out=offsets[1:])
            columns += [np.array(symbols, dtype=np.int32), offsets]
        encoded = Pairs(*columns)
        impossible = np.flatnonzero(~possible_pairs(encoded, self._steps()))
        if len(impossible):
            first, second = pairs[int(impossible[0])]
            raise InputError(
                f"X[{impossible[0]}] has {len(first)} and {len(second)} symbols, which chunks of max_chunk="
                f"{self.max_chunk} cannot pair; raise max_chunk, or drop the pair."
            )
        return encoded

    def predict(self, X: Iterable[Sequence[Symbols]]) -> list[list[tuple[Any, Any]]]:
        """Pairs of chunks of each pair of sequences, in order: strings for strings, lists for lists."""
        check_is_fitted(self, "chunk_probabilities_")
        pairs = as_pairs(X)
        numbers = ({s: i for i, s in enumerate(self.alphabets_[0])}, {s: i for i, s in enumerate(self.alphabets_[1])})
        alignment = ChunkAlignment(self._encode(pairs, numbers), self._steps(), n_jobs=self.n_jobs)
        alphabets = (list(numbers[0]), list(numbers[1]))
        # What is new is unlikely, all the more the longer it is, but not impossible.
        positive = self._values[self._values > 0.0]
        unseen = UNSEEN * float(positive.min(initial=1.0)) * len(alignment.probabilities)
        first, second = (rows.tolist() for rows in alignment.chunks())
        for place, chunk in enumerate(zip(first, second, strict=True)):
            key = (_spelled(chunk[0], alphabets[0]), _spelled(chunk[1], alphabets[1]))
            known = self.chunk_probabilities_.get(key, 0.0)
            alignment.probabilities[place] = known or alignment.probabilities[place] * unseen
        steps = alignment.best()[0].tolist()
        begins = alignment.pairs.input_offsets.tolist()
        sizes = alignment.steps.tolist()
        found = []
        for index, (one, other) in enumerate(pairs):
            i = j = 0
            cut = []
            while i < len(one):
                a, b = sizes[steps[begins[index] + i]]
                cut.append((one[i : i + a], other[j : j + b]))
                i, j = i + a, j + b
            found.append(cut)
        return found

    # ------------------------------------------------------------ model files

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "chunk_probabilities_")
        arrays: dict[str, NDArray[Any]] = {"probabilities": self._values}
        for side in (0, 1):
            arrays |= pack_named(f"alphabet{side}", self.alphabets_[side])
            arrays[f"chunks{side}"] = self._chunks[side]
        return {"history": untimed(self.history_)}, arrays

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a chunk aligner", state, {"history": HISTORY})
        check_arrays("a chunk aligner", arrays, STATE)
        alphabets = (unpack_named("alphabet0", arrays), unpack_named("alphabet1", arrays))
        if any(len(set(alphabet)) != len(alphabet) for alphabet in alphabets):
            raise ModelFileError("a chunk aligner has the same symbol twice")
        self._set_model(alphabets, (arrays["chunks0"], arrays["chunks1"]), arrays["probabilities"])
        self.history_ = state["history"]


def _spelled(numbers: list[int], alphabet: list[Any]) -> tuple[Any, ...]:
    return tuple(alphabet[number] for number in numbers if number >= 0)

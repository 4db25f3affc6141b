"""Alignment: all global alignments of two sequences, as a derivation graph and by dense passes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from weft.annotations import Symbols
from weft.arrays import Floats, Ids, Integers
from weft.core import Derivation, DerivationGraph, moments
from weft.core.array_checks import checked_floats
from weft.errors import InputError
from weft.structures.alignment.loops.pairs import count_moves, expected_features
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND
from weft.structures.alignment.pair_corpus import GAP, Alignments, PairCorpus, joined_text
from weft.structures.structure_moments import StructureMoments

Pair = tuple[Any, Any]
NO_ENTRIES = (1.0, *2 * (np.empty(0, dtype=np.int32),), np.empty(0), np.empty(0, dtype=np.int64))
"""For `expected_features`: probabilities of pairs of positions are not asked for."""

NOT_USED_UP = "the moves of alignment {} do not use up its two sequences; fix them, or the pair."


class Alignment:
    """Global alignments of two sequences (MM section 2.3.2).

    An alignment is a path of moves: pair two symbols, or put one of either sequence against a gap. A gap is a longest
    run of gap moves in one sequence; where a gap in one sequence follows directly on a gap in the other, a new gap
    opens. The two orders of such neighbours are two alignments.

    Feature order: pairs, then gaps. Model "match" has a weight for equal and one for different symbols;
    "substitution" one for each unordered pair of symbols of the alphabet, in the order AA, AC, ..., CC, .... Affine
    gaps have a weight for the first symbol of a gap and one for each further symbol, linear ones the same for all.

    Parameters
    ----------
    model : {"match", "substitution"}
    alphabet : sequence of symbols, optional
        Needed by "substitution"; "match" takes any symbols without one.
    gaps : {"affine", "linear"}

    Examples
    --------
    >>> Alignment("match", gaps="linear").moments(("ACG", "AG")).mean  # of 25 alignments
    array([0.4 , 0.32, 3.56])
    """

    def __init__(self, model: str = "substitution", alphabet: Symbols | None = None, gaps: str = "affine") -> None:
        if model not in ("match", "substitution"):
            raise InputError(f"model is {model!r}; use 'match' or 'substitution'.")
        if gaps not in ("affine", "linear"):
            raise InputError(f"gaps is {gaps!r}; use 'affine' or 'linear'.")
        if alphabet is None and model == "substitution":
            raise InputError("a substitution model needs an alphabet, such as 'ACGT'; give it, or use model='match'.")
        self.model = model
        self.gaps = gaps
        self.alphabet: tuple[Hashable, ...] | None = None if alphabet is None else _symbols(alphabet)
        self._numbers: dict[Hashable, int] = {}
        if self.alphabet is not None:
            self._numbers = {symbol: number for number, symbol in enumerate(self.alphabet)}
            if len(self._numbers) != len(self.alphabet) or not self.alphabet or GAP in self._numbers:
                raise InputError(
                    f"alphabet is {alphabet!r}; at least one symbol, each once, and not the gap {GAP!r}, is needed."
                )

    # ----------------------------------------------------------------- features

    @property
    def n_pair_features(self) -> int:
        """Number of weights of pairs."""
        if self.model == "match":
            return 2
        size = len(self._numbers)
        return size * (size + 1) // 2

    @property
    def n_gap_features(self) -> int:
        """Number of weights of gaps."""
        return 2 if self.gaps == "affine" else 1

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return self.n_pair_features + self.n_gap_features

    @property
    def feature_names(self) -> list[Any]:
        """Pairs of symbols, or "match" and "mismatch"; then "gap open" and "gap extend", or "gap"."""
        names: list[Any] = ["match", "mismatch"]
        if self.model == "substitution":
            letters = self.alphabet or ()
            names = [(a, b) for i, a in enumerate(letters) for b in letters[i:]]
        return [*names, *(["gap open", "gap extend"] if self.gaps == "affine" else ["gap"])]

    @property
    def gap_features(self) -> Integers:
        """Features of the first symbol of a gap and of further ones."""
        return np.array([self.n_pair_features, self.n_features - 1])

    def pair_features(self, n_symbols: int) -> Integers:
        """Feature of each pair of symbol numbers, shape (n_symbols, n_symbols)."""
        if self.model != "match" and n_symbols != len(self._numbers):
            raise InputError(
                f"the corpus has {n_symbols} symbols, the alphabet {len(self._numbers)}; need the same: encode the "
                "pairs with this structure"
            )
        if self.model == "match":
            return 1 - np.eye(n_symbols, dtype=np.int64)
        low, high = np.sort(np.indices((n_symbols, n_symbols)), axis=0)
        return np.asarray(low * n_symbols - low * (low - 1) // 2 + high - low)

    def tables(self, weights: Floats, n_symbols: int) -> tuple[Floats, float, float]:
        """Score of each pair of symbols, of an opening and of an extension."""
        weights = checked_floats("weights", weights, (self.n_features,), "give one weight per feature")
        opening, extension = weights[self.gap_features]
        return weights[self.pair_features(n_symbols)], float(opening), float(extension)

    def reduced(self, weights: Floats, n_symbols: int) -> tuple[Floats, float, float]:
        """As `tables`, in the form of `loops.passes`: an extension scores zero. Last is what it was."""
        pairs, opening, extension = self.tables(weights, n_symbols)
        return pairs - 2 * extension, opening - extension, extension

    # ----------------------------------------------------------------- encoding

    def encode(self, pairs: Sequence[Pair], name: str = "X") -> PairCorpus:
        """Pairs of sequences as symbol numbers."""
        numbers = self._numbers
        if self.alphabet is None:
            numbers = {}
            for pair in pairs:
                for sequence in pair:
                    for symbol in dict.fromkeys(sequence):
                        numbers.setdefault(symbol, len(numbers))
        letters = np.full(128, -1, dtype=np.int32)
        for symbol, number in numbers.items():
            if isinstance(symbol, str) and len(symbol) == 1 and symbol.isascii():
                letters[ord(symbol)] = number
        sides = [_joined_numbers(pairs, side, letters) for side in (0, 1)]
        if sides[0] is not None and sides[1] is not None:
            return PairCorpus(*sides[0], *sides[1], max(len(numbers), 1))
        encoded = [
            tuple(self._encode(sequence, numbers, letters, f"{name}[{i}]") for sequence in pair)
            for i, pair in enumerate(pairs)
        ]
        return PairCorpus.join([(pair[0], pair[1]) for pair in encoded], max(len(numbers), 1))

    def _encode(self, sequence: Sequence[Hashable], numbers: dict[Hashable, int], letters: Ids, name: str) -> Ids:
        if isinstance(sequence, str) and sequence.isascii():
            found = letters[np.frombuffer(sequence.encode("ascii"), dtype=np.uint8)]
            if found.size and found.min() >= 0:
                return found
        try:
            return np.array([numbers[symbol] for symbol in sequence], dtype=np.int32)
        except KeyError as error:
            symbol = error.args[0]
            place = list(sequence).index(symbol)
            if symbol == GAP:
                raise InputError(
                    f"{name} has a gap {GAP!r} at position {place}; sequences to align come without gaps: remove them."
                ) from None
            raise InputError(
                f"{name} has {symbol!r} at position {place}, which is not in the alphabet {_shown(self.alphabet)}; "
                "fix the sequence, give an alphabet with this symbol, or use model='match', which takes any."
            ) from None

    # -------------------------------------------------------------------- graph

    def compile(self, pair: Pair) -> DerivationGraph:
        """Graph whose derivations are the alignments of the pair.

        Its parts are, in order, with n and m symbols: the pair of i and j (``i * m + j``), opening and extending a gap
        against symbol i of the first sequence before symbol j of the second (n (m + 1) each), opening and extending
        one against symbol j of the second before symbol i of the first ((n + 1) m each).
        """
        return self._compile(len(pair[0]), len(pair[1]))

    def _compile(self, n: int, m: int) -> DerivationGraph:
        i, j = (index.reshape(-1) for index in np.indices((n + 1, m + 1)))
        cell = i * (m + 1) + j
        begins = part_begins(n, m)
        heads, tails, parts = [np.array([PAIR])], [np.array([-1])], [np.array([-1])]
        for move, step in ((PAIR, m + 2), (FIRST, m + 1), (SECOND, 1)):
            here = np.flatnonzero(((i > 0) | (move == SECOND)) & ((j > 0) | (move == FIRST)))
            for last in (PAIR, FIRST, SECOND):
                if move == PAIR:
                    part = (i - 1) * m + j - 1
                elif move == FIRST:
                    part = begins[1 + (last == move)] + (i - 1) * (m + 1) + j
                else:
                    part = begins[3 + (last == move)] + i * m + j - 1
                heads.append(cell[here] * 3 + move)
                tails.append((cell[here] - step) * 3 + last)
                parts.append(part[here])
        n_nodes = 3 * (n + 1) * (m + 1)
        heads.append(np.full(3, n_nodes))
        tails.append(n_nodes - 3 + np.arange(3))
        parts.append(np.full(3, -1))
        tail = np.concatenate(tails)
        return DerivationGraph.build(
            np.concatenate(heads),
            np.stack([tail, np.full(len(tail), -1)], axis=1),
            np.concatenate(parts),
            n_nodes=n_nodes + 1,
            n_parts=int(begins[-1]),
        )

    def part_features(self, pair: Pair) -> csr_matrix:
        """Sparse matrix (n_parts, d) of the features of each part of the graph of a pair."""
        corpus = self.encode([pair])
        return self.encoded_part_features(*corpus.pair(0), corpus.n_symbols)

    def encoded_part_features(self, first: Ids, second: Ids, n_symbols: int) -> csr_matrix:
        """As `part_features`, for symbol numbers."""
        n, m = len(first), len(second)
        pairs = self.pair_features(n_symbols)[np.ix_(first, second)].reshape(-1)
        opening, extension = self.gap_features
        gaps = [np.full(n * (m + 1), opening), np.full(n * (m + 1), extension)]
        gaps += [np.full((n + 1) * m, opening), np.full((n + 1) * m, extension)]
        columns = np.concatenate([pairs, *gaps])
        return csr_matrix(
            (np.ones(len(columns)), columns, np.arange(len(columns) + 1)), shape=(len(columns), self.n_features)
        )

    def decode(self, derivation: Derivation, pair: Pair) -> NDArray[np.uint8]:
        """Moves of a derivation."""
        begins = part_begins(len(pair[0]), len(pair[1]))
        kinds = np.searchsorted(begins, derivation.parts, side="right") - 1
        return np.array([PAIR, FIRST, FIRST, SECOND, SECOND], dtype=np.uint8)[kinds[::-1]]

    def features(self, pair: Pair, moves: NDArray[np.uint8]) -> Floats:
        """Feature vector of one alignment."""
        corpus = self.encode([pair])
        return self.count(corpus, Alignments.join(corpus, [np.asarray(moves, dtype=np.uint8)])).reshape(-1)

    def count(self, corpus: PairCorpus, alignments: Alignments, sample_weight: Floats | None = None) -> Floats:
        """Feature vectors of alignments: one row each, or with `sample_weight` one row, their weighted sum."""
        alignments.check(corpus)
        out = np.zeros((len(corpus) if sample_weight is None else 1, self.n_features))
        if sample_weight is None:
            sample_weight = np.ones(len(corpus))
        bad = count_moves(
            corpus.arrays,
            alignments.moves,
            alignments.offsets,
            alignments.n_moves,
            self.pair_features(corpus.n_symbols),
            self.gap_features,
            checked_floats("sample_weight", sample_weight, (len(corpus),), "give one number per pair"),
            out,
        )
        if bad >= 0:
            raise InputError(NOT_USED_UP.format(bad))
        return out

    # ------------------------------------------------------------------ moments

    def moments(self, x: Pair) -> StructureMoments:
        """Count, mean and covariance of the features over all alignments of a pair of sequences."""
        corpus = self.encode([x])
        n_symbols, d = corpus.n_symbols, self.n_features
        shared = (self.pair_features(n_symbols), self.gap_features, np.ones(1))
        mean, log_count = np.zeros((1, d)), np.empty(1)
        plane, nowhere = np.ones((1, n_symbols, n_symbols)), (np.empty(0), np.empty(0, dtype=np.int64), NO_ENTRIES)
        no_bonus = (np.empty(0, dtype=np.int32), 0.0)
        expected_features(
            0, 1, corpus.arrays, plane, (1.0, 0.0), *no_bonus, *shared, mean, log_count, np.empty(0), *nowhere
        )
        if np.isnan(log_count[0]):
            return self.graph_moments(x)
        covariance, means = np.zeros((d, 1, d)), np.empty(1)
        # A feature that never occurs has no covariance: most of a large alphabet, for one pair.
        for feature in np.flatnonzero(mean[0] > 0).tolist():
            pairs, opening, _ = self.reduced(np.eye(1, d, feature).reshape(-1), n_symbols)
            planes = np.concatenate([plane, pairs[None]])
            expected_features(
                0, 1, corpus.arrays, planes, (1.0, opening), *no_bonus, *shared, covariance[feature], log_count, means,
                *nowhere,
            )  # fmt: skip
        square = covariance[:, 0]
        if np.isnan(log_count[0]):
            return self.graph_moments(x)
        return StructureMoments(float(log_count[0]), mean[0], (square + square.T) / 2, self.feature_names)

    def graph_moments(self, x: Pair) -> StructureMoments:
        """As `moments`, by the mean/covariance semiring on the graph."""
        graph = self.compile(x)
        result = moments(graph, np.zeros(graph.n_parts), self.part_features(x))
        return StructureMoments(result.log_weight, result.mean, result.covariance, self.feature_names)


def _joined_numbers(pairs: Sequence[Pair], side: int, letters: Ids) -> tuple[Ids, Integers] | None:
    """Numbers of all sequences of a side, and where each begins; None unless all are strings of known letters."""
    text = joined_text([pair[side] for pair in pairs])
    if text is None:
        return None
    numbers = letters[text]
    if numbers.size and numbers.min() < 0:
        return None
    return numbers, np.cumsum([0, *(len(pair[side]) for pair in pairs)])


def part_begins(n: int, m: int) -> Integers:
    """First part of each kind, and the number of all."""
    return np.cumsum([0, n * m, n * (m + 1), n * (m + 1), (n + 1) * m, (n + 1) * m])


def _shown(alphabet: tuple[Hashable, ...] | None) -> str:
    symbols = [str(symbol) for symbol in alphabet or ()]
    between = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    shown = between.join(symbols)
    return shown if len(shown) <= 30 else shown[:27] + "..."


def _symbols(alphabet: Any) -> tuple[Any, ...]:
    if not np.iterable(alphabet):
        raise InputError(f"alphabet is {alphabet!r:.60}; symbols are needed, such as 'ACGT' or a list.")
    return tuple(alphabet)

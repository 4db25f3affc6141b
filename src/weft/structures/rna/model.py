"""LoopModel: RNA secondary structures scored by their loops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids
from weft.core.array_checks import checked_numbers
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.sequences.checks import as_sequence
from weft.structures.grammar.queries import pair_bonus, rule_scores
from weft.structures.grammar.rule_entries import RuleEntries
from weft.structures.rna.features import loop_features
from weft.structures.rna.free_energies import free_energies
from weft.structures.rna.loops.counts import count_parts
from weft.structures.rna.nearest_neighbours import Energies
from weft.structures.rna.queries import (
    CONSUMED,
    Pairs,
    best_structure,
    covariance_of_parts,
    expected_parts,
    require_planes,
)
from weft.structures.rna.tables import HEAT, LETTERS, LONGEST_LOOP, NO_LETTER, PAIRS
from weft.structures.structure_moments import StructureMoments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FREE_ENERGY = "free_energy"


class LoopModel:
    """RNA secondary structures whose score is a sum over their loops, with learned weights.

    A structure is a set of pairs AU, GC and GU that do not cross. It falls into stacks of pairs, hairpins, bulges and
    interior loops (up to 30 bases), multiloops and the exterior loop, as in models of free energy (Zuker and Stiegler
    1981). Each has weights for its pairs, its length and the bases beside its pairs, and all share one for the measured
    free energy (`weft.structures.rna.free_energies`): what training structures say comes on top of that.

    Parameters
    ----------
    min_hairpin : int
        Least number of bases in a hairpin loop.
    energies : Energies, optional
        Free energy of each part; by default those published.

    Attributes
    ----------
    feature_names : list of str
    rule_features : sparse array of shape (n_parts, n_features)
        Which weights score each part of a structure.
    prior : ndarray of shape (n_features,)
        Weights before any training: minus one over the energy of heat for the free energy, zero for the others, so that
        probabilities are those of Boltzmann's distribution.

    Examples
    --------
    >>> model = LoopModel()
    >>> pairs, score = model.best("gggaaaaccc", model.prior)
    >>> pairs.tolist()
    [[0, 9], [1, 8], [2, 7]]
    """

    symbols = tuple(LETTERS)
    paired_letters: ClassVar[set[tuple[str | None, str | None]]] = {(pair[0], pair[1]) for pair in PAIRS}

    def __init__(self, min_hairpin: int = 3, energies: Energies | None = None) -> None:
        least: Any = min_hairpin
        if not (isinstance(least, int | np.integer) and 0 <= least <= 10**9):
            raise InputError(f"min_hairpin is {min_hairpin!r}; a whole number from 0 to 10**9 is needed.")
        self.min_hairpin = int(min_hairpin)
        self.energies = free_energies() if energies is None else energies
        names, learned = loop_features()
        self.feature_names = [FREE_ENERGY, *names]
        measured = np.flatnonzero(self.energies.values)
        self.rule_entries = RuleEntries(
            np.concatenate([measured, learned.rows]),
            np.concatenate([np.zeros_like(measured), learned.columns + 1]),
            np.concatenate([self.energies.values[measured], learned.values]),
            (len(self.energies.values), len(self.feature_names)),
        )
        self.prior = np.zeros(len(self.feature_names))
        self.prior[0] = -1.0 / HEAT
        self.consumed = CONSUMED

    def __repr__(self) -> str:
        return f"LoopModel(min_hairpin={self.min_hairpin})"

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return len(self.feature_names)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Hairpins with an energy by their letters, as numbers."""
        return self.energies.codes

    def energy(self, symbols: Ids, pairs: Pairs) -> float:
        """Free energy of a structure, in kcal/mol; loops may have any length.

        Examples
        --------
        >>> model = LoopModel()
        >>> round(model.energy(model.encode("gggaaaaccc"), [[0, 9], [1, 8], [2, 7]]), 2)
        -2.02
        """
        return dot_in_order(self.counts(symbols, pairs, longest=len(symbols)), self.energies.values)

    @property
    def rule_features(self) -> csr_array:
        """The entries as a sparse array."""
        return self.rule_entries.matrix

    @property
    def n_rules(self) -> int:
        """Number of parts that structures are made of."""
        return int(self.rule_entries.shape[0])

    def encode(self, x: str, unknown: Literal["error", "wildcard"] = "error") -> Ids:
        """Numbers of the letters; one that is not a, c, g, u is an error, or stays unpaired.

        Examples
        --------
        >>> LoopModel().encode("gaac")
        array([2, 0, 0, 1], dtype=int32)
        """
        letters: Any = as_sequence(x, "the sequence")
        if isinstance(letters, str):  # other than ASCII becomes "?"
            found = letters.encode("ascii", "replace").translate(_NUMBERS_OF_BYTES)
            numbers = np.frombuffer(found, np.uint8).astype(np.int32)
        else:
            numbers = np.array([_NUMBERS.get(letter, NO_LETTER) for letter in letters], dtype=np.int32)
        if len(numbers) == 0:
            raise InputError("the sequence is empty; at least one base is needed.")
        if unknown == "error" and (numbers == NO_LETTER).any():
            position = int(np.argmax(numbers == NO_LETTER))
            raise InputError(f"{letters[position]!r} at position {position} is not one of the letters a, c, g, u.")
        return numbers

    def scores(self, weights: Floats) -> Floats:
        """Score of each part."""
        return rule_scores(self.rule_entries, weights)

    def counts(self, symbols: Ids, pairs: Pairs, longest: int = LONGEST_LOOP) -> Floats:
        """How often a structure has each part; predicted ones have at most 30 bases between two pairs."""
        found = self._counts(symbols, pairs, longest)
        if not len(found):
            raise InputError(
                "the pairs are no structure of loops: need i < j within the sequence, sorted, nested, of letters that "
                "pair, with bulges and interior loops of at most 30 bases; fix them"
            )
        return found

    def _counts(self, symbols: Ids, pairs: Pairs, longest: int = LONGEST_LOOP) -> Floats:
        """How often a structure has each part; empty if it is none."""
        symbols = checked_numbers("symbols", symbols, NO_LETTER + 1, "use LoopModel.encode")
        rows = np.asarray(pairs)
        if rows.size == 0:
            rows = np.empty((0, 2), dtype=np.int32)
        if rows.ndim != 2 or rows.shape[1] != 2 or not np.issubdtype(rows.dtype, np.integer):
            raise InputError(f"pairs of shape {rows.shape} and type {rows.dtype} given; need integers (n_pairs, 2).")
        return np.asarray(count_parts(symbols, np.ascontiguousarray(rows, dtype=np.int64), self.codes, int(longest)))

    def is_structure(self, symbols: Ids, pairs: Pairs) -> bool:
        """Whether pairs of letters that pair make up loops of which none is too long.

        Examples
        --------
        >>> model = LoopModel()
        >>> symbols = model.encode("ggaaacc")
        >>> model.is_structure(symbols, [[0, 6], [1, 5]]), model.is_structure(symbols, [[0, 5], [1, 6]])
        (True, False)
        """
        return len(self._counts(symbols, pairs)) > 0

    def nearest(self, symbols: Ids, pairs: Iterable[tuple[int, int]]) -> Pairs:
        """The structure with as many of the given pairs as one can have, and no others.

        Examples
        --------
        >>> model = LoopModel()
        >>> model.nearest(model.encode("ggaaacc"), [(0, 6), (1, 5), (0, 5)]).tolist()
        [[0, 6], [1, 5]]
        """
        require_planes(len(symbols))
        bonus = pair_bonus(len(symbols), pairs)[0]
        return best_structure(symbols, np.zeros(self.n_rules), self.min_hairpin, bonus)[0]

    def best(self, x: str, weights: Floats) -> tuple[Pairs, float]:
        """Best structure of a sequence, as pairs of positions, and its score."""
        return best_structure(self.encode(x), self.scores(weights), self.min_hairpin, codes=self.codes)

    def moments(self, x: str) -> StructureMoments:
        """Number of structures, mean and covariance of their features, each structure with the same weight.

        Examples
        --------
        >>> round(np.exp(LoopModel().moments("ggaaaac").log_count))  # no pair, or one of two
        3
        """
        symbols, zeros = self.encode(x), np.zeros(self.n_rules)
        log_count, counts, _ = expected_parts(symbols, zeros, self.min_hairpin, codes=self.codes)
        mean = np.asarray(self.rule_features.T @ counts)
        covariance = np.zeros((len(mean), len(mean)))
        for column in np.flatnonzero(mean):
            direction = self.rule_features[:, [column]].toarray().ravel()
            rate = log_count / len(symbols)
            found = covariance_of_parts(symbols, zeros, self.min_hairpin, direction, rate, codes=self.codes)
            if found is None:
                raise InputError(f"{len(symbols)} bases have more structures than can be counted; give fewer.")
            covariance[column] = self.rule_features.T @ found[1]
        return StructureMoments(log_count, mean, (covariance + covariance.T) / 2.0, self.feature_names)


_NUMBERS = {letter: number for number, letter in enumerate(LETTERS)}
_NUMBERS_OF_BYTES = bytes(_NUMBERS.get(chr(byte), NO_LETTER) for byte in range(256))

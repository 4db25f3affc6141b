"""NGramLanguageModel: how probable strings are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Strings
from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.errors import InputError, ModelFileError
from weft.language_model.grams import count_grams
from weft.language_model.smoothing import SMOOTHINGS, interpolate
from weft.language_model.tables import build_tables, dense_rows, restored_tables, sequence_scores
from weft.parameters import Parameters, check_is_fitted
from weft.parameters.rules import is_number
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_list, each_sequence
from weft.state_rules import SYMBOLS, check_state, list_of, real, whole

LONGEST = 1000
"""Of n-grams: beyond it, counting takes for ever."""
STATE = {"symbols": SYMBOLS, "start_state": whole(), "discounts": list_of(list_of(real()))}
"""What each plain value of a model file must be."""


class NGramLanguageModel(Parameters):
    """Probabilities of strings, from counts of n-grams.

    A sequence begins with a start symbol and ends with an end symbol, so that the probabilities of all sequences sum
    to one. Smoothed models keep a share for one unknown symbol, which stands for all unseen in training.

    Parameters
    ----------
    n : int
        Length of the n-grams: a symbol depends on the ``n - 1`` before it.
    smoothing : {"modified_kneser_ney", "kneser_ney", "witten_bell", "maximum_likelihood"}
        Interpolated Kneser-Ney with three discounts per length (Chen and Goodman, 1998) or with one, Witten-Bell, or
        relative frequencies, which forbid what training did not have. The shortest context is interpolated with the
        uniform distribution. Where counts of counts are too few for three discounts, "modified_kneser_ney" uses one.
    discount : float, optional
        Discount of "kneser_ney", between 0 and 1; None estimates one for each length.

    Attributes
    ----------
    symbols_ : list
        Symbols seen in training; their places are their numbers. The next number is the end, then the unknown.
    tables_ : BackOffTables
        The model as flat arrays, for compiled decoders; see `weft.language_model.step`.
    start_state_ : int
        State of `tables_` before the first symbol.
    end_, unknown_ : int
        Numbers of the end of a sequence, and of unknown symbols.
    discounts_ : list of tuple
        For each length.

    Examples
    --------
    >>> model = NGramLanguageModel(2, "maximum_likelihood").fit(["ab", "abb"])
    >>> np.exp(model.log_probability(["ab", "b"])).round(3).tolist()
    [0.667, 0.0]
    >>> round(model.perplexity(["ab", "abb"]), 3)
    1.314
    """

    def __init__(self, n: int = 3, smoothing: str = "modified_kneser_ney", *, discount: float | None = None) -> None:
        self.n = n
        self.smoothing = smoothing
        self.discount = discount

    def fit(self, X: Strings, y: object = None) -> NGramLanguageModel:
        """Count and smooth.

        Parameters
        ----------
        X : list of strings, token lists or integer arrays
            Empty sequences count as a start and an end.
        y : ignored
        """
        n = checked_number("n", self.n)
        if n > LONGEST:
            raise InputError(f"n={n} given; n-grams have at most {LONGEST:,} symbols: lower it.")
        if self.smoothing not in SMOOTHINGS:
            raise InputError(f"smoothing is {self.smoothing!r}; use one of {', '.join(map(repr, SMOOTHINGS))}.")
        if self.discount is not None and not is_number(self.discount, 1.0):
            raise InputError(f"discount is {self.discount!r}; a number from 0 to 1 is needed, or None.")
        sequences = _as_lists(X)
        alphabet = Alphabet()
        flat = alphabet.encode_growing(chain.from_iterable(sequences))
        _check_lengths(len(flat), int(_lengths(sequences).sum()))
        n_known = len(alphabet)
        start = n_known + 2
        padded, places = _pad(flat, _lengths(sequences), start, n_known)
        grams = count_grams(padded, places, n_known + 3, n)
        grams[0].counts[start] = 0
        n_prefixes = [1, *(len(each.counts) for each in grams[:-1])]
        terms = interpolate(grams, n_prefixes, self.smoothing, self.discount)
        uniform = 0.0 if self.smoothing == "maximum_likelihood" else 1.0 / (n_known + 2)
        self.tables_, self.start_state_ = build_tables(grams, terms, n_known, start, uniform)
        self.discounts_ = [term.discounts for term in terms]
        self._set_alphabet(alphabet)
        return self

    def _set_alphabet(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet
        self.symbols_: list[Any] = alphabet.symbols
        self.end_ = len(alphabet)
        self.unknown_ = len(alphabet) + 1

    @property
    def n_states(self) -> int:
        """Number of contexts."""
        check_is_fitted(self, "tables_")
        return len(self.tables_.back_off_states)

    def encode(self, X: Strings) -> tuple[Integers, Integers]:
        """Numbers of all symbols one after the other, and where each sequence begins; one more for the end."""
        check_is_fitted(self, "tables_")
        sequences = _as_lists(X)
        flat = self._alphabet.encode(chain.from_iterable(sequences)).astype(np.int64)
        flat[flat < 0] = self.unknown_
        offsets = np.concatenate([[0], np.cumsum(_lengths(sequences))]).astype(np.int64)
        _check_lengths(len(flat), int(offsets[-1]))
        return flat, offsets

    def log_probability(self, X: Strings) -> Floats:
        """Natural logarithm of the probability of each sequence, its end included."""
        flat, offsets = self.encode(X)
        scores: Floats = sequence_scores(self.tables_, flat, offsets, self.start_state_, self.end_)
        return scores

    def score(self, X: Strings, y: object = None) -> float:
        """Mean log probability of a symbol; ends count as symbols."""
        sequences = _as_lists(X)
        scores = self.log_probability(sequences)
        return float(scores.sum() / (sum(map(len, sequences)) + len(scores)))

    def perplexity(self, X: Strings) -> float:
        """Exponential of minus the mean log probability of a symbol; ends count as symbols."""
        return float(np.exp(-self.score(X)))

    def conditional_tables(self, max_cells: int = 20_000_000) -> tuple[Floats, Integers]:
        """Log probability of every symbol in every state, and the state after it; for small models.

        Parameters
        ----------
        max_cells : int
            Larger tables are refused.

        Returns
        -------
        scores : ndarray of shape (n_states, n_symbols + 2)
            Columns: `symbols_`, the end, the unknown symbol.
        targets : ndarray of the same shape

        Examples
        --------
        >>> model = NGramLanguageModel(2, "witten_bell").fit(["ab", "abb"])
        >>> scores, targets = model.conditional_tables()
        >>> np.exp(scores).sum(axis=1).round(6).tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        n_states, n_symbols = self.n_states, self.unknown_ + 1
        if n_states * n_symbols > max_cells:
            raise InputError(
                f"a table of {n_states} contexts and {n_symbols} symbols is needed, above max_cells={max_cells}; "
                "lower n, or walk through tables_ with weft.language_model.step."
            )
        scores, targets = dense_rows(self.tables_, n_states, n_symbols)
        return scores, targets

    # ------------------------------------------------------------ model files

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "tables_")
        state = {"symbols": self.symbols_, "start_state": self.start_state_, "discounts": self.discounts_}
        return state, dict(self.tables_._asdict())

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a language model", state, STATE)
        alphabet = Alphabet(state["symbols"])
        if len(alphabet) != len(state["symbols"]):
            raise ModelFileError("a language model has the same symbol twice")
        self.tables_ = restored_tables(arrays, len(alphabet), state["start_state"])
        self.start_state_ = state["start_state"]
        self.discounts_ = [tuple(each) for each in state["discounts"]]
        self._set_alphabet(alphabet)


def _as_lists(X: Any) -> list[Sequence[Any]]:
    given = each_sequence(as_list(X, "X"), "X", "a string, a token list or an integer array is needed")
    sequences = [each.tolist() if isinstance(each, np.ndarray) else each for each in given]
    if not sequences:
        raise InputError("X is empty; at least one sequence is needed.")
    return sequences


def _check_lengths(n_symbols: int, total: int) -> None:
    """Refuse sequences that say another length than they have, such as data frames."""
    if n_symbols != total:
        raise InputError(
            f"the sequences of X say that they have {total} symbols, but give {n_symbols}; need lists: convert each "
            "with list(x), or take one column of a data frame"
        )


def _lengths(sequences: list[Sequence[Any]]) -> Integers:
    return np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences))


def _pad(flat: NDArray[Any], lengths: Integers, start: int, end: int) -> tuple[Integers, Integers]:
    """Sequences with a start and an end each, and the place of each symbol within its sequence."""
    ends = np.cumsum(lengths + 2)
    begins = ends - lengths - 2
    inner = np.ones(int(ends[-1]), dtype=bool)
    inner[begins] = False
    inner[ends - 1] = False
    padded = np.empty(len(inner), dtype=np.int64)
    padded[begins], padded[ends - 1] = start, end
    padded[inner] = flat
    return padded, np.arange(len(padded)) - np.repeat(begins, lengths + 2)

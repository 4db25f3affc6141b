"""Words, weighted by how few texts have them: what the default of `SequenceSVC` adds for texts of several words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.checkpoint.packing import pack_named, unpack_named
from weft.errors import InputError, ModelFileError
from weft.kernels.base import LEARNED, Kernel
from weft.kernels.combinators import inverse_roots
from weft.kernels.feature_map import FeatureMap, MapState, Spans
from weft.kernels.gram_matrix import scale_rows, squared_norms
from weft.kernels.grams.blended import BlendedSpectrumKernel
from weft.kernels.grams.weighting import inverse_document_frequencies
from weft.kernels.symbols import SymbolTable, as_coded, form_of
from weft.state_rules import check_arrays, check_state, choice, floats, packed_symbols

WORD = re.compile(r"\w+|[^\w\s]")
"""Letters, digits and underscores in a row, or one mark of punctuation."""
FORMS = {"characters": "strings", "tokens": "lists of tokens"}


class WordKernel(Kernel):
    """Cosine of the counts of words: ``K(x, y) = cos(counts(x), counts(y))``.

    In a string, words are runs of letters, digits and underscores, in lower case, and punctuation marks. In a list,
    each token is a word, unchanged. A text without words has value 0 with all others.

    Parameters
    ----------
    idf : bool
        Multiply the count of a word by ``1 + log((1 + n) / (1 + df))``, where df of the n training texts have it; words
        that no training text has then count nothing. A stream (`SequenceSVC.partial_fit`) needs ``idf=False``.
    sublinear : bool
        Take ``1 + log(count)`` for each count.

    Examples
    --------
    >>> kernel = WordKernel(idf=False)
    >>> kernel.gram(["To be, or not."], ["not to be", "nothing"]).round(3)
    array([[0.707, 0.   ]])
    >>> kernel.feature_map(["To be, or not."])[0].names()
    ['word=,', 'word=.', 'word=be', 'word=not', 'word=or', 'word=to']
    """

    def __init__(self, *, idf: bool = True, sublinear: bool = True) -> None:
        self.idf = idf
        self.sublinear = sublinear

    @property
    def has_features(self) -> bool:
        """Words are explicit features."""
        return True

    @property
    def learns_weights(self) -> bool:
        """With `idf`, values depend on the training data."""
        return bool(self.idf)

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the words of `X`, and give its rows, each of length 1."""
        for name in ("idf", "sublinear"):
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise InputError(f"{name}={value!r} given; need True or False.")
        X = as_coded(X)
        form = _form_of(X)
        counts = _counts_of(X, form)
        words = sorted(set().union(*counts)) if form == "characters" else SymbolTable.learn(X).symbols
        mapped = WordMap(form, words, self.sublinear)
        rows = mapped._counted(counts)[0]
        if self.idf:
            mapped.idf = inverse_document_frequencies(rows)
            rows.data *= mapped.idf[rows.indices]
        return mapped, scale_rows(rows, inverse_roots(squared_norms(rows)))

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        settings, arrays = state
        check_state("words", settings, {"form": choice(*FORMS)})
        rules = packed_symbols("words", "n_words") | ({"idf": floats("n_words", low=1.0)} if self.idf else {})
        check_arrays("words", arrays, rules)
        words = unpack_named("words", arrays)
        if len(set(words)) != len(words):
            raise ModelFileError("the words of a text have the same one twice")
        return WordMap(settings["form"], words, self.sublinear, arrays.get("idf"))

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """1 for each text that has a word, else 0."""
        if self.idf:
            raise InputError(LEARNED)
        X = as_coded(X)
        return np.array([float(bool(counts)) for counts in _counts_of(X, _form_of(X))])


class WordMap(FeatureMap):
    """Words numbered on training data.

    Parameters
    ----------
    form : {"characters", "tokens"}
        Of the sequences: strings, or lists of tokens.
    words : list
        Column j is word j.
    sublinear : bool
        Take ``1 + log(count)`` for each count.
    idf : ndarray, optional
        Factor of each column; words that training did not have then count nothing, else 1 each time.
    """

    def __init__(self, form: str, words: Sequence[Any], sublinear: bool, idf: Floats | None = None) -> None:
        self.form = form
        self.words = list(words)
        self.sublinear = sublinear
        self.idf = idf
        self.n_features = len(self.words)
        self._columns = {word: column for column, word in enumerate(self.words)}

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, each divided by its length, and the squared lengths, 1 or 0."""
        rows, others = self._counted(self._counts(X))
        if self.idf is not None:
            rows.data *= self.idf[rows.indices]
        norms = squared_norms(rows) + others
        return scale_rows(rows, inverse_roots(norms)), np.asarray(norms > 0, dtype=np.float64)

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one text, and ``K(x, x)``."""
        [counts] = self._counts([x])
        known, others = self._known(counts)
        columns = np.array([column for column, _ in known], dtype=np.int32)
        values = self._values(np.array([count for _, count in known], dtype=np.float64))
        if self.idf is not None:
            values *= self.idf[columns]
        # Added one after the other, as `squared_norms` does.
        norm = (np.add.accumulate(values * values)[-1] if len(values) else 0.0) + others
        values *= inverse_roots(np.array([norm]))[0]
        return values, columns, float(norm > 0)

    def _counts(self, X: Any) -> list[Counter[Any]]:
        X = as_coded(X)
        if len(X) and (form := _form_of(X)) != self.form:
            raise InputError(f"X holds {FORMS[form]}, but training had {FORMS[self.form]}; use those.")
        return _counts_of(X, self.form)

    def _counted(self, counts: Sequence[Counter[Any]]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows without idf, and what the words that are not known add to their squared lengths."""
        rows = [self._known(own) for own in counts]
        columns = np.array([column for known, _ in rows for column, _ in known], dtype=np.int32)
        values = self._values(np.array([count for known, _ in rows for _, count in known], dtype=np.float64))
        ends = np.cumsum([0, *(len(known) for known, _ in rows)])
        others = np.array([other for _, other in rows], dtype=np.float64)
        return scipy.sparse.csr_array((values, columns, ends), (len(counts), self.n_features)), others

    def _known(self, counts: Counter[Any]) -> tuple[list[tuple[int, int]], float]:
        """Columns and counts of the known words of a text, and the squares of what the others count, if they do."""
        known = sorted((column, counts[word]) for word in counts if (column := self._columns.get(word)) is not None)
        if self.idf is not None or len(known) == len(counts):
            return known, 0.0
        unknown = np.array([count for word, count in counts.items() if word not in self._columns])
        return known, float(np.sum(self._values(unknown) ** 2))

    def _values(self, counts: NDArray[Any]) -> Floats:
        return np.asarray(1.0 + np.log(counts) if self.sublinear else counts, dtype=np.float64)

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """A map that has the words of `X` too, at the end."""
        if self.idf is not None:
            raise InputError(
                "partial_fit given with idf=True, whose weights need all training data at once; use fit, or idf=False."
            )
        found = dict.fromkeys(word for counts in self._counts(X) for word in counts)
        more = [word for word in found if word not in self._columns]
        return WordMap(self.form, [*self.words, *more], self.sublinear), np.arange(self.n_features)

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """A map of some of the words only."""
        if self.idf is not None:
            raise InputError(
                "min_count above 1 given with idf=True, which has no weights for words that are left out; leave "
                "min_count out, or use idf=False."
            )
        return WordMap(self.form, [self.words[column] for column in columns.tolist()], self.sublinear)

    def names(self) -> list[str]:
        """The words, which runs of up to five symbols cannot be taken for."""
        return [f"word={word}" for word in self.words]

    def spans(self, sequence: Any) -> Spans:
        """Where the known words occur in a text."""
        [sequence] = as_coded([sequence], "sequences")
        if self.form == "characters":
            words = [(match.start(), match.end(), match.group().lower()) for match in WORD.finditer(sequence)]
        else:
            words = [(place, place + 1, token) for place, token in enumerate(sequence)]
        found = [(begin, end, self._columns[word]) for begin, end, word in words if word in self._columns]
        starts, stops, columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
        return Spans(starts, stops, columns)

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        return {"form": self.form}, pack_named("words", self.words) | ({} if self.idf is None else {"idf": self.idf})


def _form_of(X: Any) -> str:
    form = form_of(X)
    if form not in FORMS:
        raise InputError(
            "X holds lattices, whose words are not certain; need strings or lists of tokens: use NGramKernel(1)."
        )
    return form


def _counts_of(X: Sequence[Any], form: str) -> list[Counter[Any]]:
    if form == "characters":
        return [Counter(map(str.lower, WORD.findall(text))) for text in X]
    try:
        return [Counter(tokens) for tokens in X]
    except TypeError:
        raise InputError("a token of X has no hash, such as a list or dict; strings or numbers are needed.") from None


def has_words(X: Sequence[Any]) -> bool:
    """Whether most sequences are texts of several words, or lists of words.

    A string has words if there is a blank in it that is not at an end. Lists hold words rather than symbols, such as
    sounds or bases, if a third of the different tokens occur once: so do words in texts of any length (Zipf).

    Examples
    --------
    >>> has_words(["to be or not", "to be", "be"]), has_words(["GATTACA", "ACCGT"])
    (True, False)
    >>> has_words([["to", "be", "or", "not"], ["to", "be"]]), has_words([["B", "IY"], ["IY", "B"]])
    (True, False)
    """
    form = form_of(X)
    if form == "characters":
        return 2 * sum(len(text.split(None, 1)) > 1 for text in X) > len(X)
    if form != "tokens":
        return False
    try:
        counts = Counter(chain.from_iterable(X))
    except TypeError:  # tokens that no kernel takes, which says so
        return False
    return 3 * sum(count == 1 for count in counts.values()) > len(counts)


DEFAULTS: dict[str, Kernel] = {
    "symbols": BlendedSpectrumKernel(sublinear=False),
    "words": BlendedSpectrumKernel(sublinear=False) + WordKernel(),
    "words without idf": BlendedSpectrumKernel(sublinear=False) + WordKernel(idf=False),
    "logarithms of symbols": BlendedSpectrumKernel(),
    "logarithms of words": BlendedSpectrumKernel() + WordKernel(),
    "logarithms of words without idf": BlendedSpectrumKernel() + WordKernel(idf=False),
}
"""What `SequenceSVC` takes if no kernel is named: runs of up to five symbols, and words where there are some.

Counts of lattices are expectations, which have no logarithms to take: "symbols". Model files of earlier versions also
have the names with words."""


def default_name(X: Sequence[Any], idf: bool = True) -> str:
    """Which of the `DEFAULTS` suits some training data.

    Parameters
    ----------
    X : list of sequences
        The training data, or the first part of them.
    idf : bool
        Whether words may have weights that are learned from all training data.

    Examples
    --------
    >>> default_name(["GATTACA"]), default_name(["to be or not to be"])
    ('logarithms of symbols', 'logarithms of words')
    """
    if form_of(X) == "automata":
        return "symbols"
    if not has_words(X):
        return "logarithms of symbols"
    return "logarithms of words" if idf else "logarithms of words without idf"

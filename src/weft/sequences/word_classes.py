"""Classes of words that stand in like places, learned from text without labels."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Inputs
from weft.arrays import Integers
from weft.core.array_checks import checked_numbers
from weft.errors import InputError, ModelFileError
from weft.parameters import Parameters, Transformer
from weft.parameters.cloning import remade
from weft.parameters.fitted import check_is_fitted, is_fitted
from weft.sequences.checks import as_sequences
from weft.sequences.class_tree import paths_of
from weft.sequences.loops.exchange import exchange
from weft.state_rules import anything, check_arrays, check_state, integers, list_of, optional

SCALE = 2**20
"""Logarithms are rounded to parts of so many: on any machine they are then the same whole numbers."""
N_FIXED = 2
"""Rare words and the ends of sentences have a class each, which no word joins."""
RARE = "\\rare"
"""Class of words that are not known."""
MOST_PASSES = 100
"""Each changes a word only if that makes the text more probable, so that they come to an end; ten are usual."""
FEW = 0.001
"""No further pass if a smaller share of the words changed."""


class WordClasses(Transformer, Parameters):
    r"""Puts words that have similar neighbours into classes, such as days of the week or first names.

    Each word is moved to the class that makes the text most probable if a word depends on its class and that on the
    class before (Kneser and Ney 1993; the objective of Brown et al. 1992), until hardly one moves. Labels are not
    needed: text of the same kind as what is to be tagged will do, and the more of it the better.

    Parameters
    ----------
    n_classes : int
    min_count : int
        Words that occur less often are in no class but that of rare words, with those that are not known.

    Attributes
    ----------
    classes_ : dict of str to int
        Class of each word that occurred often enough; frequent words come first.
    paths_ : list of str or None
        Path of each class in a binary tree, such as ``"0110"``: classes whose paths begin alike can stand in like
        places. They are merged two by two, those first that cost the text the least probability (Brown et al. 1992).
        It takes time with the cube of `n_classes`, some seconds for 1,000. None for classes from files of before
        version 0.2.

    Examples
    --------
    >>> text = ["a cat sees the dog", "the dog hears a cat", "a cat hears a dog", "the dog sees the cat"]
    >>> classes = WordClasses(3).fit([sentence.split() for sentence in text])
    >>> classes.transform([["the", "dog", "hears", "a", "fish"]])
    [['0', '1', '2', '0', '\\rare']]
    >>> classes.paths_
    ['00', '1', '01']
    """

    def __init__(self, n_classes: int = 100, *, min_count: int = 2) -> None:
        self.n_classes = n_classes
        self.min_count = min_count

    def __sklearn_clone__(self) -> WordClasses:
        """A copy that keeps what was learned: a search for the best tagger takes classes as they come."""
        made: WordClasses = remade(self)
        if is_fitted(self):
            made.classes_, made.paths_ = self.classes_, self.paths_
        return made

    @classmethod
    def from_paths(cls, paths: Mapping[str, str]) -> WordClasses:
        """Take classes that were learned elsewhere, such as by Brown clustering on far more text.

        Parameters
        ----------
        paths : dict of str to str
            Path of each word in a binary tree; words with the same path are in one class.
            `weft.sequences.formats.read_brown_paths` reads the files of programs for Brown clustering.

        Returns
        -------
        WordClasses

        Examples
        --------
        >>> WordClasses.from_paths({"Monday": "01", "Tuesday": "01", "sleep": "1"}).transform([["sleep", "Tuesday"]])
        [['1', '0']]
        """
        given: Mapping[Any, Any] = paths
        wrong = [each for each in given.items() if not (isinstance(each[0], str) and _is_path(each[1]))]
        if wrong or not paths:
            shown = f"{wrong[0]!r:.60}" if wrong else "nothing"
            raise InputError(
                f"paths of words hold {shown}; give words with paths of 0 and 1, such as {{'on': '0110'}}."
            )
        distinct = sorted(set(paths.values()))
        made = cls(len(distinct), min_count=1)
        numbers = {path: number for number, path in enumerate(distinct)}
        made.classes_, made.paths_ = {word: numbers[path] for word, path in paths.items()}, distinct
        return made

    def fit(self, X: Inputs, y: object = None) -> WordClasses:
        """Learn from text; labels are not looked at.

        Parameters
        ----------
        X : list of sequences
            Sentences as lists of words, or of rows of columns of which the first is the word.
        """
        for name, least in (("n_classes", 1), ("min_count", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise InputError(f"{name} of WordClasses is {value!r}; a whole number of at least {least} is needed.")
        sentences = words_of(X)
        counts = Counter(chain.from_iterable(sentences))
        # The order of words decides between equal classes, so it must not hang on that of a dictionary.
        words = sorted(
            (word for word, n in counts.items() if n >= self.min_count), key=lambda word: (-counts[word], word)
        )
        if len(words) < self.n_classes:
            raise InputError(
                f"the text has {len(words)} words that occur {self.min_count} times or more, for {self.n_classes} "
                "classes; give more text, or lower n_classes (--n-classes) or min_count."
            )
        numbers = {word: number for number, word in enumerate(words)}
        text, n_classes = _as_text(sentences, numbers), int(self.n_classes)
        found = exchanged(text, len(words), n_classes)
        self.classes_ = dict(zip(words, found.tolist(), strict=True))
        of_all = np.append(found, n_classes + np.arange(N_FIXED))
        self.paths_: list[str] | None = paths_of(of_all[text], n_classes, N_FIXED, _values(len(text)))
        return self

    def transform(self, X: Inputs) -> list[list[str]]:
        r"""Class of each word as text; ``\rare`` for words that are not known.

        Parameters
        ----------
        X : list of sequences
            As in `fit`.
        """
        names = self.names()
        return [[names.get(word, RARE) for word in sentence] for sentence in words_of(X)]

    def names(self, length: int | None = None) -> dict[str, str]:
        """Class of each known word as text, or the beginning of its path of a length, all of it if it is shorter."""
        check_is_fitted(self, "classes_")
        if length is None:
            return {word: str(number) for word, number in self.classes_.items()}
        if self.paths_ is None:
            raise InputError("these classes have no tree, as they come from a file of before 0.2; learn them again.")
        beginnings = [path[:length] for path in self.paths_]
        return {word: beginnings[number] for word, number in self.classes_.items()}

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "classes_")
        state: dict[str, Any] = {"words": list(self.classes_)}
        if self.paths_ is not None:
            state["paths"] = self.paths_
        return state, {"classes": np.array(list(self.classes_.values()), dtype=np.int64)}

    def _from_state(self, state: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        rules = {
            "words": list_of(anything("text", lambda value: isinstance(value, str))),
            "paths": optional(list_of(anything("a path of 0 and 1", lambda path: path == "" or _is_path(path)))),
        }
        check_state("word classes", state, rules)
        words, paths = state["words"], state.get("paths")
        check_arrays("word classes", arrays, {"classes": integers("n", below="n_classes")}, n_classes=self.n_classes)
        if len(set(words)) != len(words) or len(words) != len(arrays["classes"]):
            raise ModelFileError("word classes have a word twice, or not one class for each")
        if paths is not None and len(paths) != self.n_classes:
            raise ModelFileError(f"word classes have {len(paths)} paths; needed one for each of {self.n_classes}")
        self.paths_ = paths
        self.classes_ = dict(zip(words, arrays["classes"].tolist(), strict=True))


def _is_path(path: Any) -> bool:
    return isinstance(path, str) and path != "" and set(path) <= {"0", "1"}


def words_of(X: Any) -> list[list[str]]:
    """Words of each sentence: its tokens, or the first columns of its rows.

    Examples
    --------
    >>> words_of([["a", "b"], [["c", "NN"]]])
    [['a', 'b'], ['c']]
    """
    found = []
    for i, sentence in enumerate(as_sequences(X, "X")):
        words = [token[0] if isinstance(token, list | tuple) and token else token for token in sentence]
        for t, word in enumerate(words):
            if not isinstance(word, str):
                raise InputError(
                    f"X[{i}][{t}] is a {type(word).__name__}; WordClasses takes lists of words, or of rows of columns "
                    "whose first is the word."
                )
        found.append(words)
    return found


def _as_text(sentences: list[list[str]], numbers: dict[str, int]) -> Integers:
    """All sentences as numbers of words, one after the other, with an end after each; rare words have one number."""
    rare, end = len(numbers), len(numbers) + 1
    return np.array(
        [number for words in sentences for number in (*(numbers.get(word, rare) for word in words), end)],
        dtype=np.int64,
    )


def exchanged(text: Integers, n_words: int, n_classes: int) -> Integers:
    """Class of each word, by exchanges until hardly one changes.

    Parameters
    ----------
    text : ndarray of int
        Words by falling frequency; those from `n_words` on, at most two, have classes of their own.
    n_words, n_classes : int

    Examples
    --------
    >>> exchanged(np.array([0, 2, 1, 3, 0, 3, 1, 2]), 4, 2)
    array([0, 0, 1, 1])
    """
    text = checked_numbers("text", text, n_words + N_FIXED, "number the words from 0", dtype=np.int64)
    n_all = n_words + N_FIXED
    following = np.roll(text, -1)  # a ring, so that all words have as many neighbours on either side
    pairs, times = np.unique(text * n_all + following, return_counts=True)
    first, second = pairs // n_all, pairs % n_all
    counts = np.zeros((2, n_words), dtype=np.int64)
    counts[0] = np.bincount(text, minlength=n_all)[:n_words]
    repeats = (first == second) & (first < n_words)
    counts[1, first[repeats]] = times[repeats]
    classes = np.arange(n_all) % n_classes
    classes[n_words:] = n_classes + np.arange(N_FIXED)
    n_all_classes = n_classes + N_FIXED
    joint = np.bincount(classes[first] * n_all_classes + classes[second], times, n_all_classes**2)
    one_way = joint.astype(np.int64).reshape(n_all_classes, n_all_classes)
    n_pairs = np.stack([one_way, one_way.T])
    sizes = one_way.sum(axis=1)
    sides = [_rows(first, second, times, n_words), _rows(second, first, times, n_words)]
    offsets, neighbours, often = (np.stack(each) for each in zip(*sides, strict=True))
    values = _values(len(text))
    shares, gains = np.empty((2, n_all_classes), dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    for _ in range(MOST_PASSES):
        n_changed = exchange(offsets, neighbours, often, counts, values, classes, n_pairs, sizes, shares, gains)
        if n_changed <= FEW * n_words:
            break
    else:
        warnings.warn(
            f"after {MOST_PASSES} passes {n_changed} of {n_words} words still changed their classes, which are kept as "
            "they are; fewer n_classes may settle.",
            stacklevel=3,
        )
    _, places, numbers = np.unique(classes[:n_words], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(places))[numbers]  # that of the most frequent word is 0, and so on


def _rows(own: Integers, other: Integers, times: Integers, n_words: int) -> tuple[Integers, Integers, Integers]:
    """Neighbours on one side of each word that may change, itself left out, and how often: offsets, words, times."""
    kept = own != other
    order = np.argsort(own[kept], kind="stable")
    own, other, times = own[kept][order], other[kept][order], times[kept][order]
    return np.searchsorted(own, np.arange(n_words + 1)), other, times


def _values(largest: int) -> Integers:
    """``x ln x`` of all whole numbers up to the largest, in parts of `SCALE`."""
    logarithms = [0, *(round(SCALE * math.log(x)) for x in range(1, largest + 1))]
    return np.arange(largest + 1) * np.array(logarithms, dtype=np.int64)

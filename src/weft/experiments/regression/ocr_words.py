"""Handwritten words for the experiments of RG 1.7: splits with the same and with other words, and image features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from weft.arrays import Floats, Integers

N_FOLDS = 10
N_VOCABULARIES = 5
"""Parts into which the 55 words are dealt when test words must be new."""


@dataclass(frozen=True)
class WordSplit:
    """Images and letters of words to train and to test on.

    Attributes
    ----------
    X, X_test : list of ndarray of shape (length, 128)
    y, y_test : list of str
    groups : list
        Examples of one group are held out together when something is chosen: single ones, or all of one word.
    """

    X: list[Floats]
    y: list[str]
    X_test: list[Floats]
    y_test: list[str]
    groups: list[Any]


def same_words(data: Any, fold: int, n_train: int | None = None, n_test: int | None = None) -> WordSplit:
    """Train on one fold, test on the other nine, as RG does: nearly all test words occur in training."""
    train = _some(np.flatnonzero(data.folds == fold % N_FOLDS), n_train)
    test = _some(np.flatnonzero(data.folds != fold % N_FOLDS), n_test)
    return _split(data, train, test, list(range(len(train))))


def other_words(data: Any, fold: int, n_train: int | None = None, n_test: int | None = None) -> WordSplit:
    """The same without a fifth of the words in training, and with no other words in the test."""
    words = np.array(["".join(letters) for letters in data.y])
    vocabulary = sorted(set(words.tolist()))
    order = np.random.default_rng(0).permutation(len(vocabulary))
    held_out = {vocabulary[i] for i in order[fold % N_VOCABULARIES :: N_VOCABULARIES].tolist()}
    new = np.array([word in held_out for word in words])
    train = _some(np.flatnonzero((data.folds == fold % N_FOLDS) & ~new), n_train)
    test = _some(np.flatnonzero((data.folds != fold % N_FOLDS) & new), n_test)
    return _split(data, train, test, words[train].tolist())


def _some(places: NDArray[Any], n: int | None) -> NDArray[Any]:
    """At most n of the places, from all parts of the data."""
    return places if n is None or n >= len(places) else places[np.linspace(0, len(places) - 1, n).astype(np.int64)]


def _split(data: Any, train: NDArray[Any], test: NDArray[Any], groups: list[Any]) -> WordSplit:
    def words(places: NDArray[Any]) -> tuple[list[Floats], list[str]]:
        return [data.X[i] for i in places], ["".join(data.y[i]) for i in places]

    return WordSplit(*words(train), *words(test), groups)


def inner_halves(split: WordSplit) -> list[tuple[Integers, Integers]]:
    """Two halves of the training words, each to train on and to choose by; groups stay together."""
    names = list(dict.fromkeys(split.groups))
    order = np.random.default_rng(1).permutation(len(names))
    side = {names[i]: place % 2 for place, i in enumerate(order.tolist())}
    part = np.array([side[group] for group in split.groups])
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in (0, 1)]


def unit(rows: Any) -> Any:
    """Rows of length one.

    Examples
    --------
    >>> unit(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def blurred(rows: Any, down: float = 1.0, across: float = 0.7) -> Any:
    """Images of 16 rows of 8 pixels after a Gaussian blur, as rows of length one."""
    return unit(gaussian_filter(rows.reshape(-1, 16, 8), (0.0, down, across)).reshape(len(rows), -1))


def percent_right(truth: Sequence[str], guesses: Sequence[Sequence[Any]]) -> float:
    """Percentage of letters that are right, place by place.

    Examples
    --------
    >>> percent_right(["ab", "cd"], ["ab", "cc"])
    75.0
    """
    right = sum(a == b for word, guess in zip(truth, guesses, strict=True) for a, b in zip(word, guess, strict=True))
    return float(100.0 * right / sum(map(len, truth)))

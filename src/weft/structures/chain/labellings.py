"""Labels of all sequences one after the other: what outputs of a chain are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.array_checks import checked_numbers
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.structures.batch import MomentBatch

Labels = NDArray[np.int32]


def checked_labels(labels: Any, n_labels: int, n_tokens: int) -> Labels:
    """Labels as the passes read them: one number of a known label per token.

    Examples
    --------
    >>> checked_labels([0, 1], n_labels=2, n_tokens=2)
    array([0, 1], dtype=int32)
    """
    return checked_numbers("labels", labels, n_labels, "number the labels from 0, one per token", size=n_tokens)


def joined_labels(corpus: Corpus, outputs: Sequence[Any]) -> NDArray[Any]:
    """Labels of each sequence, one after the other.

    Examples
    --------
    >>> joined_labels(Corpus(np.array([0, 2, 3]), np.zeros((3, 1))), [[0, 1], [1]])
    array([0, 1, 1])
    """
    lengths = [len(output) for output in outputs]
    if lengths != corpus.lengths.tolist():
        raise InputError(
            f"labels of {len(lengths)} sequences and {sum(lengths)} tokens given; need those of {len(corpus)} "
            f"sequences and {corpus.n_tokens} tokens: give one label per token"
        )
    return np.concatenate([np.asarray(output) for output in outputs])


def wrong_labels(corpus: Corpus, labels: Labels, reference: Labels) -> Floats:
    """Number of labels of each sequence that differ: the Hamming distance.

    Examples
    --------
    >>> wrong_labels(Corpus(np.array([0, 2, 3]), np.zeros((3, 1))), np.array([0, 1, 1]), np.array([1, 0, 1]))
    array([2., 0.])
    """
    return np.add.reduceat((labels != reference).astype(np.float64), corpus.offsets[:-1])


def likeliest_labels(marginals: list[Floats], gamma: float) -> Labels:
    """Label of the largest probability at each token, the first of those that tie.

    Examples
    --------
    >>> likeliest_labels([np.array([[0.2, 0.8], [0.5, 0.5]])], 1.0)
    array([1, 0], dtype=int32)
    """
    if gamma != 1.0:
        raise InputError(
            f"gamma is {gamma!r}; each token of a tagging gets one label, so it must be 1: leave gamma out"
        )
    every = np.concatenate(marginals)
    best = every.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(every >= best * (1.0 - TIE_TOLERANCE), axis=1), dtype=np.int32)


def ranked_labels(corpus: Corpus, labels: Labels, scores: Floats) -> list[list[tuple[Labels, float]]]:
    """Labels of shape (k, n_tokens) and scores (n_sequences, k) as lists, without ranks that score ``-inf``.

    Examples
    --------
    >>> corpus = Corpus(np.array([0, 2]), np.zeros((2, 1)))
    >>> ranked_labels(corpus, np.array([[0, 1], [0, 0]]), np.array([[3.0, -np.inf]]))
    [[(array([0, 1]), 3.0)]]
    """
    rows = zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), scores.tolist(), strict=True)
    return [[(labels[rank, a:b], score) for rank, score in enumerate(own) if score > -np.inf] for a, b, own in rows]


class LabelBatch(MomentBatch):
    """A batch whose outputs are labels, one per token of all sequences of a corpus, one after the other.

    A subclass has `_rank`, which writes the best labellings and their scores, and `_check_possible`.
    """

    corpus: Corpus
    n_labels: int

    if TYPE_CHECKING:  # what a subclass answers

        def marginals(self, weights: Floats) -> list[Floats]: ...  # noqa: D102
        def _rank(self, weights: Floats, labels: Labels, scores: Floats) -> None: ...
        def _check_possible(self, scores: Floats) -> None: ...

    def _labels(self, labels: Any) -> Labels:
        """Labels as the passes read them: one number of a known label per token."""
        return checked_labels(labels, self.n_labels, self.corpus.n_tokens)

    def join(self, outputs: Sequence[Any]) -> Labels:
        """Labels of each sequence, one after the other."""
        return self._labels(joined_labels(self.corpus, outputs))

    def split(self, outputs: Labels) -> list[Labels]:
        """The labels of each sequence; views."""
        return self.corpus.split(outputs)

    def losses(self, outputs: Labels) -> Floats:
        """Number of wrong labels of each sequence."""
        return wrong_labels(self.corpus, self._labels(outputs), self.reference())

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Labels, float]]]:
        """The k best labellings of each sequence with their scores, best first; all of them if there are fewer."""
        k = checked_number("k", k)
        labels, scores = np.zeros((k, self.corpus.n_tokens), dtype=np.int32), np.empty((self.n_sequences, k))
        self._rank(weights, labels, scores)
        self._check_possible(scores[:, 0])
        return ranked_labels(self.corpus, labels, scores)

    def most_accurate(self, weights: Floats, gamma: float = 1.0) -> Labels:
        """Label of the largest probability at each token: the labelling that is expected to have most right."""
        return likeliest_labels(self.marginals(weights), gamma)

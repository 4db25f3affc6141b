"""Sequences drawn from a random hidden Markov model, with label noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import Floats, Integers
from weft.errors import InputError

Random = int | np.random.RandomState | None


@dataclass(frozen=True)
class HiddenMarkovModel:
    """A model that draws a chain of labels and a symbol for each.

    Attributes
    ----------
    start : ndarray of shape (n_labels,)
    transitions : ndarray of shape (n_labels, n_labels)
        Row: the label before.
    emissions : ndarray of shape (n_labels, n_symbols)

    Examples
    --------
    >>> flip = HiddenMarkovModel(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2))
    >>> flip.sample(1, 3, random_state=0)
    ([['x0', 'x1', 'x0']], [['y0', 'y1', 'y0']])
    """

    start: Floats
    transitions: Floats
    emissions: Floats

    def sample(
        self,
        n_sequences: int,
        length: int | tuple[int, int],
        noise: float = 0.0,
        random_state: Random = None,
    ) -> tuple[list[list[str]], list[list[str]]]:
        """Draw sequences of symbols and labels, named ``x0, x1, ...`` and ``y0, y1, ...``.

        Parameters
        ----------
        n_sequences : int
        length : int or (int, int)
            Of every sequence, or the least and the greatest of uniformly random ones.
        noise : float
            Probability that a label is replaced by another one, uniformly chosen.
        random_state : int, RandomState or None

        Returns
        -------
        X, y : lists of lists of str

        Examples
        --------
        >>> X, y = make_hmm(2, 5, random_state=0).sample(3, length=(2, 4), random_state=0)
        >>> [len(sequence) for sequence in X] == [len(labels) for labels in y]
        True
        """
        shortest, longest = (length, length) if isinstance(length, int) else length
        if n_sequences < 0 or not 1 <= shortest <= longest:
            raise InputError(f"n_sequences={n_sequences}, length={length}; give a count and lengths of at least 1")
        n_labels = len(self.start)
        if not 0 <= noise <= 1 or (noise > 0 and n_labels < 2):
            raise InputError(f"noise={noise} with {n_labels} label(s); give a probability, and two labels to swap")
        from sklearn.utils import check_random_state  # loads slowly

        random = check_random_state(random_state)
        lengths = random.randint(shortest, longest + 1, size=n_sequences)
        labels = np.empty((n_sequences, longest), dtype=np.int64)
        for position in range(longest):
            rows = self.transitions[labels[:, position - 1]] if position else np.tile(self.start, (n_sequences, 1))
            labels[:, position] = _draw(rows, random)
        symbols = _draw(self.emissions[labels.ravel()], random).reshape(labels.shape)
        if noise > 0:
            # A step of 1 to n_labels - 1 around the circle of labels reaches each other label equally often.
            steps = random.randint(1, n_labels, size=labels.shape)
            labels = np.where(random.uniform(size=labels.shape) < noise, (labels + steps) % n_labels, labels)
        return _named("x", symbols, lengths), _named("y", labels, lengths)


def _draw(probabilities: Floats, random: np.random.RandomState) -> Integers:
    """One index per row, by inverting the cumulative distribution."""
    cumulative = np.cumsum(probabilities, axis=1)
    # Scaled by the total, so that rounding cannot push a draw past the last index.
    thresholds = random.uniform(size=(len(cumulative), 1)) * cumulative[:, -1:]
    drawn: Integers = np.sum(cumulative <= thresholds, axis=1)
    return drawn


def _named(prefix: str, ids: Integers, lengths: Integers) -> list[list[str]]:
    return [
        [f"{prefix}{value}" for value in row[:length]]
        for row, length in zip(ids.tolist(), lengths.tolist(), strict=True)
    ]


def make_hmm(
    n_labels: int, n_symbols: int, random_state: Random = None, concentration: float = 0.3
) -> HiddenMarkovModel:
    """Draw a hidden Markov model whose distributions are Dirichlet.

    Parameters
    ----------
    n_labels, n_symbols : int
    random_state : int, RandomState or None
    concentration : float
        Of the Dirichlet distributions: the smaller, the more predictable the sequences.

    Returns
    -------
    HiddenMarkovModel

    Examples
    --------
    >>> make_hmm(3, 10, random_state=0).emissions.shape
    (3, 10)
    """
    if n_labels < 1 or n_symbols < 1 or concentration <= 0:
        raise InputError(
            f"n_labels={n_labels}, n_symbols={n_symbols}, concentration={concentration}; give positive numbers"
        )
    from sklearn.utils import check_random_state  # loads slowly

    random = check_random_state(random_state)
    return HiddenMarkovModel(
        start=random.dirichlet(np.full(n_labels, concentration)),
        transitions=random.dirichlet(np.full(n_labels, concentration), size=n_labels),
        emissions=random.dirichlet(np.full(n_symbols, concentration), size=n_labels),
    )

"""Observable operator models of input and output: a matrix for each pair of an input and an output symbol."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.sequences.checks import as_sequence

BiSymbol = tuple[Hashable, Hashable]
"""An input symbol and the output symbol at the same position."""


class InputOutputOOM:
    """Scores a pair of sequences by a product of matrices.

    ``F(x, y) = initial' A[x1, y1] ... A[xT, yT] final``. Summing over latent states, it can compute whatever a hidden
    Markov model of joint symbols can (SP section 2.3).

    Parameters
    ----------
    initial, final : array of shape (n_states,)
    operators : mapping
        From (input symbol, output symbol) to an array of shape (n_states, n_states). Pairs that are absent never
        occur: they score zero, and decoding leaves them out.

    Examples
    --------
    >>> model = InputOutputOOM([1, 0], {("a", "x"): [[0.5, 0.2], [0, 0.3]], ("a", "y"): [[0.1, 0], [0.4, 0.2]]}, [1, 1])
    >>> model.n_states, round(model.score("aa", "xy"), 3)
    (2, 0.17)
    >>> model.predict("aaa", order=2)
    ['x', 'x', 'x']
    """

    def __init__(self, initial: ArrayLike, operators: Mapping[BiSymbol, ArrayLike], final: ArrayLike) -> None:
        self.initial = np.asarray(initial, dtype=np.float64)
        self.final = np.asarray(final, dtype=np.float64)
        self.operators = {pair: np.asarray(matrix, dtype=np.float64) for pair, matrix in operators.items()}
        n_states = len(self.initial)
        if self.initial.shape != (n_states,) or self.final.shape != (n_states,):
            raise InputError(
                f"initial has shape {self.initial.shape} and final {self.final.shape}; one weight per state is needed."
            )
        for pair, matrix in self.operators.items():
            if matrix.shape != (n_states, n_states):
                raise InputError(
                    f"the operator of {pair!r} has shape {matrix.shape}; ({n_states}, {n_states}) is needed."
                )
        self._outputs: dict[Hashable, list[Hashable]] = {}
        for symbol, label in self.operators:
            self._outputs.setdefault(symbol, []).append(label)

    @property
    def n_states(self) -> int:
        """Number of latent states."""
        return len(self.initial)

    @property
    def bi_symbols(self) -> list[BiSymbol]:
        """Pairs that have an operator."""
        return list(self.operators)

    def score(self, x: Sequence[Any], y: Sequence[Any]) -> float:
        """F(x, y); zero if a pair has no operator."""
        return self._value(_paired(x, y))

    def _value(self, pairs: Sequence[BiSymbol]) -> float:
        state = self.initial
        for pair in pairs:
            if pair not in self.operators:
                return 0.0
            state = state @ self.operators[pair]
        return float(state @ self.final)

    def __add__(self, other: InputOutputOOM) -> InputOutputOOM:
        """A model that scores the sum of both, over the bi-symbols that either has."""
        n_states = self.n_states + other.n_states
        operators = {}
        for pair in [*self.operators, *(each for each in other.operators if each not in self.operators)]:
            operators[pair] = np.zeros((n_states, n_states))
            if pair in self.operators:
                operators[pair][: self.n_states, : self.n_states] = self.operators[pair]
            if pair in other.operators:
                operators[pair][self.n_states :, self.n_states :] = other.operators[pair]
        initial, final = (np.concatenate(parts) for parts in ((self.initial, other.initial), (self.final, other.final)))
        return InputOutputOOM(initial, operators, final)

    def hankel(self, prefixes: Sequence[Sequence[BiSymbol]], suffixes: Sequence[Sequence[BiSymbol]]) -> Floats:
        """Matrix of scores of all concatenations, prefixes by suffixes; each is a sequence of bi-symbols.

        Examples
        --------
        >>> model = InputOutputOOM([1], {("a", "x"): [[0.5]]}, [2])
        >>> a = ("a", "x")
        >>> model.hankel([(), (a,)], [(a,), (a, a)]).tolist()
        [[1.0, 0.5], [0.5, 0.25]]
        """
        return np.array([[self._value([*prefix, *suffix]) for suffix in suffixes] for prefix in prefixes])

    def piecewise_score(
        self, x: Sequence[Any], y: Sequence[Any], order: int = 3, *, shorter_grams: bool = False
    ) -> float:
        """Sum of F over all windows of `order` symbols, and of shorter ones too if asked (SP equation 4).

        A sequence shorter than `order` is one window.
        """
        pairs = _paired(x, y)
        lengths = self._window_lengths(len(pairs), order, shorter_grams)
        return sum(self._value(pairs[i : i + n]) for n in lengths for i in range(len(pairs) - n + 1))

    def _window_lengths(self, length: int, order: Any, shorter_grams: bool) -> range:
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 1:
            raise InputError(f"order is {order!r}; a whole number of at least 1 is needed.")
        longest = min(int(order), length)
        return range(1 if shorter_grams else longest, longest + 1)

    def predict(self, x: Sequence[Any], order: int = 3, *, shorter_grams: bool = False) -> list[Any]:
        """Labels with the best `piecewise_score`; the best F(x, y) itself is hard to find (SP section 2.4).

        Only labels that have an operator with the symbol are looked at.
        """
        x = as_sequence(x, "x")
        for position, symbol in enumerate(x):
            if symbol not in self._outputs:
                raise InputError(f"x[{position}] is {symbol!r}, which no operator has; drop it or add an operator.")
        lengths = self._window_lengths(len(x), order, shorter_grams)
        # best[labels of the last order - 1 positions] = (score, all labels)
        best: dict[tuple[Hashable, ...], tuple[float, tuple[Hashable, ...]]] = {(): (0.0, ())}
        memory = max(lengths[-1] - 1, 0) if len(x) else 0
        for position, symbol in enumerate(x):
            reached: dict[tuple[Hashable, ...], tuple[float, tuple[Hashable, ...]]] = {}
            for score, labels in best.values():
                for label in self._outputs[symbol]:
                    path = (*labels, label)
                    ends = [n for n in lengths if n <= position + 1]
                    value = score + sum(
                        self._value(list(zip(x[position + 1 - n : position + 1], path[-n:], strict=True))) for n in ends
                    )
                    state = path[max(len(path) - memory, 0) :]
                    if state not in reached or value > reached[state][0]:
                        reached[state] = (value, path)
            best = reached
        return list(max(best.values(), key=lambda each: each[0])[1])

    @classmethod
    @one_algebra_thread()
    def from_hankel(
        cls,
        hankel: ArrayLike,
        shifted: Mapping[BiSymbol, ArrayLike],
        of_prefixes: ArrayLike,
        of_suffixes: ArrayLike,
        *,
        n_states: int | None = None,
        tol: float = 1e-10,
    ) -> InputOutputOOM:
        """Operators from blocks of a Hankel matrix, by its singular vectors (SP section 3.1).

        Parameters
        ----------
        hankel : array of shape (n_prefixes, n_suffixes)
            F of each prefix followed by each suffix.
        shifted : mapping
            From a bi-symbol to the same with it in between.
        of_prefixes, of_suffixes : arrays of shape (n_prefixes,) and (n_suffixes,)
            F of each prefix and of each suffix alone.
        n_states : int, optional
            At most this many states.
        tol : float
            Singular values below this share of the largest are taken as zero.

        Examples
        --------
        >>> a = ("a", "x")
        >>> model = InputOutputOOM.from_hankel([[0.5]], {a: [[0.25]]}, [1.0], [1.0])
        >>> model.n_states, round(model.score("aaa", "xxx"), 6)
        (1, 0.25)
        """
        block = np.asarray(hankel, dtype=np.float64)
        prefixes, suffixes = np.asarray(of_prefixes, dtype=np.float64), np.asarray(of_suffixes, dtype=np.float64)
        if block.ndim != 2 or prefixes.shape != block.shape[:1] or suffixes.shape != block.shape[1:]:
            raise InputError(
                f"hankel has shape {block.shape}, of_prefixes {prefixes.shape}, of_suffixes {suffixes.shape}; "
                "one prefix per row and one suffix per column are needed."
            )
        left, values, right = np.linalg.svd(block, full_matrices=False)
        rank = int(np.count_nonzero(values > tol * max(values.max(initial=0.0), np.finfo(float).tiny)))
        rank = rank if n_states is None else min(rank, n_states)
        basis = right[:rank].T
        inverse = (left[:, :rank] / values[:rank]).T  # (H V)^+ = S^-1 U'
        operators = {}
        for pair, matrix in shifted.items():
            between = np.asarray(matrix, dtype=np.float64)
            if between.shape != block.shape:
                raise InputError(f"the block of {pair!r} has shape {between.shape}; {block.shape} is needed.")
            operators[pair] = inverse @ between @ basis
        # The paper has the two vectors swapped, which goes unnoticed while prefixes and suffixes are one list.
        return cls(suffixes @ basis, operators, inverse @ prefixes)

    @classmethod
    @one_algebra_thread()
    def from_grams(cls, bi_symbols: Sequence[BiSymbol], grams: ArrayLike, *, tol: float = 1e-10) -> InputOutputOOM:
        """Smallest model that gives all strings of k bi-symbols these scores, and other lengths zero.

        Parameters
        ----------
        bi_symbols : sequence of n bi-symbols
        grams : array of shape (n, n, ..., n), k times
        tol : float
            Singular values below this share of the largest are taken as zero.

        Examples
        --------
        >>> pairs = [("a", "x"), ("a", "y")]
        >>> model = InputOutputOOM.from_grams(pairs, [[1.0, 2.0], [3.0, 4.0]])
        >>> model.n_states, round(model.score("aa", "yx"), 9), model.score("a", "x")
        (4, 3.0, 0.0)
        """
        table = np.asarray(grams, dtype=np.float64)
        size, order = len(bi_symbols), table.ndim
        if order < 1 or table.shape != (size,) * order:
            raise InputError(f"grams has shape {table.shape}; {size} bi-symbols need ({size}, ..., {size}).")
        # States after i symbols are coordinates in the row space of the unfolding B^i x B^(k - i).
        bases = [np.ones((1, 1))]
        for known in range(1, order):
            _, values, right = np.linalg.svd(table.reshape(size**known, -1), full_matrices=False)
            bases.append(right[values > tol * max(values.max(initial=0.0), np.finfo(float).tiny)])
        bases.append(np.ones((1, 1)))
        sizes = [len(basis) for basis in bases]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        n_states = int(begins[-1])
        matrices = np.zeros((size, n_states, n_states))
        for known in range(order):
            # Futures of length k - known, split at their first symbol; at the start the one future is the table.
            futures = bases[known] if known else table.reshape(1, -1)
            split = futures.reshape(sizes[known], size, -1)
            step = split @ bases[known + 1].T
            rows, columns = slice(begins[known], begins[known + 1]), slice(begins[known + 1], begins[known + 2])
            matrices[:, rows, columns] = np.moveaxis(step, 1, 0)
        initial, final = np.zeros(n_states), np.zeros(n_states)
        initial[0] = final[-1] = 1.0
        return cls(initial, dict(zip(bi_symbols, matrices, strict=True)), final)


def _paired(x: Any, y: Any) -> list[BiSymbol]:
    x, y = as_sequence(x, "x"), as_sequence(y, "y")
    if len(x) != len(y):
        raise InputError(f"x has {len(x)} symbols but y has {len(y)}; give as many labels as symbols.")
    return list(zip(x, y, strict=True))

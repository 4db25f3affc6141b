"""A language model as an automaton in flat arrays, which compiled decoders walk through.

A state is a context seen in training; state 0 is the empty one. Its arcs are the symbols seen after it. For any other
symbol the back-off state, the context without its first symbol, is asked, and the state's back-off score added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.core.jit import jit
from weft.errors import InputError, ModelFileError
from weft.language_model.grams import Grams
from weft.language_model.smoothing import Interpolation
from weft.state_rules import check_arrays, floats, integers, offsets


class BackOffTables(NamedTuple):
    """Arcs and back-offs of all states; an argument for compiled functions.

    Attributes
    ----------
    offsets : ndarray of shape (n_states + 1,)
        Arcs ``offsets[s]`` to ``offsets[s + 1]`` leave state s, sorted by symbol. Those of state 0 are all symbols,
        in order.
    symbols : ndarray of shape (n_arcs,)
    scores : ndarray of shape (n_arcs,)
        Log probability of the symbol in the context.
    targets : ndarray of shape (n_arcs,)
        State after the symbol: the longest context that ends here.
    back_off_states : ndarray of shape (n_states,)
        Always smaller than the state itself.
    back_off_scores : ndarray of shape (n_states,)
        Added for symbols without an arc; ``-inf`` for maximum likelihood.
    """

    offsets: Integers
    symbols: Integers
    scores: Floats
    targets: Integers
    back_off_states: Integers
    back_off_scores: Floats


ARRAYS = {
    "symbols": integers("n_arcs", below="n_symbols"),
    "back_off_states": integers("n_states", below="n_states"),
    "offsets": offsets("n_states+1", "n_arcs"),
    "scores": floats("n_arcs", impossible=True),
    "targets": integers("n_arcs", below="n_states"),
    "back_off_scores": floats("n_states", impossible=True),
}
"""What each array of a model file must be."""


def check_tables(tables: BackOffTables, n_symbols: int) -> None:
    """Refuse tables that a walk could leave.

    Examples
    --------
    >>> one = np.zeros(1, dtype=np.int64)
    >>> check_tables(BackOffTables(np.array([0, 1]), one, np.zeros(1), one + 1, one, np.zeros(1)), 1)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: targets[0] is 1; need 0 to 0: take tables_ of a fitted NGramLanguageModel
    """
    cure = "take tables_ of a fitted NGramLanguageModel"
    n_states, n_arcs = len(tables.back_off_states), len(tables.symbols)
    checked_offsets("offsets", tables.offsets, n_arcs, cure, n_states)
    for name, stop, size in (
        ("symbols", np.iinfo(np.int64).max, n_arcs),
        ("targets", n_states, n_arcs),
        ("back_off_states", n_states, n_states),
    ):
        checked_numbers(name, getattr(tables, name), stop, cure, size=size, dtype=np.int64)
    checked_floats("scores", tables.scores, (n_arcs,), cure)
    checked_floats("back_off_scores", tables.back_off_scores, (n_states,), cure)
    _check_walks(tables, n_symbols, cure)


def _check_walks(tables: BackOffTables, n_symbols: int, cure: str) -> None:
    """Refuse tables in which backing off may never end, or may end without an arc."""
    n_states = len(tables.back_off_states)
    if (tables.back_off_states[1:] >= np.arange(1, n_states)).any():
        raise InputError(f"a state backs off to one that is not smaller, so that a walk may never end: {cure}")
    if not 0 <= n_symbols <= tables.offsets[1]:
        raise InputError(f"{n_symbols} symbols given, but state 0 has {tables.offsets[1]} arcs; need no more: {cure}")


def restored_tables(arrays: dict[str, NDArray[Any]], n_known: int, start_state: int) -> BackOffTables:
    """Tables of a model file, if they are those of a model of so many symbols that begins in that state."""
    n_symbols = n_known + 2  # the end and the unknown symbol
    sizes = check_arrays("a language model", arrays, ARRAYS, n_symbols=n_symbols)
    tables = BackOffTables(**arrays)
    _check_walks(tables, n_symbols, "fit the model again")
    if not start_state < sizes["n_states"]:
        raise ModelFileError(f"a language model of {sizes['n_states']} states begins in state {start_state}")
    if tables.offsets[1] != n_symbols or bool((tables.symbols[:n_symbols] != np.arange(n_symbols)).any()):
        raise ModelFileError("the empty context of a language model does not have all symbols in order")
    return tables


@jit
def checked_step(tables: Any, state: Any, symbol: Any) -> Any:
    """Log probability of a symbol in a state, and the state after it.

    Parameters
    ----------
    tables : BackOffTables
        Of a fitted model.
    state, symbol : int
        Numbers that the model does not have are an error.

    Returns
    -------
    score : float
    state : int
    """
    if not (0 <= state < len(tables.back_off_states) and 0 <= symbol < tables.offsets[1]):
        raise InputError("the model has no such state or symbol; need numbers of the fitted model: see its encode")
    return step(tables, state, symbol)


@jit
def step(tables: Any, state: Any, symbol: Any) -> Any:
    """As `checked_step`, for decoders that have checked their symbols.

    Parameters
    ----------
    tables : BackOffTables
    state, symbol : int

    Returns
    -------
    score : float
    state : int
    """
    score = 0.0
    while state > 0:
        low, high = tables.offsets[state], tables.offsets[state + 1]
        end = high
        while low < high:
            middle = (low + high) >> 1
            if tables.symbols[middle] < symbol:
                low = middle + 1
            else:
                high = middle
        if low < end and tables.symbols[low] == symbol:
            return score + tables.scores[low], tables.targets[low]
        score += tables.back_off_scores[state]
        state = tables.back_off_states[state]
    return score + tables.scores[symbol], tables.targets[symbol]


def dense_rows(tables: BackOffTables, n_rows: int, n_symbols: int) -> tuple[Floats, Integers]:
    """Scores and next states of the first states, for every symbol below `n_symbols`.

    Parameters
    ----------
    tables : BackOffTables
    n_rows, n_symbols : int

    Returns
    -------
    scores : ndarray of shape (n_rows, n_symbols)
    targets : ndarray of shape (n_rows, n_symbols)
    """
    check_tables(tables, n_symbols)
    if not 0 <= n_rows <= len(tables.back_off_states):
        raise InputError(f"{n_rows} rows given, but there are {len(tables.back_off_states)} states; need no more.")
    scores, targets = _dense_rows(tables, n_rows, n_symbols)
    return scores, targets


@jit
def _dense_rows(tables: Any, n_rows: Any, n_symbols: Any) -> Any:
    scores = np.empty((n_rows, n_symbols))
    targets = np.empty((n_rows, n_symbols), dtype=np.int64)
    for state in range(n_rows):
        shorter = tables.back_off_states[state]
        for symbol in range(n_symbols):
            if state > 0:
                scores[state, symbol] = tables.back_off_scores[state] + scores[shorter, symbol]
                targets[state, symbol] = targets[shorter, symbol]
        for arc in range(tables.offsets[state], tables.offsets[state + 1]):
            symbol = tables.symbols[arc]
            if symbol < n_symbols:
                scores[state, symbol] = tables.scores[arc]
                targets[state, symbol] = tables.targets[arc]
    return scores, targets


@jit
def sequence_scores(tables: Any, symbols: Any, offsets: Any, start_state: Any, end: Any) -> Any:
    """Log probability of each sequence, its end included."""
    totals = np.zeros(len(offsets) - 1)
    for i in range(len(offsets) - 1):
        state = start_state
        for place in range(offsets[i], offsets[i + 1]):
            score, state = step(tables, state, symbols[place])
            totals[i] += score
        score, state = step(tables, state, end)
        totals[i] += score
    return totals


def build_tables(
    grams: list[Grams], terms: list[Interpolation], n_known: int, start: int, uniform: float
) -> tuple[BackOffTables, int]:
    """Automaton of a model, and its state at the start of a sequence.

    Symbols below `n_known` continue a sequence, the next is its end, then come the unknown symbol and `start`, which
    is only ever a context. `uniform` is the probability to which the shortest context backs off.
    """
    n = len(grams)
    end = n_known
    # Contexts are the grams shorter than `n` after which something comes: all but those at an end.
    states: list[Integers] = [np.zeros(1, dtype=np.int64)]
    n_states = 1
    for length, each in enumerate(grams[:-1], start=1):
        continues = each.symbols < n_known
        if length == 1:
            continues |= each.symbols == start
        numbers = np.where(continues, n_states + np.cumsum(continues) - 1, 0)
        n_states += int(continues.sum())
        states.append(numbers)
    back_off_states = np.zeros(n_states, dtype=np.int64)
    remainders = np.zeros(n_states)
    sources, symbols, probabilities, targets = [], [], [], []
    shorter: Floats = np.array([uniform])
    for length, (each, term) in enumerate(zip(grams, terms, strict=True), start=1):
        here = states[length - 1]
        used = here > 0 if length > 1 else np.ones(1, dtype=bool)
        remainders[here[used]] = term.remainders[used]
        if length > 1:
            back_off_states[here[used]] = states[length - 2][grams[length - 2].suffixes][used]
        before = shorter[each.suffixes] if length > 1 else np.full(len(each.counts), uniform)
        probability = term.shares + term.remainders[each.prefixes] * before
        kept = each.symbols != start
        ending = each.symbols == end
        following = states[length] if length < n else states[length - 1][each.suffixes] if n > 1 else 0
        sources.append(here[each.prefixes][kept])
        symbols.append(each.symbols[kept])
        probabilities.append(probability[kept])
        targets.append(np.where(ending, 0, following)[kept])
        shorter = probability
    counts = np.bincount(np.concatenate(sources), minlength=n_states)
    with np.errstate(divide="ignore"):
        tables = BackOffTables(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.concatenate(symbols),
            np.log(np.concatenate(probabilities)),
            np.concatenate(targets).astype(np.int64),
            back_off_states,
            np.log(remainders),
        )
    return tables, int(states[1][start]) if n > 1 else 0

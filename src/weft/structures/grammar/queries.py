"""Questions about all derivations of one sequence under a grammar, answered on the chart of its spans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids
from weft.core.array_checks import checked_floats, checked_numbers
from weft.core.complex_step import exponential, step_along
from weft.core.memory import require_memory
from weft.core.semirings import Log, MaxPlus, Real
from weft.errors import InputError
from weft.structures.grammar.loops.passes import GrammarRules, inside_spans, outside_spans, within_range
from weft.structures.grammar.loops.tracebacks import best_steps, trace_spans
from weft.structures.grammar.rule_entries import RuleEntries

Steps = Ids

NOTHING = np.empty((0, 0, 0))
"""No bonus, or no report on marked spans."""
_NOTHING_COMPLEX = np.empty((0, 0, 0), dtype=np.complex128)
SAFE = 1e150
"""Products of two numbers between 1 / SAFE and SAFE neither over- nor underflow."""


def rule_scores(entries: RuleEntries, weights: Any) -> Floats:
    """Score of each rule, or of each part of a loop: features times weights, none of them NaN or ``inf``."""
    scores = entries.scores(checked_floats("weights", weights, (entries.shape[1],), "give one per feature"))
    if scores.size and not scores.max() < np.inf:
        raise InputError("the weights give scores that are NaN or inf; need finite ones, or -inf: use smaller weights")
    return scores


def pair_bonus(n: int, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Bonus under which only the given pairs of n positions are allowed, and each is worth the same."""
    bonus = np.full((1, n, n), -np.inf)
    for i, j in pairs:
        bonus[0, i, j] = 1.0
    return bonus


def checked_symbols(symbols: Any, n_symbols: int) -> Ids:
    """A sequence as the passes read it: at least one number, all of known symbols."""
    found = checked_numbers("a sequence", symbols, n_symbols, "use encode of the grammar")
    if len(found) == 0:
        raise InputError("a sequence is empty; need at least one symbol: leave it out")
    return found


def require_chart(rules: GrammarRules, n: int, n_bytes: int = 8) -> None:
    """Refuse n symbols whose chart of numbers of so many bytes would not fit into memory."""
    n_bytes *= (rules.n_nodes + int(rules.sizes[0])) * n * n
    require_memory(n_bytes, f"tables for the parses of {n:,} symbols", "parse shorter pieces, or use a smaller grammar")


def empty_chart(rules: GrammarRules, symbols: Ids, empty: float = -np.inf, dtype: Any = np.float64) -> Any:
    """A chart in which nothing derives any span yet, unless it would not fit into memory."""
    n = len(symbols)
    require_chart(rules, n, np.dtype(dtype).itemsize)
    return np.full((n, rules.n_nodes, n), empty, dtype=dtype)


def no_finite_tree() -> InputError:
    """Error for scores whose sums are not finite, so that the walk back lost its way."""
    return InputError("the weights are so large that sums of them are no numbers; need smaller ones: train again")


def best_derivation(
    rules: GrammarRules, symbols: Ids, scores: Floats, bonus: Floats = NOTHING
) -> tuple[Steps, float] | None:
    """Best derivation and its score; None if there is no derivation.

    Parameters
    ----------
    rules : GrammarRules
    symbols : ndarray of int32
    scores : ndarray of shape (n_rules,)
    bonus : ndarray of shape (n_marks, n, n), optional
        Added where a rule sets a mark; ``-inf`` forbids.
    """
    chart = empty_chart(rules, symbols)
    score = inside_spans(MaxPlus(), rules, symbols, scores, bonus, chart)
    if score == -np.inf:
        return None
    steps = best_steps(rules, symbols, scores, bonus, chart)
    if not len(steps):
        raise no_finite_tree()
    return steps, float(score)


def best_score(rules: GrammarRules, symbols: Ids, scores: Floats) -> float:
    """Score of the best derivation, ``-inf`` without one."""
    chart = empty_chart(rules, symbols)
    return float(inside_spans(MaxPlus(), rules, symbols, scores, NOTHING, chart))


def expected_counts(
    rules: GrammarRules,
    symbols: Ids,
    consumed: Floats,
    scores: Floats,
    rate: float | None = None,
    marked: Floats = NOTHING,
) -> tuple[float, Floats]:
    """Log partition, and how often each rule is expected to occur.

    The pass uses weights scaled by ``exp(-rate)`` per symbol, and logarithms only if those might over- or underflow.

    Parameters
    ----------
    rules : GrammarRules
    symbols : ndarray of int32
    consumed : ndarray of shape (n_rules,)
        Number of symbols that each rule derives itself.
    scores : ndarray of shape (n_rules,)
    rate : float, optional
        A guess at the log partition per symbol; by default the best score per symbol.
    marked : ndarray of shape (n_marks, n, n), optional
        Takes up how often each span is expected to be marked.

    Returns
    -------
    log_partition : float
        ``-inf`` without a derivation; the counts are then zero.
    counts : ndarray of shape (n_rules,)
    """
    n = len(symbols)
    for attempt in (rate, None):
        if attempt is None:
            best = best_score(rules, symbols, scores)
            if best == -np.inf:
                return -np.inf, np.zeros(len(scores))
            attempt = best / n
        values = np.exp(scores - attempt * consumed)
        total, counts = _counts(Real(), rules, symbols, values, NOTHING, marked)
        if total > 0.0:
            return float(np.log(total) + attempt * n), counts
        marked.fill(0.0)
        if rate is None:
            break
    complex_marked = marked.astype(np.complex128)
    total, counts = _counts(Log(), rules, symbols, scores.astype(np.complex128), _NOTHING_COMPLEX, complex_marked)
    marked[:] = complex_marked.real
    return float(total.real), counts.real


def covariance_of_counts(
    rules: GrammarRules,
    symbols: Ids,
    consumed: Floats,
    scores: Floats,
    direction: Floats,
    rate: float,
    bonus: Floats = NOTHING,
) -> tuple[float, Floats]:
    """Mean of a linear function of the derivation, and its covariance with the counts of the rules.

    When the scores move along v, the derivative of the log partition is the mean of v, and that of the expected counts
    their covariance with v. A pass over complex numbers ``exp(score + i h v)`` computes both at once.

    Parameters
    ----------
    rules, symbols, consumed, scores
        As in `expected_counts`; there must be a derivation.
    direction : ndarray of shape (n_rules,)
        Value of the linear function on each rule.
    rate : float
        Log partition per symbol.
    bonus : ndarray of shape (n_marks, n, n), optional
        What the function gains where a rule sets a mark.

    Returns
    -------
    mean : float
    covariances : ndarray of shape (n_rules,)
    """
    step = step_along(direction, bonus)
    values = exponential(scores - rate * consumed + 1j * step * direction)
    factors = _NOTHING_COMPLEX if bonus is NOTHING else 1.0 + 1j * step * bonus
    total, counts = _counts(Real(), rules, symbols, values, factors, _NOTHING_COMPLEX)
    if total.real > 0.0:
        return float(total.imag / total.real / step), counts.imag / step
    total, counts = _counts(Log(), rules, symbols, scores + 1j * step * direction, 1j * step * bonus, _NOTHING_COMPLEX)
    return float(total.imag / step), counts.imag / step


def _counts(algebra: Any, rules: GrammarRules, symbols: Ids, values: Any, bonus: Any, marked: Any) -> tuple[Any, Any]:
    n = len(symbols)
    is_real = isinstance(algebra, Real)
    empty = 0.0 if is_real else -np.inf
    chart = empty_chart(rules, symbols, empty, values.dtype)
    counts = np.zeros(len(values), dtype=values.dtype)
    total = inside_spans(algebra, rules, symbols, values, bonus, chart)
    if is_real and not (within_range(values, 1.0 / SAFE, SAFE) and within_range(chart, 1.0 / SAFE, SAFE)):
        return values.dtype.type(0.0), counts
    outer = np.full((n, int(rules.sizes[0]), n), empty, dtype=values.dtype)
    one = values.dtype.type(1.0 if is_real else 0.0)
    outside_spans(algebra, rules, symbols, values, bonus, chart, outer, one, counts, marked)
    return total, counts


def draw_derivations(
    rules: GrammarRules,
    symbols: Ids,
    values: Floats,
    n_samples: int,
    generator: np.random.Generator,
) -> list[Steps]:
    """Random derivations in proportion to the product of the values of their rules; empty if there is none."""
    chart = empty_chart(rules, symbols, 0.0)
    if not inside_spans(Real(), rules, symbols, values, NOTHING, chart) > 0.0:
        return []
    drawn = [trace_spans(Real(), rules, symbols, values, NOTHING, chart, generator, 0.0)[0] for _ in range(n_samples)]
    return drawn if all(map(len, drawn)) else []


def rule_moments(
    rules: GrammarRules, symbols: Ids, consumed: Floats, features: Any
) -> tuple[float, Floats, Floats] | None:
    """Log count, mean and covariance of the features of all derivations alike; None if there is none."""
    zeros = np.zeros(features.shape[0])
    log_count, counts = expected_counts(rules, symbols, consumed, zeros)
    if log_count == -np.inf:
        return None
    mean = np.asarray(features.T @ counts)
    covariance = np.zeros((len(mean), len(mean)))
    for column in np.flatnonzero(mean):
        direction = features[:, [column]].toarray().ravel()
        _, row = covariance_of_counts(rules, symbols, consumed, zeros, direction, log_count / len(symbols))
        covariance[column] = features.T @ row
    return log_count, mean, (covariance + covariance.T) / 2.0

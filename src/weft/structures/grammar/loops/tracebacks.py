"""One derivation back from a chart of spans: the best one, or one drawn in proportion to weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.jit import jit
from weft.core.loops import tie_size
from weft.core.semirings import MaxPlus, Real, by_semiring, times
from weft.core.ties import TIE_TOLERANCE, first_best, larger_size
from weft.structures.grammar.loops.passes import with_bonus


def _pick_best(algebra: Any, candidates: Any, count: Any, generator: Any, tolerance: Any) -> Any:
    return first_best(candidates, count, tolerance)


def _pick_randomly(algebra: Any, candidates: Any, count: Any, generator: Any, tolerance: Any) -> Any:
    total = 0.0
    for i in range(count):
        total += candidates[i]
    left = generator.random() * total
    chosen = 0
    for i in range(count):
        if candidates[i] > 0.0:
            chosen = i  # the last positive one, if rounding leaves something over
            left -= candidates[i]
            if left < 0.0:
                break
    return chosen


@by_semiring({MaxPlus: _pick_best, Real: _pick_randomly})
def pick(algebra: Any, candidates: Any, count: Any, generator: Any, tolerance: Any) -> Any:
    """Number of one of the first `count` candidates."""


@jit
def _put(row, a, b, c, d=0):
    row[0], row[1], row[2] = a, b, c
    if row.shape[0] > 3:
        row[3] = d


@jit
def trace_spans(algebra, rules, symbols, values, bonus, chart, generator, tolerance):
    """Steps of a derivation, one row (rule, s, t) each, top-down and from left to right; and the size of its scores.

    `chart` is what `inside_spans` filled for `MaxPlus` (the best derivation) or `Real` (a random one). Of equal
    derivations (`weft.core.ties`) the best one takes the first rule, in the order terminal, linear, binary and unary,
    and the shortest left part. No steps are returned if the walk comes to a span that nothing derives, as it may where
    sums of scores are not finite.
    """
    n = symbols.shape[0]
    n_nonterminals, marks = rules.sizes[0], rules.marks
    most = 4 * n * max(1, n_nonterminals)
    steps = np.empty((most, 3), dtype=np.int32)
    n_steps = 0
    size = 0.0
    stack = np.empty((most, 3), dtype=np.int32)
    _put(stack[0], rules.sizes[1], 0, n - 1)
    n_open = 1
    room = n + rules.linear_heads.shape[0] + rules.binary_heads.shape[0] + rules.unary_heads.shape[0]
    room += rules.terminal_heads.shape[0]
    candidates = np.empty(room, dtype=np.float64)
    found = np.empty((room, 4), dtype=np.int32)  # rule, node, first and last position of what is to derive
    while n_open > 0:
        n_open -= 1
        if n_open + 2 > most or n_steps == most:
            return steps[:0].copy(), size
        node, s, t = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        size = larger_size(size, chart[s, node, t])
        if node >= n_nonterminals:
            p = node - n_nonterminals
            left, right = rules.product_left[p], rules.product_right[p]
            if s >= t:
                return steps[:0].copy(), size
            for r in range(s, t):
                candidates[r - s] = times(algebra, chart[s, left, r], chart[r + 1, right, t])
            split = s + pick(algebra, candidates, t - s, generator, tolerance)
            _put(stack[n_open], right, split + 1, t)
            _put(stack[n_open + 1], left, s, split)
            n_open += 2
            continue
        count = 0
        if s == t:
            for i in range(rules.terminal_offsets[symbols[s]], rules.terminal_offsets[symbols[s] + 1]):
                if rules.terminal_heads[i] == node:
                    candidates[count] = with_bonus(
                        algebra, values[rules.terminal_rules[i]], marks, bonus, rules.terminal_rules[i], s, t
                    )
                    _put(found[count], rules.terminal_rules[i], -1, 0, 0)
                    count += 1
        else:
            letters = symbols[s] * rules.sizes[2] + symbols[t]
            for i in range(rules.linear_offsets[letters], rules.linear_offsets[letters + 1]):
                left, right = rules.linear_left[i], rules.linear_right[i]
                if rules.linear_heads[i] == node and t - s + 1 - left - right >= rules.linear_least[i]:
                    child, low, high = rules.linear_children[i], s + left, t - right
                    value = with_bonus(
                        algebra, values[rules.linear_rules[i]], marks, bonus, rules.linear_rules[i], s, t
                    )
                    candidates[count] = times(algebra, value, chart[low, child, high])
                    _put(found[count], rules.linear_rules[i], child, low, high)
                    count += 1
            for i in range(rules.binary_heads.shape[0]):
                if rules.binary_heads[i] == node:
                    child = n_nonterminals + rules.binary_products[i]
                    value = with_bonus(
                        algebra, values[rules.binary_rules[i]], marks, bonus, rules.binary_rules[i], s, t
                    )
                    candidates[count] = times(algebra, value, chart[s, child, t])
                    _put(found[count], rules.binary_rules[i], child, s, t)
                    count += 1
        for i in range(rules.unary_heads.shape[0]):
            if rules.unary_heads[i] == node:
                child = rules.unary_children[i]
                value = with_bonus(algebra, values[rules.unary_rules[i]], marks, bonus, rules.unary_rules[i], s, t)
                candidates[count] = times(algebra, value, chart[s, child, t])
                _put(found[count], rules.unary_rules[i], child, s, t)
                count += 1
        if count == 0:
            return steps[:0].copy(), size
        chosen = pick(algebra, candidates, count, generator, tolerance)
        _put(steps[n_steps], found[chosen, 0], s, t)
        n_steps += 1
        if found[chosen, 1] >= 0:
            _put(stack[n_open], found[chosen, 1], found[chosen, 2], found[chosen, 3])
            n_open += 1
    return steps[:n_steps].copy(), size


NO_GENERATOR = 0
"""The best derivation needs no random numbers."""


@jit
def tolerance_of_spans(rules, symbols, values, bonus, chart):
    """Tolerance of ties, from the size of the scores on a best derivation."""
    size = trace_spans(MaxPlus(), rules, symbols, values, bonus, chart, NO_GENERATOR, 0.0)[1]
    return TIE_TOLERANCE * tie_size(size, values)


@jit
def best_steps(rules, symbols, values, bonus, chart):
    """Steps of the best derivation, as `trace_spans` gives them."""
    tolerance = tolerance_of_spans(rules, symbols, values, bonus, chart)
    return trace_spans(MaxPlus(), rules, symbols, values, bonus, chart, NO_GENERATOR, tolerance)[0]

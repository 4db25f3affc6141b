"""Inside, outside and tracebacks over the spans of a sequence, without a graph: n^2 memory, n^3 time.

A grammar comes as `GrammarRules`. Its nodes are nonterminals and *products*: a product is a pair (B, C) that some rule
A -> B C uses, so that rules with the same right side share its loop over split points. ``chart[s, node, t]`` is the
value of the span from s to t, both included; the nodes of one s lie together because one cell needs many of them.

Every inner loop runs along a row of the chart: the inside pass hands a finished left child B(s, r) on to all spans
(s, t) that it may begin, ``P(s, t) += B(s, r) C(r + 1, t)`` for t > r.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft.arrays import Ids
from weft.core.jit import jit, jit_fast
from weft.core.semirings import is_zero, plus, share, times


class GrammarRules(NamedTuple):
    """Rules of a grammar as arrays, grouped by what a pass looks for.

    Parameters
    ----------
    sizes : ndarray of int32, shape (3,)
        Number of nonterminals, the start nonterminal, number of symbols.
    terminal_offsets, terminal_heads, terminal_rules : ndarray of int32
        Rules A -> a, grouped by a.
    linear_offsets, linear_heads, linear_children, linear_rules, linear_left, ... : ndarray of int32
        Rules A -> a B b, A -> a B and A -> B b that a span may use, grouped by its first and last symbol. The last
        three say how many symbols a rule takes on each side, and how many it must leave in between.
    unary_heads, unary_children, unary_rules : ndarray of int32
        Rules A -> B, those of B before those of A.
    product_left, product_right : ndarray of int32
        Pairs B C.
    binary_heads, binary_products, binary_rules : ndarray of int32
        Rules A -> B C.
    marks : ndarray of int32
        Number of the mark that each rule sets on its span, -1 for none.
    """

    sizes: Ids
    terminal_offsets: Ids
    terminal_heads: Ids
    terminal_rules: Ids
    linear_offsets: Ids
    linear_heads: Ids
    linear_children: Ids
    linear_rules: Ids
    linear_left: Ids
    linear_right: Ids
    linear_least: Ids
    unary_heads: Ids
    unary_children: Ids
    unary_rules: Ids
    product_left: Ids
    product_right: Ids
    binary_heads: Ids
    binary_products: Ids
    binary_rules: Ids
    marks: Ids

    @property
    def n_nodes(self) -> int:
        """Nonterminals and products."""
        return int(self.sizes[0]) + len(self.product_left)


@jit_fast
def _push_row(algebra, target, p, value, chart, node, row):
    """Add value times each element of a row of the chart, from its diagonal on, to a row of the target."""
    for u in range(row, chart.shape[2]):
        target[p, u] = plus(algebra, target[p, u], times(algebra, value, chart[row, node, u]))


@jit_fast
def _pull_row(algebra, start, target, p, chart, node, row):
    """Sum of products of two such rows, added to a value."""
    total = start
    for u in range(row, chart.shape[2]):
        total = plus(algebra, total, times(algebra, target[p, u], chart[row, node, u]))
    return total


@jit
def with_bonus(algebra, value, marks, bonus, rule, s, t):
    """Value of a rule at a span: its own, and the bonus of the mark that it sets."""
    if bonus.shape[0] > 0 and marks[rule] >= 0:
        return times(algebra, value, bonus[marks[rule], s, t])
    return value


# The passes take the arrays out of the rules once: each call that gets all of them counts their references anew.


@jit
def inside_spans(algebra, rules, symbols, values, bonus, chart):
    """Fill a chart, which holds zeros of the algebra, and return the value of the whole sequence.

    `values` has one value per rule; `bonus` has shape (n_marks, n, n), or (0, 0, 0) for none.
    """
    n = symbols.shape[0]
    n_nonterminals, start, n_symbols = rules.sizes
    terminal_offsets, terminal_heads, terminal_rules = (
        rules.terminal_offsets,
        rules.terminal_heads,
        rules.terminal_rules,
    )
    linear_offsets, linear_heads, linear_children = rules.linear_offsets, rules.linear_heads, rules.linear_children
    linear_rules, linear_left, linear_right = rules.linear_rules, rules.linear_left, rules.linear_right
    linear_least = rules.linear_least
    unary_heads, unary_children, unary_rules = rules.unary_heads, rules.unary_children, rules.unary_rules
    product_left, product_right = rules.product_left, rules.product_right
    binary_heads, binary_products, binary_rules = rules.binary_heads, rules.binary_products, rules.binary_rules
    marks = rules.marks
    n_products = product_left.shape[0]
    empty = chart[0, 0, 0]
    row = np.empty((n_products, n), dtype=chart.dtype)
    for s in range(n - 1, -1, -1):
        row[:] = empty
        for t in range(s, n):
            if s == t:
                for i in range(terminal_offsets[symbols[s]], terminal_offsets[symbols[s] + 1]):
                    head, rule = terminal_heads[i], terminal_rules[i]
                    value = with_bonus(algebra, values[rule], marks, bonus, rule, s, t)
                    chart[s, head, t] = plus(algebra, chart[s, head, t], value)
            else:
                letters = symbols[s] * n_symbols + symbols[t]
                for i in range(linear_offsets[letters], linear_offsets[letters + 1]):
                    left, right = linear_left[i], linear_right[i]
                    if t - s + 1 - left - right >= linear_least[i]:
                        child = chart[s + left, linear_children[i], t - right]
                        if not is_zero(algebra, child):
                            head, rule = linear_heads[i], linear_rules[i]
                            value = with_bonus(algebra, values[rule], marks, bonus, rule, s, t)
                            chart[s, head, t] = plus(algebra, chart[s, head, t], times(algebra, value, child))
                for p in range(n_products):
                    chart[s, n_nonterminals + p, t] = row[p, t]
                for i in range(binary_heads.shape[0]):
                    product = row[binary_products[i], t]
                    if not is_zero(algebra, product):
                        head, rule = binary_heads[i], binary_rules[i]
                        value = with_bonus(algebra, values[rule], marks, bonus, rule, s, t)
                        chart[s, head, t] = plus(algebra, chart[s, head, t], times(algebra, value, product))
            for i in range(unary_heads.shape[0]):
                child = chart[s, unary_children[i], t]
                if not is_zero(algebra, child):
                    head, rule = unary_heads[i], unary_rules[i]
                    value = with_bonus(algebra, values[rule], marks, bonus, rule, s, t)
                    chart[s, head, t] = plus(algebra, chart[s, head, t], times(algebra, value, child))
            if t + 1 < n:
                for p in range(n_products):
                    value = chart[s, product_left[p], t]
                    if not is_zero(algebra, value):
                        _push_row(algebra, row, p, value, chart, product_right[p], t + 1)
    return chart[0, start, n - 1]


@jit
def _count(algebra, marks, rule, weight, whole, s, t, counts, marked):
    part = share(algebra, weight, whole)
    counts[rule] += part
    if marked.shape[0] > 0 and marks[rule] >= 0:
        marked[marks[rule], s, t] += part


@jit
def outside_spans(algebra, rules, symbols, values, bonus, chart, outer, one, counts, marked):
    """Add to `counts` how often each rule is expected to occur, and to `marked` how often a span is marked.

    `chart` is what `inside_spans` filled, `outer` holds zeros of the algebra for every nonterminal, `one` is the
    neutral value. `marked` has shape (n_marks, n, n), or (0, 0, 0) if it is not wanted.
    """
    n = symbols.shape[0]
    n_nonterminals, start, n_symbols = rules.sizes
    terminal_offsets, terminal_heads, terminal_rules = (
        rules.terminal_offsets,
        rules.terminal_heads,
        rules.terminal_rules,
    )
    linear_offsets, linear_heads, linear_children = rules.linear_offsets, rules.linear_heads, rules.linear_children
    linear_rules, linear_left, linear_right = rules.linear_rules, rules.linear_left, rules.linear_right
    linear_least = rules.linear_least
    unary_heads, unary_children, unary_rules = rules.unary_heads, rules.unary_children, rules.unary_rules
    product_left, product_right = rules.product_left, rules.product_right
    binary_heads, binary_products, binary_rules = rules.binary_heads, rules.binary_products, rules.binary_rules
    marks = rules.marks
    n_products = product_left.shape[0]
    empty = outer[0, 0, 0]
    whole = chart[0, start, n - 1]
    outer[0, start, n - 1] = one
    row = np.empty((n_products, n), dtype=chart.dtype)  # outside values of the products of a row
    for s in range(n):
        row[:] = empty
        for t in range(n - 1, s - 1, -1):
            if t + 1 < n:
                for p in range(n_products):
                    left = product_left[p]
                    if not is_zero(algebra, chart[s, left, t]):
                        outer[s, left, t] = _pull_row(
                            algebra, outer[s, left, t], row, p, chart, product_right[p], t + 1
                        )
            for i in range(unary_heads.shape[0] - 1, -1, -1):
                above, child = outer[s, unary_heads[i], t], unary_children[i]
                if not (is_zero(algebra, above) or is_zero(algebra, chart[s, child, t])):
                    rule = unary_rules[i]
                    here = times(algebra, above, with_bonus(algebra, values[rule], marks, bonus, rule, s, t))
                    outer[s, child, t] = plus(algebra, outer[s, child, t], here)
                    _count(algebra, marks, rule, times(algebra, here, chart[s, child, t]), whole, s, t, counts, marked)
            if s == t:
                for i in range(terminal_offsets[symbols[s]], terminal_offsets[symbols[s] + 1]):
                    above, rule = outer[s, terminal_heads[i], t], terminal_rules[i]
                    if not is_zero(algebra, above):
                        here = times(algebra, above, with_bonus(algebra, values[rule], marks, bonus, rule, s, t))
                        _count(algebra, marks, rule, here, whole, s, t, counts, marked)
                continue
            letters = symbols[s] * n_symbols + symbols[t]
            for i in range(linear_offsets[letters], linear_offsets[letters + 1]):
                above, left, right = outer[s, linear_heads[i], t], linear_left[i], linear_right[i]
                if not is_zero(algebra, above) and t - s + 1 - left - right >= linear_least[i]:
                    child, low, high = linear_children[i], s + left, t - right
                    if not is_zero(algebra, chart[low, child, high]):
                        rule = linear_rules[i]
                        here = times(algebra, above, with_bonus(algebra, values[rule], marks, bonus, rule, s, t))
                        outer[low, child, high] = plus(algebra, outer[low, child, high], here)
                        weight = times(algebra, here, chart[low, child, high])
                        _count(algebra, marks, rule, weight, whole, s, t, counts, marked)
            for i in range(binary_heads.shape[0]):
                above, p = outer[s, binary_heads[i], t], binary_products[i]
                product = chart[s, n_nonterminals + p, t]
                if not (is_zero(algebra, above) or is_zero(algebra, product)):
                    rule = binary_rules[i]
                    here = times(algebra, above, with_bonus(algebra, values[rule], marks, bonus, rule, s, t))
                    row[p, t] = plus(algebra, row[p, t], here)
                    _count(algebra, marks, rule, times(algebra, here, product), whole, s, t, counts, marked)
        for p in range(n_products):
            for r in range(s, n - 1):
                value = chart[s, product_left[p], r]
                if not is_zero(algebra, value):
                    _push_outer(algebra, outer, product_right[p], r + 1, value, row, p)
    return whole


@jit_fast
def _push_outer(algebra, outer, node, first, value, row, p):
    """Add value times a row of products, from `first` on, to a row of the chart."""
    for u in range(first, outer.shape[2]):
        outer[first, node, u] = plus(algebra, outer[first, node, u], times(algebra, value, row[p, u]))


@jit
def within_range(table, low, high):
    """Whether the real part of every number that is not zero lies between two bounds."""
    for value in table.flat:
        size = abs(value.real)
        if not (size <= high and (size >= low or size == 0.0)):
            return False
    return True

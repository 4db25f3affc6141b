"""The k best derivations of a sequence under a grammar, found lazily on the chart of the best ones."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids
from weft.core.semirings import MaxPlus
from weft.core.ties import TieLevels, ordered
from weft.structures.grammar.loops.passes import GrammarRules, inside_spans
from weft.structures.grammar.loops.tracebacks import tolerance_of_spans
from weft.structures.grammar.queries import NOTHING, empty_chart

Span = tuple[int, int, int]
"""Node, first and last position."""
Candidate = tuple[float, int, tuple[int, ...], float, int, tuple[Span, ...]]
"""Cost that orders it, place among the choices of its node, ranks of the children; score, rule, children.

Equal scores have the same cost, so that the place decides, in the order of `trace_spans`.
"""


@dataclass
class _Ranking:
    """Derivations of one node: found ones, best first, and candidates."""

    found: list[Candidate] = field(default_factory=list)
    heap: list[Candidate] = field(default_factory=list)
    seen: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    expanded: int = 0


class _Search:
    """Huang and Chiang's (2005) third algorithm: a node computes its next best derivation only when asked."""

    def __init__(self, rules: GrammarRules, symbols: Ids, scores: Floats, k: int) -> None:
        n = len(symbols)
        self.rules, self.symbols, self.scores, self.k = rules, symbols.tolist(), scores.tolist(), k
        self.chart = empty_chart(rules, symbols)
        score = inside_spans(MaxPlus(), rules, symbols, scores, NOTHING, self.chart)
        tolerance = 0.0
        if score > -np.inf:
            tolerance = float(tolerance_of_spans(rules, symbols, scores, NOTHING, self.chart))
        self.level = TieLevels(tolerance)
        self.rankings: dict[Span, _Ranking] = {}
        self.root: Span = (int(rules.sizes[1]), 0, n - 1)
        self.n_nonterminals = int(rules.sizes[0])

    def score_of(self, span: Span, rank: int) -> float:
        """Score of a derivation that has been found, -inf if the node has fewer."""
        if rank == 0:
            node, s, t = span
            return float(self.chart[s, node, t])
        found = self.rankings[span].found
        return found[rank][3] if rank < len(found) else -np.inf

    def push(
        self, ranking: _Ranking, place: int, rule: int, children: tuple[Span, ...], ranks: tuple[int, ...]
    ) -> None:
        score = sum(map(self.score_of, children, ranks)) + (self.scores[rule] if rule >= 0 else 0.0)
        if score > -np.inf and (place, ranks) not in ranking.seen:
            ranking.seen.add((place, ranks))
            heapq.heappush(ranking.heap, (-self.level(score), place, ranks, score, rule, children))

    def ranking_of(self, span: Span) -> _Ranking:
        """The ranking of a node; at first with the best candidate of each rule or split."""
        if span in self.rankings:
            return self.rankings[span]
        ranking = self.rankings[span] = _Ranking()
        rules, (node, s, t) = self.rules, span
        if node >= self.n_nonterminals:
            left = int(rules.product_left[node - self.n_nonterminals])
            right = int(rules.product_right[node - self.n_nonterminals])
            values = self.chart[s, left, s:t] + self.chart[s + 1 : t + 1, right, t]
            # Only the k best splits can begin one of the k best derivations.
            for r in (s + ordered(values, self.level.tolerance)[: self.k]).tolist():
                self.push(ranking, r, -1, ((left, s, r), (right, r + 1, t)), (0, 0))
            return ranking
        choices: list[tuple[int, tuple[Span, ...]]] = []
        if s == t:
            first, last = rules.terminal_offsets[self.symbols[s]], rules.terminal_offsets[self.symbols[s] + 1]
            for i in range(first, last):
                if rules.terminal_heads[i] == node:
                    choices.append((int(rules.terminal_rules[i]), ()))
        else:
            letters = self.symbols[s] * int(rules.sizes[2]) + self.symbols[t]
            for i in range(rules.linear_offsets[letters], rules.linear_offsets[letters + 1]):
                taken = int(rules.linear_left[i]), int(rules.linear_right[i])
                if rules.linear_heads[i] == node and t - s + 1 - sum(taken) >= rules.linear_least[i]:
                    child = (int(rules.linear_children[i]), s + taken[0], t - taken[1])
                    choices.append((int(rules.linear_rules[i]), (child,)))
            for i in np.flatnonzero(rules.binary_heads == node).tolist():
                child = (self.n_nonterminals + int(rules.binary_products[i]), s, t)
                choices.append((int(rules.binary_rules[i]), (child,)))
        for i in np.flatnonzero(rules.unary_heads == node).tolist():
            choices.append((int(rules.unary_rules[i]), ((int(rules.unary_children[i]), s, t),)))
        for place, (rule, children) in enumerate(choices):
            self.push(ranking, place, rule, children, (0,) * len(children))
        return ranking

    def extend(self, span: Span, rank: int) -> Iterator[tuple[Span, int]]:
        """Find the derivations of a node up to a rank; yields what its children must find first."""
        ranking = self.ranking_of(span)
        while len(ranking.found) <= rank:
            if ranking.expanded < len(ranking.found):
                _, place, ranks, _, rule, children = ranking.found[ranking.expanded]
                ranking.expanded += 1
                for side, child in enumerate(children):
                    raised = tuple(each + (i == side) for i, each in enumerate(ranks))
                    yield child, raised[side]
                    self.push(ranking, place, rule, children, raised)
            if not ranking.heap:
                return
            ranking.found.append(heapq.heappop(ranking.heap))

    def run(self) -> None:
        # Spans nest as deep as the sequence is long, which is more than Python recurses.
        stack = [self.extend(self.root, self.k - 1)]
        while stack:
            request = next(stack[-1], None)
            if request is None:
                stack.pop()
            else:
                stack.append(self.extend(*request))

    def steps(self, rank: int) -> Ids:
        found, todo = [], [(self.root, rank)]
        while todo:
            span, rank = todo.pop()
            ranking = self.ranking_of(span)
            if not ranking.found:
                ranking.found.append(heapq.heappop(ranking.heap))
            _, _, ranks, _, rule, children = ranking.found[rank]
            if rule >= 0:
                found.append((rule, span[1], span[2]))
            todo += list(zip(children, ranks, strict=True))[::-1]
        return np.array(found, dtype=np.int32)


def best_derivations(rules: GrammarRules, symbols: Ids, scores: Floats, k: int) -> list[tuple[Ids, float]]:
    """The k best derivations as steps (rule, s, t), best first, with their scores; fewer if fewer exist.

    Equal scores (`weft.core.ties`) come in the order of the first choice in which they differ, then as they were met.

    Parameters
    ----------
    rules : GrammarRules
    symbols : ndarray of int32
    scores : ndarray of shape (n_rules,)
    k : int
    """
    search: Any = _Search(rules, symbols, scores, k)
    if search.score_of(search.root, 0) == -np.inf:
        return []
    search.run()
    found = search.rankings[search.root].found[:k]
    scores = np.minimum.accumulate([each[3] for each in found]).tolist()
    return [(search.steps(rank), score) for rank, score in enumerate(scores)]

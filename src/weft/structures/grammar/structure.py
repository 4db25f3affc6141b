"""Grammar: all parse trees of a sequence under a weighted context-free grammar."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weft.arrays import Floats, Ids
from weft.core import Derivation, DerivationGraph, moments
from weft.errors import InputError
from weft.sequences.checks import as_sequence
from weft.structures.grammar.loops.passes import GrammarRules
from weft.structures.grammar.queries import best_derivation, pair_bonus, require_chart, rule_moments, rule_scores
from weft.structures.grammar.rule_entries import RuleEntries
from weft.structures.grammar.text import Rule, read_grammar
from weft.structures.structure_moments import StructureMoments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Steps = Ids
"""A derivation: one row (rule, first position, last position) per step, top-down and from left to right."""

PAIRS = (("a", "u"), ("u", "a"), ("g", "c"), ("c", "g"), ("g", "u"), ("u", "g"))


class Grammar:
    """Parse trees of token sequences; the features of a tree are how often it uses each rule (MM, section 2.3.3).

    Parameters
    ----------
    rules : str
        Such as ``S -> L S | L``, one nonterminal per line. Rules have the forms A -> a, A -> B, A -> B C, A -> a B b,
        A -> a B and A -> B b. Symbols before an arrow are nonterminals, others terminals; quote terminals that begin
        with a capital letter. ``[name]`` after a right side names its weight, so that rules can share one. Where a and
        b should not count as a pair, write A -> a ~ B b.
    start : str, optional
        By default the head of the first rule.
    terminals : list of str, optional
        All terminals; any other symbol without rules is then refused.
    min_inside : int
        Least number of symbols that a rule A -> a B b encloses.

    Examples
    --------
    >>> grammar = Grammar("S -> S S | a")
    >>> moments = grammar.moments("aaa")
    >>> round(np.exp(moments.log_count)), moments.mean  # two trees of three leaves
    (2, array([2., 3.]))
    >>> len(Grammar.g6().feature_names)
    19
    """

    def __init__(
        self,
        rules: str,
        start: str | None = None,
        terminals: list[str] | None = None,
        min_inside: int = 0,
    ) -> None:
        least: Any = min_inside
        if not (isinstance(least, int | np.integer) and 0 <= least <= 10**9):
            raise InputError(f"min_inside is {min_inside!r}; a whole number from 0 to 10**9 is needed.")
        self.rules = rules
        self.start = start
        self.terminals = terminals
        self.min_inside = min_inside
        read = read_grammar(rules, start, terminals)
        self.nonterminals = read.nonterminals
        self.symbols = read.terminals
        self.start_symbol = read.start
        self.productions = [*read.rules, *_wildcards(read.rules)]
        """Rules, and after them those without features that derive an unknown symbol (written as None)."""
        self.n_rules = len(read.rules)
        names = [name for rule in read.rules for name in rule.features]
        self.feature_names = list(dict.fromkeys(names))
        self.rule_entries = self._rule_entries()
        self.consumed = np.array([rule.n_symbols for rule in self.productions], dtype=np.float64)
        """Number of symbols that each rule derives itself."""
        self._number = {symbol: i for i, symbol in enumerate(self.symbols)}
        self._arrays: dict[str, GrammarRules] = {}

    @classmethod
    def g6(cls, min_inside: int = 0) -> Grammar:
        """Grammar G6 of RNA secondary structures (Dowell and Eddy 2004; MM section 5.6): 19 rules.

        Parameters
        ----------
        min_inside : int
            Least number of bases that a pair encloses; the rules themselves ask for 2.

        Examples
        --------
        >>> round(np.exp(Grammar.g6().moments("gaac").log_count))
        2
        """
        pairs = " | ".join(f"{a} F {b}" for a, b in PAIRS)
        return cls(f"S -> L S | L\nL -> {pairs} | a | u | c | g\nF -> {pairs} | L S", min_inside=min_inside)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Arguments of the constructor, for scikit-learn's `clone` and for model files."""
        return {
            "rules": self.rules,
            "start": self.start,
            "terminals": self.terminals,
            "min_inside": self.min_inside,
        }

    def __repr__(self) -> str:
        return f"Grammar({len(self.nonterminals)} nonterminals, {self.n_rules} rules, {len(self.symbols)} terminals)"

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return len(self.feature_names)

    @property
    def rule_features(self) -> csr_array:
        """Sparse matrix (n_productions, n_features): which weights score each rule."""
        return self.rule_entries.matrix

    def _rule_entries(self) -> RuleEntries:
        column = {name: i for i, name in enumerate(self.feature_names)}
        entries = [(i, column[name]) for i, rule in enumerate(self.productions) for name in rule.features]
        rows, columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
        return RuleEntries(rows, columns, np.ones(len(rows)), (len(self.productions), len(column)))

    def encode(self, x: Sequence[Hashable], unknown: Literal["error", "wildcard"] = "error") -> Ids:
        """Numbers of the symbols; an unknown one is an error, or derived without a weight by any rule for a terminal.

        Examples
        --------
        >>> Grammar("S -> a S | b").encode("aab")
        array([0, 0, 1], dtype=int32)
        """
        x = as_sequence(x, "the sequence")
        wildcard = len(self.symbols)
        numbers = np.array([self._number.get(str(symbol), wildcard) for symbol in x], dtype=np.int32)
        if len(numbers) == 0:
            raise InputError("the sequence is empty; a grammar derives at least one symbol.")
        if unknown == "error" and (numbers == wildcard).any():
            position = int(np.argmax(numbers == wildcard))
            raise InputError(
                f"symbol {x[position]!r} at position {position} is not a terminal of the grammar; it has "
                f"{', '.join(map(repr, self.symbols[:10]))}{', ...' if wildcard > 10 else ''}: add "
                "a rule for it, or let unknown symbols match any rule for a single one, by unknown='wildcard'."
            )
        return numbers

    # ------------------------------------------------------------------- arrays

    def arrays(self, marks: Literal["pairs", "nodes"] = "pairs") -> GrammarRules:
        """The rules as compiled passes want them.

        Parameters
        ----------
        marks : {"pairs", "nodes"}
            What the passes can report and reward at a span: rules A -> a B b, or the head of any rule.
        """
        if marks not in self._arrays:
            self._arrays[marks] = self._group(marks)
        return self._arrays[marks]

    def _group(self, marks: str) -> GrammarRules:
        node = {name: i for i, name in enumerate(self.nonterminals)}
        n_symbols = len(self.symbols) + 1
        number = {symbol: i for i, symbol in enumerate(self.symbols)} | {None: n_symbols - 1}
        terminal: list[list[tuple[int, ...]]] = [[] for _ in range(n_symbols)]
        linear: list[list[tuple[int, ...]]] = [[] for _ in range(n_symbols**2)]
        unary: list[tuple[int, ...]] = []
        binary: list[tuple[int, ...]] = []
        products: dict[tuple[int, ...], int] = {}
        for i, rule in enumerate(self.productions):
            head = node[rule.head]
            children = tuple(node[child] for child in rule.children)
            if not children:
                terminal[number[_letter(rule.left)]].append((head, i))
            elif len(children) == 2:
                binary.append((head, products.setdefault(children, len(products)), i))
            elif rule.n_symbols == 0:
                unary.append((head, children[0], i))
            else:
                first = range(n_symbols) if rule.left is None else [number[_letter(rule.left)]]
                last = range(n_symbols) if rule.right is None else [number[_letter(rule.right)]]
                least = max(1, int(self.min_inside)) if rule.is_pair else 1
                entry = (head, children[0], i, int(rule.left is not None), int(rule.right is not None), least)
                for a, b in product(first, last):
                    linear[a * n_symbols + b].append(entry)
        mark = [node[rule.head] if marks == "nodes" else int(rule.is_pair) - 1 for rule in self.productions]
        columns = [
            np.array([len(node), node[self.start_symbol], n_symbols], dtype=np.int32),
            *_grouped(terminal, 2),
            *_grouped(linear, 6),
            *_columns(sorted(unary), 3),
            *_columns(list(products), 2),
            *_columns(binary, 3),
            np.array(mark, dtype=np.int32),
        ]
        return GrammarRules._make(columns)

    # -------------------------------------------------------------------- graph

    def compile(self, x: Sequence[Hashable] | Ids) -> DerivationGraph:
        """Graph whose derivations are the parse trees of a sequence; its parts are the rules.

        Binary edges grow as the cube of the length: for the slow and simple route, which tests the fast one.
        """
        symbols = x if isinstance(x, np.ndarray) else self.encode(x)
        spans = self._useful_nodes(symbols)
        place = {name: i for i, name in enumerate(self.nonterminals)}
        order = sorted(spans, key=lambda span: (span[2] - span[1], place[span[0]]))
        number = {span: i for i, span in enumerate(order)}
        heads, tails, parts = [], [], []
        for span in order:
            for rule, children in spans[span]:
                heads.append(number[span])
                tails.append([number[child] for child in children] + [-1] * (2 - len(children)))
                parts.append(rule)
        return DerivationGraph.build(
            np.array(heads, dtype=np.int64),
            np.array(tails, dtype=np.int64).reshape(-1, 2),
            np.array(parts, dtype=np.int64),
            n_nodes=max(len(order), 1),
            n_parts=len(self.productions),
        )

    def _useful_nodes(self, symbols: Ids) -> dict[tuple[str, int, int], list[Any]]:
        """Edges (rule, tails) of every (nonterminal, s, t) that derives its span and occurs in a tree."""
        letters = [self.symbols[i] if i < len(self.symbols) else None for i in symbols]
        n = len(letters)
        rules_of = {
            name: [i for i, rule in enumerate(self.productions) if rule.head == name] for name in self.nonterminals
        }
        edges: dict[tuple[str, int, int], list[Any]] = {}
        for length in range(1, n + 1):
            for s in range(n - length + 1):
                t = s + length - 1
                for name in self.nonterminals:
                    found = [
                        (i, children)
                        for i in rules_of[name]
                        for children in self._uses(self.productions[i], letters, s, t)
                        if all(child in edges for child in children)
                    ]
                    if found:
                        edges[name, s, t] = found
        kept: dict[tuple[str, int, int], list[Any]] = {}
        todo = [(self.start_symbol, 0, n - 1)]
        while todo:
            span = todo.pop()
            if span in edges and span not in kept:
                kept[span] = edges[span]
                todo += [child for _, children in edges[span] for child in children]
        return kept

    def _uses(self, rule: Rule, letters: list[str | None], s: int, t: int) -> list[tuple[Any, ...]]:
        """Ways in which a rule can derive a span: the children of each."""
        low, high = s + (rule.left is not None), t - (rule.right is not None)
        if rule.left is not None and _letter(rule.left) != letters[s]:
            return []
        if rule.right is not None and _letter(rule.right) != letters[t]:
            return []
        if not rule.children:
            return [()] if s == t else []
        if high < low or (rule.is_pair and high - low + 1 < self.min_inside):
            return []
        if len(rule.children) == 1:
            return [((rule.children[0], low, high),)]
        left, right = rule.children
        return [((left, s, r), (right, r + 1, t)) for r in range(s, t)]

    def features(self, steps: Steps) -> Floats:
        """Feature vector of a derivation."""
        return np.asarray(self.rule_features.T @ self.counts(steps))

    def counts(self, steps: Steps) -> Floats:
        """How often a derivation uses each rule."""
        return np.bincount(steps[:, 0], minlength=len(self.productions)).astype(np.float64)

    def steps(self, rules: Iterable[int]) -> Steps:
        """Derivation that uses these rules, given top-down and from left to right.

        Examples
        --------
        >>> Grammar("S -> S S | a").steps([0, 1, 0, 1, 1]).tolist()
        [[0, 0, 2], [1, 0, 0], [0, 1, 2], [1, 1, 1], [1, 2, 2]]
        """
        remaining = iter(rules)
        found: list[list[int]] = []
        position = 0
        todo = [-1]  # -1 opens a node, other numbers close the step of that number
        while todo:
            item = todo.pop()
            if item < 0:
                rule = next(remaining)
                found.append([rule, position, -1])
                position += self.productions[rule].left is not None
                todo += [len(found) - 1] + [-1] * len(self.productions[rule].children)
            else:
                position += self.productions[found[item][0]].right is not None
                found[item][2] = position - 1
        return np.array(found, dtype=np.int32)

    def decode(self, derivation: Derivation) -> Steps:
        """Steps of a derivation of the graph of a sequence."""
        return self.steps(derivation.parts.tolist())

    # ------------------------------------------------------------------ queries

    def best(self, x: Sequence[Hashable], weights: Floats) -> tuple[Steps, float]:
        """Best derivation of a sequence, and its score.

        Examples
        --------
        >>> Grammar("S -> S S | a").best("aa", np.zeros(2))[0].tolist()  # (rule, first position, last position)
        [[0, 0, 1], [1, 0, 0], [1, 1, 1]]
        """
        found = best_derivation(self.arrays(), self.encode(x), rule_scores(self.rule_entries, weights))
        if found is None:
            raise InputError(f"the grammar derives no tree for {x!r}.")
        return found

    def nearest(self, symbols: Ids, pairs: Iterable[tuple[int, int]]) -> Steps | None:
        """Derivation with as many of the given pairs as one can have, and no others; None if there is none.

        Parameters
        ----------
        symbols : ndarray of int32
            As `encode` gives them.
        pairs : list of (int, int)
            First and last position of spans that rules A -> a B b may derive.

        Examples
        --------
        >>> grammar = Grammar("S -> a S b | a S | a | b S | b")
        >>> grammar.nearest(grammar.encode("aabb"), [(1, 3)]).tolist()
        [[1, 0, 3], [0, 1, 3], [4, 2, 2]]
        """
        rules, nothing = self.arrays("pairs"), np.zeros(len(self.productions))
        require_chart(rules, len(symbols))
        found = best_derivation(rules, symbols, nothing, pair_bonus(len(symbols), pairs))
        return None if found is None else found[0]

    def moments(self, x: Sequence[Hashable]) -> StructureMoments:
        """Number of parse trees, mean and covariance of their features, each tree with the same weight."""
        found = rule_moments(self.arrays(), self.encode(x), self.consumed, self.rule_features)
        if found is None:
            raise InputError(f"the grammar derives no tree for {x!r}, so that there are no moments.")
        log_count, mean, covariance = found
        return StructureMoments(log_count, mean, covariance, self.feature_names)

    def graph_moments(self, x: Sequence[Hashable]) -> StructureMoments:
        """As `moments`, by the mean/covariance semiring on the graph."""
        result = moments(self.compile(x), np.zeros(len(self.productions)), self.rule_features)
        return StructureMoments(result.log_weight, result.mean, result.covariance, self.feature_names)


WILDCARD = "\0"
"""Stands for an unknown symbol in the rules that derive one."""


def _letter(symbol: str | None) -> str | None:
    return None if symbol == WILDCARD else symbol


def _wildcards(rules: list[Rule]) -> list[Rule]:
    """The rules with an unknown symbol in place of one or more terminals and no features; it is never paired."""
    found: dict[Rule, None] = {}
    for rule in rules:
        if rule.n_symbols == 0 or rule.is_pair:
            continue
        choices = [(None,) if symbol is None else (symbol, WILDCARD) for symbol in (rule.left, rule.right)]
        for left, right in product(*choices):
            if WILDCARD in (left, right):
                found[replace(rule, left=left, right=right, features=())] = None
    return list(found)


def _columns(rows: list[tuple[int, ...]], width: int) -> list[Ids]:
    return [np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).reshape(-1, width).T]


def _grouped(groups: list[list[tuple[int, ...]]], width: int) -> list[Ids]:
    offsets = np.cumsum([0, *map(len, groups)]).astype(np.int32)
    return [offsets, *_columns([row for group in groups for row in group], width)]

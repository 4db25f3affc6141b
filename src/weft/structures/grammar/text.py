"""Context-free grammars written as text: read, checked, and refused with a reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from weft.errors import InputError

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'[^']*'|\"[^\"]*\")|(?P<features>\[[^\]]*\])|(?P<bar>\|)|(?P<name>[^\s|'\"\[\]]+))"
)


@dataclass(frozen=True)
class Rule:
    """One rule ``head -> left symbol, nonterminals, right symbol``.

    Attributes
    ----------
    head : str
    left, right : str or None
        Terminals before and after the nonterminals; a rule that rewrites to one terminal has it on the left.
    children : tuple of str
        None, one or two nonterminals; two only where there is no terminal.
    features : tuple of str
        Names of the weights that score the rule.
    unpaired : bool
        Two terminals around a nonterminal are no pair.
    """

    head: str
    left: str | None
    children: tuple[str, ...]
    right: str | None
    features: tuple[str, ...]
    unpaired: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether the rule is A -> a B b."""
        return self.n_symbols == 2 and not self.unpaired

    @property
    def n_symbols(self) -> int:
        """Number of terminals."""
        return (self.left is not None) + (self.right is not None)


@dataclass(frozen=True)
class GrammarText:
    """A grammar that has passed all checks.

    Attributes
    ----------
    rules : list of Rule
        In the order of the text.
    nonterminals : list of str
        Those that a unary rule derives stand before those it derives them from.
    terminals : list of str
        Sorted.
    start : str
    """

    rules: list[Rule]
    nonterminals: list[str]
    terminals: list[str]
    start: str


def read_grammar(text: str, start: str | None = None, terminals: Iterable[str] | None = None) -> GrammarText:
    """Read rules such as ``S -> L S | L``, one nonterminal per line.

    Symbols that stand before an arrow are nonterminals. Others are terminals, unless they begin with a capital letter:
    that is taken for a nonterminal whose rules are missing; put a terminal with a capital in quotes. A name in square
    brackets after a right side replaces the rule's own weight: rules with the same name share it, several names add
    up, and ``[]`` means no weight. ``A -> a B b`` pairs its terminals, ``A -> a ~ B b`` does not. A line that begins
    with ``#`` is a comment, one that begins with ``|`` continues the line before it.

    Parameters
    ----------
    text : str
    start : str, optional
        By default the head of the first rule.
    terminals : iterable of str, optional
        All symbols there are; any other symbol without rules is then an error.

    Returns
    -------
    GrammarText

    Examples
    --------
    >>> grammar = read_grammar("S -> S S | a S b | a")
    >>> grammar.rules[1]
    Rule(head='S', left='a', children=('S',), right='b', features=('S -> a S b',), unpaired=False)
    """
    raw = _read_lines(text)
    heads = {head for head, _, _, _ in raw}
    known = None if terminals is None else {str(symbol) for symbol in terminals}
    rules = [_rule(*line, heads, known) for line in raw]
    if start is not None and start not in heads:
        raise InputError(f"start is {start!r}, which has no rules; use one of {', '.join(sorted(heads))}.")
    first = raw[0][0] if start is None else start
    seen: set[tuple[object, ...]] = set()
    for rule in rules:
        key = (rule.head, rule.left, rule.unpaired, rule.children, rule.right)
        if key in seen:
            raise InputError(f"rule {_show(rule)!r} stands twice in the grammar; leave one of them out.")
        seen.add(key)
    order = _unary_order(rules)
    _check_useful(rules, first)
    used = {symbol for rule in rules for symbol in (rule.left, rule.right) if symbol is not None}
    return GrammarText(rules, order, sorted(used if known is None else used | known), first)


def _read_lines(text: str) -> list[tuple[str, list[tuple[str, bool]], tuple[str, ...] | None, int]]:
    """Head, right side as (symbol, quoted), feature names and line number of each rule."""
    if not isinstance(text, str):
        raise InputError(f"the grammar is a {type(text).__name__}; text with rules such as 'S -> L S | L' is needed.")
    found = []
    head = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        continued = bool(head) and line.lstrip().startswith("|")
        if not continued:
            head, arrow, line = line.replace("→", "->").partition("->")
            head = head.strip()
            if not arrow or not head or len(head.split()) != 1:
                raise InputError(f"line {number} of the grammar has no rule; write it as 'A -> B C'.")
        alternatives = _alternatives(line, number)
        for symbols, features in alternatives[1:] if continued else alternatives:
            if not symbols:
                raise InputError(f"line {number}: {head} has an empty right side, and no rule may derive nothing.")
            found.append((head, symbols, features, number))
    if not found:
        raise InputError("the grammar has no rules; write at least one, such as 'S -> a'.")
    return found


def _alternatives(text: str, number: int) -> list[tuple[list[tuple[str, bool]], tuple[str, ...] | None]]:
    found: list[tuple[list[tuple[str, bool]], tuple[str, ...] | None]] = [([], None)]
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise InputError(f"line {number} of the grammar has a stray quote or bracket at {text[place:].strip()!r}.")
        place = match.end()
        if match["bar"]:
            found.append(([], None))
        elif match["features"]:
            found[-1] = (found[-1][0], tuple(match["features"][1:-1].split()))
        else:
            symbol = match["quoted"][1:-1] if match["quoted"] else match["name"]
            found[-1][0].append((symbol, bool(match["quoted"])))
    return found


def _rule(
    head: str,
    symbols: list[tuple[str, bool]],
    features: tuple[str, ...] | None,
    number: int,
    heads: set[str],
    known: set[str] | None,
) -> Rule:
    kinds = ""
    unpaired = len(symbols) == 4 and symbols[1] == ("~", False)
    if unpaired:
        symbols = [symbols[0], *symbols[2:]]
    for symbol, quoted in symbols:
        is_terminal = quoted or symbol not in heads
        if is_terminal and known is not None and symbol not in known:
            raise InputError(
                f"line {number}: unknown symbol {symbol!r}; it has no rules and is not in terminals, so write rules "
                "for it or correct its name."
            )
        if is_terminal and not quoted and known is None and symbol[:1].isupper():
            raise InputError(
                f"line {number}: nonterminal {symbol} has no rules; write some, or quote it if it is a terminal."
            )
        kinds += "t" if is_terminal else "N"
    names = [symbol for symbol, _ in symbols]
    if kinds not in ("t", "N", "NN", "tN", "Nt", "tNt") or (unpaired and kinds != "tNt"):
        raise InputError(
            f"line {number}: '{head} -> {' '.join(names)}' has a form that is not known; rules are A -> a, A -> B, "
            "A -> B C, A -> a B, A -> B b and A -> a B b: introduce a nonterminal for a part of it."
        )
    left = names[0] if kinds[0] == "t" else None
    right = names[-1] if len(kinds) > 1 and kinds[-1] == "t" else None
    children = tuple(name for name, kind in zip(names, kinds, strict=True) if kind == "N")
    rule = Rule(head, left, children, right, (), unpaired)
    return replace(rule, features=(_show(rule),) if features is None else features)


def _show(rule: Rule) -> str:
    parts = (rule.left, "~" if rule.unpaired else None, *rule.children, rule.right)
    return f"{rule.head} -> {' '.join(part for part in parts if part is not None)}"


def _unary_order(rules: list[Rule]) -> list[str]:
    sorter: TopologicalSorter[str] = TopologicalSorter({rule.head: () for rule in rules})
    for rule in rules:
        if len(rule.children) == 1 and rule.n_symbols == 0:
            sorter.add(rule.head, rule.children[0])
    try:
        return list(sorter.static_order())
    except CycleError as error:
        raise InputError(
            f"the unary rules {' -> '.join(reversed(error.args[1]))} form a cycle, so that a string would have "
            "infinitely many derivations; remove one of them."
        ) from None


def _check_useful(rules: list[Rule], start: str) -> None:
    productive: set[str] = set()
    reached = {start}
    n_before = -1
    while n_before != len(productive) + len(reached):
        n_before = len(productive) + len(reached)
        for rule in rules:
            if productive.issuperset(rule.children):
                productive.add(rule.head)
            if rule.head in reached:
                reached.update(rule.children)
    for rule in rules:
        if rule.head not in productive:
            raise InputError(f"nonterminal {rule.head} derives no string, only itself; give it a rule that ends.")
    for rule in rules:
        if rule.head not in reached:
            raise InputError(f"rule {_show(rule)!r} is unreachable from {start}; use {rule.head} or remove the rule.")

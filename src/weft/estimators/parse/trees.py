"""Parse trees as users write them: bracketed text or nested tuples, and derivations of a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from weft.errors import InputError
from weft.structures.grammar.structure import Grammar, Steps

Tree = tuple[Any, ...]
"""Label, and after it tokens and trees."""

_TOKEN = re.compile(r'\s*(\(|\)|"[^"]*"|[^\s()"]+)')


def read_tree(text: str) -> Tree:
    """Nested tuples of a bracketed tree; tokens with blanks or brackets stand in double quotes.

    Examples
    --------
    >>> read_tree("(S (A the) (B cat))")
    ('S', ('A', 'the'), ('B', 'cat'))
    """
    open_nodes: list[list[Any]] = [[]]
    place, text = 0, text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise InputError(f"tree {text!r} has a stray quote at position {place}; close it.")
        place = match.end()
        token = match[1]
        if token == "(":
            open_nodes.append([])
        elif token == ")":
            if len(open_nodes) == 1:
                raise InputError(f"tree {text!r} closes a bracket at position {place - 1} that nothing opens.")
            node = open_nodes.pop()
            if not node:
                raise InputError(f"tree {text!r} has empty brackets at position {place - 1}; write a label in them.")
            open_nodes[-1].append(tuple(node))
        else:
            open_nodes[-1].append(token[1:-1] if token.startswith('"') else token)
    if len(open_nodes) != 1 or len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        raise InputError(f"tree {text!r} is not one balanced tree; write it as '(S (A a) (B b))'.")
    found: Tree = open_nodes[0][0]
    return found


def write_tree(tree: Tree) -> str:
    """Bracketed text of nested tuples.

    Examples
    --------
    >>> write_tree(("S", ("A", "the"), ("B", "(")))
    '(S (A the) (B "("))'
    """
    parts = []
    stack: list[Any] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            parts.append(f"({item[0]}")
            stack.append(_CLOSE)
            stack += reversed(item[1:])
        elif item is _CLOSE:
            parts[-1] += ")"
        else:
            token = str(item)
            parts.append(f'"{token}"' if re.search(r"[\s()]", token) or not token else token)
    return " ".join(parts)


_CLOSE = object()


def tree_tokens(tree: Tree) -> list[Any]:
    """Leaves of a tree, from left to right.

    Examples
    --------
    >>> tree_tokens(("S", ("A", "the"), "cat"))
    ['the', 'cat']
    """
    found: list[Any] = []
    stack: list[Any] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack += reversed(item[1:])
        else:
            found.append(item)
    return found


def tree_rules(tree: Any, grammar: Grammar) -> list[int]:
    """Numbers of the rules of a tree, top-down and from left to right.

    Examples
    --------
    >>> tree_rules(("S", ("S", "a"), ("S", "a")), Grammar("S -> S S | a"))
    [0, 1, 1]
    """
    known: dict[tuple[str, tuple[tuple[str, bool], ...]], int] = {}
    for i, rule in enumerate(grammar.productions[: grammar.n_rules]):
        parts = [(rule.left, True), *((child, False) for child in rule.children), (rule.right, True)]
        known[rule.head, tuple((part, leaf) for part, leaf in parts if part is not None)] = i
    found: list[int] = []
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if not (isinstance(node, tuple) and len(node) > 1):
            raise InputError(f"{node!r} is not a tree; a label with tokens or trees after it is needed, ('S', 'a').")
        body = tuple(
            (str(part[0]), False) if isinstance(part, tuple) and part else (str(part), True) for part in node[1:]
        )
        number = known.get((str(node[0]), body))
        if number is None:
            shown = " ".join(name for name, _ in body)
            raise InputError(
                f"the tree uses the rule '{node[0]} -> {shown}', which the grammar does not have; "
                "add the rule, or leave the tree out."
            )
        found.append(number)
        stack += [part for part in reversed(node[1:]) if isinstance(part, tuple)]
    start = grammar.productions[found[0]].head
    if start != grammar.start_symbol:
        raise InputError(f"the tree begins with {start}, but the grammar with {grammar.start_symbol}.")
    return found


def tree_of_steps(x: Sequence[Any], steps: Steps, grammar: Grammar) -> Tree:
    """Nested tuples of a derivation, with the tokens of the sequence as leaves.

    Examples
    --------
    >>> grammar = Grammar("S -> S S | a")
    >>> tree_of_steps("aa", grammar.steps([0, 1, 1]), grammar)
    ('S', ('S', 'a'), ('S', 'a'))
    """
    finished: list[Tree] = []
    for rule, first, last in reversed(steps.tolist()):
        production = grammar.productions[rule]
        children = [finished.pop() for _ in production.children]
        left = [] if production.left is None else [x[first]]
        right = [] if production.right is None else [x[last]]
        finished.append((production.head, *left, *children, *right))
    return finished[0]

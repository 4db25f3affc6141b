"""Models that parse, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, Answer, StructuredTask, ranks, split_blanks
from weft.serve.types import Options

__all__ = ["ParseTask"]


class ParseTask(StructuredTask):
    """A `Parser`."""

    key = "tree"
    hint = "Type tokens with blanks between them."

    @cached_property
    def example(self) -> str:
        """A shortest sentence of the grammar."""
        return " ".join(_shortest(self.estimator.grammar_))

    def from_text(self, text: str) -> Any:
        """Tokens."""
        return split_blanks(text)

    def cost(self, value: Any, options: Options) -> Cost:
        """Cubic in the length, for each rule; trees and nodes are made in Python."""
        n, grammar, k = float(len(value)), self.estimator.grammar_, ranks(options)
        passes = (4 if self.is_expected else 1) + 4 * (k > 0)
        passes += 4 * options.confidence + 4 * options.marginals + 7 * options.z_score
        nodes = n * (n + 1) / 2 * len(grammar.nonterminals) * options.marginals
        python = (n * (7 + 20 * k + 8 * options.confidence + 16 * options.z_score) + 1.3 * nodes) * PYTHON
        return Cost(
            grammar.n_rules * (n**3 / 6 + n * n) * 5e-10 * passes + python,
            n * n * len(grammar.nonterminals) * 8 * (3 + k) * (4 if options.marginals else 1),
        )

    def marginals(self, inputs: Any) -> list[Any]:
        """Nodes: label, first and last token, probability."""
        return [
            [[label, first, last, p] for (label, first, last), p in sorted(own.items(), key=lambda each: each[0][1:])]
            for own in self.estimator.predict_marginals(inputs)
        ]

    def drawing(self, value: Any, answer: Answer) -> str:
        """The tree."""
        from weft.estimators.parse.trees import read_tree
        from weft.reports.tree_pictures import tree_drawing

        return str(tree_drawing(read_tree(answer["tree"]), None, f"Parse tree: {answer['tree']}"))


def _shortest(grammar: Any) -> list[str]:
    r"""Tokens of a sentence with as few as possible, by relaxation over the rules.

    Examples
    --------
    >>> from weft.structures import Grammar
    >>> _shortest(Grammar("S -> A S | A\nA -> a"))
    ['a']
    """
    best: dict[str, list[str]] = {}
    for _ in range(len(grammar.nonterminals)):
        for rule in grammar.productions:
            inside = [best.get(child) for child in rule.children]
            if any(each is None for each in inside):
                continue
            tokens = [token for each in inside for token in each or []]
            left = [rule.left] if rule.left is not None else []
            right = [rule.right] if rule.right is not None else []
            found = [*map(str, left), *tokens, *map(str, right)]
            if rule.head not in best or len(found) < len(best[rule.head]):
                best[rule.head] = found
    return best.get(grammar.nonterminals[0], [])

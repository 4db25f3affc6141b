"""Grammars of RNA secondary structures, by name."""

from __future__ import annotations

from weft.structures.grammar import Grammar

__all__ = ["RNA_GRAMMARS", "rna_grammar"]

RNA_GRAMMARS = ("g6",)
"""Names of the grammars."""


def rna_grammar(name: str, min_hairpin: int) -> Grammar:
    """A grammar of RNA secondary structures.

    Parameters
    ----------
    name : {"g6"}
    min_hairpin : int
        Least number of bases in a hairpin loop.

    Examples
    --------
    >>> rna_grammar("g6", 3)
    Grammar(3 nonterminals, 19 rules, 4 terminals)
    """
    return Grammar.g6(min_hairpin)

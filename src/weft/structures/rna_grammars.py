"""Grammars of RNA secondary structures, by name."""

from __future__ import annotations

from itertools import product

from weft.errors import InputError
from weft.structures.grammar import PAIRS, Grammar

__all__ = ["RNA_GRAMMARS", "rna_grammar"]

RNA_GRAMMARS = ("g6", "stacking")
"""Names of the grammars."""

BASES = "acgu"
LONGEST_HAIRPIN = 8
"""Hairpin loops are weighed base by base up to so many inner bases."""
LONGEST_SIDE = 4
"""Bulges and interior loops likewise, up to so many steps."""


def rna_grammar(name: str, min_hairpin: int) -> Grammar:
    """A grammar of RNA secondary structures.

    Parameters
    ----------
    name : {"g6", "stacking"}
        Grammar G6 (Dowell and Eddy 2004), or one that knows which pair lies on which, and the kinds and lengths of
        loops. Both have one derivation per structure.
    min_hairpin : int
        Least number of bases in a hairpin loop; never fewer than 3 with "stacking".

    Examples
    --------
    >>> rna_grammar("g6", 3)
    Grammar(3 nonterminals, 19 rules, 4 terminals)
    """
    if name == "g6":
        return Grammar.g6(min_hairpin)
    if name == "stacking":
        return Grammar("\n".join(_stacking_rules()), min_inside=min_hairpin)
    raise InputError(f"there is no RNA grammar {name!r}; use one of {', '.join(map(repr, RNA_GRAMMARS))}.")


def _stacking_rules() -> list[str]:
    """S exterior, H helix, Pxy inside of a pair xy, K hairpin, I interior loop, B bulge, M N Q multiloop.

    Lengths are weighed step by step: a loop of length k has the weights of its steps 1 to k, and all steps beyond the
    longest one share a weight.
    """
    rules = ["S -> H S [exterior_helix] | H [exterior_helix]"]
    rules += [f"S -> {a} S [exterior_{a}] | {a} [exterior_{a}]" for a in BASES]
    rules += [f"H -> {a} P{a}{b} {b} [pair_{a}{b} end_{a}{b}]" for a, b in PAIRS]
    for a, b in PAIRS:
        outer, closed = f"P{a}{b}", f"end_{b}{a}"
        rules += [f"{outer} -> {c} P{c}{d} {d} [pair_{c}{d} {_stack(a + b, c + d)}]" for c, d in PAIRS]
        rules += [f"{outer} -> {c} ~ K {d} [{closed} hairpin_{a}{b}_{c}{d}]" for c, d in product(BASES, BASES)]
        rules += [f"{outer} -> {c} ~ I1 {d} [{closed} interior_{a}{b}_{c}{d}]" for c, d in product(BASES, BASES)]
        rules += [f"{outer} -> {c} BL1 [{closed} bulge_1] | BR1 {c} [{closed} bulge_1]" for c in BASES]
        rules += [f"{outer} -> M [{closed} multiloop]"]
    rules += _hairpin_rules()
    rules += _interior_rules()
    rules += [f"M -> {a} M [multiloop_base]" for a in BASES]
    rules += ["M -> H N [multiloop_helix]", "N -> H N [multiloop_helix] | Q []", "Q -> H [multiloop_helix]"]
    rules += [f"N -> {a} N [multiloop_base]\nQ -> Q {a} [multiloop_base]" for a in BASES]
    return rules


def _stack(outer: str, inner: str) -> str:
    """Name of a stack of two pairs; read from the other strand it is the same stack."""
    return "stack_" + min(f"{outer}_{inner}", f"{inner[::-1]}_{outer[::-1]}")


def _hairpin_rules() -> list[str]:
    """K derives the bases between the first and the last of a hairpin loop, Kn exactly n of them."""
    rules = [f"K -> K{n} []" for n in range(1, LONGEST_HAIRPIN + 1)]
    for n, a in product(range(1, LONGEST_HAIRPIN + 1), BASES):
        rules.append(f"K{n} -> {a} [hairpin_1]" if n == 1 else f"K{n} -> {a} K{n - 1} [hairpin_{n}]")
        if n == LONGEST_HAIRPIN:
            rules.append(f"K{n} -> {a} K{n} [hairpin_more]")
    return rules


def _interior_rules() -> list[str]:
    """In has taken n bases from both sides; then AL or AR take the rest of the longer side, and H goes on."""
    rules = []
    for n in range(1, LONGEST_SIDE + 1):
        following, step = (n + 1, f"interior_{n + 1}") if n < LONGEST_SIDE else (n, "interior_more")
        rules.append(f"I{n} -> H []")
        rules += [f"I{n} -> {a} ~ I{following} {b} [{step}]" for a, b in product(BASES, BASES)]
        rules += [f"I{n} -> {a} AL1 [lopsided_1] | AR1 {a} [lopsided_1]" for a in BASES]
        for kind, name in (("A", "lopsided"), ("B", "bulge")):
            step = f"{name}_{n + 1}" if n < LONGEST_SIDE else f"{name}_more"
            rules.append(f"{kind}L{n} -> H []\n{kind}R{n} -> H []")
            rules += [f"{kind}L{n} -> {a} {kind}L{following} [{step}]" for a in BASES]
            rules += [f"{kind}R{n} -> {kind}R{following} {a} [{step}]" for a in BASES]
    return rules

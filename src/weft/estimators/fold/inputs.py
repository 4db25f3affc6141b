"""RNA and its structures as users write them: letters as numbers, brackets as pairs, and pairs that no tree has."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import Ids
from weft.errors import InputError
from weft.losses import base_pairs
from weft.structures.grammar.structure import Grammar, Steps

if TYPE_CHECKING:
    from weft.structures.rna.model import LoopModel

GAPS = frozenset("-.")
"""What rows of alignments have where a sequence has no base."""
LETTERS = str.maketrans("ACGUTt", "acguuu")


def rna_symbols(X: list[Any], grammar: Grammar | LoopModel, unknown: str) -> list[Ids]:
    """Numbers of the letters of each sequence; a warning counts sequences with gaps.

    Examples
    --------
    >>> rna_symbols(["GAUT"], Grammar.g6(), "error")
    [array([2, 0, 3, 3], dtype=int32)]
    """
    found, n_gapped = [], 0
    for index, sequence in enumerate(X):
        if not isinstance(sequence, str):
            raise InputError(f"X[{index}] is a {type(sequence).__name__}; RNA as a string is needed, 'GGGAAACCC'.")
        numbers = grammar.encode(sequence.translate(LETTERS), unknown="wildcard")
        is_foreign = numbers == len(grammar.symbols)
        has_foreign = bool(np.count_nonzero(is_foreign))
        if has_foreign and unknown == "error":
            position = int(np.argmax(is_foreign))
            raise InputError(
                f"X[{index}] has {sequence[position]!r} at position {position}; only A, C, G, U and T can pair: "
                "fix it, or leave such letters unpaired, as weft fold --model does, with unknown='unpaired'."
            )
        n_gapped += has_foreign and not GAPS.isdisjoint(sequence)
        found.append(numbers)
    if n_gapped:
        warnings.warn(
            f"{n_gapped} of {len(X)} sequences have gaps ('-' or '.'), which count as unpaired bases; take them out.",
            stacklevel=3,
        )
    return found


def pairs_of(structure: Any, length: int, index: int) -> frozenset[tuple[int, int]]:
    """Positions that the structure of a sequence pairs; messages call it by its number.

    Examples
    --------
    >>> sorted(pairs_of("((.))", 5, 0))
    [(0, 4), (1, 3)]
    """
    if not isinstance(structure, str):
        raise InputError(f"y[{index}] is a {type(structure).__name__}; a dot-bracket string is needed, '(((...)))'.")
    if len(structure) != length:
        raise InputError(f"X[{index}] has {length} letters but y[{index}] has {len(structure)}; one each is needed.")
    try:
        return base_pairs(structure)
    except InputError as error:
        raise InputError(f"y[{index}]: {error}") from None


def dot_bracket(length: int, pairs: Iterable[Sequence[int]]) -> str:
    """A structure as a string.

    Examples
    --------
    >>> dot_bracket(5, [(0, 4), (1, 3)])
    '((.))'
    """
    letters = ["."] * length
    for i, j in pairs:
        letters[i], letters[j] = "(", ")"
    return "".join(letters)


def derived_pairs(steps: Steps, grammar: Grammar | LoopModel) -> set[tuple[int, int]]:
    """Positions that a derivation pairs."""
    if isinstance(grammar, Grammar):
        steps = steps[grammar.arrays("pairs").marks[steps[:, 0]] >= 0][:, 1:]
    return {(i, j) for i, j in steps.tolist()}


def nearest_derivations(
    grammar: Any, symbols: list[Ids], X: Any, y: Any, invalid: str
) -> tuple[list[Steps], list[tuple[int, int, int, str]]]:
    """Derivations with as many pairs of the references as the grammar can derive, and no others.

    Also the pairs that were lost: number of the sequence, positions, and why.
    """
    found, dropped = [], []
    for index, (sequence, brackets) in enumerate(zip(X, y, strict=True)):
        wanted = pairs_of(brackets, len(sequence), index)
        best = grammar.nearest(symbols[index], wanted)
        if best is None:
            raise InputError(
                f"the grammar derives no tree for X[{index}] without other pairs than those of y[{index}]; leave "
                "it out, or give the grammar rules for it."
            )
        lost = sorted(wanted - derived_pairs(best, grammar))
        reasons = [_reason(sequence, i, j, wanted, grammar) for i, j in lost]
        if lost and invalid == "error":
            i, j = lost[0]
            raise InputError(
                f"y[{index}] pairs positions {i} and {j} ({sequence[i]}{sequence[j]}), which no structure of the "
                f"grammar does ({reasons[0]}); fix it or use invalid='project'."
            )
        dropped += [(index, i, j, reason) for (i, j), reason in zip(lost, reasons, strict=True)]
        found.append(best)
    return found, dropped


def _reason(sequence: str, i: int, j: int, wanted: frozenset[tuple[int, int]], grammar: Grammar | LoopModel) -> str:
    """Why a pair is outside the output space."""
    first, second = (sequence[k].translate(LETTERS) for k in (i, j))
    if not isinstance(grammar, Grammar):
        paired_letters, least = grammar.paired_letters, grammar.min_hairpin
    else:
        paired_letters = {(rule.left, rule.right) for rule in grammar.productions if rule.is_pair}
        least = max(grammar.min_inside, 1)
    if (first, second) not in paired_letters:
        return "letters"
    if j - i - 1 < least:
        return "hairpin"
    is_crossed = any((i < k < j) != (i < m < j) for k, m in wanted if k not in (i, j) and m not in (i, j))
    return "crossing" if is_crossed or isinstance(grammar, Grammar) else "loop"

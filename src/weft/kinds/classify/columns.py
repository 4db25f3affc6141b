"""Files with one token and its label per line, which `weft train tag` reads, told from texts with their classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

SUFFIXES = frozenset({".conll", ".conllu", ".iob", ".bio"})
"""Names of such files say it."""
LONGEST = 60
"""Lines of a group on average: sentences are no longer, and blank lines further apart may be there by chance."""
FEWEST = 3
"""Groups."""
ENDS = frozenset(".!?。！？।۔")


def groups_of(lines: Mapping[int, int], n: int) -> list[range]:
    """Runs of examples between blank lines; none where the line of an example is not known.

    Parameters
    ----------
    lines : mapping of int to int
        Line of each example.
    n : int
        Number of examples.

    Examples
    --------
    >>> groups_of({0: 1, 1: 2, 2: 4}, 3)
    [range(0, 2), range(2, 3)]
    """
    if len(lines) < n:
        return []
    cuts = [0, *(j for i, j in pairwise(range(n)) if lines[j] - lines[i] > 1), n]
    return [range(begin, end) for begin, end in pairwise(cuts)]


def looks_like_columns(texts: Sequence[str], labels: Sequence[str], groups: Sequence[range], file: str) -> bool:
    """Whether groups of lines look like sentences: short ones of single tokens whose labels differ.

    Tokens of running text come again, and sentences end alike; where the name of the file says nothing, one of these
    must hold, for lists of words may have blank lines too.

    Examples
    --------
    >>> texts, labels = "I see . You see . We go .".split(), "P V . P V . P V .".split()
    >>> groups = [range(0, 3), range(3, 6), range(6, 9)]
    >>> looks_like_columns(texts, labels, groups, "a.tsv"), looks_like_columns(texts, ["P"] * 9, groups, "a.tsv")
    (True, False)
    """
    is_named = Path(file.removesuffix(".gz")).suffix.lower() in SUFFIXES
    if len(groups) < (2 if is_named else FEWEST) or not 2 * len(groups) <= len(texts) <= LONGEST * len(groups):
        return False
    if sum(len(text.split()) > 1 for text in texts) * 20 > len(texts):
        return False
    n_mixed = sum(len({labels[i] for i in group}) > 1 for group in groups)
    if 10 * n_mixed < len(groups):
        return False
    n_ended = sum(texts[group[-1]] in ENDS for group in groups)
    return is_named or 2 * n_ended >= len(groups) or 10 * (len(texts) - len(set(texts))) >= len(texts)


def warn_of_columns(texts: Sequence[str], labels: Sequence[str], groups: Sequence[range], file: str) -> bool:
    """Warn if so; whether it was needed."""
    if not looks_like_columns(texts, labels, groups, file):
        return False
    shown = ", ".join(repr(texts[i][:20]) for i in groups[0][:3])
    warnings.warn(
        f"{file}: blank lines separate {len(groups):,} groups of lines, the first of them {shown}; here each line is a "
        "text of its own, while weft train tag reads files with one token and its label per line.",
        stacklevel=2,
    )
    return True

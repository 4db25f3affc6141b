"""What becomes of letters, tags and symbols of new inputs that a rewriter had none of in training."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.rewriting.ranking import Copies
from weft.rewriting.tagged import COPY, tag_symbol
from weft.sequences.alphabet import Alphabet

if TYPE_CHECKING:
    from weft.estimators.rewrite.rewriter import Rewriter

MOST_NAMED = 3
"""Symbols, tags or pairs that a warning names."""


def in_known_case(texts: list[str], alphabet: Alphabet) -> tuple[list[str], dict[str, str]]:
    """Texts with unknown letters in the case of the alphabet, if that has one case alone, and what became what.

    Examples
    --------
    >>> in_known_case(["Cab!"], Alphabet("abc")), in_known_case(["Cab"], Alphabet("abcD"))
    ((['cab!'], {'C': 'c'}), (['Cab'], {}))
    """
    present = sorted(set().union(*texts))
    unknown = [symbol for symbol, number in zip(present, alphabet.encode(present), strict=True) if number < 0]
    if not unknown:
        return texts, {}
    letters = [symbol for symbol in alphabet.symbols if isinstance(symbol, str) and len(symbol) == 1]
    has_upper, has_lower = any(map(str.isupper, letters)), any(map(str.islower, letters))
    if has_upper == has_lower:
        return texts, {}
    turned = {symbol: symbol.upper() if has_upper else symbol.lower() for symbol in unknown}
    known = {symbol: other for symbol, other in turned.items() if other in set(letters)}
    table = str.maketrans(known)
    return [text.translate(table) for text in texts], known


def read_in_known_case(texts: list[str], alphabet: Alphabet, name: str) -> list[str]:
    """Texts as `in_known_case` gives them; a warning says which letters are read in another case."""
    texts, turned = in_known_case(texts, alphabet)
    if turned:
        first, other = next(iter(turned.items()))
        warnings.warn(
            f"letters of {name} in another case than in the training data ({len(turned)}) are read in that "
            f"case, such as {first!r} as {other!r}.",
            stacklevel=5,
        )
    return texts


def known_tags(rewriter: Rewriter, tags: list[list[str]], name: str) -> list[list[str]]:
    """The tags that training had; a warning names the others."""
    known = set(rewriter.input_side_.alphabet.symbols)
    counts = Counter(tag for each in tags for tag in each if tag_symbol(tag) not in known)
    if counts:
        named = ", ".join(f"{tag!r} ({count})" for tag, count in counts.most_common(MOST_NAMED))
        first = next(i for i, each in enumerate(tags) if any(tag in counts for tag in each))
        text = f"unknown tags of {name} ({len(counts)}), not in the training data: {named}, first in {name}[{first}]"
        if rewriter.unknown == "error":
            raise InputError(f"{text}; fix them, or use unknown='copy' or 'drop'.")
        warnings.warn(f"{text}; they are passed over.", stacklevel=5)
    return [[tag for tag in each if tag not in counts] for each in tags]


def copies_of(rewriter: Rewriter, inputs: list[Any], symbols: NDArray[np.int32]) -> tuple[Copies, set[int], list[Any]]:
    """What positions write whose symbols training did not have; those that write nothing; names of outputs."""
    names = rewriter.output_side_.alphabet.symbols
    # Symbols of pairs that were left out have a number but no candidates.
    known = symbols != len(rewriter.input_side_)
    for model in rewriter.models_:
        known &= model.chain.n_candidates[symbols] > 0
    if np.count_nonzero(known) == len(symbols):
        return Copies({}), set(), names
    places = np.flatnonzero(~known).tolist()
    flat = [symbol for sequence in inputs for symbol in sequence]
    counts = Counter(flat[place] for place in places)
    named = ", ".join(f"{symbol!r} ({count})" for symbol, count in counts.most_common(MOST_NAMED))
    text = f"unknown symbols of X ({len(counts)}), not in the training data: {named}"
    if rewriter.unknown == "error":
        raise InputError(f"{text}; fix them, or use unknown='copy' or 'drop'.")
    fate = "left out" if rewriter.unknown == "drop" else "copied"
    if rewriter.unknown == "copy" and not rewriter.copying_:
        fate = "copied if outputs have them, else left out"
    warnings.warn(f"{text}; they are {fate}.", stacklevel=4)
    if rewriter.unknown == "drop":
        return Copies(dict.fromkeys(places, -1)), set(places), names
    numbers = rewriter.output_side_.alphabet.encode([flat[place] for place in places]).tolist()
    if rewriter.copying_:
        new = {symbol: len(names) + k for k, symbol in enumerate(dict.fromkeys(flat[place] for place in places))}
        names += list(new)
        pairs = zip(places, numbers, strict=True)
        numbers = [number if number >= 0 else new[flat[place]] for place, number in pairs]
    copies = dict(zip(places, numbers, strict=True))
    stand_in = names.index(COPY) if COPY in names else None
    return Copies(copies, stand_in), {place for place in places if copies[place] < 0}, names

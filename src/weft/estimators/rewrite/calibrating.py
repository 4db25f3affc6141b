"""How sure to be of forms that chains and models of edits agree on: learned from words that neither learned from.

Words to tune on serve for it. Without them each half of the training words is written by models of the other half. Such
models know less than those of all words, and are as much less sure of themselves, so that the curve suits both.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.estimators.rewrite.unknown import copies_of
from weft.rewriting.calibration import FEWEST, OF_FORMS, Calibration, Found, calibrate_on
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.edits.two_ways import Edits
from weft.rewriting.tuning import HeldOut, word_numbers
from weft.rewriting.voting import Voters

N_PARTS = 2
"""Parts of the training words, each written by models of the others."""
ENOUGH_JUDGED = 500
"""So many words say enough: no further part is written, so that a fit on 1,000 words takes half as long again and not
twice as long. Where fewer are at hand a fit is short."""
UNKNOWN = "\0unknown"
"""Name of symbols that training lacks."""

LearnedFrom = Callable[[Pairs, "Floats | None"], "tuple[Voters, Edits | None]"]


def set_models(rewriter: Any, voters: Voters, edits: Edits | None) -> None:
    """Give a rewriter what it predicts by; how sure it is of forms comes later."""
    rewriter.models_ = [each.model for each in voters.trained]
    rewriter.reranker_, rewriter.edits_ = voters.reranker, edits
    # Where edits have their say, the curve of the votes is not the last word.
    rewriter.votes_calibration_ = None if edits is None else voters.calibration
    rewriter.calibration_ = voters.calibration if edits is None else None


def calibrate_forms(
    rewriter: Any,
    pairs: Pairs,
    sample_weight: Floats | None,
    dev: HeldOut | None,
    learned_from: LearnedFrom,
    random: np.random.Generator,
) -> Calibration | None:
    """The curve for the best forms of a rewriter, from `dev` if it has enough words, else from the training pairs.

    Parameters
    ----------
    rewriter : Rewriter
        Fitted but for this; it is not changed.
    pairs : Pairs
        What it learned from.
    sample_weight : ndarray, optional
        Words without any weight are neither judged nor counted.
    dev : HeldOut, optional
    learned_from : callable
        What is learned from some of the pairs and their weights.
    random : Generator

    Returns
    -------
    Calibration or None
        None if there are too few words.
    """
    if dev is not None and len(dev.references) >= FEWEST:
        return calibrate_on(_written(rewriter, dev), dev.references, OF_FORMS)
    counted = np.ones(len(pairs), dtype=bool) if sample_weight is None else sample_weight > 0.0
    if word_numbers(pairs.select(np.flatnonzero(counted)))[1] < FEWEST:
        return None
    numbers, n_words = word_numbers(pairs)
    part_of = random.permutation(n_words)[numbers] % N_PARTS
    found: list[Found] = []
    references: list[set[tuple[int, ...]]] = []
    for part in range(N_PARTS):
        words = HeldOut.build(pairs.select(np.flatnonzero((part_of == part) & counted)))
        if not words.references:
            continue
        learned = np.flatnonzero(part_of != part)
        other = copy(rewriter)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # all words have given the same warnings
                weighed = None if sample_weight is None else sample_weight[learned]
                set_models(other, *learned_from(pairs.select(learned), weighed))
        except InputError:  # a learner may need more words than a half has
            return None
        found += _written(other, words)
        references += words.references
        if len(found) >= ENOUGH_JUDGED:
            break
    return calibrate_on(found, references, OF_FORMS)


def _written(rewriter: Any, words: HeldOut) -> list[Found]:
    """The best form of each word, and how probable it is without a curve."""
    shown = copy(rewriter)
    shown.calibration_, shown.unknown = None, "drop" if rewriter.unknown == "drop" else "copy"
    names = [*rewriter.input_side_.alphabet.symbols, UNKNOWN]
    bounds = words.offsets.tolist()
    flat = [names[symbol] for symbol in words.symbols.tolist()]
    inputs = [flat[a:b] for a, b in itertools.pairwise(bounds)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that these words alone have
        copies = copies_of(shown, inputs, words.symbols)[0]
    # References have one number for all symbols that training lacks.
    n_known = len(rewriter.output_side_)
    return [
        [(tuple(min(symbol, n_known) for symbol in form), probability) for form, probability in found]
        for found in shown._voted(words.symbols, words.offsets, 1, copies, shown._sizes_of_weights())
    ]

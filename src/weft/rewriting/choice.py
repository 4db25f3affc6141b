"""How long chunks may be, chosen from the data: those lengths under which new pairs are the least surprise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from weft.arrays import Integers
from weft.core.ties import ordered
from weft.language_model import NGramLanguageModel
from weft.rewriting.chunks.alignment import ChunkAlignment, Pairs, allowed_steps, possible_pairs
from weft.rewriting.chunks.labels import label_chunks
from weft.rewriting.tuning import word_numbers

__all__ = ["CHUNKS", "WITH_TAGS", "choose_chunks"]

CHUNKS = ((2, 2), (1, 2), (1, 4))
"""Most symbols of input and output chunks, to choose from; of equal ones the first."""
WITH_TAGS = (1, 9)
"""The same for words with tags: prefixes and suffixes are what the ends of a word write."""
MOST_PAIRS, MOST_HELD_OUT = 4000, 1000
"""Pairs to choose with, and those of them to score on, at the most."""
FEWEST_WORDS = 10
N_FOLDS, FEW_WORDS = 5, 500
"""With at most so many words each of the folds is scored in its turn; with more, one fold is enough."""
ORDER = 5
SURPRISE = 50.0
"""What a pair costs that has no alignment, in nats; and the most that any costs."""


def choose_chunks(
    pairs: Pairs, random: np.random.Generator, n_jobs: int | None, options: Sequence[tuple[int, int]] = CHUNKS
) -> tuple[int, int]:
    """Lengths of chunks under which held-out pairs are the most probable.

    The probability of a pair is that of its best alignment, as a sequence of (symbol, label), under an n-gram model of
    the alignments of other pairs. It has the same meaning for chunks of any length.

    Parameters
    ----------
    pairs : Pairs
    random : Generator
    n_jobs : int or None
    options : sequence of (int, int)

    Returns
    -------
    (int, int)
    """
    numbers, n_words = word_numbers(pairs)
    if n_words < FEWEST_WORDS:
        return options[0]
    place = random.permutation(n_words)[numbers]
    n_used = min(n_words, MOST_PAIRS)
    used = pairs.select(np.flatnonzero(place < n_used))
    place = place[place < n_used]
    folds = place % N_FOLDS if n_used <= FEW_WORDS else (place >= min(n_used // N_FOLDS, MOST_HELD_OUT)) * N_FOLDS
    values = [_surprise(used, folds, each, n_jobs) for each in options]
    return options[int(ordered([-value for value in values])[0])]


def _surprise(pairs: Pairs, folds: Integers, chunk: tuple[int, int], n_jobs: int | None) -> float:
    """Nats per pair of the folds 0, 1, ... below `N_FOLDS`, each held out in its turn."""
    steps = allowed_steps(*chunk)
    possible = np.flatnonzero(possible_pairs(pairs, steps))
    kept, scored = pairs.select(possible), folds[possible]
    lost = int((folds < N_FOLDS).sum() - (scored < N_FOLDS).sum())
    if not len(kept):
        return SURPRISE
    alignment = ChunkAlignment(kept, steps, None, n_jobs).learn()
    labels = label_chunks(kept, steps, alignment.best()[0])
    codes = kept.inputs.astype(np.int64) * (len(labels.offsets) - 1) + labels.of_symbols
    flat, bounds = codes.tolist(), kept.input_offsets.tolist()
    sequences = [flat[a:b] for a, b in itertools.pairwise(bounds)]
    total, n_scored = SURPRISE * lost, lost
    for fold in np.unique(scored[scored < N_FOLDS]).tolist():
        held_out = [each for each, own in zip(sequences, scored, strict=True) if own == fold]
        others = [each for each, own in zip(sequences, scored, strict=True) if own != fold]
        n_scored += len(held_out)
        costs = -NGramLanguageModel(ORDER).fit(others).log_probability(held_out) if others else [SURPRISE]
        total += float(np.minimum(costs, SURPRISE).sum())
    return total / max(n_scored, 1)

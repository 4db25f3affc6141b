"""Train several models that rewrite, and vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.rewriting.calibration import Calibration, calibrate_on
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.model import Mixture, RewriteModel
from weft.rewriting.ranking import N_LIST, vote
from weft.rewriting.reranking import Ranked, Reranker, learn_reranker
from weft.rewriting.training import START_MIXTURE, Settings, Trained, align, train_model, with_mixture, with_views
from weft.rewriting.tuning import CHAIN_ALONE, LIKELIHOOD_SHARE, SMOOTH, HeldOut, tune_mixture, word_numbers

N_TUNING, N_HELD_OUT = 20_000, 1500
"""Pairs that the mixture is tuned with, and words that it is tuned on, at the most."""
FEWEST_TO_TUNE = 200
"""With fewer words the mixture keeps its usual values."""
ENOUGH_TO_SPARE, FEWEST_SPARED, SHARE_SPARED = 2_500, 300, 12
"""From so many words on, models with networks spare some to tune on: so many, and one of so many."""
MANY_WORDS = 20_000
"""From so many words on, those that are spared suffice to count right outputs, and are too few of all to learn chains
again for their sake."""
FEW_WORDS = 3
"""A symbol that fewer words have is needed where the models learn."""

Aligned = dict[tuple[int, int], Any]
"""Alignments by the most symbols of their chunks."""


@dataclass(frozen=True)
class Voters:
    """Models that vote, and what becomes of the outputs that they agree on.

    Attributes
    ----------
    trained : list of Trained
    reranker : Reranker, optional
    calibration : Calibration, optional
    """

    trained: list[Trained]
    reranker: Reranker | None = None
    calibration: Calibration | None = None


def members(settings: Settings, n_models: int) -> list[Settings]:
    """Settings of the models that vote: every second one reads backwards, two of four align single symbols.

    Examples
    --------
    >>> [(each.backwards, each.max_input) for each in members(Settings(None, 2, 2, 5, 8, None, 1), 4)]
    [(False, 2), (True, 1), (False, 1), (True, 2)]
    """
    return [
        replace(settings, backwards=j % 2 == 1, max_input=settings.max_input if j % 4 in (0, 3) else 1)
        for j in range(n_models)
    ]


def train_members(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    *,
    n_models: int = 1,
    sample_weight: Floats | None = None,
    dev: HeldOut | None = None,
    beam_width: int = 20,
    verbose: int = 0,
) -> Voters:
    """Train the models that vote, and tune the mixture of each on `dev`, or with a part of the pairs on another.

    With networks and enough words, the words to tune on are spared: a second training of a network takes longer than
    they are worth. Chains and n-gram models, which take little, then learn from all words, as long as those that were
    spared are no small share of them.
    """
    if dev is None and settings.network is not None and word_numbers(pairs)[1] >= ENOUGH_TO_SPARE:
        return _tuned_on_spared(pairs, n_symbols, settings, random, n_models, sample_weight, beam_width, verbose)
    settings = with_views(settings, len(pairs))
    if dev is None:
        mixtures, calibration = _tuned_on_part(pairs, n_symbols, settings, random, n_models, beam_width)
        trained = _untuned(pairs, n_symbols, settings, random, n_models, sample_weight, verbose)
    else:
        trained = _untuned(pairs, n_symbols, settings, random, n_models, sample_weight, verbose)
        mixtures, calibration = _tuned([each.model for each in trained], dev, settings, beam_width)
    return Voters([with_mixture(*each) for each in zip(trained, mixtures, strict=True)], calibration=calibration)


def train_with_reranker(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    *,
    n_parts: int,
    n_models: int = 1,
    sample_weight: Floats | None = None,
    dev: HeldOut | None = None,
    beam_width: int = 20,
    verbose: int = 0,
) -> Voters:
    """Train the models that vote, and learn to order their outputs anew.

    Each part of the words is rewritten by models of the others. Mixtures are tuned, and the order is learned, on what
    they say. With too few words there is no new order.
    """
    numbers, n_words = word_numbers(pairs)
    if n_words < FEWEST_TO_TUNE:
        rest: Any = {
            "n_models": n_models,
            "sample_weight": sample_weight,
            "dev": dev,
            "beam_width": beam_width,
            "verbose": verbose,
        }
        return train_members(pairs, n_symbols, settings, random, **rest)
    settings = with_views(settings, len(pairs))
    trained = _untuned(pairs, n_symbols, settings, random, n_models, sample_weight, verbose)
    part_of = random.permutation(n_words)[numbers] % n_parts
    parts: list[tuple[list[Trained], HeldOut]] = []
    for part in range(n_parts):
        learned = np.flatnonzero(part_of != part)
        weighed = None if sample_weight is None else sample_weight[learned]
        others = _untuned(pairs.select(learned), n_symbols, settings, random, n_models, weighed)
        parts.append((others, HeldOut.build(pairs.select(np.flatnonzero(part_of == part)))))
    for j, each in enumerate(trained):
        judged = [
            (others[j].model, words.select(range(min(N_HELD_OUT, len(words.references))))) for others, words in parts
        ]
        judged += [] if dev is None else [(each.model, dev)]
        mixture = tune_mixture(judged, n_jobs=settings.n_jobs, beam_width=beam_width)[0]
        trained[j] = with_mixture(each, mixture)
        for others, _ in parts:
            others[j] = with_mixture(others[j], mixture)

    def ranked(models: list[Trained], words: HeldOut) -> Ranked:
        return _voted([each.model for each in models], words, settings, beam_width)

    outputs = [found for others, words in parts for found in ranked(others, words)]
    own = None if dev is None else (dev, ranked(trained, dev))
    held_out = HeldOut.join([words for _, words in parts])
    return Voters(trained, *learn_reranker(pairs, n_symbols, settings, held_out, outputs, own))


def _tuned_on_spared(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    n_models: int,
    sample_weight: Floats | None,
    beam_width: int,
    verbose: int,
) -> Voters:
    """Models that are tuned on words that none of them learned from; these go to the chains and n-grams afterwards.

    Labels are those of all words from the beginning, so that a network knows those of the chain that learns last.
    """
    settings = with_views(settings, len(pairs))
    spared = _spared(pairs, random)
    words = HeldOut.build(pairs.select(np.flatnonzero(spared)))
    aligned: Aligned = {}
    trained = _untuned(pairs, n_symbols, settings, random, n_models, sample_weight, verbose, aligned, spared)
    is_small = word_numbers(pairs)[1] < MANY_WORDS
    share = SMOOTH if is_small else LIKELIHOOD_SHARE
    mixtures, calibration = _tuned([each.model for each in trained], words, settings, beam_width, share)
    if is_small:
        networks = [each.model.network for each in trained]
        alone = replace(settings, network=None)
        trained = _untuned(pairs, n_symbols, alone, random, n_models, sample_weight, verbose, aligned)
        trained = [
            replace(each, model=replace(each.model, network=network))
            for each, network in zip(trained, networks, strict=True)
        ]
    return Voters([with_mixture(*each) for each in zip(trained, mixtures, strict=True)], calibration=calibration)


def _spared(pairs: Pairs, random: np.random.Generator) -> NDArray[np.bool_]:
    """Which pairs to tune on: those of some words, as far as possible none with a symbol that few words have."""
    numbers, n_words = word_numbers(pairs)
    n_spared = min(max(n_words // SHARE_SPARED, FEWEST_SPARED), N_HELD_OUT)
    owners = np.repeat(numbers, np.diff(pairs.input_offsets))
    of_words = np.unique(np.stack([owners, pairs.inputs.astype(np.int64)]), axis=1)
    is_needed = np.zeros(n_words, dtype=bool)
    is_needed[of_words[0, np.bincount(of_words[1])[of_words[1]] < FEW_WORDS]] = True
    order = np.argsort(random.permutation(n_words) + n_words * is_needed)
    chosen = np.zeros(n_words, dtype=bool)
    chosen[order[:n_spared]] = True
    return np.asarray(chosen[numbers])


def _voted(models: Sequence[RewriteModel], words: HeldOut, settings: Settings, beam_width: int) -> Ranked:
    """What models say together of held-out words."""
    return vote(
        list(models), words.symbols, words.offsets, N_LIST, beam_width=beam_width, n_jobs=settings.n_jobs
    )  # fmt: skip


def _tuned(
    models: Sequence[RewriteModel],
    words: HeldOut,
    settings: Settings,
    beam_width: int,
    likelihood_share: float = LIKELIHOOD_SHARE,
) -> tuple[list[Mixture], Calibration | None]:
    """The mixture of each model, tuned on words that none of them learned from, and how sure to be of their votes."""
    options: Any = {"n_jobs": settings.n_jobs, "beam_width": beam_width, "likelihood_share": likelihood_share}
    mixtures = [tune_mixture([(each, words)], **options)[0] for each in models]
    if settings.tagged is not None and (settings.tagged.own >= 0).any():  # models of edits have their say too
        return mixtures, None
    mixed = [replace(each, mixture=mixture) for each, mixture in zip(models, mixtures, strict=True)]
    return mixtures, calibrate_on(_voted(mixed, words, settings, beam_width), words.references)


def _untuned(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    n_models: int,
    sample_weight: Floats | None,
    verbose: int = 0,
    aligned: Aligned | None = None,
    spared: NDArray[np.bool_] | None = None,
) -> list[Trained]:
    """The models that vote, with the usual mixture; those with the same chunks share an alignment.

    Alignments that are missing are added to `aligned`; nothing is learned from pairs that are `spared`.
    """
    aligned = {} if aligned is None else aligned
    trained = []
    for member in members(settings, n_models):
        steps = (member.max_input, member.max_output)
        if steps not in aligned:
            aligned[steps] = align(pairs, member, sample_weight)
        options: Any = {"sample_weight": sample_weight, "aligned": aligned[steps], "spared": spared, "verbose": verbose}
        trained.append(train_model(pairs, n_symbols, member, random, **options))
    return trained


def _tuned_on_part(
    pairs: Pairs, n_symbols: int, settings: Settings, random: np.random.Generator, n_models: int, beam_width: int
) -> tuple[list[Mixture], Calibration | None]:
    """What `_tuned` finds on some words with models of others; the usual mixture if there are too few."""
    numbers, n_words = word_numbers(pairs)
    if settings.tagged is not None and (settings.tagged.own >= 0).any():
        return [CHAIN_ALONE] * n_models, None  # edits count for nearly all
    if n_words < FEWEST_TO_TUNE:
        return [START_MIXTURE if settings.tagged is None else CHAIN_ALONE] * n_models, None
    n_held_out = min(N_HELD_OUT, n_words // 5)
    place = random.permutation(n_words)[numbers]
    learned = pairs.select(np.flatnonzero((place >= n_held_out) & (place < n_held_out + N_TUNING)))
    few = replace(settings, place=None)
    models = [train_model(learned, n_symbols, member, random).model for member in members(few, n_models)]
    held_out = HeldOut.build(pairs.select(np.flatnonzero(place < n_held_out)))
    return _tuned(models, held_out, settings, beam_width)

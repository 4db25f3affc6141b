"""Train one model that rewrites: align, label, learn a chain and a joint n-gram model."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.shards import cut_into_shards
from weft.language_model import NGramLanguageModel
from weft.learners.monitor import Monitor
from weft.learners.spectral.learner import Spectral
from weft.parameters import clone
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import MOST_CLASSES, CandidateChain
from weft.rewriting.candidates.contexts import View
from weft.rewriting.candidates.symbol_classes import alternating_classes, neighbour_classes
from weft.rewriting.chunks.alignment import ChunkAlignment, Pairs, allowed_steps
from weft.rewriting.chunks.labels import ChunkLabels, Dictionary, label_chunks
from weft.rewriting.model import Mixture, RewriteModel, reversed_sequences
from weft.rewriting.network.training import train_network
from weft.rewriting.relative_labels import Candidates, collect_candidates
from weft.rewriting.spectral import SpectralRewriteModel, bare_chain, fit_tagger
from weft.rewriting.tagged import Tagged, align_tagged, tag_views
from weft.rewriting.tuning import CHAIN_ALONE, share_right

MANY_PAIRS = 10_000
"""From so many pairs on, a label that a symbol has only once is taken for an error of the data."""
ENOUGH_PAIRS = 40_000
"""From so many pairs on, the symbols around another one say enough; fewer need classes of symbols and traits of labels
too."""

N_CLASSES = 8
"""Classes of symbols with similar neighbours."""

TIER_ORDER = 5
"""Length of the n-grams of marks on vowels: a word has few of them."""

START_MIXTURE = (0.15, 1.0, 0.2, 0.3, 1.0)
"""Weights of chain, joint model, language model, tier and network before they are tuned."""


COPYING = 1.0
"""Weight of a plain copy before anything is learned, where there are tags. Without it copies and other changes are
equal where the perceptron made no mistake, and decoding has nothing to prefer copies by."""


@dataclass(frozen=True)
class Settings:
    """What a model is made of; see `weft.Rewriter`. Iterations are scored on the words `scored`, if any.

    Alignments and contexts are kept in memory, or at a `place` (`weft.estimators.rewrite.parts`).
    """

    learner: Any
    max_input: int
    max_output: int
    context: int
    joint_n: int
    language_model: Any
    n_jobs: int | None
    backwards: bool = False
    min_context_count: int = 2
    class_views: bool | None = None
    input_names: Any = None
    output_names: Any = None
    network: Any = None
    new_tagger: Any = None
    scored: Any = None
    patience: int | None = None
    tagged: Tagged | None = None
    place: Any = None


@dataclass(frozen=True)
class Trained:
    """A model, and how it came about.

    Attributes
    ----------
    model : RewriteModel
    history : list of dict
    log_likelihoods : list of float
        Of the alignment, one per iteration.
    rare : ndarray
        Numbers of the pairs that are left out of the chain because one of their labels is too rare.
    """

    model: RewriteModel
    history: list[dict[str, Any]]
    log_likelihoods: list[float]
    rare: Integers


def align(pairs: Pairs, settings: Settings, sample_weight: Floats | None = None) -> tuple[Any, NDArray[np.int8]]:
    """Learn the alignment of all pairs; it and the best step at each symbol."""
    steps = allowed_steps(settings.max_input, settings.max_output)
    if settings.tagged is not None:
        return align_tagged(pairs, settings.tagged, steps, sample_weight, settings.n_jobs)
    alignment = ChunkAlignment(pairs, steps, sample_weight, settings.n_jobs, place=settings.place).learn()
    return alignment, alignment.best()[0]


def train_model(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    *,
    sample_weight: Floats | None = None,
    aligned: tuple[Any, NDArray[np.int8]] | None = None,
    mixture: Mixture = START_MIXTURE,
    spared: NDArray[np.bool_] | None = None,
    verbose: int = 0,
) -> Trained:
    """Train on pairs that all have an alignment. The last symbol stands for those unseen in training.

    Of pairs that are `spared` only the labels are known to the model, so that a model of all pairs has the same ones.
    """
    alignment, chosen = align(pairs, settings, sample_weight) if aligned is None else aligned
    found = _candidates(pairs, n_symbols, settings, label_chunks(pairs, alignment.steps, chosen))
    first, candidate_labels, candidates = found.first, found.labels, found.of_positions
    label_offsets, label_symbols = found.label_offsets, found.label_symbols
    word = np.repeat(np.arange(len(pairs)), np.diff(pairs.input_offsets))
    rare = np.unique(word[candidates < 0])
    kept = np.ones(len(pairs), dtype=bool)
    kept[rare] = False
    if spared is not None:
        kept &= ~spared
    candidates = candidates[kept[word]]
    pairs = pairs.select(np.flatnonzero(kept))
    symbols, offsets = pairs.inputs, pairs.input_offsets
    if settings.backwards:
        symbols, candidates = reversed_sequences(symbols, offsets), reversed_sequences(candidates, offsets)
    settings = with_views(settings, len(pairs))
    weighed = None if sample_weight is None else sample_weight[kept]
    joint = NGramLanguageModel(settings.joint_n).fit(_sequences(candidates, offsets))
    parts: Any = (label_offsets, label_symbols, joint, mixture, settings.backwards)
    model: RewriteModel
    if isinstance(settings.learner, Spectral):
        tagger = settings.new_tagger(settings.learner, settings.context, settings.n_jobs, verbose)
        fit_tagger(tagger, symbols, offsets, candidate_labels[candidates], weighed, random)
        history = tagger.history_
        model = SpectralRewriteModel(bare_chain(first, candidate_labels), np.zeros(1), *parts)
        model.tagger = tagger
    else:
        blocks = None if settings.place is None else cut_into_shards(np.diff(offsets), 0)
        chain, contexts = CandidateChain.collect(
            symbols, offsets, candidates, first, candidate_labels,
            **_views(symbols, offsets, n_symbols, settings, found), min_count=settings.min_context_count, blocks=blocks,
        )  # fmt: skip
        places = (candidates - first[symbols]).astype(np.int16)
        batch: Any
        if contexts is not None:
            batch = CandidateBatch(chain, symbols, offsets, contexts, places, weighed, settings.n_jobs)
        else:
            batch = settings.place.batch(chain, symbols, offsets, places)
        score = None
        if settings.scored is not None:

            def score(weights: Floats) -> float:
                alone = RewriteModel(*chain.prune(weights), *parts)
                return share_right(alone, settings.scored, CHAIN_ALONE, settings.n_jobs)

        with Monitor(verbose, score, settings.patience) as monitor:
            weights = clone(settings.learner).learn(batch, _start(chain, symbols, offsets, found), monitor, random)
        if monitor.best_weights is not None:
            weights = monitor.best_weights
        history = monitor.history
        model = RewriteModel(*chain.prune(weights), *parts)
    if settings.network is not None:
        model.network = train_network(
            model, symbols, offsets, candidates, weighed, settings.network, random,
            output_names=settings.output_names, scored=settings.scored, patience=settings.patience,
            n_jobs=settings.n_jobs, verbose=verbose,
        )  # fmt: skip
    if settings.language_model is not None:
        model.language_model, model.language_numbers = _output_model(
            clone(settings.language_model), pairs, np.arange(int(pairs.outputs.max()) + 1), settings.backwards
        )
    if settings.class_views and settings.output_names is not None and settings.tagged is None:
        marks = marks_of_vowels(settings.output_names, pairs)
        if marks.max(initial=-1) > 0:
            model.tier, model.tier_numbers = _output_model(
                NGramLanguageModel(TIER_ORDER), pairs, marks, settings.backwards
            )
    return Trained(model, history, alignment.log_likelihoods, rare)


def _start(chain: CandidateChain, symbols: Ids, offsets: Integers, candidates: Candidates) -> Floats:
    """Weights to begin with: zero, but for that of a copy anywhere, where there are tags."""
    weights = np.zeros(chain.n_features)
    if candidates.copying >= 0:
        # The first context of a position is the one that all positions have.
        common = chain.contexts[-1].find(symbols[: offsets[1]], offsets[:2])[1][:1] + sum(map(len, chain.contexts[:-1]))
        place = int(np.diff(chain.first).max()) + candidates.copying
        for context in common.tolist():
            entries = np.arange(chain.entry_offsets[context], chain.entry_offsets[context + 1])
            weights[entries[chain.entry_places[entries] == place]] = COPYING
    return weights


def _candidates(pairs: Pairs, n_symbols: int, settings: Settings, labels: ChunkLabels) -> Candidates:
    """What each symbol may become."""
    min_count = 2 if len(pairs) >= MANY_PAIRS else 1
    if settings.tagged is not None:
        tagged = settings.tagged
        return collect_candidates(
            pairs.inputs, labels, tagged.own, tagged.is_fixed, tagged.is_tag, min_count, MOST_CLASSES
        )
    n_labels = len(labels.offsets) - 1
    dictionary, candidates = Dictionary.collect(pairs.inputs, labels.of_symbols, n_symbols - 1, n_labels, min_count)
    # A symbol unseen in training has one candidate, which writes nothing.
    first = np.append(dictionary.first, dictionary.first[-1] + 1)
    candidate_labels = np.append(dictionary.labels, n_labels).astype(np.int32)
    label_offsets = np.append(labels.offsets, labels.offsets[-1])
    return Candidates(first, candidate_labels, label_offsets, labels.symbols, [], None, candidates)


def _views(
    symbols: Ids, offsets: Integers, n_symbols: int, settings: Settings, candidates: Candidates
) -> dict[str, Any]:
    """The symbols themselves, and coarser views in which far ones are only vowels or consonants, or of a class."""
    if settings.tagged is not None:
        letters = settings.tagged.kinds[symbols] == 0
        bounds = np.concatenate([[0], np.cumsum(letters)])[offsets].astype(np.int64)
        vowels = vowels_of(settings.input_names, symbols[letters], bounds, n_symbols)
        own, common = tag_views(settings.tagged, vowels)
        return {"views": own, "trait_views": common, "traits": candidates.traits, "classes": candidates.classes}
    traits = None
    if settings.class_views and settings.output_names is not None:
        of_labels = label_traits(settings.output_names, candidates.label_offsets, candidates.label_symbols)
        traits = [of_labels[z] for z in candidates.labels]
    width = settings.context
    same = np.zeros(n_symbols, dtype=np.int64)
    views = [View(width, width, same)]
    if not settings.class_views:
        return {"views": views}
    vowels = vowels_of(settings.input_names, symbols, offsets, n_symbols)
    kinds = neighbour_classes(symbols, offsets, n_symbols, N_CLASSES)
    views += [View(width, 0, vowels), View(min(width, 4), 1, vowels), View(min(width, 3), 0, kinds)]
    if traits is None:
        return {"views": views}
    shared = [View(2, 2, same, same), View(width, 0, vowels, vowels), View(3, 1, vowels, vowels)]
    return {"views": views, "trait_views": shared, "traits": traits}


def label_traits(names: Sequence[Any], offsets: Integers, symbols: Ids) -> list[list[int]]:
    """Traits of each label: the characters of its symbols, the marks among them, and how many symbols it has."""
    numbers: dict[Any, int] = {}
    traits = []
    for a, b in pairwise(offsets.tolist()):
        texts = [unicodedata.normalize("NFD", str(names[s])) for s in symbols[a:b]]
        found = [("length", b - a), ("marks", marks_of(texts)), *dict.fromkeys(c for text in texts for c in text)]
        traits.append([numbers.setdefault(each, len(numbers)) for each in found])
    return traits


def _sequences(values: NDArray[Any], offsets: Integers) -> list[list[int]]:
    flat, bounds = values.tolist(), offsets.tolist()
    return [flat[a:b] for a, b in itertools.pairwise(bounds)]


def _output_model(
    model: NGramLanguageModel, pairs: Pairs, names: Integers, backwards: bool
) -> tuple[NGramLanguageModel, Integers]:
    """Learn a model of outputs under other names; the number of each symbol in it, -1 where its name is."""
    outputs = reversed_sequences(pairs.outputs, pairs.output_offsets) if backwards else pairs.outputs
    named = names[outputs]
    kept = np.concatenate([[0], np.cumsum(named >= 0)])
    model.fit(_sequences(named[named >= 0], kept[pairs.output_offsets]))
    places = {name: number for number, name in enumerate(model.symbols_)}
    return model, np.array([places.get(name, model.unknown_) if name >= 0 else -1 for name in names.tolist()])


def marks_of_vowels(names: Sequence[Any], pairs: Pairs) -> Integers:
    """Number of the marks (length, tone, stress) of each output symbol that is a vowel, -1 for the others."""
    vowels = vowels_of(names, pairs.outputs, pairs.output_offsets, len(names))
    numbers: dict[str, int] = {}
    marks = [
        numbers.setdefault(marks_of([str(name)]), len(numbers)) if vowel else -1
        for name, vowel in zip(names, vowels.tolist(), strict=True)
    ]
    return np.array(marks, dtype=np.int64)


def vowels_of(names: Sequence[Any] | None, symbols: Ids, offsets: Integers, n_symbols: int) -> Integers:
    """1 for symbols that alternate with the others; symbols with the same first letter, marks aside, are one."""
    if names is None:
        return alternating_classes(symbols, offsets, n_symbols)
    bases = [unicodedata.normalize("NFD", str(name).lower())[:1] for name in names]
    numbers = {base: number for number, base in enumerate(dict.fromkeys(bases))}
    groups = np.array([numbers[base] for base in bases] + [len(numbers)] * (n_symbols - len(bases)))
    classes = alternating_classes(groups[symbols].astype(np.int32), offsets, len(numbers) + 1)
    return np.asarray(classes[groups])


def marks_of(texts: Sequence[str]) -> str:
    """Combining marks and modifier letters of decomposed text.

    Examples
    --------
    >>> marks_of(["aː", "t"])
    'ː'
    """
    text = unicodedata.normalize("NFD", "".join(texts))
    return "".join(c for c in text if unicodedata.category(c) in ("Mn", "Lm", "Sk"))


def with_views(settings: Settings, n_pairs: int) -> Settings:
    """The same, and whether there are classes and traits, if that is open: models of a part must be like the whole."""
    return settings if settings.class_views is not None else replace(settings, class_views=n_pairs < ENOUGH_PAIRS)


def with_mixture(trained: Trained, mixture: Mixture) -> Trained:
    """The same with other weights of the parts."""
    return replace(trained, model=replace(trained.model, mixture=mixture))

"""Train one model that rewrites: align, label, learn a chain and a joint n-gram model."""

from __future__ import annotations

import itertools
import unicodedata
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from weft.language_model import NGramLanguageModel
from weft.learners.monitor import Monitor
from weft.structures.candidate_chain import CandidateBatch, CandidateChain
from weft.structures.chunk_alignment import ChunkAlignment, Pairs, allowed_steps
from weft.structures.chunk_labels import Dictionary, label_chunks
from weft.structures.contexts import View
from weft.structures.rewrite_model import RewriteModel, reversed_sequences
from weft.structures.symbol_classes import alternating_classes, neighbour_classes

__all__ = ["Settings", "Trained", "align", "train_model"]

Floats = NDArray[np.float64]

MANY_PAIRS = 10_000
"""From so many pairs on, a label that a symbol has only once is taken for an error of the data, and the symbols around
another one say enough; fewer pairs need classes of symbols and traits of labels too."""

N_CLASSES = 8
"""Classes of symbols with similar neighbours."""

START_MIXTURE = (0.15, 1.0, 0.0)
"""Weights of chain, joint model and language model before they are tuned."""


@dataclass(frozen=True)
class Settings:
    """What a model is made of; see `weft.Rewriter`."""

    learner: Any
    max_input: int
    max_output: int
    context: int
    joint_order: int
    language_model: Any
    n_jobs: int | None
    backwards: bool = False
    min_context_count: int = 2
    class_views: bool | None = None
    output_names: Any = None


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
    rare: NDArray[np.int64]


def align(pairs: Pairs, settings: Settings, importance: Floats | None = None) -> tuple[Any, NDArray[np.int8]]:
    """Learn the alignment of all pairs; it and the best step at each symbol."""
    steps = allowed_steps(settings.max_input, settings.max_output)
    alignment = ChunkAlignment(pairs, steps, importance, settings.n_jobs).learn()
    return alignment, alignment.best()[0]


def train_model(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    random: np.random.Generator,
    *,
    importance: Floats | None = None,
    aligned: tuple[Any, NDArray[np.int8]] | None = None,
    mixture: tuple[float, float, float] = START_MIXTURE,
    verbose: int = 0,
) -> Trained:
    """Train on pairs that all have an alignment. The last symbol stands for those that training lacks."""
    alignment, chosen = align(pairs, settings, importance) if aligned is None else aligned
    labels = label_chunks(pairs, alignment.steps, chosen)
    n_labels = len(labels.offsets) - 1
    min_count = 2 if len(pairs) >= MANY_PAIRS else 1
    dictionary, candidates = Dictionary.collect(pairs.inputs, labels.of_symbols, n_symbols - 1, n_labels, min_count)
    # A symbol that training lacks has one candidate, which writes nothing.
    first = np.append(dictionary.first, dictionary.first[-1] + 1)
    candidate_labels = np.append(dictionary.labels, n_labels).astype(np.int32)
    label_offsets = np.append(labels.offsets, labels.offsets[-1])
    word = np.repeat(np.arange(len(pairs)), np.diff(pairs.input_offsets))
    rare = np.unique(word[candidates < 0])
    kept = np.ones(len(pairs), dtype=bool)
    kept[rare] = False
    candidates = candidates[kept[word]]
    pairs = pairs.select(np.flatnonzero(kept))
    symbols, offsets = pairs.inputs, pairs.input_offsets
    if settings.backwards:
        symbols, candidates = reversed_sequences(symbols, offsets), reversed_sequences(candidates, offsets)
    traits = None
    if settings.class_views is None:
        settings = replace(settings, class_views=len(pairs) < MANY_PAIRS)
    if settings.class_views and settings.output_names is not None:
        traits = label_traits(settings.output_names, label_offsets, labels.symbols)
        traits = [traits[z] for z in candidate_labels]
    chain, found = CandidateChain.collect(
        symbols, offsets, candidates, first, candidate_labels,
        **_views(symbols, offsets, n_symbols, settings, traits), min_count=settings.min_context_count,
    )  # fmt: skip
    places = (candidates - first[symbols]).astype(np.int16)
    weighed = None if importance is None else importance[kept]
    batch = CandidateBatch(chain, symbols, offsets, found, places, weighed, settings.n_jobs)
    learner = clone(settings.learner)
    with Monitor(verbose) as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, random)
    chain, weights = chain.prune(weights)
    joint = NGramLanguageModel(settings.joint_order).fit(_sequences(candidates, offsets))
    model = RewriteModel(chain, weights, label_offsets, labels.symbols, joint, mixture, settings.backwards)
    if settings.language_model is not None:
        add_language_model(model, settings, pairs)
    return Trained(model, monitor.history, alignment.log_likelihoods, rare)


def _views(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64], n_symbols: int, settings: Settings, traits: Any
) -> dict[str, Any]:
    """The symbols themselves, and coarser views in which far ones are only vowels or consonants, or of a class."""
    width = settings.context
    same = np.zeros(n_symbols, dtype=np.int64)
    views = [View(width, width, same)]
    if not settings.class_views:
        return {"views": views}
    vowels = alternating_classes(symbols, offsets, n_symbols)
    kinds = neighbour_classes(symbols, offsets, n_symbols, N_CLASSES)
    views += [View(width, 0, vowels), View(min(width, 4), 1, vowels), View(min(width, 3), 0, kinds)]
    if traits is None:
        return {"views": views}
    shared = [View(2, 2, same, same), View(width, 0, vowels, vowels), View(3, 1, vowels, vowels)]
    return {"views": views, "trait_views": shared, "traits": traits}


def label_traits(names: list[Any], offsets: NDArray[np.int64], symbols: NDArray[np.int32]) -> list[list[int]]:
    """Traits of each label: the characters of its symbols, the marks among them, and how many symbols it has."""
    numbers: dict[Any, int] = {}
    traits = []
    for a, b in pairwise(offsets.tolist()):
        texts = [unicodedata.normalize("NFD", str(names[s])) for s in symbols[a:b]]
        marks = "".join(c for text in texts for c in text if unicodedata.category(c) in ("Mn", "Lm", "Sk"))
        found = [("length", b - a), ("marks", marks), *dict.fromkeys(c for text in texts for c in text)]
        traits.append([numbers.setdefault(each, len(numbers)) for each in found])
    return traits


def _sequences(values: NDArray[Any], offsets: NDArray[np.int64]) -> list[list[int]]:
    flat, bounds = values.tolist(), offsets.tolist()
    return [flat[a:b] for a, b in itertools.pairwise(bounds)]


def add_language_model(model: RewriteModel, settings: Settings, pairs: Pairs) -> None:
    """Learn a language model from the outputs."""
    outputs = reversed_sequences(pairs.outputs, pairs.output_offsets) if settings.backwards else pairs.outputs
    language_model = clone(settings.language_model).fit(_sequences(outputs, pairs.output_offsets))
    numbers = np.full(int(pairs.outputs.max()) + 1, language_model.unknown_, dtype=np.int64)
    numbers[np.array(language_model.symbols_)] = np.arange(len(language_model.symbols_))
    model.language_model, model.language_numbers = language_model, numbers


def with_mixture(trained: Trained, mixture: tuple[float, float, float]) -> Trained:
    """The same with other weights of the parts."""
    return replace(trained, model=replace(trained.model, mixture=mixture))

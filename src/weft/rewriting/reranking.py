"""Order the best outputs of a rewriter anew by features of whole outputs.

A chain and n-gram models see a few symbols at a time. What a whole word decides, such as which of its vowels has the
accent, is learned here: a log-linear model over the best outputs of each input, from outputs of models that did not
learn from that input (Collins and Koo 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_numbers
from weft.core.ties import ordered
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor
from weft.rewriting.calibration import FEWEST, Calibration, calibrate_on
from weft.rewriting.candidates.lists import ListBatch, frequent_keys, key_matrix
from weft.rewriting.candidates.loops.patterns import keys_per_tier, pattern_keys
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.ranking import by_probability
from weft.rewriting.training import Settings, marks_of_vowels, vowels_of
from weft.rewriting.tuning import LIKELIHOOD_SHARE, SURPRISE, HeldOut

Ranked = list[list[tuple[tuple[int, ...], float]]]

SMALLEST_SHARE = 0.002
"""Outputs so much less probable than the best one are not learned from."""
PENALTIES = (5.0, 1.5, 0.5, 0.15)
MAX_ITER = 60
N_FOLDS, MOST_JUDGED = 4, 3000
"""The penalty is chosen in so many parts of so many words at the most."""


@dataclass(frozen=True)
class Lists:
    """The best outputs of inputs, flat."""

    symbols: Ids
    offsets: Integers
    outputs: Integers
    output_offsets: Integers
    owners: Integers
    scores: Floats

    @classmethod
    def build(cls, symbols: Ids, offsets: Integers, ranked: Ranked) -> Lists:
        """From inputs and their outputs with probabilities; every input has outputs."""
        flat = [output for found in ranked for output, _ in found]
        return cls(
            symbols,
            offsets,
            np.array([symbol for output in flat for symbol in output], dtype=np.int64),
            np.concatenate([[0], np.cumsum([len(output) for output in flat])]).astype(np.int64),
            np.repeat(np.arange(len(ranked)), [len(found) for found in ranked]),
            np.log([max(probability, 1e-12) for found in ranked for _, probability in found]),
        )


@dataclass(frozen=True)
class Reranker:
    """Weights of features of whole outputs.

    Attributes
    ----------
    tiers : ndarray of shape (n_tiers, n_output_symbols)
        Name of each output symbol on each tier, -1 if it is not on it.
    vowels : ndarray of shape (n_input_symbols,)
    keys : ndarray
        Features, as sorted numbers.
    weights : ndarray
        One for each of `keys`, and one for the log-probability.
    """

    tiers: Integers
    vowels: Integers
    keys: Integers
    weights: Floats

    def rank(self, symbols: Ids, offsets: Integers, ranked: Ranked) -> Ranked:
        """The same outputs in a new order, with the probability of the old ones shared among them anew.

        Symbols of outputs that are numbered above those of training are copied ones: no feature looks at them.
        """
        lists = Lists.build(symbols, offsets, ranked)
        keys = _keys(*_without_copied(lists, self.tiers), self.vowels)
        batch = ListBatch(key_matrix(keys, self.keys), lists.scores, lists.owners)
        probabilities = np.concatenate(batch.marginals(self.weights))
        new, place = [], 0
        for found in ranked:
            mass = sum(probability for _, probability in found)
            shares = (mass * probabilities[place : place + len(found)]).tolist()
            again = [(output, share) for (output, _), share in zip(found, shares, strict=True)]
            new.append(by_probability(again))
            place += len(found)
        return new


def _without_copied(lists: Lists, tiers: Integers) -> tuple[Lists, Integers]:
    """Lists and tiers in which all symbols that training lacks are one more symbol, which is on no tier."""
    n_known = tiers.shape[1]
    one_more = np.pad(tiers, ((0, 0), (0, 1)), constant_values=-1)
    return replace(lists, outputs=np.minimum(lists.outputs, n_known)), one_more


def _keys(lists: Lists, tiers: Integers, vowels: Integers) -> Integers:
    cure = "number the symbols as in training"
    checked_numbers("outputs", lists.outputs, tiers.shape[1], cure, dtype=lists.outputs.dtype)
    checked_numbers("inputs", lists.symbols, len(vowels), cure, dtype=lists.symbols.dtype)
    keys = np.zeros((len(lists.owners), len(tiers) * keys_per_tier()), dtype=np.int64)
    pattern_keys(
        lists.symbols, lists.offsets, lists.outputs, lists.output_offsets, lists.owners, tiers, vowels, keys
    )  # fmt: skip
    return keys


def learn_reranker(
    pairs: Pairs,
    n_symbols: int,
    settings: Settings,
    held_out: HeldOut,
    ranked: Ranked,
    dev: tuple[HeldOut, Ranked] | None,
) -> tuple[Reranker, Calibration | None]:
    """Learn from the outputs that models of other pairs give for `held_out`; and how sure to be of the first ones.

    The penalty, and whether to order anew at all, are chosen by cross-validation among these words and on `dev`. How
    sure to be is learned from `dev`, or from the same cross-validation.
    """
    tiers = _tiers(settings, pairs)
    vowels = vowels_of(settings.input_names, pairs.inputs, pairs.input_offsets, n_symbols)
    path = _path(held_out, ranked, tiers, vowels)
    judged: list[tuple[HeldOut, list[Ranked]]] = []  # words, and how each member of the path orders their outputs
    n_judged = min(len(ranked), MOST_JUDGED)
    for fold in range(N_FOLDS):
        chosen, others = (
            np.flatnonzero((np.arange(n_judged) % N_FOLDS == fold) == own).tolist() for own in (True, False)
        )
        words, outputs = held_out.select(chosen), [ranked[i] for i in chosen]
        learned = _path(held_out.select(others), [ranked[i] for i in others], tiers, vowels)
        if len(learned) == len(path):
            judged.append((words, [each.rank(words.symbols, words.offsets, outputs) for each in learned]))
    if dev is not None:
        judged.append((dev[0], [each.rank(dev[0].symbols, dev[0].offsets, dev[1]) for each in path]))
    gains = np.zeros(len(path))
    for words, lists in judged:
        gains += [_gain(found, words.references) for found in lists]
    best = int(ordered(gains)[0])
    told = judged[-1:] if dev is not None and len(dev[1]) >= FEWEST else judged
    outputs = [found for _, lists in told for found in lists[best]]
    return path[best], calibrate_on(outputs, [wanted for words, _ in told for wanted in words.references])


def _path(held_out: HeldOut, ranked: Ranked, tiers: Integers, vowels: Integers) -> list[Reranker]:
    """No new order, and those learned with one penalty after the other, the largest first."""
    chosen: Ranked = []
    learned, targets = [], []
    for i, (found, wanted) in enumerate(zip(ranked, held_out.references, strict=True)):
        likely = [item for item in found if item[1] >= SMALLEST_SHARE * found[0][1]]
        right = np.array([output in wanted for output, _ in likely], dtype=np.float64)
        if len(likely) > 1 and right.any():
            learned.append(i)
            chosen.append(likely)
            targets.append(right / right.sum())
    path = [Reranker(tiers, vowels, np.empty(0, dtype=np.int64), np.ones(1))]
    if not chosen:
        return path
    words = held_out.select(learned)
    lists = Lists.build(words.symbols, words.offsets, chosen)
    keys = _keys(lists, tiers, vowels)
    known = frequent_keys(keys, lists.owners)
    batch: Any = ListBatch(key_matrix(keys, known), lists.scores, lists.owners, np.concatenate(targets))
    del keys
    weights = np.append(np.zeros(batch.n_features - 1), 1.0)
    random = np.random.default_rng(0)  # L-BFGS draws nothing
    for penalty in PENALTIES:
        with Monitor(0) as monitor:
            weights = CRF(c2=penalty, max_iter=MAX_ITER).learn(batch, weights, monitor, random)
        path.append(Reranker(tiers, vowels, known, weights))
    return path


def _gain(ranked: Ranked, references: list[set[tuple[int, ...]]]) -> float:
    """Number of right outputs, and a little the log-probability of the references, as for the mixture."""
    gain = 0.0
    for found, wanted in zip(ranked, references, strict=True):
        gain += found[0][0] in wanted
        gain += LIKELIHOOD_SHARE * np.log(max(sum(p for output, p in found if output in wanted), SURPRISE))
    return gain


def _tiers(settings: Settings, pairs: Pairs) -> Integers:
    """Vowels of the outputs, and their marks if any has some."""
    names = settings.output_names
    marks = marks_of_vowels(names, pairs)
    vowels = np.where(marks >= 0, np.arange(len(marks)), -1)
    return np.array([vowels, marks]) if marks.max(initial=-1) > 0 else np.array([vowels])

"""How much the parts of a rewriting model count, chosen on held-out words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers
from weft.core.ties import ordered
from weft.errors import InputError
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.model import Mixture, RewriteModel, Scored
from weft.rewriting.ranking import ranked_outputs

CHAIN_WEIGHTS = (0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.1, 0.15, 0.22, 0.33, 0.5, 0.75, 1.1, 1.7, 2.6)
NETWORK_WEIGHTS = (0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
LANGUAGE_WEIGHTS = (0.1, 0.2, 0.35, 0.6)
TIER_WEIGHTS = (0.15, 0.3, 0.6, 1.0, 1.7, 2.8)
TEMPERATURES = tuple(0.05 * 1.15**i for i in range(30))
CHAIN_ALONE: Mixture = (1.0, 0.0, 0.0, 0.0, 0.0)
N_BEST = 10
LIKELIHOOD_SHARE, SMOOTH = 0.3, 1.0
"""What the log-probability of the references counts where outputs are judged, and where few words are at hand."""
SURPRISE = 1e-4
"""Probability of a reference that is not among the best, for the choice of the temperature."""


@dataclass(frozen=True)
class HeldOut:
    """Different inputs, and all outputs that each may have."""

    symbols: Ids
    offsets: Integers
    references: list[set[tuple[int, ...]]]

    @classmethod
    def build(cls, pairs: Pairs) -> HeldOut:
        """Put the outputs of equal inputs together; empty inputs are left out."""
        references: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for i in range(len(pairs)):
            word = tuple(pairs.inputs[pairs.input_offsets[i] : pairs.input_offsets[i + 1]].tolist())
            output = tuple(pairs.outputs[pairs.output_offsets[i] : pairs.output_offsets[i + 1]].tolist())
            if word:
                references.setdefault(word, set()).add(output)
        symbols = np.array([symbol for word in references for symbol in word], dtype=np.int32)
        offsets = np.concatenate([[0], np.cumsum([len(word) for word in references])]).astype(np.int64)
        return cls(symbols, offsets, list(references.values()))

    def select(self, chosen: Sequence[int]) -> HeldOut:
        """Some of the inputs.

        Examples
        --------
        >>> words = HeldOut(np.array([5, 6, 7]), np.array([0, 2, 3]), [{(1,)}, {(2,), (3,)}])
        >>> words.select([1]).symbols, words.select([1]).references
        (array([7]), [{(2,), (3,)}])
        """
        bounds = self.offsets.tolist()
        parts = [self.symbols[bounds[i] : bounds[i + 1]] for i in chosen]
        offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        nothing = self.symbols[:0]
        return HeldOut(np.concatenate([nothing, *parts]), offsets, [self.references[i] for i in chosen])

    @classmethod
    def join(cls, parts: Sequence[HeldOut]) -> HeldOut:
        """Several as one."""
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate([part.symbols for part in parts]),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            [references for part in parts for references in part.references],
        )


def word_numbers(pairs: Pairs) -> tuple[Integers, int]:
    """Number of the input of each pair, equal inputs have the same; and how many there are.

    Examples
    --------
    >>> word_numbers(Pairs(*(np.array(a) for a in ([0, 1, 0], [0, 1, 2, 3], [7, 8, 9], [0, 1, 2, 3]))))
    (array([0, 1, 0]), 2)
    """
    flat, bounds = pairs.inputs.tolist(), pairs.input_offsets.tolist()
    words: dict[tuple[int, ...], int] = {}
    numbers = [words.setdefault(tuple(flat[a:b]), len(words)) for a, b in itertools.pairwise(bounds)]
    return np.array(numbers, dtype=np.int64), len(words)


def hold_out_words(
    pairs: Pairs, fraction: Any, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the pairs to learn from, and of those of a share of the inputs to score on.

    Examples
    --------
    >>> pairs = Pairs(*(np.array(a) for a in ([0, 1, 0], [0, 1, 2, 3], [7, 8, 9], [0, 1, 2, 3])))
    >>> [part.tolist() for part in hold_out_words(pairs, 0.5, np.random.default_rng(0))]
    [[1], [0, 2]]
    """
    numbers, n_words = word_numbers(pairs)
    if not 0.0 < fraction < 1.0:
        raise InputError(f"validation_fraction is {fraction!r}; a number between 0 and 1 is needed.")
    if n_words < 2:
        raise InputError("validation_fraction needs at least 2 different inputs; pass more or set it to 0.")
    n_held_out = min(max(1, round(fraction * n_words)), n_words - 1)
    held_out = random.permutation(n_words)[numbers] < n_held_out
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def share_right(model: RewriteModel, words: HeldOut, mixture: Mixture, n_jobs: int | None = -1) -> float:
    """Share of held-out sequences whose best output is right."""
    found = model.decode(words.symbols, words.offsets, 1, mixture=mixture, n_jobs=n_jobs)
    ranked = ranked_outputs(model, found, words.offsets)
    return float(np.mean([best[0][0] in wanted for best, wanted in zip(ranked, words.references, strict=True)]))


def tune_mixture(
    judged: Sequence[tuple[RewriteModel, HeldOut]],
    *,
    n_jobs: int | None = -1,
    beam_width: int = 20,
    likelihood_share: float = LIKELIHOOD_SHARE,
) -> tuple[Mixture, float]:
    """Weights with the most right outputs on held-out sequences, scaled so that probabilities are honest.

    The weight of the joint model is 1 while the others are tried, first the chain's, then those of the others. What
    counts is the share of right outputs, and a little the mean log-probability of the references, which is smoother.

    Parameters
    ----------
    judged : list of (RewriteModel, HeldOut)
        Models of one kind, each with words that it did not learn from.
    n_jobs : int, optional
    beam_width : int
    likelihood_share : float
        What a unit of the mean log-probability counts beside the share of right outputs.

    Returns
    -------
    mixture : tuple of five floats
    accuracy : float
        Share of the held-out sequences that it gets right.
    """

    def tried(mixture: Mixture) -> tuple[float, float, float]:
        ranked: list[list[tuple[Any, float]]] = []
        for (each, words), chain, known in zip(judged, chain_scores, scored, strict=True):
            found = each.decode(
                words.symbols, words.offsets, N_BEST, mixture=mixture, n_jobs=n_jobs, beam_width=beam_width,
                chain_scores=chain, scored=known,
            )  # fmt: skip
            ranked += ranked_outputs(each, found, words.offsets)
        right = float(np.mean([best[0][0] in wanted for best, wanted in zip(ranked, references, strict=True)]))
        temperature, likelihood = _temperature(ranked, references)
        return right + likelihood_share * likelihood, right, temperature

    model = judged[0][0]
    chain_scores = [each.chain_scores(words.symbols, words.offsets, n_jobs) for each, words in judged]
    scored: list[Scored] = [{} for _ in judged]
    references = [wanted for _, words in judged for wanted in words.references]
    results: dict[Mixture, tuple[float, float, float]] = {}

    def best_of(mixtures: Iterable[Mixture]) -> Mixture:
        for mixture in mixtures:
            results[mixture] = tried(mixture)
        known = list(results)
        return known[int(ordered([results[mixture][0] for mixture in known])[0])]

    best = best_of([CHAIN_ALONE, *((weight, 1.0, 0.0, 0.0, 0.0) for weight in CHAIN_WEIGHTS)])
    if model.network is not None:
        best = best_of([(best[0], best[1], 0.0, 0.0, weight) for weight in NETWORK_WEIGHTS])
        # With a network the chain may count less.
        best = best_of([(best[0] * share, best[1], 0.0, 0.0, best[4]) for share in (0.0, 0.25, 0.5, 2.0)])
    if model.language_model is not None:
        best = best_of([(best[0], best[1], weight, 0.0, best[4]) for weight in LANGUAGE_WEIGHTS])
    if model.tier is not None:
        best = best_of([(best[0], best[1], best[2], weight, best[4]) for weight in TIER_WEIGHTS])
    _, right, temperature = results[best]
    chain, joint, language, tier, network = (temperature * weight for weight in best)
    return (chain, joint, language, tier, network), right


def _temperature(ranked: list[list[tuple[Any, float]]], references: list[set[tuple[int, ...]]]) -> tuple[float, float]:
    """Factor of all scores under which the references are most probable, and their mean log-probability then."""
    scores = np.full((len(ranked), N_BEST), -np.inf)
    right = np.zeros((len(ranked), N_BEST), dtype=bool)
    for i, (found, wanted) in enumerate(zip(ranked, references, strict=True)):
        for k, (output, score) in enumerate(found):
            scores[i, k] = score
            right[i, k] = output in wanted
    scores -= scores.max(axis=1, keepdims=True)
    results = []
    for temperature in sorted(TEMPERATURES, reverse=True):  # of equal ones the surest
        shares = np.exp(temperature * scores)
        probability = (shares * right).sum(axis=1) / shares.sum(axis=1)
        results.append((float(np.log(np.maximum(probability, SURPRISE)).mean()), temperature))
    likelihood, temperature = results[int(ordered([likelihood for likelihood, _ in results])[0])]
    return temperature, likelihood

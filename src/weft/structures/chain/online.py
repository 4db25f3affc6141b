"""Learning step by step on a chain: passes of the averaged perceptron and of the structural SVM.

Both change the score tables in place while they walk over the sequences, so they use one thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.loops.corpus import perceptron_pass
from weft.structures.chain.loops.frank_wolfe import frank_wolfe_pass
from weft.structures.online import FrankWolfePass, PerceptronState

if TYPE_CHECKING:
    from weft.structures.chain.batch import ChainBatch

__all__ = ["frank_wolfe_passes", "perceptron_passes"]


MAX_BELIEFS = 200_000_000
"""Numbers that the dual variables of the structural SVM may take: 1.6 GB."""


def perceptron_passes(
    batch: ChainBatch, state: PerceptronState, random: np.random.Generator
) -> Iterator[tuple[PerceptronState, int]]:
    """State and number of wrong tokens after each pass of the averaged perceptron, each in a new random order.

    Passes go on in the arrays of the states, the first one in copies unless the given state says otherwise.
    """
    labels = batch.reference()
    layouts = batch.layouts.with_rows_here()
    features = layouts.features
    weights, totals = state.weights, state.totals
    if not state.is_lent:
        weights, totals = np.array(weights, dtype=np.float64), np.array(totals, dtype=np.float64)
    token_weights = features.token_weights(weights)
    token_totals = features.token_weights(totals)
    tables = features.tables(weights)
    _, gram_weights, _, _ = features.split(weights)
    _, gram_totals, start_totals, end_totals = features.split(totals)
    model = layouts.model(slice(0, batch.n_sequences), token_weights, tables)  # steps depend on each other: one thread
    grams = (
        features.grams.arc_features,
        *features.grams.arcs_of_grams(),
        gram_weights,
        features.boundary,
    )
    path_totals = (
        gram_totals,
        *(np.resize(part, features.grams.width) for part in (start_totals, end_totals)),
    )
    clock = state.clock
    while True:
        clock, n_wrong = perceptron_pass(
            random.permutation(batch.n_sequences),
            model,
            grams,
            features.row_mask,
            features.n_labels,
            labels,
            batch.sample_weight,
            clock,
            (token_totals, path_totals),
        )
        _collect(features, token_weights[1], tables[2:], weights)
        _collect(features, token_totals[1], path_totals[1:], totals)
        yield PerceptronState(weights, totals, clock), int(n_wrong)


def frank_wolfe_passes(
    batch: ChainBatch, strength: float, random: np.random.Generator, state: Sequence[NDArray[Any]] = ()
) -> Iterator[FrankWolfePass]:
    """Weights, dual value and duality gap after each pass of the structural SVM, in a new random order each time.

    The dual variables of a sequence are kept as its expected output: label shares per token and n-gram counts,
    so memory is linear in the tokens however many outputs became active.
    """
    labels = batch.reference()
    features = batch.features
    n_grams = len(features.grams.grams)
    n_path = n_grams + (2 * features.n_labels if features.boundary else 0)
    if batch.n_sequences * n_path > MAX_BELIEFS:
        raise InputError(
            f"a structural SVM would keep {batch.n_sequences:,} x {n_path:,} n-gram counts; lower the order or use "
            "another learner."
        )
    weights = np.zeros(features.n_features)
    token_weights = features.token_weights(weights)
    tables = features.tables(weights)
    path_weights = np.zeros(n_path)
    model = batch.layouts.model(
        slice(0, batch.n_sequences), token_weights, tables
    )  # steps depend on each other: one thread
    grams = (features.grams.arc_features, *features.grams.arcs_of_grams(), path_weights, features.boundary)
    token_beliefs = np.zeros((batch.corpus.n_tokens, features.grams.width))
    token_beliefs[np.arange(len(labels)), labels] = 1.0
    beliefs = (token_beliefs, batch.features_of(labels)[:, features.n_pairs :].toarray(), np.zeros(batch.n_sequences))
    strengths = strength * batch.sample_weight
    arrays = (*token_weights, tables[0], *tables[2:], path_weights, *beliefs)
    for own, kept in zip(arrays, state, strict=False):
        own[...] = kept
    while True:
        gap = frank_wolfe_pass(
            random.permutation(batch.n_sequences),
            model,
            grams,
            features.row_mask,
            features.n_labels,
            labels,
            strengths,
            beliefs,
        )
        ends = (path_weights[n_grams : n_grams + features.n_labels], path_weights[n_grams + features.n_labels :])
        weights = _joined(features, token_weights, path_weights[:n_grams], ends)
        dual = dot_in_order(strengths, beliefs[2]) - 0.5 * dot_in_order(weights, weights)
        yield FrankWolfePass(weights, dual, gap, arrays)


def _joined(
    features: ChainFeatures, token_part: tuple[Floats, Floats], gram_part: Floats, end_parts: tuple[Floats, ...]
) -> Floats:
    """One vector again from the tables that steps work on."""
    vector = np.empty(features.n_features)
    pairs, grams, _, _ = features.split(vector)
    pairs[:], grams[:] = token_part[0], gram_part
    _collect(features, token_part[1], end_parts, vector)
    return vector


def _collect(features: ChainFeatures, rows: Floats, end_parts: tuple[Floats, ...], vector: Floats) -> None:
    """Write dense rows and the weights of first and last labels into a vector that has all else."""
    pairs, _, *ends = features.split(vector)
    features.collect_rows(rows, pairs)
    if features.boundary:
        for own, part in zip(ends, end_parts, strict=True):
            # A forbidden first or last label has -inf in the table; it never occurs, so its weight stays zero.
            own[:] = np.nan_to_num(part[: features.n_labels], neginf=0.0)

"""Tests of `weft.rewriting.candidates.layout`, and of the loops that it is for."""

from dataclasses import replace

import numpy as np
import pytest

from weft.learners.perceptron import perceptron_passes
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.layout import Layout
from weft.structures.online import PerceptronState


def rebound(batch, chain):
    found = chain.find(batch.symbols, batch.offsets)
    weights = np.random.default_rng(5).random(batch.n_sequences)
    return CandidateBatch(chain, batch.symbols, batch.offsets, found, batch.reference(), weights, n_jobs=1)


def few_traits(batch, weights):
    return batch.chain


def many_traits(batch, weights):
    """The same traits with numbers far apart: no context speaks for many of them."""
    chain, most = batch.chain, np.diff(batch.chain.first).max()
    places = np.where(chain.entry_places >= most, most + 20 * (chain.entry_places - most), chain.entry_places)
    return replace(chain, traits=20 * chain.traits, entry_places=places.astype(np.int16))


def pruned(batch, weights):
    """Contexts without entries."""
    return batch.chain.prune(np.where(np.arange(len(weights)) % 3 > 0, 0.0, 1.0))[0]


@pytest.mark.parametrize(("changed", "has_rows"), [(few_traits, True), (many_traits, False), (pruned, None)])
def test_passes_equal_steps_on_features(corpus, changed, has_rows):
    given, weights = corpus
    batch = rebound(given, changed(given, weights))
    layout = Layout.of(batch)
    assert has_rows is None or (len(layout.is_entry) > 0) == has_rows
    start = PerceptronState(np.random.default_rng(1).normal(size=batch.n_features), np.zeros(batch.n_features))
    mine, wanted = (
        passes(start, np.random.default_rng(0))
        for passes in (batch.perceptron_passes, lambda *rest: perceptron_passes(batch, *rest))
    )
    for _ in range(3):
        (found, n_wrong), (state, n_mistakes) = next(mine), next(wanted)
        assert n_wrong == n_mistakes > 0
        np.testing.assert_allclose(found.weights, state.weights, atol=1e-12)
        np.testing.assert_allclose(found.totals, state.totals, atol=1e-10)


def test_weights_come_back_and_those_without_sequences_stay(corpus):
    batch = corpus[0].select([0])
    layout = Layout.of(batch)
    assert 0 < len(layout.used) < batch.chain.n_entries
    entries = np.random.default_rng(2).normal(size=batch.chain.n_entries)
    copy = entries.copy()
    values = layout.laid_out(entries)
    layout.take_back(values + 1.0, copy)
    changed = np.flatnonzero(copy != entries)
    assert changed.tolist() == layout.used.tolist()
    assert copy[changed] == pytest.approx(entries[changed] + 1.0)

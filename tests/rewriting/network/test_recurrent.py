"""The recurrent network: its layers against plain loops, its derivatives against differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.rewriting.network.recurrent import Networks
from weft.rewriting.network.shape import NetworkShape, PackedSequences


def random_network(random, history=0):
    shape = NetworkShape(5, 4, 3, vector=3, memory=2, narrow=4, history=history)
    allowed = random.random((5, 4)) > 0.3
    allowed[:, 0] = allowed[-1] = True
    weights = np.stack([shape.start(random).astype(np.float64) for _ in range(2)])
    weights += 0.3 * random.standard_normal(weights.shape)
    return Networks(shape, weights, allowed, (random.random((4, 3)) > 0.5).astype(np.float64))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def plain_memory(layers, name, inputs):
    """What a memory shows at each of the inputs, which it reads in their order."""
    n = len(layers[f"{name}_again"])
    kept, shown, found = np.zeros(n), np.zeros(n), []
    for each in inputs:
        sums = each @ layers[name] + layers[f"{name}_bias"] + shown @ layers[f"{name}_again"]
        let_in, keep, show, news = np.split(sums, 4)
        kept = sigmoid(keep) * kept + sigmoid(let_in) * np.tanh(news)
        shown = sigmoid(show) * np.tanh(kept)
        found.append(shown)
    return found


def plain_probabilities(networks, weights, word, labels=()):
    """The network by loops over positions, from its definition, given the labels before each."""
    shape, layers = networks.shape, networks.shape.views(weights)
    vectors = [layers["vectors"][s] for s in (shape.n_symbols, *word, shape.n_symbols)]
    ahead, back = plain_memory(layers, "ahead", vectors), plain_memory(layers, "back", vectors[::-1])[::-1]
    seen = [np.concatenate(both) for both in zip(ahead[1:-1], back[1:-1], strict=True)]
    if shape.history:
        before = [shape.n_labels, *labels][: len(word)]
        seen = [np.concatenate([each, layers["written"][label]]) for each, label in zip(seen, before, strict=True)]
        recalled = plain_memory(layers, "recall", seen)
        seen = [np.concatenate(both) for both in zip(seen, recalled, strict=True)]
    seen = [np.concatenate([*vectors[t : t + 3], each]) for t, each in enumerate(seen)]
    rows = []
    for symbol, everything in zip(word, seen, strict=True):
        last = np.maximum(everything @ layers["narrow"] + layers["narrow_bias"], 0.0)
        scores = last @ layers["labels"] + layers["labels_bias"]
        scores += networks.traits @ (last @ layers["traits"] + layers["traits_bias"])
        scores = np.where(networks.allowed[symbol], np.exp(scores), 0.0)
        rows.append(scores / scores.sum())
    return np.array(rows)


@settings(max_examples=25)
@given(
    words=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=4),
    seed=st.integers(0, 100),
)
def test_probabilities_equal_those_of_plain_loops(words, seed):
    networks = random_network(np.random.default_rng(seed))
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    found = networks.log_probabilities(np.concatenate(words), offsets)
    wanted = np.concatenate(
        [np.mean([plain_probabilities(networks, each, word) for each in networks.weights], axis=0) for word in words]
    )
    np.testing.assert_allclose(np.exp(found), np.maximum(wanted, 1e-30), rtol=1e-9, atol=1e-30)


@pytest.mark.parametrize("history", [0, 3])
def test_scores_of_labellings_equal_those_of_plain_loops(history, monkeypatch):
    monkeypatch.setattr("weft.rewriting.network.recurrent.SEQUENCES_AT_ONCE", 2)
    random = np.random.default_rng(3)
    networks = random_network(random, history)
    words = [random.integers(0, 5, n) for n in (3, 1, 4)]
    labels = [np.array([random.choice(np.flatnonzero(networks.allowed[s])) for s in word]) for word in words]
    offsets = np.array([0, 3, 4, 8])
    wanted = []
    for word, own in zip(words, labels, strict=True):
        each = [plain_probabilities(networks, w, word, own)[np.arange(len(word)), own] for w in networks.weights]
        wanted.append(np.log(each).sum(axis=1).mean())
    found = networks.labelling_scores(np.concatenate(words), offsets, np.concatenate(labels))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    without = np.where(np.arange(8) == 3, -1, np.concatenate(labels))
    assert networks.labelling_scores(np.concatenate(words), offsets, without)[1] == 0.0


def test_many_sequences_are_worked_on_in_parts(monkeypatch):
    random = np.random.default_rng(1)
    networks = random_network(random)
    symbols, offsets = random.integers(0, 5, 20), np.array([0, 3, 4, 9, 13, 20])
    whole = networks.log_probabilities(symbols, offsets)
    monkeypatch.setattr("weft.rewriting.network.recurrent.SEQUENCES_AT_ONCE", 2)
    np.testing.assert_allclose(networks.log_probabilities(symbols, offsets), whole)
    assert networks.log_probabilities(symbols[:0], offsets[:1]).shape == (0, 4)
    table = random.integers(0, 4, (6, 2))
    chosen = networks.log_probabilities(symbols, offsets, table)
    np.testing.assert_allclose(chosen, np.take_along_axis(whole, table[symbols], axis=1))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("history", [0, 3])
def test_derivatives_equal_differences(seed, dropped, history):
    random = np.random.default_rng(seed)
    networks = random_network(random, history)
    weights, shape = networks.weights[0], networks.shape
    symbols, offsets = np.array([0, 1, 2, 3, 1, 0, 4]), np.array([0, 4, 6, 7])
    batch = PackedSequences.build(symbols, offsets, shape.n_symbols)
    labels = np.array([random.choice(np.flatnonzero(networks.allowed[s])) for s in symbols])
    sample_weight = random.random(len(symbols))
    drops = {}
    if dropped:
        for name, (width, _, has_boundaries) in shape.droppable.items():
            rows = len(batch.symbols if has_boundaries else batch.inner)
            drops[name] = (random.random((rows, width)) > 0.3) * 1.4

    packed = (batch, labels[batch.positions], sample_weight[batch.positions], drops)

    def loss(point):
        return networks.loss_and_slope(point, *packed)[0]

    slope = networks.loss_and_slope(weights, *packed)[1]
    steps = 1e-6 * np.eye(len(weights))
    differences = np.array([(loss(weights + step) - loss(weights - step)) / 2e-6 for step in steps])
    np.testing.assert_allclose(slope, differences, atol=1e-7)
    if not dropped:
        probabilities = np.concatenate(
            [plain_probabilities(networks, weights, symbols[a:b], labels[a:b]) for a, b in itertools.pairwise(offsets)]
        )
        assert loss(weights) == pytest.approx(-sample_weight @ np.log(probabilities[np.arange(len(labels)), labels]))

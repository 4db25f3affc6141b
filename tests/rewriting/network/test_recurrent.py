"""The recurrent network: its layers against plain loops, its derivatives against differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.rewriting.network.recurrent import Networks
from weft.rewriting.network.shape import NetworkShape, PaddedSequences


def random_network(random, radius=1, n_memories=1, narrow=0, history=0):
    shape = NetworkShape(5, 4, 3, 3, 4, 2, radius, n_memories, narrow, history)
    allowed = random.random((5, 4)) > 0.3
    allowed[:, 0] = allowed[-1] = True
    weights = np.stack([shape.start(random).astype(np.float64) for _ in range(2)])
    weights += 0.3 * random.standard_normal(weights.shape)
    return Networks(shape, weights, allowed, (random.random((4, 3)) > 0.5).astype(np.float64))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def plain_probabilities(networks, weights, word, labels=()):
    """The network by loops over positions, from its definition, given the labels before each."""
    shape, layers = networks.shape, networks.shape.views(weights)
    symbols = [shape.n_symbols, *word, shape.n_symbols]
    vectors = [layers["vectors"][s] for s in symbols]
    together = []
    for t in range(len(symbols)):
        window = []
        for s in range(t - shape.radius, t + shape.radius + 1):
            window.extend(vectors[s] if 0 <= s < len(symbols) else np.zeros(shape.vector))
        hidden = np.maximum(np.array(window) @ layers["window"] + layers["window_bias"], 0.0)
        together.append(np.concatenate([vectors[t], hidden]))
    g, below, seen = shape.memory, together, [together]
    for name in ["gates", "gates_2", "gates_3"][: shape.n_memories]:
        gates = [each @ layers[name] + layers[f"{name}_bias"] for each in below]
        shown = np.zeros((len(symbols), 2 * g))
        for half, order in ((slice(0, g), range(len(symbols))), (slice(g, 2 * g), range(len(symbols) - 1, -1, -1))):
            state = np.zeros(g)
            for t in order:
                new, keep = np.tanh(gates[t][: 2 * g][half]), sigmoid(gates[t][2 * g : 4 * g][half])
                state = keep * state + (1 - keep) * new
                shown[t, half] = state * sigmoid(gates[t][4 * g :][half])
        below = list(shown)
        seen.append(below)
    rows, recalled = [], np.zeros(shape.history)
    for t in range(1, len(symbols) - 1):
        everything = np.concatenate([layer[t] for layer in seen])
        if shape.history:
            before = [labels[t - 1 - k] if t - 1 - k >= 0 else shape.n_labels for k in (1, 2)]
            written = np.concatenate([layers["written"][label] for label in before])
            gates = np.concatenate([seen[-1][t], written]) @ layers["recall"] + layers["recall_bias"]
            new, keep, shown = np.split(gates, 3)
            recalled = sigmoid(keep) * recalled + (1 - sigmoid(keep)) * np.tanh(new)
            everything = np.concatenate([everything, written, recalled * sigmoid(shown)])
        if shape.narrow:
            everything = np.maximum(everything @ layers["narrow"] + layers["narrow_bias"], 0.0)
        scores = everything @ layers["labels"] + layers["labels_bias"]
        scores += networks.traits @ (everything @ layers["traits"] + layers["traits_bias"])
        scores = np.where(networks.allowed[symbols[t]], np.exp(scores), 0.0)
        rows.append(scores / scores.sum())
    return np.array(rows)


@settings(max_examples=25)
@given(
    words=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=4),
    radius=st.integers(0, 2),
    n_memories=st.integers(1, 3),
    narrow=st.sampled_from([0, 3]),
    seed=st.integers(0, 100),
)
def test_probabilities_equal_those_of_plain_loops(words, radius, n_memories, narrow, seed):
    networks = random_network(np.random.default_rng(seed), radius, n_memories, narrow)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    found = networks.log_probabilities(np.concatenate(words), offsets)
    wanted = np.concatenate(
        [np.mean([plain_probabilities(networks, each, word) for each in networks.weights], axis=0) for word in words]
    )
    np.testing.assert_allclose(np.exp(found), np.maximum(wanted, 1e-30), rtol=1e-9, atol=1e-30)


@pytest.mark.parametrize("sizes", [(1, 0, 0), (1, 0, 2), (2, 3, 3)])
def test_scores_of_labellings_equal_those_of_plain_loops(sizes, monkeypatch):
    monkeypatch.setattr("weft.rewriting.network.recurrent.SEQUENCES_AT_ONCE", 2)
    random = np.random.default_rng(3)
    networks = random_network(random, 1, *sizes)
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
@pytest.mark.parametrize("sizes", [(1, 0, 0), (2, 0, 0), (1, 5, 0), (1, 0, 2), (3, 3, 4)])
def test_derivatives_equal_differences(seed, dropped, sizes):
    random = np.random.default_rng(seed)
    networks = random_network(random, seed % 3, *sizes)
    weights, shape = networks.weights[0], networks.shape
    symbols, offsets = np.array([0, 1, 2, 3, 1, 0, 4]), np.array([0, 4, 6, 7])
    batch = PaddedSequences.build(symbols, offsets, shape.n_symbols, shape.radius)
    labels = np.array([random.choice(np.flatnonzero(networks.allowed[s])) for s in symbols])
    sample_weight = random.random(len(symbols))
    drops = {}
    if dropped:
        for name, (width, _, has_boundaries) in shape.droppable.items():
            rows = len(batch.symbols if has_boundaries else batch.inner)
            drops[name] = (random.random((rows, width)) > 0.3) * 1.4

    def loss(point):
        return networks.loss_and_slope(point, batch, labels, sample_weight, drops)[0]

    slope = networks.loss_and_slope(weights, batch, labels, sample_weight, drops)[1]
    steps = 1e-6 * np.eye(len(weights))
    differences = np.array([(loss(weights + step) - loss(weights - step)) / 2e-6 for step in steps])
    np.testing.assert_allclose(slope, differences, atol=1e-7)
    if not dropped:
        probabilities = np.concatenate(
            [plain_probabilities(networks, weights, symbols[a:b], labels[a:b]) for a, b in itertools.pairwise(offsets)]
        )
        assert loss(weights) == pytest.approx(-sample_weight @ np.log(probabilities[np.arange(len(labels)), labels]))


def test_a_fresh_network_is_small_and_knows_nothing_of_unseen_symbols():
    shape = NetworkShape(5, 4, 3, 8, 8, 8, 1)
    weights = shape.start(np.random.default_rng(0))
    assert len(weights) == shape.n_weights == sum(array.size for array in shape.views(weights).values())
    assert not shape.views(weights)["vectors"][4].any()
    assert weights.dtype == np.float32

"""The recurrent network: its layers against plain loops, its derivatives against differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.rewriting.network.recurrent import Networks, NetworkShape, PaddedSequences


def random_network(random, radius=1):
    shape = NetworkShape(n_symbols=5, n_labels=4, n_traits=3, vector=3, hidden=4, memory=2, radius=radius)
    allowed = random.random((5, 4)) > 0.3
    allowed[:, 0] = allowed[-1] = True
    weights = np.stack([shape.start(random).astype(np.float64) for _ in range(2)])
    weights += 0.3 * random.standard_normal(weights.shape)
    return Networks(shape, weights, allowed, (random.random((4, 3)) > 0.5).astype(np.float64))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def plain_probabilities(networks, weights, word):
    """The network by loops over positions, from its definition."""
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
    gates = [each @ layers["gates"] + layers["gates_bias"] for each in together]
    g = shape.memory
    memories = np.zeros((len(symbols), 2 * g))
    for half, order in ((slice(0, g), range(len(symbols))), (slice(g, 2 * g), range(len(symbols) - 1, -1, -1))):
        state = np.zeros(g)
        for t in order:
            new, keep = np.tanh(gates[t][: 2 * g][half]), sigmoid(gates[t][2 * g : 4 * g][half])
            state = keep * state + (1 - keep) * new
            memories[t, half] = state * sigmoid(gates[t][4 * g :][half])
    rows = []
    for t in range(1, len(symbols) - 1):
        everything = np.concatenate([together[t], memories[t]])
        scores = everything @ layers["labels"] + layers["labels_bias"]
        scores += networks.traits @ (everything @ layers["traits"] + layers["traits_bias"])
        scores = np.where(networks.allowed[symbols[t]], np.exp(scores), 0.0)
        rows.append(scores / scores.sum())
    return np.array(rows)


@settings(max_examples=25)
@given(
    words=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=4),
    radius=st.integers(0, 2),
    seed=st.integers(0, 100),
)
def test_probabilities_equal_those_of_plain_loops(words, radius, seed):
    networks = random_network(np.random.default_rng(seed), radius)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    found = networks.log_probabilities(np.concatenate(words), offsets)
    wanted = np.concatenate(
        [np.mean([plain_probabilities(networks, each, word) for each in networks.weights], axis=0) for word in words]
    )
    np.testing.assert_allclose(np.exp(found), np.maximum(wanted, 1e-30), rtol=1e-9, atol=1e-30)


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
def test_derivatives_equal_differences(seed, dropped):
    random = np.random.default_rng(seed)
    networks = random_network(random, radius=seed % 3)
    weights, shape = networks.weights[0], networks.shape
    symbols, offsets = np.array([0, 1, 2, 3, 1, 0, 4]), np.array([0, 4, 6, 7])
    batch = PaddedSequences.build(symbols, offsets, shape.n_symbols, shape.radius)
    labels = np.array([random.choice(np.flatnonzero(networks.allowed[s])) for s in symbols])
    sample_weight = random.random(len(symbols))
    drops = None
    if dropped:
        sizes = (shape.vector, shape.hidden, 2 * shape.memory)
        drops = tuple((random.random((len(batch.symbols), size)) > 0.3) * 1.4 for size in sizes)

    def loss(point):
        return networks.loss_and_slope(point, batch, labels, sample_weight, drops)[0]

    slope = networks.loss_and_slope(weights, batch, labels, sample_weight, drops)[1]
    steps = 1e-6 * np.eye(len(weights))
    differences = np.array([(loss(weights + step) - loss(weights - step)) / 2e-6 for step in steps])
    np.testing.assert_allclose(slope, differences, atol=1e-7)
    if not dropped:
        probabilities = np.concatenate(
            [plain_probabilities(networks, weights, symbols[a:b]) for a, b in itertools.pairwise(offsets)]
        )
        assert loss(weights) == pytest.approx(-sample_weight @ np.log(probabilities[np.arange(len(labels)), labels]))


def test_a_fresh_network_is_small_and_knows_nothing_of_unseen_symbols():
    shape = NetworkShape(5, 4, 3, 8, 8, 8, 1)
    weights = shape.start(np.random.default_rng(0))
    assert len(weights) == shape.n_weights == sum(array.size for array in shape.views(weights).values())
    assert not shape.views(weights)["vectors"][4].any()
    assert weights.dtype == np.float32

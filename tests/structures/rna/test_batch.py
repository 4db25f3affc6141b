"""Tests of `weft.structures.rna.batch`."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import weft
from rna_examples import as_pairs
from rna_oracle import structures
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.structures import LoopModel
from weft.structures.rna.batch import LoopBatch

MODEL = LoopModel()
SEQUENCES = ["gggaaaaccc", "gcgcaaaagcgc", "aggcaaaagcca"]
STRUCTURES = ["(((....)))", "((((....))))", ".(((....)))."]


@pytest.fixture
def batch():
    symbols = [MODEL.encode(x) for x in SEQUENCES]
    return LoopBatch(MODEL, symbols, [as_pairs(y) for y in STRUCTURES], n_jobs=1)


def test_the_gradient_is_the_derivative(batch):
    weights = np.random.default_rng(0).normal(scale=0.1, size=batch.n_features)
    direction = np.random.default_rng(1).normal(size=batch.n_features)
    step = 1e-5
    up, down = (batch.log_partition_and_mean(weights + sign * step * direction)[0] for sign in (1, -1))
    value, mean = batch.log_partition_and_mean(weights)
    assert (up - down) / (2 * step) == pytest.approx(mean @ direction, rel=1e-6)
    assert value >= batch.argmax(weights)[1].sum()


@pytest.mark.parametrize("learner", [weft.CRF(c2=0.1), weft.Perceptron(), weft.StructuredSVM(max_iter=5)], ids=str)
def test_learners(batch, learner):
    with Monitor(0) as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
    for found, wanted in zip(batch.argmax(weights)[0], batch.reference(), strict=True):
        assert found.tolist() == wanted.tolist()


EVERY = [structures(tuple(MODEL.encode(x).tolist()), 3) for x in SEQUENCES]
FEATURES = [
    np.array([MODEL.rule_features.T @ MODEL.counts(MODEL.encode(x), pairs) for pairs in every])
    for x, every in zip(SEQUENCES, EVERY, strict=True)
]


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


def losses(place):
    wanted = as_set(as_pairs(STRUCTURES[place]))
    return np.array([len(as_set(pairs) ^ wanted) for pairs in EVERY[place]], dtype=float)


@pytest.fixture
def weights():
    return np.random.default_rng(5).normal(scale=0.3, size=MODEL.n_features)


def test_given_outputs(batch, weights):
    outputs = [every[-1] for every in EVERY]
    rows = batch.features_of(outputs)
    assert rows.has_canonical_format
    np.testing.assert_allclose(rows.toarray(), [f[-1] for f in FEATURES])
    np.testing.assert_allclose(batch.scores(weights, outputs), [f[-1] @ weights for f in FEATURES])
    np.testing.assert_array_equal(batch.losses(outputs), [losses(i)[-1] for i in range(3)])
    np.testing.assert_allclose(batch.observed(), batch.features_of(batch.reference()).sum(axis=0))
    assert batch.losses([[], [], []]).tolist() == [len(pairs) for pairs in batch.reference()]
    with pytest.raises(InputError, match=r"no pairs of positions of X\[0\]"):
        batch.losses([np.array([[0, 900]]), *outputs[1:]])


def test_best_outputs_with_a_loss(batch, weights):
    outputs, scores = batch.argmax(weights, loss=2.0)
    np.testing.assert_allclose(scores, [(f @ weights + 2.0 * losses(i)).max() for i, f in enumerate(FEATURES)])
    np.testing.assert_allclose(batch.scores(weights, outputs) + 2.0 * batch.losses(outputs), scores)
    assert [len(own) for own in batch.kbest(weights, 10_000)] == list(map(len, EVERY))


def test_covariances_equal_enumeration(batch, weights):
    direction, wanted, means = np.random.default_rng(6).normal(size=len(weights)), np.zeros(len(weights)), []
    for i, f in enumerate(FEATURES):
        p = np.exp(f @ weights) / np.exp(f @ weights).sum()
        values = f @ direction + 0.7 * losses(i)
        means.append(p @ values)
        wanted += (p * (values - means[-1])) @ f
    found = batch.covariance_with(weights, direction, loss=0.7)
    np.testing.assert_allclose(found[0], wanted, atol=1e-9)
    np.testing.assert_allclose(found[1], means)
    found = batch.score_moments(weights)
    np.testing.assert_allclose(found[0], [(f @ weights).mean() for f in FEATURES])
    np.testing.assert_allclose(found[1], [(f @ weights).var() for f in FEATURES])


def test_second_moments_of_other_weights_than_the_last():
    batch = LoopBatch(MODEL, [MODEL.encode("gcaaagcuagcuugac" * 12)], n_jobs=1)
    bases = np.zeros(MODEL.n_features)
    bases[MODEL.feature_names.index("exterior_base")] = 20.0
    batch.log_partition_and_mean(bases)
    other, direction = bases / 100, np.ones(MODEL.n_features)
    again = batch.select([0]).covariance_product(other, direction)
    np.testing.assert_allclose(batch.covariance_product(other, direction), again, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_the_most_accurate_structures_have_most_right(batch, weights, gamma):
    for i, (found, [paired]) in enumerate(
        zip(batch.most_accurate(weights, gamma), batch.marginals(weights), strict=True)
    ):
        unpaired = 1.0 - paired.sum(axis=0) - paired.sum(axis=1)

        def accuracy(pairs, paired=paired, unpaired=unpaired):
            alone = np.ones(len(unpaired), dtype=bool)
            alone[pairs.ravel()] = False
            return 2.0 * gamma * paired[pairs[:, 0], pairs[:, 1]].sum() + unpaired[alone].sum()

        assert accuracy(found) == pytest.approx(max(map(accuracy, EVERY[i])))


@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0, 3.0])
def test_structures_of_the_largest_expected_f1(batch, weights, scale):
    """No pairs at all are taken if the truth has none more probably than any structure has of the ratio."""
    weights = scale * weights
    chances = [np.exp(batch.select([i]).scores(weights, [np.empty((0, 2), dtype=np.int32)])) for i in range(3)]
    chances = np.concatenate(chances) / np.exp(batch.log_partitions(weights))
    everything = zip(batch.most_accurate(weights, None), batch.marginals(weights), chances, EVERY, strict=True)
    for found, [paired], chance, every in everything:

        def ratio(pairs, paired=paired, chance=chance):
            right = 2.0 * paired[pairs[:, 0], pairs[:, 1]].sum()
            return right / (len(pairs) + paired.sum()) if len(pairs) else chance

        assert ratio(found) == pytest.approx(max(map(ratio, every)))


def test_unstructured_rna_stays_unpaired_by_the_largest_f1():
    batch = LoopBatch(MODEL, [MODEL.encode("aaacaaaaaagaaa"), MODEL.encode("gggcgaaagccc")], n_jobs=1)
    alone, paired = batch.most_accurate(MODEL.prior, None)
    assert len(alone) == 0
    assert len(paired) == 4


def test_the_most_accurate_structure_has_no_loop_that_is_too_long():
    """Two pairs that exclude each other are likely, each inside of others; both together are no structure."""
    x = "g" + "a" * 16 + "gaaac" + "a" * 16 + "c"
    batch = LoopBatch(MODEL, [MODEL.encode(x)], n_jobs=1)
    [pairs] = batch.most_accurate(np.zeros(MODEL.n_features), 100.0)
    assert len(pairs) == 1
    [pairs] = batch.most_accurate(np.zeros(MODEL.n_features), None)
    assert MODEL.is_structure(MODEL.encode(x), pairs)
    assert not MODEL.is_structure(MODEL.encode(x), np.array([[0, 38], [17, 21]]))


def test_what_else_a_batch_answers(batch):
    weights = np.zeros(batch.n_features)
    samples = batch.sample(weights, 400, np.random.default_rng(0))
    n = len(SEQUENCES[0])
    frequencies = np.zeros((n, n))
    for outputs in samples:
        frequencies[outputs[0][:, 0], outputs[0][:, 1]] += 1 / len(samples)
    np.testing.assert_allclose(frequencies, batch.marginals(weights)[0][0], atol=0.1)
    assert batch.sampled_moments(5, np.random.default_rng(0)).mean.shape == weights.shape
    assert not hasattr(batch, "generative_weights")
    with pytest.raises(InputError, match="Generative needs 'generative_weights', which LoopBatch does not"):
        weft.Generative().learn(batch, weights, Monitor(), np.random.default_rng(0))


def test_moments_of_a_batch_are_sums_over_sequences(batch):
    moments = batch.moments()
    each = [MODEL.moments(x) for x in SEQUENCES]
    np.testing.assert_allclose(moments.mean, sum(own.mean for own in each))
    vector = np.random.default_rng(0).normal(size=batch.n_features)
    np.testing.assert_allclose(moments.product(vector), sum(own.covariance @ vector for own in each), atol=1e-9)
    pair = MODEL.feature_names.index("pair_cg")
    assert moments.loss_covariance()[pair] < 0.0  # references are full of pairs: more of them, less loss


def test_moments_do_not_hang_on_the_number_of_threads_of_the_library_of_linear_algebra():
    batch = LoopBatch(MODEL, [MODEL.encode("gggaaaaccc"), MODEL.encode("gcgcaaaagcgc")], n_jobs=1)
    for seed in range(3):
        weights = np.random.default_rng(seed).normal(size=batch.n_features)
        with threadpool_limits(1, "blas"):
            wanted = batch.score_moments(weights)
        for found, own in zip(batch.score_moments(weights), wanted, strict=True):
            assert found.tobytes() == own.tobytes()

"""Every query of a Hankel chain against enumeration of all labellings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hankel_problems import make, slow_score
from weft.errors import InputError
from weft.structures.hankel.batch import HankelBatch

UNSEEN = ["azb", "zz", "b", "cab"]


def random_weights(chain, seed, rank=2):
    random = np.random.default_rng(seed)
    size = chain.base.n_features + (
        rank * (chain.n_rows + chain.n_columns) if chain.factored else chain.n_rows * chain.n_columns
    )
    return random.normal(size=size)


SHAPES = [
    {"order": 2},
    {"order": 3, "sparse": False},
    {"order": 3, "sparse": False, "boundary": False},
    {"order": 3, "shorter": True, "boundary": False},
    {"order": 3, "shorter": True, "constrained": True},
    {"order": 4, "constraints": [("p", "p"), ("q", "r")]},
    {"order": 3, "factored": True},
]


@pytest.mark.parametrize("options", SHAPES, ids=str)
@settings(max_examples=4)
@given(seed=st.integers(0, 1000))
def test_every_query_equals_enumeration(options, seed):
    encoder, chain, _, _ = make(**options)
    weights = random_weights(chain, seed)
    corpus = encoder.encode(UNSEEN)
    batch = HankelBatch(chain, corpus, n_jobs=2)
    labels, best = batch.argmax(weights)
    best_of = batch.kbest(weights, 4)
    marginals, log_partitions = batch.marginals(weights), batch.log_partitions(weights)
    accurate, (means, variances) = batch.split(batch.most_accurate(weights)), batch.score_moments(weights)
    drawn = [batch.split(labels) for labels in batch.sample(weights, 1000, np.random.default_rng(seed))]
    for i, (begin, end) in enumerate(zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)):
        symbols = batch.symbols[begin:end]
        outputs = np.array(list(product(range(3), repeat=end - begin)))
        scores = np.array([slow_score(chain, weights, symbols, output) for output in outputs])
        order = np.argsort(-scores, kind="stable")
        assert best[i] == pytest.approx(scores[order[0]])
        assert slow_score(chain, weights, symbols, labels[begin:end]) == pytest.approx(best[i])
        some = [scores[o] for o in order[:4] if scores[o] > -np.inf]
        np.testing.assert_allclose([score for _, score in best_of[i]], some)
        for found, score in best_of[i]:
            assert slow_score(chain, weights, symbols, found) == pytest.approx(score)
        weight = np.exp(scores - scores.max())
        assert log_partitions[i] == pytest.approx(scores.max() + np.log(weight.sum()))
        for t in range(end - begin):
            expected = np.bincount(outputs[:, t], weights=weight, minlength=3) / weight.sum()
            np.testing.assert_allclose(marginals[i][t], expected, atol=1e-12)
            assert expected[accurate[i][t]] == pytest.approx(expected.max())
        finite = scores[scores > -np.inf]
        assert means[i] == pytest.approx(finite.mean(), abs=1e-9)
        assert variances[i] == pytest.approx(finite.var(), abs=1e-9)
        p = weight / weight.sum()
        places = [np.ravel_multi_index(tuple(labels[i]), (3,) * (end - begin)) for labels in drawn]
        counts = np.bincount(places, minlength=len(outputs))
        assert (np.abs(counts - 1000 * p) <= 6.0 * np.sqrt(1000 * p * (1.0 - p)) + 6.0 * (p > 0)).all()


@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_losses_steps_and_gradients_follow_the_scores(options):
    constraints = options.get("constraints")
    options = {**options, "constraints": None if constraints is None else [("r", "r")]}
    _, chain, corpus, labels = make(**options)
    weights = random_weights(chain, 7)
    batch = HankelBatch(chain, corpus, labels, sample_weight=np.array([1.0, 2, 1, 1, 0.5]), n_jobs=2)
    violating, losses = batch.most_violating(weights)
    for i, (begin, end) in enumerate(zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)):
        symbols, gold = batch.symbols[begin:end], labels[begin:end]
        worst = max(
            slow_score(chain, weights, symbols, output) + np.sum(gold != output)
            for output in product(range(3), repeat=end - begin)
        )
        assert losses[i] == pytest.approx(worst - slow_score(chain, weights, symbols, gold))
    some = np.array([3, 0])
    few, few_losses = batch.most_violating(weights, some)
    assert few_losses[[1, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(few_losses[some], losses[some])
    np.testing.assert_array_equal(
        few[corpus.offsets[3] : corpus.offsets[4]], violating[corpus.offsets[3] : corpus.offsets[4]]
    )
    if chain.factored:
        return
    # The steps are the counts of the reference minus those of the other labels.
    cells, signs = batch.window_steps(violating)
    change = np.zeros((chain.n_rows, chain.n_columns))
    np.add.at(change, tuple(cells.T), signs)
    other = HankelBatch(chain, corpus, violating, batch.sample_weight)
    np.testing.assert_allclose(change, batch.observed_windows() - other.observed_windows(), atol=1e-12)

    def objective(vector):
        value, _, _ = batch.partition_and_windows(vector, cost=0.5)
        return value - batch.sample_weight @ batch.scores(vector, labels)

    _, mean, cells = batch.partition_and_windows(weights, cost=0.5)
    gradient = np.concatenate([mean - batch.base.observed(), (cells - batch.observed_windows()).reshape(-1)])
    direction = np.random.default_rng(1).normal(size=len(weights))
    slope = (objective(weights + 1e-5 * direction) - objective(weights - 1e-5 * direction)) / 2e-5
    assert gradient @ direction == pytest.approx(slope, rel=1e-6)


def enumerated(chain, batch, weights, i):
    """All labellings that a sequence has, and their scores."""
    begin, end = batch.corpus.offsets[i : i + 2]
    outputs = [np.array(output, dtype=np.int32) for output in product(range(3), repeat=end - begin)]
    scores = np.array([slow_score(chain, weights, batch.symbols[begin:end], output) for output in outputs])
    return [output for output, score in zip(outputs, scores, strict=True) if score > -np.inf], scores[scores > -np.inf]


@pytest.mark.parametrize("options", [shape for shape in SHAPES if "factored" not in shape], ids=str)
def test_features_and_moments_equal_enumeration(options):
    constraints = options.get("constraints")
    options = {**options, "constraints": None if constraints is None else [("r", "r")]}
    _, chain, corpus, labels = make(**options)
    weights, direction = random_weights(chain, 3), random_weights(chain, 4)
    sample_weight = np.array([1.0, 2, 1, 0, 0.5])
    batch = HankelBatch(chain, corpus, labels, sample_weight=sample_weight, n_jobs=2)
    rows = batch.features_of(labels)
    assert rows.shape == (5, batch.n_features)
    assert rows.has_canonical_format
    np.testing.assert_allclose(rows @ weights, batch.scores(weights, labels))
    np.testing.assert_allclose(batch.observed(), rows.T @ sample_weight)
    windows = batch.observed()[chain.base.n_features :].reshape(chain.n_rows, chain.n_columns)
    np.testing.assert_allclose(windows, batch.observed_windows())
    product_, means = batch.covariance_with(weights, direction, loss=1.5)
    total, mean = batch.log_partition_and_mean(weights)
    best = batch.argmax(weights, loss=1.5)
    expected_product, expected_mean, log_partition = np.zeros(len(weights)), np.zeros(len(weights)), 0.0
    for i in range(5):
        outputs, scores = enumerated(chain, batch, weights, i)
        own = batch.select([i])
        features = np.array([own.features_of(output).toarray()[0] for output in outputs])
        np.testing.assert_allclose(features @ weights, scores)
        wrong = np.array([np.sum(output != own.reference()) for output in outputs])
        assert [own.losses(output)[0] for output in outputs] == wrong.tolist()
        assert best[1][i] == pytest.approx((scores + 1.5 * wrong).max())
        p = np.exp(scores - scores.max())
        log_partition += sample_weight[i] * (scores.max() + np.log(p.sum()))
        p /= p.sum()
        along = features @ direction + 1.5 * wrong
        assert means[i] == pytest.approx(p @ along)
        expected_mean += sample_weight[i] * p @ features
        expected_product += sample_weight[i] * (features - p @ features).T @ (p * (along - p @ along))
    assert total == pytest.approx(log_partition)
    np.testing.assert_allclose(mean, expected_mean, atol=1e-9)
    np.testing.assert_allclose(product_, expected_product, atol=1e-9)
    assert np.abs(features).max() <= batch.largest_feature()
    moments = batch.moments()
    assert moments.difference @ direction == pytest.approx(
        sample_weight @ (batch.scores(direction, labels) - batch.covariance_with(np.zeros(len(weights)), direction)[1])
    )


def test_weighted_and_selected_batches_ask_the_same_sequences():
    _, chain, corpus, labels = make(order=3)
    batch = HankelBatch(chain, corpus, labels, n_jobs=1)
    only = batch.weighted(np.array([0.0, 2.0, 0.0, 1.0, 0.0]))
    part = batch.select([1, 3]).weighted(np.array([2.0, 1.0]))
    np.testing.assert_allclose(only.observed_windows(), part.observed_windows())
    np.testing.assert_allclose(only.base.observed(), part.base.observed())
    predicted = np.zeros_like(labels)
    np.testing.assert_allclose(
        only.sparse_steps(predicted), part.sparse_steps(part.join([batch.split(predicted)[i] for i in (1, 3)]))
    )
    assert batch.sample_weight.tolist() == [1.0] * 5


def test_factors_have_scores_but_no_features():
    _, chain, corpus, labels = make(order=3, factored=True)
    batch, weights = HankelBatch(chain, corpus, labels), random_weights(chain, 0)
    for ask in (
        lambda: batch.features_of(labels),
        lambda: batch.log_partition_and_mean(weights),
        lambda: batch.covariance_with(weights, weights),
    ):
        with pytest.raises(InputError, match="keeps its Hankel matrix in factors") as caught:
            ask()
        assert "\n" not in str(caught.value)

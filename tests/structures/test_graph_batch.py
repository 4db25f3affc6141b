"""Graphs bound to data answer every query as enumeration does, and every learner can ask them."""

import numpy as np
import pytest

import weft
from weft.core import DerivationGraph
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.learners.perceptron import perceptron_passes
from weft.structures import Chain, GraphBatch
from weft.structures.online import PerceptronState
from weft.testing.oracles import enumerate_derivations

CHAIN = Chain(n_labels=2, n_symbols=3)
X = [[0, 1, 2, 0], [2, 1], [1]]
Y = [[0, 1, 1, 0], [1, 1], [1]]
SAMPLE_WEIGHT = np.array([1.0, 2.0, 0.5])
GRAPHS = [CHAIN.compile(len(x)) for x in X]
ROWS = [CHAIN.part_features(x) for x in X]
OUTPUTS = [
    [parts[parts >= 0] for parts in (graph.parts[list(edges)] for edges in enumerate_derivations(graph))]
    for graph in GRAPHS
]
FEATURES = [
    np.array([rows.T @ np.bincount(parts, minlength=graph.n_parts) for parts in outputs])
    for graph, rows, outputs in zip(GRAPHS, ROWS, OUTPUTS, strict=True)
]


def labels_of(parts, length):
    """Parts below 2 * length say which label stands where."""
    return [int(part) % 2 for part in np.sort(parts[parts < 2 * length])]


REFERENCES = [
    [labels_of(parts, len(labels)) for parts in outputs].index(labels)
    for outputs, labels in zip(OUTPUTS, Y, strict=True)
]
REFERENCE_PARTS = [outputs[number] for outputs, number in zip(OUTPUTS, REFERENCES, strict=True)]


@pytest.fixture
def batch():
    return GraphBatch(GRAPHS, ROWS, REFERENCE_PARTS, SAMPLE_WEIGHT)


@pytest.fixture
def weights():
    return np.random.default_rng(1).normal(size=len(CHAIN.feature_names))


def probabilities(weights):
    values = [np.exp(features @ weights) for features in FEATURES]
    return [each / each.sum() for each in values]


def number_of(place, parts):
    """Which of all outputs of an input has these parts."""
    return [sorted(own.tolist()) for own in OUTPUTS[place]].index(sorted(parts.tolist()))


def losses(place):
    wanted = set(REFERENCE_PARTS[place].tolist())
    return np.array([len(wanted ^ set(parts.tolist())) for parts in OUTPUTS[place]], dtype=float)


def test_references(batch, weights):
    wanted = np.array([CHAIN.features(x, y) for x, y in zip(X, Y, strict=True)])
    np.testing.assert_allclose(batch.observed(), SAMPLE_WEIGHT @ wanted)
    np.testing.assert_allclose(batch.scores(weights, REFERENCE_PARTS), wanted @ weights)
    rows = batch.features_of(batch.join(batch.split(REFERENCE_PARTS)))
    assert rows.has_canonical_format
    np.testing.assert_allclose(rows.toarray(), wanted)
    first = [outputs[0] for outputs in OUTPUTS]
    np.testing.assert_array_equal(batch.losses(first), [losses(i)[0] for i in range(3)])


def test_a_loss_counts_how_often_parts_occur():
    twice = DerivationGraph.build([0, 1], [[-1, -1], [0, 0]], [0, -1], n_nodes=2, n_parts=3)
    batch = GraphBatch([twice] * 2, [np.eye(3)] * 2, [[0, 0], [0, 0]])
    assert batch.losses([[0], [0, 1, 0, 2, 2]]).tolist() == [1.0, 3.0]
    assert batch.features_of([[0, 0], [2, 1, 2]]).toarray().tolist() == [[2, 0, 0], [0, 1, 2]]


@pytest.mark.parametrize("loss", [0.7, -1.3])
def test_best_outputs_with_a_loss(batch, weights, loss):
    outputs, scores = batch.argmax(weights, loss)
    wanted = [(f @ weights + loss * losses(i)).max() for i, f in enumerate(FEATURES)]
    np.testing.assert_allclose(scores, wanted)
    np.testing.assert_allclose(batch.scores(weights, outputs) + loss * batch.losses(outputs), wanted)


def test_some_of_the_inputs_and_other_weights(batch, weights):
    some = batch.select([2, 0, 2])
    whole = GraphBatch(
        [GRAPHS[i] for i in (2, 0, 2)],
        [ROWS[i] for i in (2, 0, 2)],
        [REFERENCE_PARTS[i] for i in (2, 0, 2)],
        SAMPLE_WEIGHT[[2, 0, 2]],
    )
    for query in (
        lambda own: own.log_partition_and_mean(weights)[1],
        lambda own: own.observed(),
        lambda own: own.covariance_with(weights, weights, 0.5)[1],
        lambda own: own.losses([outputs[0] for outputs in (OUTPUTS[2], OUTPUTS[0], OUTPUTS[2])]),
        lambda own: own.expectations(weights),
        lambda own: np.concatenate(own.select([1]).argmax(weights, 1.0)[0]),
    ):
        np.testing.assert_array_equal(query(some), query(whole))
    other = batch.weighted(np.array([0.0, 3.0, 0.0]))
    np.testing.assert_allclose(other.observed(), 3.0 * FEATURES[1][REFERENCES[1]])
    with pytest.raises(InputError, match="no input was selected"):
        batch.select([])
    with pytest.raises(InputError, match=r"sequences\[0\] is 3"):
        batch.select([3])


def test_best_outputs(batch, weights):
    outputs, scores = batch.argmax(weights)
    ranked = batch.kbest(weights, 3)
    for place, (parts, score) in enumerate(zip(outputs, scores, strict=True)):
        all_scores = np.sort(FEATURES[place] @ weights)[::-1]
        assert score == pytest.approx(all_scores[0])
        assert FEATURES[place][number_of(place, parts)] @ weights == pytest.approx(score)
        np.testing.assert_allclose([own for _, own in ranked[place]], all_scores[:3])


def test_sums_over_all_outputs(batch, weights):
    total, mean = batch.log_partition_and_mean(weights)
    shares = probabilities(weights)
    partitions = [np.log(np.exp(features @ weights).sum()) for features in FEATURES]
    means = np.array([share @ features for share, features in zip(shares, FEATURES, strict=True)])
    assert total == pytest.approx(SAMPLE_WEIGHT @ partitions)
    np.testing.assert_allclose(mean, SAMPLE_WEIGHT @ means)
    direction = np.arange(len(weights), dtype=float)
    covariance = sum(
        sample_weight * np.cov(features.T, aweights=share, ddof=0)
        for sample_weight, features, share in zip(SAMPLE_WEIGHT, FEATURES, shares, strict=True)
    )
    np.testing.assert_allclose(batch.covariance_product(weights, direction), covariance @ direction)
    np.testing.assert_allclose(batch.expectations(weights), means)
    np.testing.assert_allclose(batch.log_partitions(weights), partitions)
    for place, own in enumerate(batch.marginals(weights)):
        marked = np.array([np.bincount(parts, minlength=GRAPHS[place].n_parts) for parts in OUTPUTS[place]])
        np.testing.assert_allclose(own, shares[place] @ marked)


@pytest.mark.parametrize("loss", [0.0, 0.7])
def test_covariance_with_a_direction_and_a_loss(batch, weights, loss):
    direction = np.random.default_rng(2).normal(size=len(weights))
    covariance, wanted = np.zeros(len(weights)), []
    for i, (p, f) in enumerate(zip(probabilities(weights), FEATURES, strict=True)):
        values = f @ direction + loss * losses(i)
        wanted.append(p @ values)
        covariance += SAMPLE_WEIGHT[i] * (p * (values - p @ values)) @ f
    found, means = batch.covariance_with(weights, direction, loss)
    np.testing.assert_allclose(found, covariance, atol=1e-12)
    np.testing.assert_allclose(means, wanted)


def test_moments_of_all_outputs(batch, weights):
    found = batch.moments()
    b = np.array([f[r] - f.mean(axis=0) for f, r in zip(FEATURES, REFERENCES, strict=True)])
    with_loss = [
        np.cov(np.column_stack([f, losses(i)]).T, ddof=0)[-1, :-1] if len(f) > 1 else 0.0
        for i, f in enumerate(FEATURES)
    ]
    mean_losses = np.array([losses(i).mean() for i in range(3)])
    np.testing.assert_allclose(found.difference, SAMPLE_WEIGHT @ b)
    np.testing.assert_allclose(found.outer_product(weights), (SAMPLE_WEIGHT * (b @ weights)) @ b)
    np.testing.assert_allclose(
        found.loss_covariance(), sum(i * c for i, c in zip(SAMPLE_WEIGHT, with_loss, strict=True))
    )
    np.testing.assert_allclose(found.loss_weighted_difference(), (SAMPLE_WEIGHT * mean_losses) @ b)
    means, variances = batch.score_moments(weights)
    np.testing.assert_allclose(means, [(f @ weights).mean() for f in FEATURES])
    np.testing.assert_allclose(variances, [(f @ weights).var() for f in FEATURES])


def test_draws_follow_the_scores(batch, weights):
    drawn = batch.sample(weights, 4000, np.random.default_rng(0))
    mean = np.mean([FEATURES[0][number_of(0, parts)] for parts, _, _ in drawn], axis=0)
    np.testing.assert_allclose(mean, probabilities(weights)[0] @ FEATURES[0], atol=0.05)


def test_perceptron_and_svm_reach_what_they_promise(batch):
    start = np.zeros(batch.n_features)
    passes = perceptron_passes(batch, PerceptronState(start, start), seed())
    for _ in range(20):
        state, n_wrong = next(passes)
    assert n_wrong == 0
    assert is_right(batch, state.weights)
    learner = weft.StructuredSVM(tol=1e-3, max_iter=500)
    with Monitor() as monitor:
        weights = learner.learn(batch, start, monitor, seed())
    hinges = [
        (f @ weights + losses(i)).max() - f[r] @ weights
        for i, (f, r) in enumerate(zip(FEATURES, REFERENCES, strict=True))
    ]
    primal = 0.5 * weights @ weights + SAMPLE_WEIGHT @ hinges
    assert learner.gap_ <= 1e-3 * primal * 1.1


def seed():
    return np.random.default_rng(0)


def is_right(batch, weights):
    found = batch.argmax(weights)[0]
    return all(np.array_equal(np.sort(a), np.sort(b)) for a, b in zip(found, REFERENCE_PARTS, strict=True))


@pytest.mark.parametrize(
    "learner",
    [
        weft.CRF(c2=0.1),
        weft.CRF(c2=0.1, solver="newton"),
        weft.ZScore(margin_constraints=True),
        weft.SODA(moments="sampled"),
        weft.LossRegression(),
        weft.MarginRegression(),
        weft.MomentSteps(),
    ],
    ids=repr,
)
def test_learners_find_the_references(learner, batch):
    with Monitor() as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, seed())
    assert is_right(batch, weights)


def test_learners_without_a_meaning_are_refused_by_name(batch):
    with pytest.raises(InputError, match="Generative needs 'generative_weights', which GraphBatch does not"):
        weft.Generative().learn(batch, np.zeros(batch.n_features), Monitor(), seed())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GRAPHS, ROWS[:2]), "one each per x"),
        ((GRAPHS[:2], [ROWS[0], np.ones((GRAPHS[1].n_parts, 1))]), "columns given; need one number"),
        ((GRAPHS, ROWS, REFERENCE_PARTS[:2]), "3 graphs but 2 references"),
        ((GRAPHS, ROWS, [*REFERENCE_PARTS[:2], [99]]), r"y\[2\] make no output of x\[2\]"),
        ((GRAPHS, ROWS, [REFERENCE_PARTS[0][:-1], *REFERENCE_PARTS[1:]]), r"y\[0\] make no output"),
    ],
)
def test_refuses_what_does_not_fit(arguments, message):
    with pytest.raises(InputError, match=message):
        GraphBatch(*arguments)


def test_without_references_nothing_can_be_learned():
    with pytest.raises(InputError, match="no references"):
        GraphBatch(GRAPHS, ROWS).observed()

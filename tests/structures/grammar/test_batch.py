"""A grammar bound to sequences answers every query as enumeration does, and every learner can ask it."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.structures import Grammar
from weft.structures.grammar.batch import GrammarBatch
from weft.structures.online import PerceptronState
from weft.testing.oracles import enumerate_derivations

GRAMMAR = Grammar.g6()
X = ["ggaacc", "gcaaagc", "gauaauc", "ggcaaagcuc"]
IMPORTANCE = np.array([1.0, 2.0, 0.5, 1.0])


def all_steps(x):
    graph = GRAMMAR.compile(x)
    return [GRAMMAR.steps(graph.parts[list(edges)].tolist()) for edges in enumerate_derivations(graph)]


TREES = [all_steps(x) for x in X]
FEATURES = [np.array([GRAMMAR.features(steps) for steps in trees]) for trees in TREES]


def pairs(steps):
    return {(s, t) for rule, s, t in steps.tolist() if GRAMMAR.productions[rule].n_symbols == 2}


REFERENCES = [max(trees, key=lambda steps: (len(pairs(steps)), steps.tolist())) for trees in TREES]


@pytest.fixture
def batch():
    return GrammarBatch(GRAMMAR, [GRAMMAR.encode(x) for x in X], REFERENCES, IMPORTANCE, n_jobs=2)


@pytest.fixture
def weights():
    return np.random.default_rng(0).normal(size=GRAMMAR.n_features)


def probabilities(weights):
    values = [np.exp(features @ weights) for features in FEATURES]
    return [each / each.sum() for each in values]


def test_references_and_scores(batch, weights):
    wanted = [GRAMMAR.features(steps) for steps in REFERENCES]
    np.testing.assert_allclose(batch.observed(), IMPORTANCE @ wanted)
    np.testing.assert_allclose(batch.scores(weights, REFERENCES), wanted @ weights)
    without = GrammarBatch(GRAMMAR, batch.sequences)
    with pytest.raises(InputError, match="no reference trees"):
        without.observed()


def test_best_outputs(batch, weights):
    outputs, scores = batch.argmax(weights)
    np.testing.assert_allclose(scores, [(features @ weights).max() for features in FEATURES])
    np.testing.assert_allclose(batch.scores(weights, outputs), scores)
    ranked = batch.kbest(weights, 3)
    for own, features in zip(ranked, FEATURES, strict=True):
        assert [score for _, score in own] == pytest.approx(sorted(features @ weights, reverse=True)[:3])


def test_partition_mean_and_covariance(batch, weights):
    value, mean = batch.log_partition_and_mean(weights)
    shares = probabilities(weights)
    assert value == pytest.approx(IMPORTANCE @ [np.log(np.exp(f @ weights).sum()) for f in FEATURES])
    means = np.array([p @ f for p, f in zip(shares, FEATURES, strict=True)])
    np.testing.assert_allclose(mean, IMPORTANCE @ means, atol=1e-12)
    direction = np.random.default_rng(1).normal(size=len(weights))
    wanted = np.zeros(len(weights))
    for i, (p, f) in enumerate(zip(shares, FEATURES, strict=True)):
        spread = f - means[i]
        wanted += IMPORTANCE[i] * (spread.T * p) @ (spread @ direction)
    np.testing.assert_allclose(batch.covariance_product(weights, direction), wanted, atol=1e-10)


def test_marginals_of_pairs(batch, weights):
    marked, log_partitions = batch.marginals(weights)
    for p, trees, own, x in zip(probabilities(weights), TREES, marked, X, strict=True):
        wanted = np.zeros((1, len(x), len(x)))
        for share, steps in zip(p, trees, strict=True):
            for s, t in pairs(steps):
                wanted[0, s, t] += share
        np.testing.assert_allclose(own, wanted, atol=1e-12)
    assert IMPORTANCE @ log_partitions == pytest.approx(batch.log_partition_and_mean(weights)[0])


@pytest.mark.parametrize("uniform", [True, False])
def test_moments(batch, weights, uniform):
    base = np.zeros_like(weights) if uniform else weights
    moments = batch.moments(None if uniform else base)
    direction = np.random.default_rng(2).normal(size=len(weights))
    product, outer, loss_covariance, weighted, mean, diagonal = (np.zeros(len(weights)) for _ in range(6))
    for p, f, trees, reference, importance in zip(
        probabilities(base), FEATURES, TREES, REFERENCES, IMPORTANCE, strict=True
    ):
        losses = np.array([len(pairs(steps) ^ pairs(reference)) for steps in trees])
        spread = f - p @ f
        b = GRAMMAR.features(reference) - p @ f
        mean += importance * (p @ f)
        product += importance * (spread.T * p) @ (spread @ direction)
        diagonal += importance * (p @ spread**2)
        outer += importance * b * (b @ direction)
        loss_covariance += importance * (spread.T * p) @ (losses - p @ losses)
        weighted += importance * (p @ losses) * b
    np.testing.assert_allclose(moments.mean, mean, atol=1e-10)
    np.testing.assert_allclose(moments.difference, batch.observed() - mean, atol=1e-10)
    np.testing.assert_allclose(moments.product(direction), product, atol=1e-10)
    np.testing.assert_allclose(moments.diagonal, diagonal, atol=1e-10)
    np.testing.assert_allclose(moments.outer_product(direction), outer, atol=1e-10)
    np.testing.assert_allclose(moments.loss_covariance(), loss_covariance, atol=1e-10)
    np.testing.assert_allclose(moments.loss_weighted_difference(), weighted, atol=1e-10)


def test_sampled_moments_approach_the_exact_ones(batch):
    exact, sampled = batch.moments(), batch.sampled_moments(3000, np.random.default_rng(3))
    np.testing.assert_allclose(sampled.mean, exact.mean, atol=0.3)
    np.testing.assert_allclose(sampled.diagonal, exact.diagonal, atol=0.3)
    direction = np.ones(GRAMMAR.n_features) / 4
    np.testing.assert_allclose(sampled.product(direction), exact.product(direction), atol=0.3)
    np.testing.assert_allclose(sampled.outer_product(direction), exact.outer_product(direction), atol=0.8)
    np.testing.assert_allclose(sampled.loss_covariance(), exact.loss_covariance(), atol=0.3)
    np.testing.assert_allclose(sampled.loss_weighted_difference(), exact.loss_weighted_difference(), atol=0.8)


def test_score_moments_are_those_of_all_outputs(batch, weights):
    means, deviations = batch.score_moments(weights)
    np.testing.assert_allclose(means, [(f @ weights).mean() for f in FEATURES])
    np.testing.assert_allclose(deviations, [(f @ weights).std() for f in FEATURES])


def test_perceptron_averages_its_steps():
    batch = GrammarBatch(GRAMMAR, [GRAMMAR.encode("ggaacc")], [REFERENCES[0]])
    zeros = np.zeros(GRAMMAR.n_features)
    passes = batch.perceptron(PerceptronState(zeros, zeros), np.random.default_rng(0))
    history = [next(passes) for _ in range(6)]
    average = np.mean([state.weights for state, _ in history], axis=0)
    np.testing.assert_allclose(history[-1][0].average, average, atol=1e-12)
    assert history[-1][1] == 0


def test_frank_wolfe_closes_the_gap(batch):
    passes = batch.frank_wolfe(0.5, np.random.default_rng(0))
    for _ in range(300):
        weights, dual, gap = next(passes)
    primal = 0.5 * weights @ weights
    for f, trees, reference, importance in zip(FEATURES, TREES, REFERENCES, IMPORTANCE, strict=True):
        losses = np.array([len(pairs(steps) ^ pairs(reference)) for steps in trees])
        primal += 0.5 * importance * (losses + (f - GRAMMAR.features(reference)) @ weights).max()
    assert dual <= primal + 1e-9
    assert primal - dual < 0.02 * primal
    assert gap < 0.05 * primal


@pytest.mark.parametrize(
    "learner",
    [
        weft.CRF(c2=0.01),
        weft.CRF(c2=0.01, solver="newton"),
        weft.Perceptron(max_iter=30),
        weft.StructuredSVM(),
        weft.SODA(),
        weft.ZScore(),
        weft.ZScore(constraints=True),
        weft.MarginRegression(),
        weft.LossRegression(),
        weft.MomentSteps(),
        weft.SODA(moments="sampled", n_samples=50),
    ],
    ids=lambda learner: f"{type(learner).__name__}-{getattr(learner, 'solver', '')}",
)
def test_every_learner_works_on_a_grammar(batch, learner):
    zeros = np.zeros(batch.n_features)
    with Monitor() as monitor:
        weights = learner.learn(batch, zeros, monitor, np.random.default_rng(0))
    outputs, _ = batch.argmax(weights)
    wrong = sum(len(pairs(a) ^ pairs(b)) for a, b in zip(outputs, REFERENCES, strict=True))
    at_random = sum(np.mean([len(pairs(a) ^ pairs(b)) for a in own]) for own, b in zip(TREES, REFERENCES, strict=True))
    assert wrong < 0.5 * at_random


def test_generative_weights_are_log_probabilities_of_rules(batch):
    with Monitor() as monitor:
        weights = weft.Generative(smoothing=0.5).learn(batch, np.zeros(19), monitor, np.random.default_rng(0))
    shares = dict(zip(GRAMMAR.feature_names, np.exp(weights), strict=True))
    for head in "SLF":
        assert sum(share for name, share in shares.items() if name.startswith(head)) == pytest.approx(1.0)
    counts = dict(zip(GRAMMAR.feature_names, batch.observed(), strict=True))
    assert shares["S -> L"] / shares["S -> L S"] == pytest.approx((counts["S -> L"] + 0.5) / (counts["S -> L S"] + 0.5))
    tied = Grammar("S -> a S [same] | a [same]")
    with pytest.raises(InputError, match="one weight per rule"):
        GrammarBatch(tied, [tied.encode("a")]).generative_weights(np.ones(1), 1.0)


def test_a_sequence_without_tree_is_named():
    grammar = Grammar("S -> a S b | a")
    batch = GrammarBatch(grammar, [grammar.encode("a"), grammar.encode("ab")])
    zeros = np.zeros(grammar.n_features)
    for question in (batch.argmax, batch.log_partition_and_mean, lambda w: batch.kbest(w, 2)):
        with pytest.raises(InputError, match=r"no tree for X\[1\]"):
            question(zeros)

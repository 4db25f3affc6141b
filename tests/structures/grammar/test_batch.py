"""A grammar bound to sequences answers every query as enumeration does, and every learner can ask it."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.structures import Grammar
from weft.structures.grammar.batch import GrammarBatch
from weft.testing.oracles import enumerate_derivations

GRAMMAR = Grammar.g6()
X = ["ggaacc", "gcaaagc", "gauaauc", "ggcaaagcuc"]
SAMPLE_WEIGHT = np.array([1.0, 2.0, 0.5, 1.0])


def all_steps(x):
    graph = GRAMMAR.compile(x)
    return [GRAMMAR.steps(graph.parts[list(edges)].tolist()) for edges in enumerate_derivations(graph)]


TREES = [all_steps(x) for x in X]
FEATURES = [np.array([GRAMMAR.features(steps) for steps in trees]) for trees in TREES]


def pairs(steps):
    return {(s, t) for rule, s, t in steps.tolist() if GRAMMAR.productions[rule].n_symbols == 2}


def losses(place):
    return np.array([len(pairs(steps) ^ pairs(REFERENCES[place])) for steps in TREES[place]], dtype=float)


REFERENCES = [max(trees, key=lambda steps: (len(pairs(steps)), steps.tolist())) for trees in TREES]


FEATURES_OF_REFERENCES = np.array([GRAMMAR.features(steps) for steps in REFERENCES])


@pytest.fixture
def batch():
    return GrammarBatch(GRAMMAR, [GRAMMAR.encode(x) for x in X], REFERENCES, SAMPLE_WEIGHT, n_jobs=2)


@pytest.fixture
def weights():
    return np.random.default_rng(0).normal(size=GRAMMAR.n_features)


def probabilities(weights):
    values = [np.exp(features @ weights) for features in FEATURES]
    return [each / each.sum() for each in values]


def test_references_and_scores(batch, weights):
    wanted = [GRAMMAR.features(steps) for steps in REFERENCES]
    np.testing.assert_allclose(batch.observed(), SAMPLE_WEIGHT @ wanted)
    np.testing.assert_allclose(batch.scores(weights, REFERENCES), wanted @ weights)
    without = GrammarBatch(GRAMMAR, batch.sequences)
    with pytest.raises(InputError, match="no references"):
        without.observed()
    rows = batch.features_of(REFERENCES)
    assert rows.has_canonical_format
    np.testing.assert_array_equal(rows.toarray(), wanted)
    for place in range(2):
        others = [trees[place] for trees in TREES]
        np.testing.assert_array_equal(batch.losses(others), [losses(i)[place] for i in range(len(X))])
    assert batch.losses(REFERENCES).tolist() == [0.0] * len(X)
    assert batch.split(batch.join(REFERENCES))[1] is REFERENCES[1]


@pytest.mark.parametrize(
    "outputs",
    [REFERENCES[:2], [REFERENCES[0] + 100, *REFERENCES[1:]], [REFERENCES[0][:, :2], *REFERENCES[1:]], REFERENCES[::-1]],
)
def test_outputs_of_other_sequences_are_refused(batch, outputs):
    with pytest.raises(InputError, match=r"for 4 sequences|not a derivation of X"):
        batch.features_of(outputs)


def test_best_outputs(batch, weights):
    outputs, scores = batch.argmax(weights)
    np.testing.assert_allclose(scores, [(features @ weights).max() for features in FEATURES])
    np.testing.assert_allclose(batch.scores(weights, outputs), scores)
    ranked = batch.kbest(weights, 3)
    for own, features in zip(ranked, FEATURES, strict=True):
        assert [score for _, score in own] == pytest.approx(sorted(features @ weights, reverse=True)[:3])


@pytest.mark.parametrize("loss", [0.7, -1.3])
def test_best_outputs_with_a_loss(batch, weights, loss):
    outputs, scores = batch.argmax(weights, loss)
    wanted = [(f @ weights + loss * losses(i)).max() for i, f in enumerate(FEATURES)]
    np.testing.assert_allclose(scores, wanted)
    np.testing.assert_allclose(batch.scores(weights, outputs) + loss * batch.losses(outputs), wanted)


def test_partition_mean_and_covariance(batch, weights):
    value, mean = batch.log_partition_and_mean(weights)
    shares = probabilities(weights)
    assert value == pytest.approx(SAMPLE_WEIGHT @ [np.log(np.exp(f @ weights).sum()) for f in FEATURES])
    means = np.array([p @ f for p, f in zip(shares, FEATURES, strict=True)])
    np.testing.assert_allclose(mean, SAMPLE_WEIGHT @ means, atol=1e-12)
    direction = np.random.default_rng(1).normal(size=len(weights))
    wanted = np.zeros(len(weights))
    for i, (p, f) in enumerate(zip(shares, FEATURES, strict=True)):
        spread = f - means[i]
        wanted += SAMPLE_WEIGHT[i] * (spread.T * p) @ (spread @ direction)
    np.testing.assert_allclose(batch.covariance_product(weights, direction), wanted, atol=1e-10)
    np.testing.assert_allclose(batch.expectations(weights), means, atol=1e-12)
    np.testing.assert_allclose(batch.log_partitions(weights), [np.log(np.exp(f @ weights).sum()) for f in FEATURES])


@pytest.mark.parametrize("loss", [0.0, 0.7])
def test_covariance_with_a_direction_and_a_loss(batch, weights, loss):
    direction = np.random.default_rng(1).normal(size=len(weights))
    covariance, wanted = np.zeros(len(weights)), []
    for i, (p, f) in enumerate(zip(probabilities(weights), FEATURES, strict=True)):
        values = f @ direction + loss * losses(i)
        wanted.append(p @ values)
        covariance += SAMPLE_WEIGHT[i] * (p * (values - p @ values)) @ f
    found, means = batch.covariance_with(weights, direction, loss)
    np.testing.assert_allclose(found, covariance, atol=1e-10)
    np.testing.assert_allclose(means, wanted, atol=1e-10)


def test_some_of_the_sequences_and_other_weights(batch, weights):
    some = batch.select([2, 0])
    assert some.sample_weight.tolist() == [0.5, 1.0]
    np.testing.assert_allclose(some.log_partitions(weights), batch.log_partitions(weights)[[2, 0]])
    np.testing.assert_allclose(some.observed(), 0.5 * FEATURES_OF_REFERENCES[2] + FEATURES_OF_REFERENCES[0])
    assert some.losses([REFERENCES[2], REFERENCES[0]]).tolist() == [0.0, 0.0]
    other = batch.weighted(np.array([0.0, 0.0, 3.0, 0.0]))
    np.testing.assert_allclose(other.observed(), 3.0 * FEATURES_OF_REFERENCES[2])
    np.testing.assert_allclose(batch.observed(), SAMPLE_WEIGHT @ FEATURES_OF_REFERENCES)
    with pytest.raises(InputError, match="no sequence given"):
        batch.select([])


@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_the_most_accurate_trees_have_most_right(batch, weights, gamma):
    for i, steps in enumerate(batch.most_accurate(weights, gamma)):
        paired = batch.marginals(weights)[i][0]
        unpaired = 1.0 - paired.sum(axis=0) - paired.sum(axis=1)

        def accuracy(steps, paired=paired, unpaired=unpaired):
            spans = pairs(steps)
            alone = set(range(len(unpaired))) - {position for span in spans for position in span}
            return 2.0 * gamma * sum(paired[span] for span in spans) + unpaired[sorted(alone)].sum()

        assert accuracy(steps) == pytest.approx(max(map(accuracy, TREES[i])))
        assert any(np.array_equal(steps, tree) for tree in TREES[i])


def test_the_most_accurate_tree_is_one_of_the_grammar():
    """Here the best pairs alone make no tree: of the outermost pair and its inside only both or none."""
    grammar = Grammar("S -> A | B\nA -> a C b\nC -> a B b\nB -> a B | b B | a | b")
    batch = GrammarBatch(grammar, [grammar.encode("aabb"), grammar.encode("aaabbb")])
    weights = np.random.default_rng(0).normal(size=grammar.n_features)
    for gamma in (0.6, 1.0, 2.0):
        for x, steps in zip(["aabb", "aaabbb"], batch.most_accurate(weights, gamma), strict=True):
            assert grammar.counts(steps) @ grammar.consumed == len(x)
    nodes = GrammarBatch(grammar, [grammar.encode("aaabbb")], marks="nodes")
    [paired] = nodes.marginals(weights)
    [steps] = nodes.most_accurate(weights, 2.0)
    graph = grammar.compile("aaabbb")
    every = [grammar.steps(graph.parts[list(edges)].tolist()) for edges in enumerate_derivations(graph)]

    def accuracy(steps):
        heads = [grammar.nonterminals.index(grammar.productions[rule].head) for rule in steps[:, 0]]
        p = paired[heads, steps[:, 1], steps[:, 2]]
        return (2.0 * p - (1.0 - p)).sum()

    assert accuracy(steps) == pytest.approx(max(map(accuracy, every)))

    def f1(steps):
        heads = [grammar.nonterminals.index(grammar.productions[rule].head) for rule in steps[:, 0]]
        return 2.0 * paired[heads, steps[:, 1], steps[:, 2]].sum() / (len(steps) + paired.sum())

    [steps] = nodes.most_accurate(weights, None)
    assert f1(steps) == pytest.approx(max(map(f1, every)))
    for x, steps in zip(["aabb", "aaabbb"], batch.most_accurate(weights, None), strict=True):
        assert grammar.counts(steps) @ grammar.consumed == len(x)


def test_draws_follow_the_scores(batch, weights):
    drawn = batch.sample(weights, 2000, np.random.default_rng(0))
    assert len(drawn) == 2000
    assert len(drawn[0]) == len(X)
    mean = np.mean([batch.features_of(outputs).toarray() for outputs in drawn], axis=0)
    np.testing.assert_allclose(mean, batch.expectations(weights), atol=0.15)


def test_marginals_of_pairs(batch, weights):
    marked = batch.marginals(weights)
    for p, trees, own, x in zip(probabilities(weights), TREES, marked, X, strict=True):
        wanted = np.zeros((1, len(x), len(x)))
        for share, steps in zip(p, trees, strict=True):
            for s, t in pairs(steps):
                wanted[0, s, t] += share
        np.testing.assert_allclose(own, wanted, atol=1e-12)


@pytest.mark.parametrize("uniform", [True, False])
def test_moments(batch, weights, uniform):
    base = np.zeros_like(weights) if uniform else weights
    moments = batch.moments(None if uniform else base)
    direction = np.random.default_rng(2).normal(size=len(weights))
    product, outer, loss_covariance, weighted, mean, diagonal = (np.zeros(len(weights)) for _ in range(6))
    for p, f, trees, reference, sample_weight in zip(
        probabilities(base), FEATURES, TREES, REFERENCES, SAMPLE_WEIGHT, strict=True
    ):
        losses = np.array([len(pairs(steps) ^ pairs(reference)) for steps in trees])
        spread = f - p @ f
        b = GRAMMAR.features(reference) - p @ f
        mean += sample_weight * (p @ f)
        product += sample_weight * (spread.T * p) @ (spread @ direction)
        diagonal += sample_weight * (p @ spread**2)
        outer += sample_weight * b * (b @ direction)
        loss_covariance += sample_weight * (spread.T * p) @ (losses - p @ losses)
        weighted += sample_weight * (p @ losses) * b
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
    np.testing.assert_array_equal(sampled.diagonal, exact.diagonal)
    direction = np.ones(GRAMMAR.n_features) / 4
    np.testing.assert_allclose(sampled.product(direction), exact.product(direction), atol=0.3)
    np.testing.assert_allclose(sampled.outer_product(direction), exact.outer_product(direction), atol=0.8)
    np.testing.assert_allclose(sampled.loss_covariance(), exact.loss_covariance(), atol=0.3)
    np.testing.assert_allclose(sampled.loss_weighted_difference(), exact.loss_weighted_difference(), atol=0.8)


def test_score_moments_are_those_of_all_outputs(batch, weights):
    before = batch.log_partition_and_mean(weights)
    means, variances = batch.score_moments(weights)
    np.testing.assert_allclose(means, [(f @ weights).mean() for f in FEATURES])
    np.testing.assert_allclose(variances, [(f @ weights).var() for f in FEATURES])
    after = batch.log_partition_and_mean(weights)
    assert after[0] == pytest.approx(before[0], rel=1e-14)
    np.testing.assert_allclose(after[1], before[1], rtol=1e-13)


@pytest.mark.parametrize("size", [3.0, -3.0])
def test_second_moments_of_other_weights_than_the_last(size):
    """What passes multiply is scaled by a guess from the last weights, which may be far from right."""
    x = "gcaaagcuagcuugac" * 12
    batch = GrammarBatch(GRAMMAR, [GRAMMAR.encode(x)], n_jobs=1)
    weights = np.full(GRAMMAR.n_features, size)
    batch.log_partition_and_mean(weights)
    direction = np.random.default_rng(0).normal(size=GRAMMAR.n_features)
    again = GrammarBatch(GRAMMAR, [GRAMMAR.encode(x)], n_jobs=1)
    for other in (np.zeros_like(weights), -weights):
        np.testing.assert_allclose(
            batch.covariance_product(other, direction), again.covariance_product(other, direction), rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize(
    "learner",
    [
        weft.CRF(c2=0.01),
        weft.CRF(c2=0.01, solver="newton"),
        weft.Perceptron(max_iter=30),
        weft.StructuredSVM(),
        weft.SODA(),
        weft.ZScore(),
        weft.ZScore(margin_constraints=True),
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

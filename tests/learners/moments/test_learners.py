"""Goldens Z1 and Z2 of the errata, and each linear system against a dense solve of enumerated moments."""

import numpy as np
import pytest

import weft
from chain_oracle import labellings, random_problem
from weft import MomentLearner, Tagger
from weft.errors import InputError
from weft.learners.moments.learners import SODA, LossRegression, MarginRegression, ZScore
from weft.learners.monitor import Monitor
from weft.structures.chain.batch import ChainBatch

Z2_X = [[0, 1, 0, 2], [2, 2, 1, 0, 1], [1, 0, 2, 1]]
Z2_Y = [[0, 1, 0, 1], [1, 1, 0, 0, 0], [0, 0, 1, 1]]


def in_order_of_the_paper(tagger):
    """Weights e_pq at p * n_o + q, then t_pz."""
    weight = dict(zip(tagger.feature_names_, tagger.weights_, strict=True))
    n_symbols, n_labels = 3, 2
    emissions = [tagger.state_features_[q, p] for p in range(n_labels) for q in range(n_symbols)]
    transitions = [tagger.transition_features_[p, z] for p in range(n_labels) for z in range(n_labels)]
    assert len(weight) <= len(emissions) + len(transitions)
    return np.array(emissions + transitions)


def test_golden_z1():
    tagger = Tagger(ZScore(alpha=0.0, tol=1e-12)).fit([Z2_X[0]], [Z2_Y[0]])
    theta = in_order_of_the_paper(tagger)
    np.testing.assert_allclose(theta, [1, -1, -1, -1, 1, 1, -1, 1, 1, -1], atol=1e-8)


@pytest.mark.parametrize(
    ("learner", "golden"),
    [
        (
            ZScore,
            [1.1415384615, 0.3969230769, -0.8338461538, -1.1415384615, -0.3969230769, 0.8338461538]
            + [-0.2215384615, 0.4184615385, -0.4184615385, 0.2215384615],
        ),
        (
            SODA,
            [0.282937921, 0.1057960444, -0.218177528, -0.282937921, -0.1057960444, 0.218177528]
            + [-0.0389120082, 0.1334248574, -0.1649148398, 0.0704019906],
        ),
    ],
)
def test_golden_z2(learner, golden):
    tagger = Tagger(learner(alpha=0.0, tol=1e-12)).fit(Z2_X, Z2_Y)
    np.testing.assert_allclose(in_order_of_the_paper(tagger), golden, atol=1e-7)


@pytest.mark.parametrize("kind", [ZScore, SODA, MarginRegression, LossRegression])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_solves_the_system_of_enumerated_moments(kind, seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 3, 1, [3, 1, 4], weighted=True, observed=bool(seed % 2), forbid=seed == 2)
    outputs = [labellings(problem, i) for i in range(3)]
    assert all(every for every, _ in outputs)
    gold = [rng.integers(len(every)) for every, _ in outputs]
    d = problem.features.n_features
    C, B, b, c_d, weighted = np.zeros((d, d)), np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros(d)
    for (every, rows), g in zip(outputs, gold, strict=True):
        centred = rows - rows.mean(axis=0)
        difference = centred[g]
        distance = np.array([sum(x != y for x, y in zip(labels, every[g], strict=True)) for labels in every])
        C += centred.T @ centred / len(rows)
        B += np.outer(difference, difference)
        b += difference
        c_d += centred.T @ (distance - distance.mean()) / len(rows)
        weighted += distance.mean() * difference
    labels = np.concatenate([np.array(every[g], dtype=np.int32) for (every, _), g in zip(outputs, gold, strict=True)])
    batch = ChainBatch(problem.features, problem.corpus, labels)
    A, right = {
        ZScore: (C, b),
        SODA: (C + B, b),
        MarginRegression: (C + B, weighted - c_d),
        LossRegression: (C, -c_d),
    }[kind]
    alpha = 0.1
    ridge = alpha * batch.moments().diagonal.mean()
    with Monitor() as monitor:
        theta = kind(alpha=alpha, tol=1e-12, max_iter=2000).learn(batch, np.zeros(d), monitor, rng)
    np.testing.assert_allclose(theta, np.linalg.solve(A + ridge * np.eye(d), right), atol=1e-7)


def test_sampled_moments_approach_exact_ones():
    X, y = Z2_X * 3, Z2_Y * 3
    exact = Tagger(SODA(alpha=0.1)).fit(X, y).weights_
    errors = [
        np.linalg.norm(
            Tagger(SODA(alpha=0.1, moments="sampled", n_samples=n), random_state=0).fit(X, y).weights_ - exact
        )
        for n in (5, 300)
    ]
    assert errors[1] < 0.3 * np.linalg.norm(exact)
    assert errors[1] < errors[0]


def test_bad_parameters():
    with pytest.raises(InputError, match="use 'exact' or 'sampled'"):
        Tagger(ZScore(moments="guessed")).fit(Z2_X, Z2_Y)
    with pytest.raises(InputError, match="alpha of SODA is -1"):
        Tagger(SODA(alpha=-1)).fit(Z2_X, Z2_Y)
    for n in (-3, 0, 2.5):
        with pytest.raises(InputError, match=f"n_samples={n} given; need an integer of at least 1"):
            Tagger(SODA(moments="sampled", n_samples=n)).fit(Z2_X, Z2_Y)
        for learner in (ZScore(max_iter=n), MomentLearner(max_iter=n)):
            with pytest.raises(InputError, match=f"max_iter of {type(learner).__name__} is {n}; a whole number of at"):
                Tagger(learner).fit(Z2_X, Z2_Y)
    for limit in ("max_rounds", "max_constraints"):
        with pytest.raises(InputError, match=f"{limit} of ZScore is 0; a whole number of at least 1 is needed"):
            Tagger(ZScore(margin_constraints=True, **{limit: 0})).fit(Z2_X, Z2_Y)


@pytest.mark.parametrize(
    ("estimator", "X", "y"),
    [
        (weft.Aligner(), [("ACG", "AG")], [("ACG", "A-G")]),
        (weft.Folder("g6"), ["GGGAAACCC"], ["(((...)))"]),
        (weft.Rewriter(), ["ab", "ba"], ["xy", "yx"]),
    ],
    ids=["aligner", "folder", "rewriter"],
)
def test_blocks_of_other_structures_are_refused(estimator, X, y):
    with pytest.raises(InputError, match=r"solver='block' of SODA needs 'block_inverse', which .*; use solver='cg'\."):
        estimator.set_params(learner=SODA(solver="block")).fit(X, y)


def test_blocks_of_a_single_label_are_nothing_to_complain_about():
    """Nothing varies, so that no ridge that is relative to the variance helps; the solution is zero."""
    tagger = Tagger(ZScore(0.01, solver="block")).fit(["ab", "b"], ["xx", "x"])
    assert not tagger.weights_.any()
    assert tagger.predict(["ba"]) == [["x", "x"]]


def test_sampled_moments_under_forbidden_steps_equal_those_of_the_outputs_that_are_left():
    problem = random_problem(np.random.default_rng(3), 3, 1, [4, 3], forbid=True)
    outputs = [labellings(problem, i) for i in range(2)]
    assert all(len(every) < 3**n for (every, _), n in zip(outputs, (4, 3), strict=True))
    labels = np.concatenate([np.array(every[0], dtype=np.int32) for every, _ in outputs])
    batch = ChainBatch(problem.features, problem.corpus, labels)
    n_samples = 4_000
    sampled = batch.sampled_moments(n_samples, np.random.default_rng(0))
    direction = np.random.default_rng(1).normal(size=batch.n_features)
    covariances = [np.cov(rows.T, bias=True) for _, rows in outputs]
    # The references join the drawn outputs, which moves means by 1 / n_samples.
    np.testing.assert_allclose(sampled.mean, sum(rows.mean(axis=0) for _, rows in outputs), atol=0.1)
    np.testing.assert_allclose(sampled.product(direction), sum(covariances) @ direction, atol=0.25)

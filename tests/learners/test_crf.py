import itertools

import numpy as np
import pycrfsuite
import pytest

import weft
from weft.learners.monitor import Monitor
from weft.structures.chain.batch import ChainBatch


def corpus(n_sequences=40, seed=0):
    """Sentences of a small grammar with noise, as attribute lists, so that the optimum is no corner case."""
    rng = np.random.default_rng(seed)
    words = {"D": ["the", "a"], "N": ["cat", "dog", "run", "rest"], "V": ["run", "sees", "rest"], "A": ["big", "red"]}
    X, y = [], []
    for _ in range(n_sequences):
        labels = ["D", *["A"] * rng.integers(0, 3), "N", "V", *(["D", "N"] if rng.random() < 0.5 else [])]
        tokens = [str(rng.choice(words[label])) for label in labels]
        labels = [str(rng.choice(list(words))) if rng.random() < 0.1 else label for label in labels]
        X.append(
            [[f"w={w}", f"s={w[-1]}", "bias", *([f"p={tokens[i - 1]}"] if i else [])] for i, w in enumerate(tokens)]
        )
        y.append(labels)
    return X, y


X, Y = corpus()


def objective_of(tagger, X, y, weights, sample_weight=None):
    """Penalised negative log-likelihood from probabilities of whole labellings."""
    learner = tagger.learner_
    labels = np.array([list(tagger.classes_).index(label) for labels in y for label in labels], dtype=np.int32)
    batch = ChainBatch(tagger.chain_, tagger.encode(X), n_jobs=1)
    sample_weight = np.ones(len(X)) if sample_weight is None else sample_weight
    loss = sample_weight @ (batch.log_partitions(weights) - batch.scores(weights, labels))
    return loss + learner.c1 * np.abs(weights).sum() + learner.c2 * weights @ weights


def gradient_of(tagger, X, y, weights):
    labels = np.array([list(tagger.classes_).index(label) for labels in y for label in labels], dtype=np.int32)
    batch = ChainBatch(tagger.chain_, tagger.encode(X), labels, n_jobs=1)
    return batch.log_partition_and_mean(weights)[1] - batch.observed() + 2 * tagger.learner_.c2 * weights


@pytest.mark.parametrize("parameters", [{}, {"order": 2, "boundary": True}, {"pairs": "all"}])
def test_the_gradient_is_the_slope_of_the_objective(parameters):
    rng = np.random.default_rng(1)
    tagger = weft.Tagger(weft.CRF(c2=0.3, max_iter=2), n_jobs=1, **parameters).fit(X[:8], Y[:8])
    weights = rng.normal(size=tagger.weights_.shape)
    gradient = gradient_of(tagger, X[:8], Y[:8], weights)
    for place in rng.choice(len(weights), size=25, replace=False):
        step = np.zeros_like(weights)
        step[place] = 1e-5
        slope = objective_of(tagger, X[:8], Y[:8], weights + step) - objective_of(tagger, X[:8], Y[:8], weights - step)
        assert slope / 2e-5 == pytest.approx(gradient[place], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("parameters", [{}, {"order": 2, "boundary": True}, {"pairs": "all"}])
def test_the_hessian_product_is_the_change_of_the_gradient(parameters):
    rng = np.random.default_rng(2)
    tagger = weft.Tagger(weft.CRF(c2=0.3, max_iter=2), n_jobs=1, **parameters).fit(X[:8], Y[:8])
    weights, direction = rng.normal(size=(2, len(tagger.weights_)))
    batch = ChainBatch(tagger.chain_, tagger.encode(X[:8]), n_jobs=1)
    product = batch.covariance_product(weights, direction) + 2 * 0.3 * direction
    change = [gradient_of(tagger, X[:8], Y[:8], weights + sign * 1e-5 * direction) for sign in (1, -1)]
    np.testing.assert_allclose(product, (change[0] - change[1]) / 2e-5, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("c2", [0.1, 1.0])
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_the_gradient_vanishes_at_the_optimum(c2, solver):
    tagger = weft.Tagger(weft.CRF(c2=c2, solver=solver, tol=1e-13), n_jobs=1).fit(X, Y)
    assert np.abs(gradient_of(tagger, X, Y, tagger.weights_)).max() < 1e-3
    assert tagger.history_[-1]["objective"] == pytest.approx(objective_of(tagger, X, Y, tagger.weights_), rel=1e-9)


def test_both_solvers_reach_the_same_optimum():
    first, second = (
        weft.Tagger(weft.CRF(solver=solver, tol=1e-13), n_jobs=1, boundary=True).fit(X, Y)
        for solver in ("lbfgs", "newton")
    )
    np.testing.assert_allclose(first.weights_, second.weights_, atol=1e-4)
    assert first.history_[-1]["objective"] == pytest.approx(second.history_[-1]["objective"], rel=1e-9)
    assert second.n_iter_ < first.n_iter_


def train_crfsuite(X, y, path, **parameters):
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=parameters, verbose=False)
    for sequence, labels in zip(X, y, strict=True):
        trainer.append(pycrfsuite.ItemSequence(sequence), labels)
    trainer.train(str(path))
    model = pycrfsuite.Tagger()
    model.open(str(path))
    return trainer.logparser.iterations[-1]["loss"], model


@pytest.mark.parametrize("c1", [0.0, 0.5])
def test_the_objective_is_that_of_crfsuite(c1, tmp_path):
    tight = {"epsilon": 1e-9, "delta": 1e-12, "max_iterations": 2000}
    loss, peer = train_crfsuite(X, Y, tmp_path / "peer", c1=c1, c2=0.5, **tight)
    tagger = weft.Tagger(weft.CRF(c1=c1, c2=0.5, tol=1e-12), n_jobs=1).fit(X, Y)
    assert tagger.history_[-1]["objective"] == pytest.approx(loss, rel=1e-3)
    info = peer.info()
    weights = {**tagger.state_features_, **tagger.transition_features_}
    peers = {**info.state_features, **info.transitions}
    assert set(peers) <= set(weights)
    assert {name for name, weight in weights.items() if abs(weight) > 0.02} <= set(peers)
    for name, weight in peers.items():
        assert weights[name] == pytest.approx(weight, abs=0.02)
    assert tagger.predict(X) == [peer.tag(pycrfsuite.ItemSequence(sequence)) for sequence in X]
    for sequence, confidence in zip(X[:5], tagger.confidence(X[:5]), strict=True):
        assert confidence == pytest.approx(peer.probability(peer.tag(pycrfsuite.ItemSequence(sequence))), rel=0.02)


def test_l1_makes_sparse_models_and_meets_the_conditions_of_the_optimum():
    full = weft.Tagger(weft.CRF(c2=0.1), n_jobs=1).fit(X, Y)
    learner = weft.CRF(c1=0.7, c2=0.1, tol=1e-12)
    labels = np.array([list(full.classes_).index(label) for labels in Y for label in labels], dtype=np.int32)
    batch = ChainBatch(full.chain_, full.encode(X), labels, n_jobs=1)
    with Monitor() as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
    slope = batch.log_partition_and_mean(weights)[1] - batch.observed() + 2 * 0.1 * weights
    zero = weights == 0
    assert 0.2 < zero.mean() < 1.0
    assert np.abs(slope[zero]).max() <= 0.7 + 1e-6
    np.testing.assert_allclose(slope[~zero], -0.7 * np.sign(weights[~zero]), atol=2e-3)
    tagger = weft.Tagger(learner, n_jobs=1).fit(X, Y)
    assert tagger.chain_.n_pairs < full.chain_.n_pairs
    assert np.all(tagger.weights_[: tagger.chain_.n_pairs] != 0)
    assert len(tagger.feature_names_) == len(tagger.weights_)
    expected = ChainBatch(full.chain_, full.encode(X), n_jobs=1).marginals(weights)
    np.testing.assert_allclose(np.concatenate(tagger.predict_proba(X)), np.concatenate(expected), atol=1e-9)


def test_a_larger_penalty_gives_fewer_weights():
    sizes = [weft.Tagger(weft.CRF(c1=c1), n_jobs=1).fit(X, Y).chain_.n_pairs for c1 in (0.01, 0.5, 2.0, 50.0)]
    assert all(a > b for a, b in itertools.pairwise(sizes[:3]))
    assert sizes[-1] == 0
    nothing = weft.Tagger(weft.CRF(c1=50.0), n_jobs=1).fit(X, Y)
    assert len(nothing.predict(X)) == len(X)


def test_weight_two_is_the_sequence_twice():
    sample_weight = np.ones(len(X))
    sample_weight[:10] = 2.0
    weighted = weft.Tagger(weft.CRF(tol=1e-12), n_jobs=1).fit(X, Y, sample_weight=sample_weight)
    doubled = weft.Tagger(weft.CRF(tol=1e-12), n_jobs=1).fit(X + X[:10], Y + Y[:10])
    assert weighted.feature_names_ == doubled.feature_names_
    np.testing.assert_allclose(weighted.weights_, doubled.weights_, atol=1e-5)
    assert weighted.history_[-1]["objective"] == pytest.approx(doubled.history_[-1]["objective"], rel=1e-9)


def test_weight_zero_is_no_sequence():
    sample_weight = np.ones(len(X))
    sample_weight[-10:] = 0.0
    ignored = weft.Tagger(weft.CRF(tol=1e-12), n_jobs=1, pairs="all").fit(X, Y, sample_weight=sample_weight)
    removed = weft.Tagger(weft.CRF(tol=1e-12), n_jobs=1, pairs="all").fit(X[:-10], Y[:-10])
    weight_of = dict(zip(ignored.feature_names_, ignored.weights_, strict=True))
    for name, weight in zip(removed.feature_names_, removed.weights_, strict=True):
        assert weight_of.pop(name) == pytest.approx(weight, abs=1e-5)
    assert not any(weight_of.values())  # weights of attributes that only the ignored sequences have


def test_real_values_scale_the_features():
    X_values = [[{"a": 0.5, "b": -2.0}, {"a": 3.0}], [{"b": 1.5}]]
    tagger = weft.Tagger(weft.CRF(c2=0.2, tol=1e-12), n_jobs=1).fit(X_values, [["x", "y"], ["y"]])
    vectors = [np.array([[0.5, -2.0], [3.0, 0.0]]), np.array([[0.0, 1.5]])]
    other = weft.Tagger(weft.CRF(c2=0.2, tol=1e-12), n_jobs=1, pairs="observed").fit(vectors, [["x", "y"], ["y"]])
    np.testing.assert_allclose(tagger.weights_, other.weights_, rtol=1e-9)


def test_a_batch_without_the_queries_is_refused():
    with pytest.raises(weft.InputError, match=r"CRF needs 'observed', 'log_partition_and_mean', which"):
        weft.CRF().learn(object(), np.zeros(1), Monitor(), np.random.default_rng(0))


def test_the_result_says_why_the_solver_stopped():
    tagger = weft.Tagger(weft.CRF(max_iter=2), n_jobs=1).fit(X, Y)
    assert not tagger.learner_.result_.converged
    assert "max_iter=2" in tagger.learner_.result_.message
    assert weft.Tagger(weft.CRF(), n_jobs=1).fit(X, Y).learner_.result_.converged


def test_a_prior_is_what_the_penalty_pulls_towards():
    X, y = ["abab", "bbaa", "ab"], ["xyxy", "yyxx", "xy"]
    prior = np.random.default_rng(0).normal(size=8)
    for solver in ("lbfgs", "newton"):
        pulled = weft.Tagger(weft.CRF(c2=1e6, prior=prior, solver=solver)).fit(X, y)
        np.testing.assert_allclose(pulled.weights_, prior, atol=1e-4)
    fitted = weft.Tagger(weft.CRF(c2=0.3, prior=prior, tol=1e-12)).fit(X, y)
    batch = fitted.bind(X, y)
    slope = batch.log_partition_and_mean(fitted.weights_)[1] - batch.observed() + 0.6 * (fitted.weights_ - prior)
    np.testing.assert_allclose(slope, 0.0, atol=1e-4)
    with pytest.raises(weft.InputError, match=r"prior of shape \(3,\) given; need \(8,\)"):
        weft.Tagger(weft.CRF(prior=np.zeros(3))).fit(X, y)


@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_each_weight_may_have_a_penalty_of_its_own(solver):
    X, y = ["abab", "bbaa", "ab"], ["xyxy", "yyxx", "xy"]
    random = np.random.default_rng(0)
    prior, c2 = random.normal(size=8), random.uniform(0.1, 2.0, size=8)
    c2[3] = 1e6
    fitted = weft.Tagger(weft.CRF(c2=c2, prior=prior, solver=solver, tol=1e-12)).fit(X, y)
    batch = fitted.bind(X, y)
    slope = batch.log_partition_and_mean(fitted.weights_)[1] - batch.observed() + 2.0 * c2 * (fitted.weights_ - prior)
    np.testing.assert_allclose(slope, 0.0, atol=1e-3)
    assert fitted.weights_[3] == pytest.approx(prior[3], abs=1e-5)
    alike, one = (weft.Tagger(weft.CRF(c2=each, solver=solver)).fit(X, y) for each in (np.full(8, 0.5), 0.5))
    np.testing.assert_allclose(alike.weights_, one.weights_, rtol=1e-8)
    with pytest.raises(weft.InputError, match=r"c2 of shape \(3,\) given; need \(8,\)"):
        weft.Tagger(weft.CRF(c2=np.ones(3))).fit(X, y)
    with pytest.raises(weft.InputError, match="least c2 of CRF is"):
        weft.Tagger(weft.CRF(c2=-np.arange(8.0))).fit(X, y)


@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_an_infinite_penalty_holds_a_weight(solver):
    X, y = ["abab", "bbaa", "ab"], ["xyxy", "yyxx", "xy"]
    prior, c2 = np.random.default_rng(0).normal(size=8), np.full(8, 0.5)
    c2[[3, 5]] = np.inf
    fitted = weft.Tagger(weft.CRF(c2=c2, prior=prior, solver=solver, tol=1e-12)).fit(X, y)
    np.testing.assert_array_equal(fitted.weights_[[3, 5]], prior[[3, 5]])
    batch, free = fitted.bind(X, y), np.isfinite(c2)
    slope = batch.log_partition_and_mean(fitted.weights_)[1] - batch.observed()
    np.testing.assert_allclose((slope + (fitted.weights_ - prior))[free], 0.0, atol=1e-3)  # 2 c2 is one
    assert np.abs(slope[~free]).max() > 0.01  # they would move
    without = weft.Tagger(weft.CRF(c2=np.full(8, np.inf), solver=solver)).fit(X, y)
    np.testing.assert_array_equal(without.weights_, 0.0)
    for wrong in (np.nan, -np.inf):
        c2[0] = wrong
        with pytest.raises(weft.InputError, match="c2 of CRF is"):
            weft.Tagger(weft.CRF(c2=c2)).fit(X, y)


def test_an_open_penalty_is_one_where_no_estimator_says_otherwise():
    pairs, rows = [("ACD", "AD"), ("CD", "CDA")], [("ACD", "A-D"), ("CD-", "CDA")]
    left_open, given = (
        weft.Aligner("match", learner=weft.CRF(c2=c2), prior=None, n_jobs=1).fit(pairs, rows) for c2 in (None, 1.0)
    )
    np.testing.assert_array_equal(left_open.weights_, given.weights_)

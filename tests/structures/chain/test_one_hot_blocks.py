"""Block elimination against a dense inverse and against conjugate gradients."""

import numpy as np
import pytest

import weft
from weft.core.vectors import dot
from weft.errors import InputError
from weft.learners.base import Learner

RANDOM = np.random.default_rng(3)
X = ["".join(RANDOM.choice(list("abcde"), size=RANDOM.integers(1, 9))) for _ in range(25)]
Y = ["".join(RANDOM.choice(list("xyz"), p=[0.6, 0.3, 0.1], size=len(text))) for text in X]


class Keep(Learner):
    """Keeps the batch to ask it questions."""

    def learn(self, batch, initial, monitor, random):
        self.batch_ = batch
        return initial


def batch_of(X, Y, **settings):
    tagger = weft.Tagger(Keep(), **settings)
    tagger.fit(X, Y, sample_weight=np.linspace(0.5, 2.0, len(X)))
    return tagger.learner_.batch_


@pytest.mark.parametrize("pairs", ["observed", "all"])
def test_inverts_the_regularised_covariance(pairs):
    batch = batch_of(X, Y, pairs=pairs)
    moments = batch.moments()
    dense = np.array([moments.product(row) for row in np.eye(batch.n_features)]) + 0.3 * np.eye(batch.n_features)
    inverse = batch.block_inverse(0.3)
    right = RANDOM.normal(size=batch.n_features)
    solution = inverse(right)
    np.testing.assert_allclose(dense @ solution, right, atol=1e-10)
    assert dot(solution, right) > 0.0


@pytest.mark.parametrize("learner", [weft.ZScore, weft.SODA, weft.MarginRegression, weft.LossRegression])
def test_is_equal_to_conjugate_gradients(learner):
    slow = weft.Tagger(learner(0.05, tol=1e-12, max_iter=1000)).fit(X, Y)
    fast = weft.Tagger(learner(0.05, tol=1e-12, max_iter=1000, solver="block")).fit(X, Y)
    np.testing.assert_allclose(fast.weights_, slow.weights_, atol=1e-9)
    assert fast.learner_.n_products_ < slow.learner_.n_products_


def test_one_product_solves_the_z_score():
    tagger = weft.Tagger(weft.ZScore(0.05, solver="block")).fit(X, Y)
    assert tagger.learner_.n_products_ == 1


@pytest.mark.parametrize(
    ("tagger", "inputs", "message"),
    [
        (weft.Tagger(weft.ZScore(0.0, solver="block")), X, "needs alpha > 0"),
        (weft.Tagger(weft.ZScore(solver="block"), order=2), X, "fully connected first-order chain"),
        (weft.Tagger(weft.ZScore(solver="block")), [[["a", "b"]] * len(text) for text in X], "exactly one attribute"),
        (weft.Tagger(weft.ZScore(solver="elimination")), X, "use 'cg' or 'block'"),
    ],
)
def test_says_what_it_needs(tagger, inputs, message):
    with pytest.raises(InputError, match=message):
        tagger.fit(inputs, Y)

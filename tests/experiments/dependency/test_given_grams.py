"""Experiments with kernel dependency estimation and basis functions: their parts, and quick runs on real data."""

import numpy as np

from weft import KernelDependencyEstimator, LabelKernel, RBFKernel
from weft.experiments.dependency import given_grams


def test_places_are_those_of_the_estimator():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 2)), random.integers(3, size=30)
    new = random.normal(size=(10, 2))
    squared = given_grams.squared_distances(X)
    equal = (y[:, None] == y).astype(float)
    cross = given_grams.gaussian(given_grams.squared_distances(new, X), 1.0)
    places = given_grams.predicted_places(given_grams.gaussian(squared, 1.0), equal, cross, [0.1, 1.0])
    for alpha, found in zip([0.1, 1.0], places, strict=True):
        model = KernelDependencyEstimator(RBFKernel(0.5), LabelKernel(), alpha=alpha).fit(X, y)
        np.testing.assert_array_equal(y[found], model.predict(new))


def test_folds_share_nothing_and_leave_nothing_out():
    seen = []
    for others, part in given_grams.folds(11, 4, np.random.default_rng(0)):
        assert not set(others) & set(part)
        assert len(others) + len(part) == 11
        seen += part.tolist()
    assert sorted(seen) == list(range(11))


def test_choices_never_see_what_judges_them():
    """Targets without any relation to inputs: the chosen setting is no better than chance."""
    random = np.random.default_rng(1)
    x, labels = random.normal(size=(90, 2)), random.integers(2, size=90)
    wrong = (labels[:, None] != labels).astype(float)
    chosen = given_grams.choose(given_grams.squared_distances(x), 1 - wrong, wrong, [1e-3, 1.0], [1e-6, 1.0], random)
    assert 0.3 < chosen.loss < 0.7


def test_neighbours_choose_their_number():
    x = np.repeat([0.0, 10.0], 20)[:, None] + 0.1 * np.arange(40)[:, None]
    labels = np.repeat([0, 1], 20)
    labels[[5, 30]] = labels[[30, 5]]  # one wrong label on each side
    squared = given_grams.squared_distances(x)
    wrong = (labels[:, None] != labels).astype(float)
    places, size = given_grams.neighbours(squared, squared, wrong, [1, 5], np.random.default_rng(0))
    assert size == 5
    np.testing.assert_array_equal(labels[places], np.repeat([0, 1], 20))

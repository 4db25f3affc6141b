"""Probabilities of outputs, set right on held-out words."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.metrics.calibration import expected_calibration_error
from weft.rewriting.calibration import FEWEST, LEAST_SLOPE, OF_FORMS, Calibration, calibrate, calibrate_on


@pytest.fixture
def random():
    """Numbers that are the same in every run."""
    return np.random.default_rng(0)


def too_sure(n, random):
    """How sure a model is, and whether it is right: less often than it says."""
    truth = random.beta(4, 1.5, n)
    odds = np.log(truth) - np.log1p(-truth)
    said = 1 / (1 + np.exp(-(1.8 * odds + 0.4)))
    return said, random.random(n) < truth


def test_the_curve_is_the_one_by_which_confidence_was_wrong(random):
    said, right = too_sure(20_000, random)
    found = calibrate(said, right)
    assert found.slope == pytest.approx(1 / 1.8, abs=0.03)
    assert found.intercept == pytest.approx(-0.4 / 1.8, abs=0.06)


def test_no_other_curve_is_more_probable(random):
    said, right = too_sure(500, random)
    found = calibrate(said, right)
    n_right = right.sum()
    targets = np.where(right, (n_right + 1) / (n_right + 2), 1 / (500 - n_right + 2))
    odds = np.log(said) - np.log1p(-said)

    def loss(slope, intercept):
        sure = 1 / (1 + np.exp(-(slope * odds + intercept)))
        gains = targets * np.log(sure) + (1 - targets) * np.log1p(-sure)
        return -gains.sum() + (100 * (slope - 1) ** 2 + 10 * intercept**2) / 2  # a normal prior around the identity

    best = loss(found.slope, found.intercept)
    for change in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3)):
        assert loss(found.slope + change[0], found.intercept + change[1]) > best


def crooked(n, random):
    """How sure a model is whose small probabilities are too large, and whether it is right, as beta curves have it."""
    said = random.beta(3, 1.2, n)
    return said, random.random(n) < truth_of_crooked(said)


def truth_of_crooked(said):
    return 1 / (1 + np.exp(-(2.0 * np.log(said) - 0.5 * np.log1p(-said) + 0.3)))


def test_a_curve_with_two_slopes_is_the_one_by_which_confidence_was_wrong(random):
    said, right = crooked(40_000, random)
    found = calibrate(said, right, OF_FORMS)
    assert (found.low_slope, found.slope, found.intercept) == pytest.approx((2.0, 0.5, 0.3), abs=0.2)
    for p in np.linspace(0.05, 0.95, 10):
        assert found.apply([("a", p)]) == [("a", pytest.approx(truth_of_crooked(p), abs=0.015))]
    # One slope is too few for it.
    errors = [
        expected_calibration_error([curve.of_best(p) for p in said], right) for curve in (calibrate(said, right), found)
    ]
    assert errors[0] > 0.015
    assert errors[1] < 0.008


def test_no_other_curve_with_two_slopes_is_more_probable(random):
    said, right = crooked(300, random)
    found = calibrate(said, right, OF_FORMS)
    targets = np.where(right, (right.sum() + 1) / (right.sum() + 2), 1 / (300 - right.sum() + 2))

    def loss(*point):
        sure = 1 / (1 + np.exp(-(point[0] * np.log(said) - point[1] * np.log1p(-said) + point[2])))
        gains = targets * np.log(sure) + (1 - targets) * np.log1p(-sure)
        return -gains.sum() + sum(p * (a - m) ** 2 / 2 for a, m, p in zip(point, *OF_FORMS, strict=True))

    point = np.array([found.low_slope, found.slope, found.intercept])
    for change in np.concatenate([np.eye(3), -np.eye(3)]):
        assert loss(*(point + 1e-3 * change)) > loss(*point)


@pytest.mark.parametrize("right", [[True] * 300 + [False] * 300, [False] * 300 + [True] * 300])
def test_whoever_is_surer_stays_so_with_two_slopes(right):
    found = calibrate([0.2] * 200 + [0.6] * 200 + [0.99] * 200, right, OF_FORMS)
    assert min(found.slope, found.low_slope) >= LEAST_SLOPE
    values = [found.of_best(p) for p in np.linspace(0, 1, 200)]
    assert all(a <= b for a, b in itertools.pairwise(values))
    assert values[-1] > values[0]


def test_an_intercept_alone_is_where_the_words_and_the_prior_balance():
    # With log-odds of 0 no word says anything of the slope, and the derivative by the intercept b is by hand
    # n / (1 + exp(-b)) - (sum of Platt's targets) + 10 b.
    found = calibrate([0.5] * 300, [True] * 240 + [False] * 60)
    targets = 240 * 241 / 242 + 60 / 62
    assert found.slope == 1.0
    assert 300 * found.of_best(0.5) + 10 * found.intercept == pytest.approx(targets, rel=1e-9)
    assert 0.0 < found.intercept < math.log(4)  # between the identity and the share that is right


def test_few_words_bend_the_curve_less_than_many(random):
    said, right = too_sure(200, random)
    few, many = calibrate(said, right), calibrate(np.tile(said, 20), np.tile(right, 20))
    assert many.slope < few.slope < 1.0
    assert many.of_best(0.95) < few.of_best(0.95) < 0.95


def test_few_words_leave_an_honest_model_nearly_as_it_is(random):
    """By chance alone the curve of largest likelihood is off by .033 here in the mean, this one by .020."""
    off = []
    for _ in range(40):
        honest = random.beta(4, 1.5, 150)
        found = calibrate(honest, random.random(150) < honest)
        off.append(np.mean([abs(found.of_best(p) - p) for p in honest]))
    assert np.mean(off) < 0.025


def test_new_words_are_right_as_often_as_is_said(random):
    found = calibrate(*too_sure(1000, random))
    said, right = too_sure(5000, random)
    before = expected_calibration_error(said, right)
    after = expected_calibration_error([found.of_best(p) for p in said], right)
    assert after < 0.03 < before


@pytest.mark.parametrize("right", [True, False])
def test_words_that_are_all_right_or_all_wrong_give_a_finite_curve(right):
    found = calibrate([1.0] * 150 + [0.5] * 150, [right] * 300)
    assert (found.of_best(0.7) > 0.9) == right
    assert (found.of_best(0.7) < 0.35) != right
    assert found.slope >= LEAST_SLOPE
    assert math.isfinite(found.intercept)


def test_few_words_leave_probabilities_as_they_are():
    assert calibrate([0.5] * (FEWEST - 1), [True] * (FEWEST - 1)) is None
    assert calibrate_on([[("a", 0.5)]] * FEWEST, [{"a"}] * FEWEST) is not None


@given(
    st.floats(0.05, 20), st.floats(-10, 10), st.none() | st.floats(0.05, 20),
    st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.0, 1.0),
)  # fmt: skip
def test_lists_keep_their_order_and_are_no_more_than_certain(slope, intercept, low_slope, weights, listed):
    total = sum(weights) or 1.0
    found = [(k, listed * w / total) for k, w in enumerate(sorted(weights, reverse=True))]
    calibration = Calibration(slope, intercept, low_slope)
    new = calibration.apply(found)
    values = [p for _, p in new]
    assert [k for k, _ in new] == list(range(len(found)))
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(values))
    assert sum(values) <= 1 + 1e-9
    assert min(values) >= 0
    for k in range(1, len(found)):
        assert calibration.apply(found[:k]) == new[:k]  # whatever the length of the list


@pytest.fixture(scope="module")
def noisy():
    """Words whose last letter is written in one of two ways, which nothing tells apart."""
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list("abcdef"), 5)) for _ in range(1500)]
    return words, [word.upper()[:-1] + random.choice(["x", "y"], p=[0.7, 0.3]) for word in words]


@pytest.mark.parametrize("settings", [{}, {"rerank": 2}, {"n_models": 2}])
def test_a_rewriter_says_how_often_it_is_right(noisy, settings, tmp_path):
    X, y = noisy
    rewriter = weft.Rewriter(random_state=0, max_chunk=1, **settings).fit(X[:1200], y[:1200])
    assert rewriter.calibration_ is not None
    sure = rewriter.confidence(X[1200:])
    right = [a == b for a, b in zip(rewriter.predict(X[1200:]), y[1200:], strict=True)]
    assert abs(np.mean(sure) - np.mean(right)) < 0.1
    assert [found[0][1] for found in rewriter.predict_kbest(X[1200:1210], 4)] == pytest.approx(sure[:10])
    weft.save(rewriter, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").confidence(X[1200:]) == pytest.approx(sure, rel=1e-12)


def test_words_given_to_tune_on_say_how_sure_to_be(noisy):
    X, y = noisy
    fits = [
        weft.Rewriter(random_state=0, max_chunk=1, rerank=rerank).fit(
            X[:400], y[:400], X_dev=X[400:600], y_dev=["?" + each[1:] for each in y[400:600]]
        )
        for rerank in (0, 2)
    ]
    for rewriter in fits:
        assert np.mean(rewriter.confidence(X[600:])) < 0.15  # none of the words to tune on was right

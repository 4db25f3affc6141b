"""Goldens Z1 and P1 of the errata; bounds and ranks against all outputs of short sequences."""

import itertools
from math import log, sqrt

import numpy as np
import pytest

import weft
from chain_differences import all_differences
from weft import SODA, Tagger, ZScore
from weft.errors import InputError
from weft.learners.moments.bounds import (
    pac_bound,
    rademacher_bound,
    rademacher_of_outputs,
    rademacher_of_pairs,
    rank_bound,
    ranking_losses,
    relative_rank_bounds,
    relative_ranks,
)

Z1_X, Z1_Y = [[0, 1, 0, 2]], [[0, 1, 0, 1]]


def test_golden_z1():
    tagger = Tagger(ZScore(alpha=0.0, tol=1e-13)).fit(Z1_X, Z1_Y)
    assert relative_rank_bounds(tagger, Z1_X, Z1_Y) == pytest.approx([1 / 8])  # Z^2 = 7
    ranks, is_exact = relative_ranks(tagger, Z1_X, Z1_Y)
    assert ranks == pytest.approx([1 / 16])
    assert is_exact.all()
    bound = rademacher_bound(tagger, Z1_X, Z1_Y, c=100.0)
    expected = 2 * (100 * sqrt(48.875) + 2 * 10 * sqrt(5.75) + 1)
    assert bound.pair_complexity == pytest.approx(expected)
    assert rademacher_of_pairs([48.875], [5.75], 1.0) == pytest.approx(25.5737945007, abs=1e-9)
    tagger.weights_ = tagger.weights_ / 8  # the minimiser of (6) is C^+ b / (1 + Z^2)
    assert ranking_losses(tagger, Z1_X, Z1_Y) == pytest.approx([1 / 8])


@pytest.mark.parametrize(
    ("d", "largest", "n_pairs", "printed", "exact"),
    [
        (10, 7, 1000, 0.2602659329, 0.2305994362),
        (12, 199, 20000, 0.0427009485, 0.0389398066),
        (3, 20, 1000, 0.0391956474, 0.0258221562),
    ],
)
def test_golden_p1(d, largest, n_pairs, printed, exact):
    assert pac_bound(d, largest, n_pairs, form="printed") == pytest.approx(printed, abs=1e-10)
    assert pac_bound(d, largest, n_pairs) == pytest.approx(exact, abs=1e-10)


def test_the_printed_pac_bound_is_never_below_the_exact_one():
    for d, largest in itertools.product(range(2, 60), (1, 2, 10, 500)):
        assert pac_bound(d, largest, 100, form="printed") >= pac_bound(d, largest, 100)


def test_complexity_terms_equal_enumeration(model):
    tagger, X, y = model
    c = 2.0 * float(tagger.weights_ @ tagger.weights_)
    second, means = [], []
    for sequence, answer in zip(X, y, strict=True):
        differences = all_differences(tagger, sequence, answer)
        second.append(np.mean((differences @ differences.T) ** 2))
        means.append(np.sum(differences.mean(axis=0) ** 2))
    bound = rademacher_bound(tagger, X, y, c=c, delta=0.1)
    assert bound.pair_complexity == pytest.approx(rademacher_of_pairs(second, means, c))
    assert bound.empirical == pytest.approx(np.mean(ranking_losses(tagger, X, y)))
    assert (bound.output_complexity, bound.output_deviation) == (0.0, 0.0)
    largest = max(max(max(map(s.count, s)), len(s) - 1) for s in X)
    M = (largest * sqrt(len(tagger.weights_) * c) + 1) ** 2
    assert bound.pair_deviation == pytest.approx(3 * M * sqrt(log(1 / 0.1) / (2 * len(X))))


def test_corrected_terms_bound_the_rademacher_complexity_of_a_small_case():
    """The supremum over a grid of theta in a disc, averaged over all signs."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        differences = rng.integers(-1, 2, size=(6, 2)).astype(float)
        angles = np.linspace(0, 2 * np.pi, 60)
        c = 0.25
        thetas = np.concatenate([r * sqrt(c) * np.stack([np.cos(angles), np.sin(angles)], 1) for r in (0, 0.5, 1)])
        losses = (thetas @ differences.T - 1) ** 2
        signs = np.array(list(itertools.product([-1, 1], repeat=6)))
        complexity = np.mean(np.abs(2 / 6 * signs @ losses.T).max(axis=1))
        assert complexity <= rademacher_of_outputs((differences**2).sum(axis=1), c)


def test_sampling_terms_and_conservative_constants(model):
    tagger, X, y = model
    exact = rademacher_bound(tagger, X, y)
    sampled = rademacher_bound(tagger, X, y, n_samples=50, random_state=0)
    careful = rademacher_bound(tagger, X, y, n_samples=50, random_state=0, conservative=True)
    assert exact.total < sampled.total < careful.total
    assert careful.output_deviation / sampled.output_deviation == pytest.approx(
        sqrt(log(4 * 12 / 0.05) / log(2 * 12 / 0.05))
    )
    assert careful.pair_deviation / sampled.pair_deviation == pytest.approx(sqrt(log(4 / 0.05) / log(2 / 0.05)))


def test_rank_bound_of_low_scores_says_nothing():
    assert rank_bound([-3.0, 0.0, 2.0]).tolist() == [1.0, 1.0, 0.2]


def test_bad_input(model):
    tagger, X, y = model
    with pytest.raises(InputError, match="raise c"):
        rademacher_bound(tagger, X, y, c=1e-9)
    with pytest.raises(InputError, match="delta is 2"):
        rademacher_bound(tagger, X, y, delta=2)
    with pytest.raises(InputError, match="use 'exact' or 'printed'"):
        pac_bound(3, 3, 3, form="rough")
    with pytest.raises(InputError, match="at least 2 features"):
        pac_bound(1, 3, 3)
    with pytest.raises(InputError, match="n_best=0"):
        relative_ranks(tagger, X, y, n_best=0)


def test_constraints_leave_fewer_outputs():
    barred = Tagger(SODA(), constraints=[("y1", "y0")]).fit([["a"] * 12] * 2, [["y0"] * 11 + ["y1"], ["y1"] * 12])
    X, y = [["a"] * 12], [["y0"] * 6 + ["y1"] * 6]  # one of 13
    exact, is_exact = relative_ranks(barred, X, y)
    assert is_exact.all()
    assert 13 * exact[0] == pytest.approx(round(13 * exact[0]))
    drawn, is_exact = relative_ranks(barred, X, y, n_best=1, n_samples=4000, random_state=0)
    assert not is_exact.any()
    assert drawn[0] == pytest.approx(exact[0], abs=0.04)
    assert rademacher_bound(barred, X, y, n_samples=5).output_complexity > 0.0


ALIGNED = [("AC", "A"), ("GAT", "GT"), ("CAT", "CT")], [("AC", "A-"), ("GAT", "G-T"), ("CAT", "C-T")]
FOLDED = ["GGAAACC", "GAAAAC", "GCAAAGC"], ["((...))", "(....)", "((...))"]


@pytest.mark.parametrize(
    ("estimator", "data"),
    [
        (weft.Aligner("match", "linear", weft.SODA()), ALIGNED),
        (weft.Folder("g6", weft.SODA()), FOLDED),
        (weft.Folder("loops", weft.CRF(), decode="best"), FOLDED),
    ],
    ids=["aligner", "folder", "loops"],
)
def test_ranks_and_bounds_of_other_structures_are_those_of_all_outputs(estimator, data):
    X, y = data
    fitted = estimator.fit(X, y)
    batch = fitted.bind(X, y)
    ranks, is_exact = relative_ranks(fitted, X, y)
    assert is_exact.all()
    reference = batch.scores(fitted.weights_, batch.reference())
    for i, ranked in enumerate(batch.kbest(fitted.weights_, 10_000)):
        scores = np.array([score for _, score in ranked])
        assert ranks[i] == pytest.approx(np.mean(scores >= reference[i] - 1e-9))
    assert (relative_rank_bounds(fitted, X, y) >= ranks - 1e-9).all()
    assert (ranking_losses(fitted, X, y) >= ranks - 1e-9).all()
    drawn, is_exact = relative_ranks(fitted, X, y, n_best=1, n_samples=3000, random_state=0)
    assert (np.abs(drawn - ranks) < 0.06).all()
    if len(fitted.weights_) < 50:
        bound = rademacher_bound(fitted, X, y)
        assert bound.empirical == pytest.approx(np.mean(ranking_losses(fitted, X, y)))
        assert bound.total > bound.empirical
        assert rademacher_bound(fitted, X, y, n_samples=20, random_state=0).output_complexity > 0.0

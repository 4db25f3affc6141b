"""Goldens L1-L3 of the errata, closed forms against the graph, and every query against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core import argmax, kbest, log_count, log_partition, mean, sample
from weft.errors import InputError
from weft.structures.chain.features import ForbiddenLabels
from weft.structures.chain.structure import Chain

# 16 C of golden L1 (n_h = 2, n_o = 3, x = 0 1 0 2).
L1_COVARIANCE = np.array(
    [
        [8, 0, 0, -8, 0, 0, 6, 2, -2, -6],
        [0, 4, 0, 0, -4, 0, 4, 0, 0, -4],
        [0, 0, 4, 0, 0, -4, 2, -2, 2, -2],
        [-8, 0, 0, 8, 0, 0, -6, -2, 2, 6],
        [0, -4, 0, 0, 4, 0, -4, 0, 0, 4],
        [0, 0, -4, 0, 0, 4, -2, 2, -2, 2],
        [6, 4, 2, -6, -4, -2, 13, -3, -3, -7],
        [2, 0, -2, -2, 0, 2, -3, 5, 1, -3],
        [-2, 0, 2, 2, 0, -2, -3, 1, 5, -3],
        [-6, -4, -2, 6, 4, 2, -7, -3, -3, 13],
    ]
)


@pytest.mark.parametrize("way", ["moments", "graph_moments"])
def test_golden_l1(way):
    result = getattr(Chain(2, 3), way)([0, 1, 0, 2])
    assert np.exp(result.log_count) == pytest.approx(16)
    np.testing.assert_allclose(result.mean, [1, 0.5, 0.5, 1, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75], atol=1e-12)
    np.testing.assert_allclose(16 * result.covariance, L1_COVARIANCE, atol=1e-12)
    assert np.linalg.matrix_rank(result.covariance, tol=1e-9) == 5
    assert np.trace(result.covariance) == pytest.approx(17 / 4)


@pytest.mark.parametrize("way", ["moments", "graph_moments"])
def test_golden_l2(way):
    chain = Chain(3, 4)
    result = getattr(chain, way)([0, 1, 2, 0, 1, 3])
    index = {name: i for i, name in enumerate(chain.feature_names)}

    def covariance(first, second):
        def place(name):
            kind, a, b = name
            return index[("emission" if kind == "e" else "labels", int(a), int(b))]

        return result.covariance[place(first), place(second)]

    np.testing.assert_allclose(result.mean[:4], [2 / 3, 2 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(result.mean[12:], 5 / 9)
    assert np.linalg.matrix_rank(result.covariance, tol=1e-9) == 14
    golden = {
        ("e00", "e00"): 4 / 9, ("e00", "e10"): -2 / 9, ("t00", "t00"): 56 / 81, ("t01", "t01"): 32 / 81,
        ("t01", "t10"): 11 / 81, ("t00", "t01"): -1 / 81, ("t00", "t11"): -13 / 81, ("t01", "t02"): -13 / 81,
        ("e00", "t00"): 2 / 9, ("e00", "t01"): 1 / 9, ("e00", "t10"): 0, ("e00", "t11"): -1 / 9,
    }  # fmt: skip
    for (first, second), value in golden.items():
        assert covariance(first, second) == pytest.approx(value, abs=1e-12), (first, second)


def test_golden_l3():
    result = Chain(2, 3).hamming_moments([0, 1, 0, 2], [0, 1, 0, 1])
    assert (result.mean, result.variance) == (pytest.approx(2), pytest.approx(1))
    golden = [-1 / 2, 1 / 4, 1 / 4, 1 / 2, -1 / 4, -1 / 4, 0, -1 / 4, 1 / 4, 0]
    np.testing.assert_allclose(result.covariance, golden, atol=1e-12)


@st.composite
def small_chains(draw):
    n_labels = draw(st.integers(1, 3))
    length = draw(st.integers(1, 4))
    order = draw(st.integers(1, 3))
    forbidden = None
    if draw(st.booleans()):
        bits = st.lists(st.booleans(), min_size=n_labels, max_size=n_labels)
        steps = np.array([draw(bits) for _ in range(n_labels)]) & ~np.eye(n_labels, dtype=bool)
        start, end = np.array(draw(bits)), np.array(draw(bits))
        start[0] = end[0] = False  # label 0 may always repeat, so that one output is left
        forbidden = ForbiddenLabels(steps, start, end)
    chain = Chain(n_labels, 2, order, forbidden, boundary=draw(st.booleans()))
    x = draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    return chain, x


def outputs(chain, length):
    """All allowed label sequences, by enumeration."""
    for y in itertools.product(range(chain.n_labels), repeat=length):
        f = chain.forbidden
        if f is not None and (f.start[y[0]] or f.end[y[-1]] or any(f.steps[p, z] for p, z in itertools.pairwise(y))):
            continue
        yield y


def feature_vector(chain, x, y):
    """Features of an output, counted by hand."""
    counts = dict.fromkeys(chain.feature_names, 0.0)
    for p, q in zip(y, x, strict=True):
        counts[("emission", p, q)] += 1
    for n in range(2, chain.order + 2):
        for i in range(len(y) - n + 1):
            counts[("labels", *y[i : i + n])] += 1
    if chain.boundary:
        counts[("start", y[0])] += 1
        counts[("end", y[-1])] += 1
    return np.array(list(counts.values()))


@pytest.mark.nojit
@given(small_chains(), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_queries_equal_enumeration(case, seed):
    chain, x = case
    length = len(x)
    all_outputs = list(outputs(chain, length))
    features = np.array([feature_vector(chain, x, y) for y in all_outputs])
    for y, vector in zip(all_outputs[:3], features, strict=False):
        np.testing.assert_allclose(chain.features(x, y), vector)
    weights = np.random.default_rng(seed).normal(size=features.shape[1])
    graph, part_features = chain.compile(length), chain.part_features(x)
    scores = chain.base_scores(length) + part_features @ weights
    totals = features @ weights
    assert log_count(graph, chain.base_scores(length)) == pytest.approx(np.log(len(all_outputs)))
    assert log_partition(graph, scores) == pytest.approx(np.logaddexp.reduce(totals))
    probabilities = np.exp(totals - np.logaddexp.reduce(totals))
    np.testing.assert_allclose(mean(graph, scores, part_features), probabilities @ features, atol=1e-9)
    best = argmax(graph, scores)
    assert best.score == pytest.approx(totals.max())
    assert totals[all_outputs.index(tuple(chain.decode(best, length)))] == pytest.approx(totals.max())
    ranked = [d.score for d in kbest(graph, scores, 5)]
    np.testing.assert_allclose(ranked, np.sort(totals)[::-1][:5], atol=1e-9)
    drawn = sample(graph, scores, 3, random_state=seed % 1000)
    assert all(tuple(chain.decode(d, length)) in all_outputs for d in drawn)


@given(small_chains())
@settings(max_examples=30)
def test_moments_equal_enumeration(case):
    chain, x = case
    all_outputs = list(outputs(chain, len(x)))
    features = np.array([feature_vector(chain, x, y) for y in all_outputs])
    reference = all_outputs[-1]
    distance = np.array([sum(a != b for a, b in zip(y, reference, strict=True)) for y in all_outputs], dtype=float)
    centred = features - features.mean(axis=0)
    for result in (chain.moments(x), chain.graph_moments(x)):
        assert result.log_count == pytest.approx(np.log(len(all_outputs)))
        np.testing.assert_allclose(result.mean, features.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(result.covariance, centred.T @ centred / len(features), atol=1e-9)
    loss = chain.hamming_moments(x, reference)
    assert loss.mean == pytest.approx(distance.mean())
    assert loss.variance == pytest.approx(distance.var(), abs=1e-12)
    np.testing.assert_allclose(loss.covariance, centred.T @ (distance - distance.mean()) / len(features), atol=1e-9)


def test_count_does_not_overflow():
    assert Chain(2, 1).graph_moments([0] * 1100).log_count == pytest.approx(1100 * np.log(2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Chain(0), "at least 1 label"),
        (lambda: Chain(2, order=0), "at least 1 label"),
        (lambda: Chain(2).compile(0), "at least 1 token"),
        (lambda: Chain(2, 2).moments([0, 5]), "outside 0..1"),
        (lambda: Chain(2, 2).moments([]), "at least one symbol"),
        (lambda: Chain(2, 2).features([0, 1], [0]), "2 symbols but y has 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()

"""Goldens A1 and A2 (MM sections 3.3 and 2.3.2, corrected), and every query against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_oracle import aligned, all_moves, feature_vector
from weft.core import argmax, covariance_product, kbest, log_count, log_partition, marginals, mean, sample
from weft.errors import InputError
from weft.structures import Alignment

WAYS = ["moments", "graph_moments"]


@pytest.mark.parametrize("way", WAYS)
def test_golden_a1(way):
    linear = getattr(Alignment("match", gaps="linear"), way)(("ACG", "AG"))
    assert np.exp(linear.log_count) == pytest.approx(25)
    np.testing.assert_allclose(linear.mean, [2 / 5, 8 / 25, 89 / 25])
    golden = [[200, -30, -340], [-30, 136, -212], [-340, -212, 1104]]
    np.testing.assert_allclose(625 * linear.covariance, golden, atol=1e-9)
    affine = getattr(Alignment("match"), way)(("ACG", "AG"))
    np.testing.assert_allclose(affine.mean, [2 / 5, 8 / 25, 67 / 25, 22 / 25])
    golden = [[200, -30, -220, -120], [-30, 136, -86, -126], [-220, -86, 636, -24], [-120, -126, -24, 516]]
    np.testing.assert_allclose(625 * affine.covariance, golden, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_golden_a1_with_a_substitution_matrix(way):
    structure = Alignment("substitution", "ACG")
    result = getattr(structure, way)(("ACG", "AG"))
    assert result.feature_names[:3] == [("A", "A"), ("A", "C"), ("A", "G")]
    assert result.feature_names[-2:] == ["gap open", "gap extend"]
    np.testing.assert_allclose(25 * result.mean, [5, 3, 2, 0, 3, 5, 67, 22], atol=1e-12)
    golden = [
        [100, -15, -10, 0, 10, 0, -110, -60],
        [-15, 66, -6, 0, -9, 10, -26, -66],
        [-10, -6, 46, 0, -6, -10, -34, 6],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [10, -9, -6, 0, 66, -15, -26, -66],
        [0, 10, -10, 0, -15, 100, -110, -60],
        [-110, -26, -34, 0, -26, -110, 636, -24],
        [-60, -66, 6, 0, -66, -60, -24, 516],
    ]
    np.testing.assert_allclose(625 * result.covariance, golden, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_golden_a2(way):
    pair = ("GATT", "GCAT")
    affine = getattr(Alignment("match"), way)(pair)
    assert np.exp(affine.log_count) == pytest.approx(321)
    np.testing.assert_allclose(affine.mean, [176 / 321, 208 / 321, 430 / 107, 170 / 107])
    golden = {(0, 0): 46706 / 103041, (0, 3): -3910 / 11449, (2, 2): 56698 / 34347, (2, 3): -8938 / 34347,
              (3, 3): 62458 / 34347}  # fmt: skip
    for place, value in golden.items():
        assert affine.covariance[place] == pytest.approx(value)
    linear = getattr(Alignment("match", gaps="linear"), way)(pair)
    assert linear.covariance[2, 2] == pytest.approx(33760 / 11449)
    substitution = getattr(Alignment("substitution", "ACGT"), way)(pair)
    ranks = [np.linalg.matrix_rank(each.covariance, tol=1e-9) for each in (linear, affine, substitution)]
    assert ranks == [2, 3, 10]


@st.composite
def small_pairs(draw):
    model = draw(st.sampled_from(["match", "substitution"]))
    structure = Alignment(model, draw(st.sampled_from(["AB", "ABC"])), draw(st.sampled_from(["affine", "linear"])))
    words = st.text("AB", min_size=1, max_size=4)
    return structure, (draw(words), draw(words))


@pytest.mark.nojit
@given(small_pairs(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_graph_queries_equal_enumeration(case, seed):
    structure, pair = case
    outputs = all_moves(*map(len, pair))
    features = np.array([feature_vector(structure, pair, moves) for moves in outputs])
    for moves, vector in zip(outputs[:3], features, strict=False):
        np.testing.assert_allclose(structure.features(pair, moves), vector)
    random = np.random.default_rng(seed)
    weights, direction = random.normal(size=(2, features.shape[1]))
    graph, parts = structure.compile(pair), structure.part_features(pair)
    scores, totals = parts @ weights, features @ weights
    assert log_count(graph) == pytest.approx(np.log(len(outputs)))
    assert log_partition(graph, scores) == pytest.approx(np.logaddexp.reduce(totals))
    shares = np.exp(totals - np.logaddexp.reduce(totals))
    np.testing.assert_allclose(mean(graph, scores, parts), shares @ features, atol=1e-9)
    centred = features - shares @ features
    product = (centred * shares[:, None]).T @ (centred @ direction)
    np.testing.assert_allclose(covariance_product(graph, scores, parts, direction), product, atol=1e-9)
    best = argmax(graph, scores)
    assert totals[outputs.index(tuple(structure.decode(best, pair)))] == pytest.approx(totals.max())
    found = kbest(graph, scores, 5)
    np.testing.assert_allclose([each.score for each in found], np.sort(totals)[::-1][:5], atol=1e-9)
    assert len({tuple(structure.decode(each, pair)) for each in found}) == min(5, len(outputs))
    posterior = np.zeros((len(pair[0]), len(pair[1])))
    for moves, share in zip(outputs, shares, strict=True):
        for i, j in aligned(moves):
            posterior[i, j] += share
    np.testing.assert_allclose(
        marginals(graph, scores)[: posterior.size].reshape(posterior.shape), posterior, atol=1e-9
    )
    assert all(tuple(structure.decode(each, pair)) in outputs for each in sample(graph, scores, 3, seed % 1000))


@given(small_pairs())
@settings(max_examples=20)
def test_moments_equal_enumeration(case):
    structure, pair = case
    features = np.array([feature_vector(structure, pair, moves) for moves in all_moves(*map(len, pair))])
    centred = features - features.mean(axis=0)
    for way in WAYS:
        result = getattr(structure, way)(pair)
        assert result.log_count == pytest.approx(np.log(len(features)))
        np.testing.assert_allclose(result.mean, features.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(result.covariance, centred.T @ centred / len(features), atol=1e-9)


def test_counts_beyond_the_range_of_floats():
    result = Alignment("match", gaps="linear").moments(("A" * 450, "B" * 450))
    assert result.log_count > np.log(np.finfo(float).max)
    assert np.trace(result.covariance) > 0
    assert 2 * result.mean[:2].sum() + result.mean[2] == pytest.approx(900)


def test_full_covariance_of_proteins_is_right_in_every_row():
    letters = "ACDEFGHIKLMNPQRSTVWY"
    random = np.random.default_rng(0)
    pair = tuple("".join(random.choice(list(letters), 30)) for _ in range(2))
    structure = Alignment("substitution", letters)
    result, oracle = structure.moments(pair), structure.graph_moments(pair)
    assert len(result.mean) == 212
    np.testing.assert_allclose(result.mean, oracle.mean, atol=1e-10)
    np.testing.assert_allclose(result.covariance, oracle.covariance, atol=1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Alignment("blosum", "AC"), "use 'match' or 'substitution'"),
        (lambda: Alignment("match", gaps="free"), "use 'affine' or 'linear'"),
        (lambda: Alignment("substitution"), "needs an alphabet"),
        (lambda: Alignment("match", "AA"), "each once"),
        (lambda: Alignment("match", "A-"), "not the gap"),
        (lambda: Alignment("substitution", "ACG").moments(("ACX", "A")), r"'X' at position 2.*not in the alphabet ACG"),
        (
            lambda: Alignment("substitution", ("à", "à:", "ŋ")).moments((["à", "è:"], ["ŋ"])),
            r"'è:' at position 1.*not in the alphabet à à: ŋ;",
        ),
        (lambda: Alignment("substitution", "ACG").moments(("A-C", "A")), "gap '-' at position 1"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_an_alphabet_has_symbols():
    with pytest.raises(InputError, match=r"^alphabet is 4; symbols are needed, such as 'ACGT' or a list\.$"):
        Alignment("substitution", 4)

"""Ends that are free or have costs of their own, beside all alignments, one by one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from weft.errors import InputError
from weft.structures.alignment.ends import EndsAlignment, EndsBatch
from weft.structures.alignment.loops.ends import ends_sums
from weft.structures.alignment.loops.ends_scaled import scaled_ends_sums
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND
from weft.structures.alignment.references import References

PAIRS = [("ACGT", "CGA"), ("A", "GCA"), ("TACC", "CC")]
MASKS = [(1, 0), (0, 2), None]
"""A pair of positions that is known, for each pair of sequences."""


def paths(n, m):
    if n == 0 and m == 0:
        yield ()
    for move, a, b in ((PAIR, 1, 1), (FIRST, 1, 0), (SECOND, 0, 1)):
        if n >= a and m >= b:
            yield from ((*rest, move) for rest in paths(n - a, m - b))


def is_canonical(path, mode):
    """Local alignments are written in one way: what is left out as FIRST before SECOND."""
    if mode != "local":
        return True
    paired = [k for k, move in enumerate(path) if move == PAIR]
    ends = [path[: paired[0]], path[paired[-1] + 1 :]] if paired else [path]
    return all(a <= b for end in ends for a, b in pairwise(end))


def score(structure, pair, path, weights):
    """By definition, move by move."""
    n, m = map(len, pair)
    windows = structure.encode([pair])
    first, second = windows.windows_of(0)
    paired = [k for k, move in enumerate(path) if move == PAIR]
    i = j = 0
    total, last = 0.0, PAIR
    opening, extension = weights[structure.gap_features]
    ends = (0.0, 0.0) if structure.end_gap_features is None else weights[structure.end_gap_features]
    table, neighbours = structure.pair_features(4), structure.neighbour_features
    for k, move in enumerate(path):
        if move == PAIR:
            total += weights[table[first[i, 0], second[j, 0]]]
            total += sum(weights[own[a, b]] for own, a, b in zip(neighbours, first[i, 1:], second[j, 1:], strict=True))
        elif structure.mode == "local":
            free = not paired or k < paired[0] or k > paired[-1]
            total += 0.0 if free else extension if move == last else opening
        else:
            at_end = j in (0, m) if move == FIRST else i in (0, n)
            own = ends if at_end else (opening, extension)
            total += own[1] if move == last else own[0]
        i += move != SECOND
        j += move != FIRST
        last = move
    return total


@pytest.fixture(
    params=[
        ("semi-global", "affine", 0),
        ("semi-global", "linear", 1),
        ("end-gaps", "affine", 1),
        ("end-gaps", "linear", 0),
        ("local", "affine", 1),
        ("local", "linear", 0),
    ]
)
def structure(request):
    mode, gaps, context = request.param
    return EndsAlignment("ACGT", gaps, context, ["AG", "CT"] if context else (), mode=mode)


@pytest.fixture
def weights(structure):
    weights = np.random.default_rng(0).normal(size=structure.n_features)
    weights[structure.gap_features] = [-0.5, -0.3] if structure.gaps == "affine" else [-0.4, -0.4]
    if structure.end_gap_features is not None:
        weights[structure.end_gap_features] = [-0.2, 0.1] if structure.gaps == "affine" else [0.2, 0.2]
    return weights


def all_of(structure, pair):
    return [path for path in paths(*map(len, pair)) if is_canonical(path, structure.mode)]


def test_sums_are_those_of_all_alignments(structure, weights):
    batch = EndsBatch(structure, structure.encode(PAIRS))
    log_partitions, means = batch.log_partitions(weights), batch.expectations(weights)
    probabilities = batch.marginals(weights)
    for k, pair in enumerate(PAIRS):
        every = all_of(structure, pair)
        scores = np.array([score(structure, pair, path, weights) for path in every])
        assert log_partitions[k] == pytest.approx(np.log(np.exp(scores).sum()), abs=1e-10)
        features = np.array([structure.features(pair, np.array(path, dtype=np.uint8)) for path in every])
        np.testing.assert_allclose(features @ weights, scores, atol=1e-10)
        shares = np.exp(scores - log_partitions[k])
        np.testing.assert_allclose(means[k], shares @ features, atol=1e-10)
        assert probabilities[k].sum() == pytest.approx(
            sum(s * path.count(PAIR) for s, path in zip(shares, every, strict=True))
        )


def test_the_best_is_the_best_of_all(structure, weights):
    batch = EndsBatch(structure, structure.encode(PAIRS))
    alignments, scores = batch.argmax(weights)
    for k, pair in enumerate(PAIRS):
        assert scores[k] == pytest.approx(
            max(score(structure, pair, path, weights) for path in all_of(structure, pair))
        )
        assert is_canonical(tuple(alignments[k].tolist()), structure.mode)


def test_references_known_in_part_are_sums_of_those_that_have_it(structure, weights):
    corpus = structure.encode(PAIRS)
    moves, masks = [], []
    for pair, known in zip(PAIRS, MASKS, strict=True):
        n, m = map(len, pair)
        i, j = known or (n, m)
        path = [FIRST] * i + [SECOND] * j + [PAIR] * (known is not None)
        path += [FIRST] * (n - i - 1) + [SECOND] * (m - j - 1)
        moves.append(np.array(path, dtype=np.uint8))
        masks.append(moves[-1] == PAIR)
    batch = EndsBatch(structure, corpus, References.build(corpus, moves, masks))
    log_weights, features = batch._mean_of_set(batch.references, weights)
    for k, (pair, known) in enumerate(zip(PAIRS, MASKS, strict=True)):
        kept = [path for path in all_of(structure, pair) if known is None or has(path, known)]
        scores = np.array([score(structure, pair, path, weights) for path in kept])
        assert log_weights[k] == pytest.approx(np.log(np.exp(scores).sum()), abs=1e-10)
        own = np.array([structure.features(pair, np.array(path, dtype=np.uint8)) for path in kept])
        np.testing.assert_allclose(features[k], np.exp(scores - log_weights[k]) @ own, atol=1e-10)


def has(path, known):
    i = j = 0
    for move in path:
        if move == PAIR and (i, j) == known:
            return True
        i += move != SECOND
        j += move != FIRST
    return False


@pytest.fixture(params=[("semi-global", "affine", 1), ("end-gaps", "affine", 1), ("end-gaps", "linear", 0)])
def other(request):
    """A structure whose alignments run from end to end, with weights and a direction."""
    mode, gaps, context = request.param
    structure = EndsAlignment("ACGT", gaps, context, ["AG", "CT"] if context else (), mode=mode)
    return structure, *(np.random.default_rng(seed).normal(size=structure.n_features) for seed in (1, 2))


def test_lists_and_draws_are_of_all_alignments(other):
    structure, weights, _ = other
    batch = EndsBatch(structure, structure.encode(PAIRS))
    for pair, found in zip(PAIRS, batch.kbest(weights, 10_000), strict=True):
        every = {path: score(structure, pair, path, weights) for path in paths(*map(len, pair))}
        assert len(found) == len(every)
        for moves, value in found:
            assert value == pytest.approx(every[tuple(moves.tolist())])
        assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
    drawn = batch.sample(weights, 400, np.random.default_rng(0))
    shares = np.mean([batch.features_of(each).toarray() for each in drawn], axis=0)
    np.testing.assert_allclose(shares, batch.expectations(weights), atol=0.35)
    assert all(score(structure, PAIRS[0], tuple(each[0].tolist()), weights) < np.inf for each in drawn)


@pytest.mark.parametrize("loss", [0.0, 0.7])
def test_covariances_and_moments_are_those_of_all_alignments(other, loss):
    structure, weights, direction = other
    corpus = structure.encode(PAIRS)
    given = [np.array([FIRST] * len(a) + [SECOND] * len(b), dtype=np.uint8) for a, b in PAIRS]
    given[0] = np.array([FIRST, PAIR, PAIR, SECOND, FIRST], dtype=np.uint8)
    batch = EndsBatch(structure, corpus, References.build(corpus, given, [np.ones(len(each), bool) for each in given]))
    product, means = batch.covariance_with(weights, direction, loss)
    uniform_means, uniform_variances = batch.score_moments(direction)
    wanted = np.zeros_like(product)
    for k, pair in enumerate(PAIRS):
        every = list(paths(*map(len, pair)))
        scores = np.array([score(structure, pair, path, weights) for path in every])
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        features = np.array([structure.features(pair, np.array(path, dtype=np.uint8)) for path in every])
        plain = np.array([score(structure, pair, path, direction) for path in every])
        missed = np.array([sum(not has(path, known) for known in paired(given[k])) for path in every])
        values = plain + loss * missed
        wanted += shares @ (features * (values - shares @ values)[:, None])
        assert means[k] == pytest.approx(shares @ values)
        assert uniform_means[k] == pytest.approx(plain.mean())
        assert uniform_variances[k] == pytest.approx(plain.var())
    np.testing.assert_allclose(product, wanted, atol=1e-9)


def paired(path):
    i = j = 0
    for move in path:
        if move == PAIR:
            yield i, j
        i += move != SECOND
        j += move != FIRST


def test_sums_by_scaling_are_those_in_logarithms():
    random = np.random.default_rng(3)
    n, m = 60, 45
    profile = random.normal(size=(n, m))
    gaps = [np.repeat([[-4.0], [-0.5]], size, axis=1) for size in (m + 1, n + 1)]
    for each in gaps:
        each[:, [0, -1]] = [[-1.0], [-0.1]]
    may = [np.ones(size, dtype=bool) for size in (n, m)]
    may[0][7] = may[1][9] = False
    profile[7, :9] = profile[7, 10:] = profile[:7, 9] = profile[8:, 9] = -np.inf
    found = []
    for sums in (scaled_ends_sums, lambda *a: ends_sums(*a[:5], False, (n, m, 0, 0), *a[5:])):
        rooms = np.zeros((n, m)), (np.zeros((2, m + 1)), np.zeros((2, n + 1)))
        found.append((sums(profile, *gaps, *may, *rooms), rooms[0], *rooms[1]))
    for scaled, logarithms in zip(*found, strict=True):
        np.testing.assert_allclose(scaled, logarithms, atol=1e-9)


def test_lost_numbers_are_summed_in_logarithms():
    structure = EndsAlignment("ACGT", mode="end-gaps")
    weights = np.full(structure.n_features, -1.0)
    weights[structure.gap_features] = [-900.0, -900.0]
    pair = ("ACGTAC", "GT")
    batch = EndsBatch(structure, structure.encode([pair]))
    every = [score(structure, pair, path, weights) for path in paths(6, 2)]
    assert batch.log_partitions(weights)[0] == pytest.approx(
        max(every) + np.log(np.exp(np.array(every) - max(every)).sum())
    )


def test_what_local_alignments_rule_out_is_refused():
    structure = EndsAlignment("ACGT", mode="local")
    weights = np.zeros(structure.n_features)
    batch = EndsBatch(structure, structure.encode(PAIRS))
    for ask in (
        lambda: batch.covariance_with(weights, weights),
        lambda: batch.score_moments(weights),
        lambda: batch.kbest(weights, 2),
        lambda: batch.sample(weights, 2, np.random.default_rng(0)),
    ):
        with pytest.raises(InputError, match="use another mode"):
            ask()
    with pytest.raises(InputError, match="mode is 'glocal'"):
        EndsAlignment("ACGT", mode="glocal")


def test_an_empty_side_is_a_gap_at_one_end():
    structure = EndsAlignment("AC", mode="end-gaps")
    weights = np.array([1.0, 0, 1, -5, -3, -1, 0.5])
    batch = EndsBatch(structure, structure.encode([("ACA", ""), ("", "C")]))
    value, mean = batch.log_partition_and_mean(weights)
    assert value == pytest.approx((-1 + 2 * 0.5) - 1)
    np.testing.assert_allclose(mean, [0, 0, 0, 0, 0, 2, 2], atol=1e-12)


@pytest.mark.parametrize("mode", ["end-gaps", "semi-global", "local"])
def test_learners_that_count_name_the_mode(mode):
    batch = EndsBatch(structure := EndsAlignment("AC", mode=mode), structure.encode([("ACA", "C")]))
    counts = np.ones(structure.n_features)
    for ask in (
        lambda: batch.generative_weights(counts, 1.0),
        batch.starting_weights,
        lambda: batch.maximised_weights(counts, 1.0),
    ):
        with pytest.raises(InputError, match=f"but mode is '{mode}'; use weft.CRF.., or mode='global'"):
            ask()

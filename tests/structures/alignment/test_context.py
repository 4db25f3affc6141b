"""Neighbours as features: the batch beside the graph, whose parts have them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from weft import core
from weft.errors import InputError
from weft.structures.alignment.context import ContextAlignment
from weft.structures.alignment.context_batch import ContextBatch
from weft.structures.alignment.pair_corpus import moves_of_gapped
from weft.structures.alignment.references import References

PAIRS = [("ACGTTA", "AGTA"), ("C", "GGA"), ("TTA", "TACGX")]
ROWS = [("ACGTTA", "A-GT-A"), ("--C", "GGA"), ("TTA--", "TACGX")]


@pytest.fixture(params=["affine", "linear"])
def structure(request):
    return ContextAlignment("ACGTX", request.param, 2, ["AG", "CT"])


@pytest.fixture
def batch(structure):
    corpus = structure.encode(PAIRS)
    moves = [moves_of_gapped(rows) for rows in ROWS]
    masks = [np.array([True, False, True, False, False, False]), np.zeros(3, bool), np.array([0, 1, 0, 0, 0], bool)]
    return ContextBatch(structure, corpus, References.build(corpus, moves, masks), n_jobs=1)


@pytest.fixture
def weights(structure):
    return np.random.default_rng(0).normal(size=structure.n_features)


def graphs(structure, weights):
    for pair in PAIRS:
        parts = structure.part_features(pair)
        yield structure.compile(pair), parts @ weights, parts


def test_windows_end_with_their_sequence(structure):
    corpus = structure.encode([("AC", "GTX"), ("T", "A")])
    # symbol, two places before, one before, one after, two after; class 2 is none
    assert corpus.windows_of(0)[0].tolist() == [[0, 2, 2, 1, 2], [1, 2, 0, 2, 2]]
    assert corpus.windows_of(0)[1].tolist() == [[2, 2, 2, 1, 2], [3, 2, 0, 2, 2], [4, 0, 1, 2, 2]]
    assert corpus.windows_of(1)[0].tolist() == [[3, 2, 2, 2, 2]]


def test_features_of_one_alignment_by_hand():
    structure = ContextAlignment("AC", context=1, classes=["A", "C"])
    found = dict(zip(structure.feature_names, structure.features(("AC", "AC"), np.zeros(2, np.uint8)), strict=True))
    assert {name: value for name, value in found.items() if value} == {
        ("A", "A"): 1.0,
        ("C", "C"): 1.0,
        (1, "A", "A"): 1.0,  # before the second pair
        (1, "C", "C"): 1.0,  # after the first
        (1, None, None): 2.0,  # beyond both ends
    }


def test_sums_and_features_are_those_of_the_graph(structure, batch, weights):
    log_partitions, means = batch.log_partitions(weights), batch.expectations(weights)
    for i, (graph, scores, parts) in enumerate(graphs(structure, weights)):
        assert log_partitions[i] == pytest.approx(core.log_partition(graph, scores), abs=1e-10)
        np.testing.assert_allclose(means[i], core.mean(graph, scores, parts), atol=1e-10)
    np.testing.assert_allclose(batch.log_partition_and_mean(weights)[1], means.sum(axis=0), atol=1e-10)


def test_best_alignments_are_those_of_the_graph(structure, batch, weights):
    alignments, scores = batch.argmax(weights)
    for i, (graph, part_scores, _) in enumerate(graphs(structure, weights)):
        best = core.kbest(graph, part_scores, 3)
        assert scores[i] == pytest.approx(best[0].score)
        assert alignments[i].tolist() == structure.decode(best[0], PAIRS[i]).tolist()
        np.testing.assert_allclose([each[1] for each in batch.kbest(weights, 3)[i]], [each.score for each in best])
    losses = batch.argmax(weights, loss=2.0)
    assert losses[1] == pytest.approx(batch.scores(weights, losses[0]) + 2.0 * batch.losses(losses[0]))


def test_covariances_are_those_of_the_graph(structure, batch, weights):
    direction = np.random.default_rng(1).normal(size=structure.n_features)
    product, means = batch.covariance_with(weights, direction)
    wanted = [core.covariance_product(*each, direction) for each in graphs(structure, weights)]
    np.testing.assert_allclose(product, np.sum(wanted, axis=0), atol=1e-9)
    np.testing.assert_allclose(means, batch.expectations(weights) @ direction, atol=1e-9)
    mean, variance = batch.score_moments(weights)
    for i, pair in enumerate(PAIRS):
        found = structure.moments(pair)
        assert mean[i] == pytest.approx(found.mean @ weights)
        assert variance[i] == pytest.approx(weights @ found.covariance @ weights)


def test_references_known_in_part_keep_their_neighbours(structure, batch, weights):
    log_weight, mean = batch.reference_partition_and_mean(weights)
    wanted_weight, wanted_mean = 0.0, np.zeros(structure.n_features)
    for i, (graph, scores, parts) in enumerate(graphs(structure, weights)):
        m = len(PAIRS[i][1])
        derivations = core.kbest(graph, scores, 100_000)
        begin, end = batch.corpus.first_offsets[i : i + 2]
        anchors = {a * m + b for a, b in enumerate(batch.references.anchors[begin:end].tolist()) if b >= 0}
        kept = [each for each in derivations if anchors <= set(each.parts.tolist())]
        shares = np.exp([each.score for each in kept])
        wanted_weight += np.log(shares.sum())
        features = np.array([np.asarray(parts[each.parts].sum(axis=0)).reshape(-1) for each in kept])
        wanted_mean += shares @ features / shares.sum()
    assert log_weight == pytest.approx(wanted_weight)
    np.testing.assert_allclose(mean, wanted_mean, atol=1e-9)


def test_probabilities_and_draws(batch, weights):
    probabilities = batch.marginals(weights)
    likely = batch.likely_pairs(weights, 0.05)
    draws = batch.sample(weights, 2000, np.random.default_rng(0))
    for i, each in enumerate(probabilities):
        assert each.sum() == pytest.approx(batch.expectations(weights)[i, : batch.structure.n_pair_features].sum())
        np.testing.assert_allclose(likely[i].toarray(), np.where(each >= 0.05, each, 0.0))
    n_pairs = np.mean([np.count_nonzero(each[0] == 0) for each in draws])
    assert n_pairs == pytest.approx(probabilities[0].sum(), abs=0.1)


def test_threads_and_selections_change_nothing(structure, batch, weights):
    two = ContextBatch(structure, batch.corpus, batch.references, n_jobs=2)
    np.testing.assert_array_equal(two.log_partition_and_mean(weights)[1], batch.log_partition_and_mean(weights)[1])
    some = batch.select([2, 0])
    np.testing.assert_array_equal(some.expectations(weights), batch.expectations(weights)[[2, 0]])
    assert some.losses(some.argmax(weights)[0]).tolist() == batch.losses(batch.argmax(weights)[0])[[2, 0]].tolist()


def test_what_cannot_be_meant_is_refused(structure, batch):
    for context in (0, 101, 1.5, True):
        with pytest.raises(InputError, match="context is"):
            ContextAlignment("AC", context=context, classes=["A"])
    with pytest.raises(InputError, match="'A' twice"):
        ContextAlignment("AC", context=1, classes=["AC", "A"])
    with pytest.raises(InputError, match="symbols of the alphabet are needed"):
        ContextAlignment("AC", context=1, classes=["xy"])
    other = ContextAlignment("ACGTX", context=1, classes=["AG"])
    with pytest.raises(InputError, match="windows of 3 numbers"):
        ContextBatch(other, batch.corpus)
    with pytest.raises(InputError, match="Generative counts pairs"):
        batch.generative_weights(np.zeros(batch.n_features), 1.0)

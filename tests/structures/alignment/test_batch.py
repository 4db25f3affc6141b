"""Every query of a batch against enumeration, with whole and with partial references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_oracle import aligned, all_moves, feature_vector
from weft.errors import InputError
from weft.structures import Alignment
from weft.structures.alignment.accuracy import expected_accuracy_alignments
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.moments import alignment_z_scores
from weft.structures.alignment.references import References
from weft.structures.online import PerceptronState


class Enumerated:
    """All alignments of the pairs of a batch, and which of them agree with the references."""

    def __init__(self, structure, pairs, references, masks):
        self.outputs = [all_moves(*map(len, pair)) for pair in pairs]
        self.features = [
            np.array([feature_vector(structure, pair, moves) for moves in outputs])
            for pair, outputs in zip(pairs, self.outputs, strict=True)
        ]
        self.losses, self.agree = [], []
        for outputs, reference, mask in zip(self.outputs, references, masks, strict=True):
            kept = {place for place, move, chosen in _columns(reference, mask) if move == 0 and chosen}
            losses = np.array([len(kept - set(aligned(moves))) for moves in outputs], dtype=float)
            whole = np.array([moves == tuple(reference) for moves in outputs])
            self.losses.append(losses)
            self.agree.append(losses == 0 if not mask.all() else whole)

    def shares(self, i, weights, among=None):
        totals = self.features[i] @ weights
        if among is not None:
            totals = np.where(among, totals, -np.inf)
        log_total = np.logaddexp.reduce(totals)
        return log_total, np.exp(totals - log_total)


def _columns(moves, mask):
    i = j = 0
    for move, chosen in zip(moves, mask, strict=True):
        yield (i, j), move, chosen
        i += move != 2
        j += move != 1


@st.composite
def batches(draw):
    model = draw(st.sampled_from(["match", "substitution"]))
    structure = Alignment(model, "AB", draw(st.sampled_from(["affine", "linear"])))
    words = st.text("AB", min_size=1, max_size=4)
    pairs = draw(st.lists(st.tuples(words, words), min_size=1, max_size=3))
    partial = draw(st.booleans())
    references, masks = [], []
    for pair in pairs:
        outputs = all_moves(*map(len, pair))
        reference = outputs[draw(st.integers(0, len(outputs) - 1))]
        references.append(np.array(reference, dtype=np.uint8))
        mask = draw(st.lists(st.booleans(), min_size=len(reference), max_size=len(reference)))
        if partial:
            mask[0] = False  # so that the oracle sees that it is partial
        masks.append(np.array(mask) if partial else np.ones(len(reference), dtype=bool))
    corpus = structure.encode(pairs)
    known = References.build(corpus, references, masks if partial else None)
    importance = np.array([draw(st.sampled_from([1.0, 0.5, 2.0])) for _ in pairs])
    batch = AlignmentBatch(structure, corpus, known, importance, n_jobs=2)
    scale = draw(st.sampled_from([0.0, 1.0, 3.0, 400.0]))  # the last is beyond the scaled pass
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights, direction = scale * random.normal(size=batch.n_features), random.normal(size=batch.n_features)
    return batch, Enumerated(structure, pairs, references, masks), weights, direction


@given(batches())
@settings(max_examples=40, deadline=None)
def test_sums_equal_enumeration(case):
    batch, oracle, weights, _ = case
    n = batch.n_sequences
    log_totals, shares = zip(*(oracle.shares(i, weights) for i in range(n)), strict=True)
    means = np.array([p @ f for p, f in zip(shares, oracle.features, strict=True)])
    log_partition, mean = batch.log_partition_and_mean(weights)
    assert log_partition == pytest.approx(batch.importance @ log_totals)
    np.testing.assert_allclose(mean, batch.importance @ means, atol=1e-8)
    log_partitions, each = batch.expectations(weights)
    np.testing.assert_allclose(log_partitions, log_totals, atol=1e-8)
    np.testing.assert_allclose(each, means, atol=1e-8)
    clamped = [oracle.shares(i, weights, oracle.agree[i]) for i in range(n)]
    value, features = batch.reference_partition_and_mean(weights)
    assert value == pytest.approx(batch.importance @ [total for total, _ in clamped], abs=1e-8)
    expected = [p @ f for (_, p), f in zip(clamped, oracle.features, strict=True)]
    np.testing.assert_allclose(features, batch.importance @ np.array(expected), atol=1e-8)
    uniform = [f[agree].mean(axis=0) for f, agree in zip(oracle.features, oracle.agree, strict=True)]
    np.testing.assert_allclose(batch.observed(), batch.importance @ np.array(uniform), atol=1e-9)
    posteriors, log_partitions = batch.marginals(weights)
    np.testing.assert_allclose(log_partitions, log_totals, atol=1e-8)
    for i, posterior in enumerate(posteriors):
        wanted = np.zeros_like(posterior)
        for moves, share in zip(oracle.outputs[i], shares[i], strict=True):
            for place in aligned(moves):
                wanted[place] += share
        np.testing.assert_allclose(posterior, wanted, atol=1e-8)
    accurate = expected_accuracy_alignments(batch, weights)
    for i, posterior in enumerate(posteriors):
        sums = [sum(posterior[place] for place in aligned(moves)) for moves in oracle.outputs[i]]
        found = sum(posterior[place] for place in aligned(accurate[i].tolist()))
        assert found == pytest.approx(max(sums), abs=1e-9)


@given(batches())
@settings(max_examples=40, deadline=None)
def test_covariances_equal_enumeration(case):
    batch, oracle, weights, direction = case
    for loss in (0.0, 1.0):
        rows, means = [], []
        for i, features in enumerate(oracle.features):
            _, shares = oracle.shares(i, weights)
            score = features @ direction + loss * oracle.losses[i]
            centred = features - shares @ features
            rows.append((centred * shares[:, None]).T @ (score - shares @ score))
            means.append(shares @ score)
        vector, found = batch.covariance_with(weights, direction, loss)
        np.testing.assert_allclose(found, means, atol=1e-8)
        np.testing.assert_allclose(vector, batch.importance @ np.array(rows), atol=1e-8)
        np.testing.assert_allclose(batch.covariance_with(weights, direction, loss, separate=True)[0], rows, atol=1e-8)


@given(batches(), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_outputs_equal_enumeration(case, k):
    batch, oracle, weights, _ = case
    alignments, scores = batch.argmax(weights)
    augmented = batch.decode(weights, loss=1.0)
    best_known = batch.best_references(weights) @ weights
    ranked, ranked_scores = batch.kbest(weights, k)
    losses, augmented_losses = batch.missed(alignments), batch.missed(augmented)
    for i, features in enumerate(oracle.features):
        totals = features @ weights
        slack = 1e-9 * (1 + np.abs(totals).max())
        place = oracle.outputs[i].index(tuple(alignments[i].tolist()))
        assert totals[place] == pytest.approx(scores[i], abs=slack)
        assert scores[i] == pytest.approx(totals.max(), abs=slack)
        assert losses[i] == oracle.losses[i][place]
        place = oracle.outputs[i].index(tuple(augmented[i].tolist()))
        assert augmented_losses[i] == oracle.losses[i][place]
        assert (totals + oracle.losses[i])[place] == pytest.approx((totals + oracle.losses[i]).max(), abs=slack)
        assert best_known[i] == pytest.approx(totals[oracle.agree[i]].max(), abs=slack)
        np.testing.assert_allclose(ranked_scores[i], np.sort(totals)[::-1][:k], atol=slack)
        assert len({tuple(moves.tolist()) for moves in ranked[i]}) == min(k, len(totals))


@given(batches())
@settings(max_examples=15, deadline=None)
def test_moments_equal_enumeration(case):
    batch, oracle, _, vector = case
    moments, n = batch.moments(), batch.n_sequences
    uniform = np.array([f.mean(axis=0) for f in oracle.features])
    known = np.array([f[agree].mean(axis=0) for f, agree in zip(oracle.features, oracle.agree, strict=True)])
    b = known - uniform
    np.testing.assert_allclose(moments.mean, batch.importance @ uniform, atol=1e-9)
    np.testing.assert_allclose(moments.difference, batch.importance @ b, atol=1e-9)
    product = sum(batch.importance[i] * np.cov(oracle.features[i].T, bias=True) @ vector for i in range(n))
    np.testing.assert_allclose(moments.product(vector), product, atol=1e-8)
    np.testing.assert_allclose(moments.outer_product(vector), (batch.importance * (b @ vector)) @ b, atol=1e-8)
    losses = np.array([loss.mean() for loss in oracle.losses])
    np.testing.assert_allclose(moments.loss_weighted_difference(), (batch.importance * losses) @ b, atol=1e-8)
    z = alignment_z_scores(batch, vector)
    for i, features in enumerate(oracle.features):
        totals = features @ vector
        if totals.std() > 1e-9:
            assert z[i] == pytest.approx((totals.max() - totals.mean()) / totals.std())
        else:
            assert z[i] == 0.0


def test_draws_follow_the_model():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("AB", "BA"), ("A", "AA")]))
    weights = np.array([0.5, -0.3, -0.7, 0.4])
    drawn = batch.sample(weights, 4000, np.random.default_rng(0))
    means = np.mean([batch.count(each) for each in drawn], axis=0)
    np.testing.assert_allclose(means, batch.expectations(weights)[1], atol=0.05)
    outputs = {tuple(each[0].tolist()) for each in drawn}
    assert outputs == set(all_moves(2, 2))


def test_sampled_moments_come_near_exact_ones():
    structure = Alignment("match")
    pairs = [("ABAB", "BAB"), ("AA", "ABA")]
    corpus = structure.encode(pairs)
    references = References.build(corpus, [np.array(m, dtype=np.uint8) for m in ([1, 0, 0, 0], [0, 2, 0])])
    batch = AlignmentBatch(structure, corpus, references)
    exact, sampled = batch.moments(), batch.sampled_moments(6000, np.random.default_rng(0))
    vector = np.array([1.0, -1.0, 0.5, 0.2])
    for name in ("mean", "difference"):
        np.testing.assert_allclose(getattr(sampled, name), getattr(exact, name), atol=0.1)
    for name in ("product", "outer_product"):
        np.testing.assert_allclose(getattr(sampled, name)(vector), getattr(exact, name)(vector), atol=0.2)
    for name in ("loss_covariance", "loss_weighted_difference"):
        np.testing.assert_allclose(getattr(sampled, name)(), getattr(exact, name)(), atol=0.2)
    assert sampled.diagonal.shape == exact.diagonal.shape == (4,)


@pytest.mark.parametrize("masks", [None, [np.array([True, True, False, True]), np.array([True, False, True])]])
def test_passes_of_perceptron_and_svm_reach_the_references(masks):
    structure = Alignment("match", gaps="linear")
    pairs = [("ABAB", "BAB"), ("AA", "ABA")]
    corpus = structure.encode(pairs)
    moves = [np.array(m, dtype=np.uint8) for m in ([1, 0, 0, 0], [0, 2, 0])]
    batch = AlignmentBatch(structure, corpus, References.build(corpus, moves, masks))
    passes = batch.perceptron(PerceptronState(np.zeros(3), np.zeros(3)), np.random.default_rng(0))
    states = [next(passes) for _ in range(20)]
    assert states[-1][1] == 0
    passes = batch.frank_wolfe(1.0, np.random.default_rng(0))
    # Equal alignments leave several ways to the optimum, some slower than others: far more passes than any needs.
    weights, dual, gap = [next(passes) for _ in range(600)][-1]
    assert batch.missed(batch.decode(weights)).sum() == 0
    assert 0 <= gap < 0.01 * (dual + gap)
    # The primal value at these weights: weak duality, nearly tight.
    found = batch.decode(weights, loss=1.0)
    from weft.structures.alignment.online import plain_weights

    hinge = batch.missed(found) + (batch.count(found) - batch.best_references(plain_weights(batch))) @ weights
    primal = 0.5 * weights @ weights + hinge.sum()
    assert dual <= primal <= dual + 0.02 * abs(dual) + 1e-9


def test_a_batch_without_references_says_so():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("A", "A")]))
    with pytest.raises(InputError, match="no reference alignments"):
        batch.observed()

"""Every query of a batch against enumeration, with whole and with partial references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_oracle import aligned, all_moves, feature_vector
from weft.errors import InputError
from weft.learners.perceptron import perceptron_passes
from weft.learners.structured_svm import frank_wolfe_passes
from weft.structures import Alignment
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.references import References
from weft.structures.online import PerceptronState
from weft.structures.z_scores import z_scores


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
    sample_weight = np.array([draw(st.sampled_from([1.0, 0.5, 2.0])) for _ in pairs])
    batch = AlignmentBatch(structure, corpus, known, sample_weight, n_jobs=2)
    scale = draw(st.sampled_from([0.0, 1.0, 3.0, 400.0]))  # the last is beyond the scaled pass
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights, direction = scale * random.normal(size=batch.n_features), random.normal(size=batch.n_features)
    return batch, Enumerated(structure, pairs, references, masks), weights, direction


@given(batches())
@settings(max_examples=40)
def test_sums_equal_enumeration(case):
    batch, oracle, weights, _ = case
    n = batch.n_sequences
    log_totals, shares = zip(*(oracle.shares(i, weights) for i in range(n)), strict=True)
    means = np.array([p @ f for p, f in zip(shares, oracle.features, strict=True)])
    log_partition, mean = batch.log_partition_and_mean(weights)
    assert log_partition == pytest.approx(batch.sample_weight @ log_totals)
    np.testing.assert_allclose(mean, batch.sample_weight @ means, atol=1e-8)
    np.testing.assert_allclose(batch.log_partitions(weights), log_totals, atol=1e-8)
    np.testing.assert_allclose(batch.expectations(weights), means, atol=1e-8)
    clamped = [oracle.shares(i, weights, oracle.agree[i]) for i in range(n)]
    value, features = batch.reference_partition_and_mean(weights)
    assert value == pytest.approx(batch.sample_weight @ [total for total, _ in clamped], abs=1e-8)
    expected = [p @ f for (_, p), f in zip(clamped, oracle.features, strict=True)]
    np.testing.assert_allclose(features, batch.sample_weight @ np.array(expected), atol=1e-8)
    uniform = [f[agree].mean(axis=0) for f, agree in zip(oracle.features, oracle.agree, strict=True)]
    np.testing.assert_allclose(batch.observed(), batch.sample_weight @ np.array(uniform), atol=1e-9)


@given(batches(), st.sampled_from([0.2, 1.0, 4.0, np.inf]))
@settings(max_examples=40)
def test_marginals_and_most_accurate_alignments_equal_enumeration(case, gamma):
    batch, oracle, weights, _ = case
    accurate = batch.split(batch.most_accurate(weights, gamma))
    for i, posterior in enumerate(batch.marginals(weights)):
        wanted = np.zeros_like(posterior)
        for moves, share in zip(oracle.outputs[i], oracle.shares(i, weights)[1], strict=True):
            for place in aligned(moves):
                wanted[place] += share
        np.testing.assert_allclose(posterior, wanted, atol=1e-8)
        sums = {moves: expected_accuracy(wanted, moves, gamma) for moves in oracle.outputs[i]}
        assert sums[tuple(accurate[i].tolist())] == pytest.approx(max(sums.values()), abs=1e-8)


def expected_accuracy(posterior, moves, gamma):
    """Twice gamma for a right pair, 1 for a symbol that is rightly against a gap; only pairs if gamma is infinite."""
    paired = aligned(moves)
    right = sum(posterior[place] for place in paired)
    if gamma == np.inf:
        return right
    firsts, seconds = {i for i, _ in paired}, {j for _, j in paired}
    gaps = sum(1.0 - posterior[i].sum() for i in range(posterior.shape[0]) if i not in firsts)
    gaps += sum(1.0 - posterior[:, j].sum() for j in range(posterior.shape[1]) if j not in seconds)
    return 2.0 * gamma * right + gaps


@given(batches())
@settings(max_examples=40)
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
        np.testing.assert_allclose(vector, batch.sample_weight @ np.array(rows), atol=1e-8)
    np.testing.assert_array_equal(
        batch.covariance_product(weights, direction), batch.covariance_with(weights, direction)[0]
    )
    combined, _ = batch.covariance_with(weights, direction, 0.5)
    apart = batch.covariance_with(weights, np.zeros_like(weights), 1.0)[0]
    np.testing.assert_allclose(combined, batch.covariance_product(weights, direction) + 0.5 * apart, atol=1e-8)


@given(batches(), st.integers(1, 6))
@settings(max_examples=40)
def test_outputs_equal_enumeration(case, k):
    batch, oracle, weights, _ = case
    alignments, scores = batch.argmax(weights)
    augmented, augmented_scores = batch.argmax(weights, loss=1.5)
    best_known, known_scores = batch.best_references(weights)
    ranked = batch.kbest(weights, k)
    losses, augmented_losses = batch.losses(alignments), batch.losses(augmented)
    rows = batch.features_of(alignments).toarray()
    np.testing.assert_array_equal(batch.scores(weights, alignments), scores)
    for i, features in enumerate(oracle.features):
        totals = features @ weights
        slack = 1e-9 * (1 + np.abs(totals).max())
        place = oracle.outputs[i].index(tuple(alignments[i].tolist()))
        assert totals[place] == pytest.approx(scores[i], abs=slack)
        assert scores[i] == pytest.approx(totals.max(), abs=slack)
        assert losses[i] == oracle.losses[i][place]
        np.testing.assert_array_equal(rows[i], features[place])
        place = oracle.outputs[i].index(tuple(augmented[i].tolist()))
        assert augmented_losses[i] == oracle.losses[i][place]
        sums = totals + 1.5 * oracle.losses[i]
        assert sums[place] == pytest.approx(sums.max(), abs=slack)
        assert augmented_scores[i] == pytest.approx(sums[place], abs=slack)
        place = oracle.outputs[i].index(tuple(best_known[i].tolist()))
        assert oracle.agree[i][place]
        assert known_scores[i] == pytest.approx(totals[place], abs=slack)
        assert known_scores[i] == pytest.approx(totals[oracle.agree[i]].max(), abs=slack)
        np.testing.assert_allclose([score for _, score in ranked[i]], np.sort(totals)[::-1][:k], atol=slack)
        assert len({tuple(moves.tolist()) for moves, _ in ranked[i]}) == min(k, len(totals))


@given(batches())
@settings(max_examples=15)
def test_references_are_outputs_too(case):
    batch, oracle, weights, _ = case
    assert batch.has_partial_references == (batch.reference().stretches is not None)
    uniform = np.array([f[agree].mean(axis=0) for f, agree in zip(oracle.features, oracle.agree, strict=True)])
    np.testing.assert_allclose(batch.features_of(batch.reference()).toarray(), uniform, atol=1e-9)
    np.testing.assert_allclose(batch.scores(weights, batch.reference()), uniform @ weights, rtol=1e-9, atol=1e-9)
    assert not batch.losses(batch.reference()).any()
    given_moves = batch.split(batch.reference())
    again = batch.split(batch.join(given_moves))
    assert [moves.tolist() for moves in again] == [moves.tolist() for moves in given_moves]


@given(batches(), st.data())
@settings(max_examples=25)
def test_chosen_pairs_are_as_in_the_whole(case, data):
    batch, _, weights, direction = case
    chosen = data.draw(st.lists(st.integers(0, batch.n_sequences - 1), min_size=1, max_size=4))
    some = batch.select(chosen)
    assert some.n_sequences == len(chosen)
    assert some.n_jobs == (1 if len(chosen) == 1 else batch.n_jobs)
    np.testing.assert_array_equal(some.sample_weight, batch.sample_weight[chosen])
    np.testing.assert_array_equal(some.log_partitions(weights), batch.log_partitions(weights)[chosen])
    np.testing.assert_array_equal(
        some.features_of(some.reference()).toarray(), batch.features_of(batch.reference()).toarray()[chosen]
    )
    np.testing.assert_array_equal(some.argmax(weights, 1.0)[1], batch.argmax(weights, 1.0)[1][chosen])
    mine, other = some.best_references(weights)[0], batch.best_references(weights)[0]
    assert [mine[place].tolist() for place in range(len(chosen))] == [other[i].tolist() for i in chosen]
    # A pair that was taken twice counts twice.
    copies = batch.weighted(batch.sample_weight * np.bincount(chosen, minlength=batch.n_sequences))
    np.testing.assert_allclose(some.observed(), copies.observed(), atol=1e-9)
    for mine, other in (
        (some.log_partition_and_mean(weights), copies.log_partition_and_mean(weights)),
        (some.reference_partition_and_mean(weights), copies.reference_partition_and_mean(weights)),
    ):
        assert mine[0] == pytest.approx(other[0])
        np.testing.assert_allclose(mine[1], other[1], atol=1e-8)
    np.testing.assert_allclose(
        some.covariance_product(weights, direction), copies.covariance_product(weights, direction), atol=1e-8
    )


@given(batches())
@settings(max_examples=15)
def test_moments_equal_enumeration(case):
    batch, oracle, _, vector = case
    moments, n = batch.moments(), batch.n_sequences
    uniform = np.array([f.mean(axis=0) for f in oracle.features])
    known = np.array([f[agree].mean(axis=0) for f, agree in zip(oracle.features, oracle.agree, strict=True)])
    b = known - uniform
    np.testing.assert_allclose(moments.mean, batch.sample_weight @ uniform, atol=1e-9)
    np.testing.assert_allclose(moments.difference, batch.sample_weight @ b, atol=1e-9)
    product = sum(batch.sample_weight[i] * np.cov(oracle.features[i].T, bias=True) @ vector for i in range(n))
    np.testing.assert_allclose(moments.product(vector), product, atol=1e-8)
    np.testing.assert_allclose(moments.outer_product(vector), (batch.sample_weight * (b @ vector)) @ b, atol=1e-8)
    losses = np.array([loss.mean() for loss in oracle.losses])
    np.testing.assert_allclose(moments.loss_weighted_difference(), (batch.sample_weight * losses) @ b, atol=1e-8)
    second = product + (batch.sample_weight * (b @ vector)) @ b
    np.testing.assert_allclose(moments.second_product(vector), second, atol=1e-8)
    np.testing.assert_allclose(moments.mean_losses, losses, atol=1e-9)
    np.testing.assert_allclose(moments.log_counts, np.log([len(f) for f in oracle.features]), atol=1e-9)
    most = max(features.max() for features in oracle.features)
    assert batch.largest_feature() == most
    means, variances = batch.score_moments(vector)
    z = z_scores(batch, vector)
    for i, features in enumerate(oracle.features):
        totals = features @ vector
        assert means[i] == pytest.approx(totals.mean(), abs=1e-9)
        assert variances[i] == pytest.approx(totals.var(), abs=1e-9)
        if totals.std() > 1e-9:
            assert z[i] == pytest.approx((totals.max() - totals.mean()) / totals.std())
        else:
            assert z[i] == 0.0


def test_draws_follow_the_model():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("AB", "BA"), ("A", "AA")]))
    weights = np.array([0.5, -0.3, -0.7, 0.4])
    drawn = batch.sample(weights, 4000, np.random.default_rng(0))
    means = np.mean([batch.features_of(each).toarray() for each in drawn], axis=0)
    np.testing.assert_allclose(means, batch.expectations(weights), atol=0.05)
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
    passes = perceptron_passes(batch, PerceptronState(np.zeros(3), np.zeros(3)), np.random.default_rng(0))
    states = [next(passes) for _ in range(20)]
    assert states[-1][1] == 0
    passes = frank_wolfe_passes(batch, 1.0, np.random.default_rng(0))
    # Equal alignments leave several ways to the optimum, some slower than others: far more passes than any needs.
    weights, dual, gap, _ = [next(passes) for _ in range(600)][-1]
    assert batch.losses(batch.argmax(weights)[0]).sum() == 0
    assert 0 <= gap < 0.01 * (dual + gap)
    # The primal value at these weights: weak duality, nearly tight.
    completed = batch.best_references(batch.starting_weights())[0] if masks else batch.reference()
    hinge = batch.argmax(weights, loss=1.0)[1] - batch.scores(weights, completed)
    primal = 0.5 * weights @ weights + hinge.sum()
    assert dual - 1e-9 <= primal <= dual + 0.02 * abs(dual) + 1e-9


def test_a_batch_without_references_says_so():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("A", "A")]))
    with pytest.raises(InputError, match="no references"):
        batch.observed()
    assert not batch.has_partial_references


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan])
def test_a_trade_off_is_positive(gamma):
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("A", "A")]))
    with pytest.raises(InputError, match="gamma is"):
        batch.most_accurate(np.zeros(4), gamma)


def test_probabilities_that_do_not_fit_memory_are_refused_with_what_to_do():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("A" * 3_000_000, "A" * 3_000_000)]))
    with pytest.raises(InputError, match=r'take 72,000\.0 GB and .* use decode="best"'):
        batch.most_accurate(np.zeros(4))


def test_moves_that_do_not_fit_their_pairs_are_refused():
    structure = Alignment("match")
    batch = AlignmentBatch(structure, structure.encode([("AB", "B")]))
    for each, message in (([], "0 alignments of 1 pairs"), ([np.zeros(4, np.uint8)], "4 moves, its pair only 3")):
        with pytest.raises(InputError, match=message):
            batch.join(each)

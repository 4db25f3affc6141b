"""Every query of a chain on a corpus equals brute force over all labellings."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain_oracle import Problem, encode_tokens, first_order_graph, labellings, log_sum, random_problem
from weft import core
from weft.errors import InputError
from weft.sequences.corpus import Corpus
from weft.structures.chain.batch import ChainBatch, sparse_tokens
from weft.structures.online import PerceptronState

TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}
LARGE = 1000.0


@st.composite
def problems(draw, large=False):
    """Small chains of every shape: label counts around the padding, all orders, ties, unused weights."""
    n_labels = draw(st.sampled_from([1, 2, 3, 4, 5]))
    order = draw(st.integers(1, 3 if n_labels < 5 else 2))
    longest = {1: 5, 2: 5, 3: 4, 4: 3, 5: 3}[n_labels]
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem = random_problem(
        rng, n_labels, order, lengths, boundary=draw(st.booleans()), forbid=draw(st.booleans()),
        weighted=draw(st.booleans()), observed=draw(st.booleans()),
    )  # fmt: skip
    kind = draw(st.sampled_from(["large", "sparse", "wide"] if large else ["normal", "ties", "zero", "moderate"]))
    size = problem.features.n_features
    problem.weights = {
        "normal": lambda: rng.normal(size=size),
        "moderate": lambda: rng.normal(scale=4.0, size=size),
        "ties": lambda: rng.integers(-2, 3, size=size) / 10,
        "zero": lambda: np.zeros(size),
        "large": lambda: rng.choice([-LARGE, LARGE, 0.0], size=size) + rng.normal(size=size),
        "sparse": lambda: rng.choice([-LARGE, LARGE, 0.0], p=[0.1, 0.1, 0.8], size=size) + rng.normal(size=size),
        "wide": lambda: rng.uniform(-LARGE, LARGE, size=size),
    }[kind]()
    assume(all(len(labellings(problem, i)[0]) for i in range(len(lengths))))
    return problem


def moments(problem):
    """Log partitions, label marginals, mean and covariance of the summed features."""
    partitions, marginals = [], []
    n_features = problem.features.n_features
    mean, covariance = np.zeros(n_features), np.zeros((n_features, n_features))
    for i, tokens in enumerate(problem.sequences):
        every, rows = labellings(problem, i)
        scores = rows @ problem.weights
        log_partition = log_sum(scores.tolist())
        probabilities = np.exp(scores - log_partition)
        table = np.zeros((len(tokens), problem.features.n_labels))
        for labels, probability in zip(every, probabilities, strict=True):
            table[np.arange(len(tokens)), labels] += probability
        partitions.append(log_partition)
        marginals.append(table)
        average = probabilities @ rows
        mean += average
        covariance += ((rows - average).T * probabilities) @ (rows - average)
    return np.array(partitions), np.concatenate(marginals), mean, covariance


def check_means(problem):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    partitions, marginals, mean, _ = moments(problem)
    np.testing.assert_allclose(batch.log_partitions(problem.weights), partitions, **TOLERANCE)
    np.testing.assert_allclose(np.concatenate(batch.marginals(problem.weights)), marginals, **TOLERANCE)
    total, found_mean = batch.log_partition_and_mean(problem.weights)
    assert total == pytest.approx(partitions.sum(), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found_mean, mean, **TOLERANCE)


@given(problems())
@settings(max_examples=60)
def test_partitions_marginals_and_means(problem):
    check_means(problem)


@given(problems(large=True))
@settings(max_examples=100)
def test_partitions_marginals_and_means_of_large_weights(problem):
    check_means(problem)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_covariance_product(problem, seed):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    direction = np.random.default_rng(seed).normal(size=batch.n_features)
    covariance = moments(problem)[3]
    product = batch.covariance_product(problem.weights, direction)
    np.testing.assert_allclose(product, covariance @ direction, **TOLERANCE)


@given(problems(large=True), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_covariance_product_of_large_weights(problem, seed):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    direction = np.random.default_rng(seed).normal(size=batch.n_features)
    _, _, mean, covariance = moments(problem)
    product, means = batch.covariance_with(problem.weights, direction)
    np.testing.assert_allclose(product, covariance @ direction, **TOLERANCE)
    assert means.sum() == pytest.approx(mean @ direction, rel=1e-7, abs=1e-7)


@given(problems() | problems(large=True))
@settings(max_examples=100)
def test_argmax_attains_the_maximum(problem):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    labels, scores = batch.argmax(problem.weights)
    np.testing.assert_allclose(batch.scores(problem.weights, labels), scores, rtol=1e-12, atol=1e-9)
    for i, found in enumerate(problem.corpus.split(labels)):
        every, rows = labellings(problem, i)
        values = rows @ problem.weights
        assert tuple(found) in every
        assert scores[i] == pytest.approx(values.max(), rel=1e-12, abs=1e-9)
        assert values[every.index(tuple(found))] == pytest.approx(values.max(), rel=1e-12, abs=1e-9)


@given(problems() | problems(large=True), st.integers(1, 12))
@settings(max_examples=100)
def test_kbest_lists_distinct_labellings_best_first(problem, k):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    best, best_scores = batch.argmax(problem.weights)
    for i, ranked in enumerate(batch.kbest(problem.weights, k)):
        np.testing.assert_array_equal(ranked[0][0], batch.split(best)[i])
        # Of equal ones either may be told.
        assert ranked[0][1] == pytest.approx(best_scores[i], rel=1e-9, abs=1e-9)
        every, rows = labellings(problem, i)
        values = np.sort(rows @ problem.weights)[::-1]
        assert len(ranked) == min(k, len(every))
        np.testing.assert_allclose([score for _, score in ranked], values[: len(ranked)], rtol=1e-12, atol=1e-9)
        assert all(a[1] >= b[1] for a, b in itertools.pairwise(ranked))
        found = [tuple(labels) for labels, _ in ranked]
        assert len(set(found)) == len(ranked)
        assert set(found) <= set(every)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_scores_and_observed_features(problem, seed):
    rng = np.random.default_rng(seed)
    chosen, expected = [], np.zeros(problem.features.n_features)
    sample_weight = rng.choice([0.0, 1.0, 2.5], size=len(problem.corpus))
    values = []
    for i in range(len(problem.corpus)):
        every, rows = labellings(problem, i)
        pick = rng.integers(len(every))
        chosen.extend(every[pick])
        expected += sample_weight[i] * rows[pick]
        values.append(rows[pick] @ problem.weights)
    labels = np.array(chosen, dtype=np.int32)
    batch = ChainBatch(problem.features, problem.corpus, labels, sample_weight, n_jobs=1)
    np.testing.assert_allclose(batch.scores(problem.weights, labels), values, **TOLERANCE)
    np.testing.assert_allclose(batch.observed(), expected, **TOLERANCE)
    rows = batch.features_of(labels)
    assert rows.has_canonical_format
    np.testing.assert_allclose(rows.T @ sample_weight, expected, **TOLERANCE)
    np.testing.assert_allclose(rows @ problem.weights, values, **TOLERANCE)


def test_no_allowed_labelling_is_an_error_of_one_line():
    rng = np.random.default_rng(1)
    problem = random_problem(rng, 3, 2, [1, 3, 2], forbid=True)
    forbidden = problem.features.forbidden
    forbidden.steps[:], forbidden.start[:], forbidden.end[:] = True, False, False
    problem.weights = rng.normal(size=problem.features.n_features)
    impossible = [i for i in range(3) if not labellings(problem, i)[0]]
    assert impossible == [1, 2]
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    others = (
        lambda weights: batch.kbest(weights, 2),
        lambda weights: batch.covariance_product(weights, weights),
        lambda weights: batch.sample(weights, 2, rng),
    )
    for query in (batch.argmax, batch.marginals, batch.log_partitions, *others):
        with pytest.raises(InputError, match=rf"forbid every labelling of X\[{impossible[0]}\]; allow") as caught:
            query(problem.weights)
        assert "\n" not in str(caught.value)


@pytest.mark.nojit
@pytest.mark.parametrize("n_labels", [1, 3, 4, 5])
@pytest.mark.parametrize(("order", "boundary", "weighted"), [(1, True, False), (2, False, True)])
def test_queries_around_the_padding(n_labels, order, boundary, weighted):
    rng = np.random.default_rng(n_labels)
    problem = random_problem(rng, n_labels, order, [1, 3], boundary=boundary, weighted=weighted, observed=True)
    problem.weights = rng.normal(size=problem.features.n_features)
    check_means(problem)
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    direction = rng.normal(size=batch.n_features)
    np.testing.assert_allclose(
        batch.covariance_product(problem.weights, direction), moments(problem)[3] @ direction, **TOLERANCE
    )
    labels, scores = batch.argmax(problem.weights)
    for i in range(2):
        assert scores[i] == pytest.approx((labellings(problem, i)[1] @ problem.weights).max(), abs=1e-9)
    best = [ranked[0][0] for ranked in batch.kbest(problem.weights, 3)]
    np.testing.assert_array_equal(batch.join(best), labels)


@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("scale", [1.0, 30.0, 400.0])
def test_long_chains_equal_the_derivation_graph(n_labels, scale):
    rng = np.random.default_rng(int(scale))
    problem = random_problem(rng, n_labels, 1, [40], boundary=True, n_columns=4)
    problem.weights = weights = scale * rng.normal(size=problem.features.n_features)
    arcs, _, start, end = (table[..., :n_labels] for table in problem.features.tables(weights))
    pairs = problem.features.split(weights)[0].reshape(4, n_labels)
    emissions = np.array([sum((pairs[a] for a in token), np.zeros(n_labels)) for token in problem.sequences[0]])
    graph, scores = first_order_graph(emissions, arcs[:n_labels], start, end)
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    [marginals] = batch.marginals(weights)
    assert batch.log_partitions(weights)[0] == pytest.approx(core.log_partition(graph, scores), rel=1e-12)
    expected = core.marginals(graph, scores)[: 40 * n_labels].reshape(40, n_labels)
    np.testing.assert_allclose(marginals, expected, rtol=1e-8, atol=1e-9)
    best = core.argmax(graph, scores)
    labels, value = batch.argmax(weights)
    assert value[0] == pytest.approx(best.score, rel=1e-12)
    emitted = best.parts[best.parts < 40 * n_labels]
    np.testing.assert_array_equal(np.sort(emitted) % n_labels, labels)
    expected = [derivation.score for derivation in core.kbest(graph, scores, 5)]
    np.testing.assert_allclose([score for _, score in batch.kbest(weights, 5)[0]], expected, rtol=1e-12)


def separate_groups(n_tokens_each):
    """Two labels that never meet; the first half of the sequence prefers one, the second half the other."""
    rng = np.random.default_rng(0)
    problem = random_problem(rng, 2, 1, [1], forbid=True)
    steps = ~np.eye(2, dtype=bool)
    none = np.zeros(2, dtype=bool)
    features = problem.features
    forbidden = type(features.forbidden)(steps, none, none)
    features = type(features)(features.pair_offsets, features.pair_labels, features.grams, False, forbidden)
    sequence = [{0: 1.0}] * n_tokens_each + [{1: 1.0}] * n_tokens_each + [{2: 1.0}]
    weights = np.zeros(features.n_features)
    weights[:6] = [5.0, 0.0, 0.0, 5.0, 0.0, 1.0]
    return Problem(features, encode_tokens([sequence], 3, False), [sequence], weights)


def test_a_label_that_is_far_behind_can_still_win():
    # Label 1 is e**-1000 behind after 200 tokens, below the smallest float, and ahead by e**1 at the end.
    problem = separate_groups(200)
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    [marginals] = batch.marginals(problem.weights)
    np.testing.assert_allclose(marginals, np.tile([1, np.e], (401, 1)) / (1 + np.e), rtol=1e-9)
    assert batch.log_partitions(problem.weights)[0] == pytest.approx(1000 + np.log1p(np.e), rel=1e-12)


def test_threads_do_not_change_the_sums():
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 3, 1, [3, 1, 4, 2, 5], boundary=True)
    problem.weights = rng.normal(size=problem.features.n_features)
    one, two = (ChainBatch(problem.features, problem.corpus, n_jobs=n_jobs) for n_jobs in (1, 2))
    for first, second in zip(
        one.log_partition_and_mean(problem.weights), two.log_partition_and_mean(problem.weights), strict=True
    ):
        np.testing.assert_allclose(first, second, rtol=1e-12)
    direction = rng.normal(size=one.n_features)
    np.testing.assert_allclose(
        one.covariance_product(problem.weights, direction),
        two.covariance_product(problem.weights, direction), rtol=1e-9, atol=1e-12,
    )  # fmt: skip
    for query in ("argmax", "marginals"):
        for first, second in zip(
            getattr(one, query)(problem.weights), getattr(two, query)(problem.weights), strict=True
        ):
            np.testing.assert_array_equal(first, second)
    many = ChainBatch(problem.features, problem.corpus, n_jobs=50)
    np.testing.assert_array_equal(many.argmax(problem.weights)[0], one.argmax(problem.weights)[0])


def test_sample_weight_multiplies_every_sum():
    rng = np.random.default_rng(6)
    problem = random_problem(rng, 3, 2, [3, 2], boundary=True, weighted=True)
    problem.weights = rng.normal(size=problem.features.n_features)
    sample_weight = np.array([2.0, 0.0])
    weighted = ChainBatch(problem.features, problem.corpus, sample_weight=sample_weight, n_jobs=1)
    alone = ChainBatch(problem.features, problem.corpus.select(np.array([0])), n_jobs=1)
    for found, expected in zip(
        weighted.log_partition_and_mean(problem.weights), alone.log_partition_and_mean(problem.weights), strict=True
    ):
        np.testing.assert_allclose(found, 2.0 * np.asarray(expected), rtol=1e-12)
    direction = rng.normal(size=weighted.n_features)
    np.testing.assert_allclose(
        weighted.covariance_product(problem.weights, direction),
        2.0 * alone.covariance_product(problem.weights, direction), rtol=1e-9, atol=1e-12,
    )  # fmt: skip


def test_dense_tokens_become_sparse_without_zeros():
    rng = np.random.default_rng(7)
    dense = rng.integers(-1, 2, size=(6, 4)).astype(float)
    dense[2] = 0.0
    tokens = sparse_tokens(Corpus(np.array([0, 6]), dense))
    back = np.zeros_like(dense)
    back[np.repeat(np.arange(6), np.diff(tokens.offsets)), tokens.ids] = tokens.values
    np.testing.assert_array_equal(back, dense)
    assert np.all(tokens.values != 0)


def test_learning_queries_need_labels():
    problem = random_problem(np.random.default_rng(0), 2, 1, [2])
    batch = ChainBatch(problem.features, problem.corpus)
    weights = np.zeros(batch.n_features)
    state = PerceptronState(weights, weights)
    for ask in (
        batch.observed,
        lambda: batch.losses(np.zeros(2, dtype=np.int32)),
        lambda: batch.argmax(weights, loss=1.0),
        lambda: batch.covariance_with(weights, weights, loss=1.0),
        lambda: next(batch.perceptron_passes(state, np.random.default_rng(0))),
        lambda: next(batch.frank_wolfe_passes(1.0, np.random.default_rng(0))),
    ):
        with pytest.raises(InputError, match="no references; pass y"):
            ask()


def with_references(problem, seed, **arguments):
    rng = np.random.default_rng(seed)
    outputs = [labellings(problem, i)[0] for i in range(len(problem.corpus))]
    chosen = [every[rng.integers(len(every))] for every in outputs]
    labels = np.concatenate([np.array(labels, dtype=np.int32) for labels in chosen])
    return ChainBatch(problem.features, problem.corpus, labels, **arguments), chosen, rng


def distances(every, reference):
    return np.array([sum(x != y for x, y in zip(labels, reference, strict=True)) for labels in every], dtype=float)


@given(problems(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, -0.7, 300.0]))
@settings(max_examples=60)
def test_a_loss_joins_the_scores(problem, seed, loss):
    batch, references, rng = with_references(problem, seed, n_jobs=2)
    labels, best = batch.argmax(problem.weights, loss=loss)
    direction = rng.normal(size=batch.n_features)
    product, means = batch.covariance_with(problem.weights, direction, loss=loss)
    expected = np.zeros(batch.n_features)
    for i, reference in enumerate(references):
        every, rows = labellings(problem, i)
        wrong = distances(every, reference)
        values = rows @ problem.weights + loss * wrong
        found = every.index(tuple(batch.split(labels)[i]))
        assert best[i] == pytest.approx(values.max(), rel=1e-12, abs=1e-9)
        assert values[found] == pytest.approx(values.max(), rel=1e-12, abs=1e-6)
        assert batch.losses(labels)[i] == wrong[found]
        scores = rows @ problem.weights
        p = np.exp(scores - log_sum(scores.tolist()))
        along = rows @ direction + loss * wrong
        assert means[i] == pytest.approx(p @ along, rel=1e-9, abs=1e-9)
        expected += (rows - p @ rows).T @ (p * (along - p @ along))
    np.testing.assert_allclose(product, expected, rtol=1e-9, atol=1e-8)


@given(problems(large=True), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_a_loss_and_large_weights(problem, seed):
    batch, _, rng = with_references(problem, seed, n_jobs=1)
    direction = rng.normal(size=batch.n_features)
    product, means = batch.covariance_with(problem.weights, direction, loss=2.0)
    plain = batch.covariance_with(problem.weights, direction)
    of_loss = batch.covariance_with(problem.weights, np.zeros(batch.n_features), loss=2.0)
    np.testing.assert_allclose(product, plain[0] + of_loss[0], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(means, plain[1] + of_loss[1], rtol=1e-9, atol=1e-8)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_most_accurate_labels_have_the_largest_marginals(problem, seed):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=1)
    found = batch.split(batch.most_accurate(problem.weights))
    for labels, marginals in zip(found, batch.marginals(problem.weights), strict=True):
        for z, row in zip(labels, marginals, strict=True):
            assert row[z] >= row.max() - 1e-8
            assert (row[:z] < row.max() - 1e-12).all()
    with pytest.raises(InputError, match=r"gamma is 2\.0; each token of a tagging gets one label"):
        batch.most_accurate(problem.weights, 2.0)


@given(problems() | problems(large=True), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_drawn_labels_have_their_probabilities(problem, seed):
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=2)
    n_samples = 2000
    drawn = batch.sample(problem.weights, n_samples, np.random.default_rng(seed))
    assert len(drawn) == n_samples
    for i in range(batch.n_sequences):
        every, rows = labellings(problem, i)
        scores = rows @ problem.weights
        p = np.exp(scores - log_sum(scores.tolist()))
        place = {labels: number for number, labels in enumerate(every)}
        counts = np.bincount([place[tuple(batch.split(labels)[i])] for labels in drawn], minlength=len(every))
        # Six standard deviations, and room for what is rarer than one draw.
        assert (np.abs(counts - n_samples * p) <= 6.0 * np.sqrt(n_samples * p * (1.0 - p)) + 6.0).all()


def test_uniform_draws_need_no_weights():
    problem = random_problem(np.random.default_rng(0), 3, 2, [2, 3], boundary=True)
    batch = ChainBatch(problem.features, problem.corpus)
    drawn = batch.sample(np.zeros(batch.n_features), 4, np.random.default_rng(5))
    expected = np.random.default_rng(5).integers(3, size=(4, 5), dtype=np.int32)
    np.testing.assert_array_equal(drawn, expected)


def test_selected_and_weighted_batches_ask_the_same_sequences():
    rng = np.random.default_rng(1)
    problem = random_problem(rng, 3, 2, [3, 1, 4, 2], boundary=True, weighted=True)
    batch, _, _ = with_references(problem, 4, sample_weight=np.array([1.0, 0.5, 2.0, 3.0]), n_jobs=2)
    weights = rng.normal(size=batch.n_features)
    part = batch.select([2, 0])
    assert part.sample_weight.tolist() == [2.0, 1.0]
    for own, expected in zip(part.split(part.reference()), (2, 0), strict=True):
        np.testing.assert_array_equal(own, batch.split(batch.reference())[expected])
    only = batch.weighted(np.array([1.0, 0.0, 2.0, 0.0]))
    np.testing.assert_allclose(part.observed(), only.observed())
    for found, expected in zip(part.log_partition_and_mean(weights), only.log_partition_and_mean(weights), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert batch.sample_weight.tolist() == [1.0, 0.5, 2.0, 3.0]
    single = batch.select([1])
    assert (single.n_sequences, single.n_jobs, len(single.argmax(weights)[0])) == (1, 1, 1)


def test_outputs_join_and_split():
    problem = random_problem(np.random.default_rng(0), 3, 1, [2, 1])
    batch = ChainBatch(problem.features, problem.corpus)
    labels = batch.join([np.array([0, 2]), [1]])
    assert (labels.dtype, labels.tolist()) == (np.int32, [0, 2, 1])
    assert [part.tolist() for part in batch.split(labels)] == [[0, 2], [1]]
    with pytest.raises(InputError, match="labels of 2 sequences and 3 tokens given; need those of 2 sequences"):
        batch.join([[0], [1, 1]])


def test_no_feature_exceeds_the_largest():
    rng = np.random.default_rng(3)
    for weighted in (False, True):
        problem = random_problem(rng, 2, 2, [3, 4], boundary=True, weighted=weighted)
        batch = ChainBatch(problem.features, problem.corpus)
        largest = max(np.abs(labellings(problem, i)[1]).max() for i in range(2))
        assert largest <= batch.largest_feature() <= 8.0

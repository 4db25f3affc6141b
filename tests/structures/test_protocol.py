"""Every question of the contract, asked of every structure, against the list of all its outputs.

A batch may leave questions out, and `docs/reference/queries.md` shows which; it may not have others.
"""

import inspect
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from batch_cases import CASES, SAMPLE_WEIGHT
from weft.errors import InputError
from weft.learners.perceptron import perceptron_passes
from weft.learners.structured_svm import frank_wolfe_passes
from weft.structures.online import PerceptronState
from weft.structures.protocol import GROUPS, queries_of

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "queries.md"
QUERIES = [query for group in GROUPS.values() for query in queries_of(group)]
DIRECTION_SEED = 11


@cache
def case_of(name):
    return CASES[name]()


def direction(case):
    return np.random.default_rng(DIRECTION_SEED).normal(size=case.batch.n_features)


def close(found, wanted, tolerance=1e-8):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def moments_of(values, shares):
    """Mean and variance of numbers that have shares."""
    mean = shares @ values
    return mean, shares @ (values - mean) ** 2


# ------------------------------------------------------------- one check each


def check_n_features(case):
    assert case.batch.n_features == case.features[0].shape[1]


def check_n_sequences(case):
    assert case.batch.n_sequences == 3


def check_sample_weight(case):
    close(case.batch.sample_weight, SAMPLE_WEIGHT)


def reference_features(case):
    """Features of each reference; the mean of all outputs that agree with it if several do."""
    return [own[agreeing].mean(axis=0) for own, agreeing in zip(case.features, case.agreeing, strict=True)]


def check_reference(case):
    reference = case.batch.reference()
    if case.structure != "lists":  # shares of what is right, no outputs
        close(case.batch.losses(reference), np.zeros(3))


def check_observed(case):
    close(case.batch.observed(), SAMPLE_WEIGHT @ np.array(reference_features(case)))
    for numbers in case.rounds():
        rows = np.array([own[k] for own, k in zip(case.features, numbers, strict=True)])
        close(case.batch.observed(joined(case, numbers)), SAMPLE_WEIGHT @ rows)


def joined(case, numbers):
    return case.batch.join([own[k] for own, k in zip(case.outputs, numbers, strict=True)])


def check_features_of(case):
    for numbers in case.rounds():
        rows = case.batch.features_of(joined(case, numbers))
        assert rows.format == "csr"
        assert rows.has_canonical_format or all(len(set(row.indices)) == row.nnz for row in rows)
        close(rows.toarray(), [own[k] for own, k in zip(case.features, numbers, strict=True)])


def check_losses(case):
    for numbers in case.rounds():
        close(case.batch.losses(joined(case, numbers)), [own[k] for own, k in zip(case.losses, numbers, strict=True)])


def check_join(case):
    numbers = next(case.rounds())
    close(case.batch.scores(case.weights, joined(case, numbers)), scores_of(case, numbers))


def check_split(case):
    for numbers in case.rounds():
        found = case.batch.split(joined(case, numbers))
        for own, output, k in zip(case.outputs, found, numbers, strict=True):
            assert np.array_equal(output, own[k])


def scores_of(case, numbers):
    return [own[k] @ case.weights for own, k in zip(case.features, numbers, strict=True)]


def check_has_partial_references(case):
    assert case.batch.has_partial_references == any(len(own) > 1 for own in case.agreeing)


def check_reference_partition_and_mean(case):
    total, mean = 0.0, np.zeros(case.batch.n_features)
    for weight, rows, agreeing in zip(SAMPLE_WEIGHT, case.features, case.agreeing, strict=True):
        scores = rows[agreeing] @ case.weights
        log_sum = np.logaddexp.reduce(scores)
        total += weight * log_sum
        mean += weight * np.exp(scores - log_sum) @ rows[agreeing]
    found = case.batch.reference_partition_and_mean(case.weights)
    close(found[0], total)
    close(found[1], mean)


def check_best_references(case):
    outputs, scores = case.batch.best_references(case.weights)
    wanted = [
        (rows[agreeing] @ case.weights).max() for rows, agreeing in zip(case.features, case.agreeing, strict=True)
    ]
    close(scores, wanted)
    close(case.batch.scores(case.weights, outputs), wanted)
    close(case.batch.losses(outputs), np.zeros(3))


def check_log_partition_and_mean(case):
    for weights in (case.weights, np.zeros_like(case.weights)):
        value, mean = case.batch.log_partition_and_mean(weights)
        close(value, SAMPLE_WEIGHT @ log_sums(case, weights))
        close(mean, SAMPLE_WEIGHT @ means(case, weights))


def log_sums(case, weights):
    return np.array([np.logaddexp.reduce(rows @ weights) for rows in case.features])


def means(case, weights):
    return np.array([p @ rows for p, rows in zip(case.probabilities(weights), case.features, strict=True)])


def covariances(case, weights, along, loss):
    """Covariance of features with a direction and a loss for each sequence, and the mean of the latter."""
    rows, averages = [], []
    for p, features, losses in zip(case.probabilities(weights), case.features, case.losses, strict=True):
        values = features @ along + loss * losses
        averages.append(p @ values)
        rows.append((p * (values - p @ values)) @ features)
    return np.array(rows), np.array(averages)


def check_covariance_product(case):
    for weights in (case.weights, np.zeros_like(case.weights)):
        wanted = SAMPLE_WEIGHT @ covariances(case, weights, direction(case), 0.0)[0]
        close(case.batch.covariance_product(weights, direction(case)), wanted)


def check_covariance_with(case):
    for weights in (case.weights, np.zeros_like(case.weights)):
        for along, loss in ((direction(case), 0.0), (direction(case), 0.7), (np.zeros_like(weights), 1.0)):
            rows, averages = covariances(case, weights, along, loss)
            found = case.batch.covariance_with(weights, along, loss)
            close(found[0], SAMPLE_WEIGHT @ rows)
            close(found[1], averages)


def check_expectations(case):
    close(case.batch.expectations(case.weights), means(case, case.weights))


def check_log_partitions(case):
    close(case.batch.log_partitions(case.weights), log_sums(case, case.weights))


def check_scores(case):
    for numbers in case.rounds():
        close(case.batch.scores(case.weights, joined(case, numbers)), scores_of(case, numbers))


def check_score_moments(case):
    wanted = [moments_of(rows @ case.weights, np.full(len(rows), 1 / len(rows))) for rows in case.features]
    found = case.batch.score_moments(case.weights)
    close(found[0], [mean for mean, _ in wanted])
    close(found[1], [variance for _, variance in wanted])


def check_argmax(case):
    for loss in (0.0, 1.3):
        outputs, values = case.batch.argmax(case.weights, loss) if loss else case.batch.argmax(case.weights)
        every = [rows @ case.weights + loss * losses for rows, losses in zip(case.features, case.losses, strict=True)]
        close(values, [own.max() for own in every])
        close(case.batch.scores(case.weights, outputs) + loss * case.batch.losses(outputs), values)


def check_kbest(case):
    for k in (1, 3, 1000):
        for i, ranked in enumerate(case.batch.kbest(case.weights, k)):
            scores = np.sort(case.features[i] @ case.weights)[::-1]
            close([score for _, score in ranked], scores[:k])
            assert len({np.asarray(output).tobytes() for output, _ in ranked}) == len(ranked)
            single = case.batch.select([i])
            for output, score in ranked:
                close(single.scores(case.weights, single.join([output])), [score])


def check_most_accurate(case):
    found = case.batch.split(case.batch.most_accurate(case.weights))
    for i, (output, marginals) in enumerate(zip(found, exact_marginals(case), strict=True)):
        best = max(case.gain(case.parts(i, each), marginals) for each in case.outputs[i])
        close(case.gain(case.parts(i, output), marginals), best)


def exact_marginals(case):
    found = []
    for i, p in enumerate(case.probabilities(case.weights)):
        found.append(sum(share * case.parts(i, output) for share, output in zip(p, case.outputs[i], strict=True)))
    return found


def check_marginals(case):
    found = case.batch.marginals(case.weights)
    assert len(found) == 3
    for mine, wanted in zip(found, exact_marginals(case), strict=True):
        close(np.asarray(mine)[..., : wanted.shape[-1]], wanted)


def check_likely_pairs(case):
    for mine, wanted in zip(case.batch.likely_pairs(case.weights, 0.2), exact_marginals(case), strict=True):
        close(mine.toarray(), np.where(wanted >= 0.2, wanted, 0.0))


def check_sample(case):
    drawn = case.batch.sample(case.weights, 2000, np.random.default_rng(0))
    assert len(drawn) == 2000
    keys = [{np.asarray(output).tobytes(): k for k, output in enumerate(own)} for own in case.outputs]
    counts = [np.zeros(len(own)) for own in case.outputs]
    for outputs in drawn:
        for i, output in enumerate(case.batch.split(outputs)):
            counts[i][keys[i][np.asarray(output).tobytes()]] += 1
    for seen, p in zip(counts, case.probabilities(case.weights), strict=True):
        assert np.abs(seen / 2000 - p).max() < 5 * np.sqrt(0.25 / 2000)


def differences(case, base):
    return np.array(reference_features(case)) - means(case, base)


def check_moments(case):
    for base in (None, case.weights):
        moments, weights = case.batch.moments(base), np.zeros_like(case.weights) if base is None else base
        b, along = differences(case, weights), direction(case)
        product = SAMPLE_WEIGHT @ covariances(case, weights, along, 0.0)[0]
        outer = (SAMPLE_WEIGHT * (b @ along)) @ b
        of_loss, mean_losses = covariances(case, weights, np.zeros_like(along), 1.0)
        close(moments.mean, SAMPLE_WEIGHT @ means(case, weights))
        close(moments.difference, SAMPLE_WEIGHT @ b)
        close(moments.product(along), product)
        close(moments.outer_product(along), outer)
        close(moments.second_product(along), product + outer)
        close(moments.mean_losses, mean_losses)
        close(moments.loss_covariance(), SAMPLE_WEIGHT @ of_loss)
        close(moments.loss_weighted_difference(), (SAMPLE_WEIGHT * mean_losses) @ b)
        close(moments.log_counts, log_sums(case, weights))
        assert moments.diagonal.shape == along.shape


def check_sampled_moments(case):
    moments = case.batch.sampled_moments(30, np.random.default_rng(0))
    drawn = case.batch.sample(np.zeros_like(case.weights), 30, np.random.default_rng(0))
    rows = np.array(
        [*(case.batch.features_of(each).toarray() for each in drawn), reference_features(case)]
    )  # outputs x sequences x features
    losses = np.array([*(case.batch.losses(each) for each in drawn), np.zeros(3)])
    centred, along = rows - rows.mean(axis=0), direction(case)
    b = rows[-1] - rows.mean(axis=0)
    product = np.einsum("s,osf,os->f", SAMPLE_WEIGHT, centred, centred @ along) / len(rows)
    outer = (SAMPLE_WEIGHT * (b @ along)) @ b
    close(moments.mean, SAMPLE_WEIGHT @ rows.mean(axis=0))
    close(moments.difference, SAMPLE_WEIGHT @ b)
    close(moments.product(along), product)
    close(moments.second_product(along), product + outer)
    close(moments.mean_losses, losses.mean(axis=0))
    of_loss = np.einsum("s,osf,os->f", SAMPLE_WEIGHT, centred, losses - losses.mean(axis=0)) / len(rows)
    close(moments.loss_covariance(), of_loss)
    close(moments.loss_weighted_difference(), (SAMPLE_WEIGHT * losses.mean(axis=0)) @ b)


def check_variances(case):
    """An estimate may be off, but no feature that varies has none: it is the scale of a ridge."""
    zero = np.zeros_like(case.weights)
    wanted = sum(weight * rows.var(axis=0) for weight, rows in zip(SAMPLE_WEIGHT, case.features, strict=True))
    found = case.batch.variances(zero)
    assert found.shape == wanted.shape
    assert (found[wanted > 1e-9] > 0.0).all()


def check_largest_feature(case):
    assert case.batch.largest_feature() >= max(np.abs(rows).max() for rows in case.features) - 1e-9


def check_block_inverse(case):
    """Its own tests have problems that fit; these have tokens with several attributes."""
    with pytest.raises(InputError, match="block"):
        case.batch.block_inverse(0.1)


def check_generative_weights(case):
    counts = np.abs(case.batch.observed())
    found = case.batch.generative_weights(counts, 1.0)
    assert found.shape == counts.shape
    assert np.isfinite(found).all()


def check_starting_weights(case):
    if case.structure == "chain" and (case.batch.observed() < 0.0).any():
        with pytest.raises(InputError, match="negative values"):  # values that nobody can count
            case.batch.starting_weights()
        return
    assert case.batch.starting_weights().shape == case.weights.shape


def check_maximised_weights(case):
    counts = np.abs(case.batch.log_partition_and_mean(case.weights)[1])
    assert np.isfinite(case.batch.maximised_weights(counts, 0.1)).all()


def check_shards(case):
    covered = [i for shard in case.batch.shards for part in shard for i in range(part.start, part.stop)]
    assert covered == [0, 1, 2]


def check_set_shards(case):
    """Cut otherwise, sums are the same up to rounding."""
    before = case.batch.shards
    try:
        case.batch.set_shards([[slice(0, 1)], [slice(1, 2), slice(2, 3)]])
        close(case.batch.log_partition_and_mean(case.weights)[0], SAMPLE_WEIGHT @ log_sums(case, case.weights))
        close(case.batch.observed(), SAMPLE_WEIGHT @ np.array(reference_features(case)))
    finally:
        case.batch.set_shards(before)


def check_hints(case):
    """Those of other weights change no answer beyond rounding."""
    case.batch.log_partition_and_mean(np.zeros_like(case.weights))
    part = case.batch.select([0, 1, 2])
    part.hints = case.batch.hints
    close(part.log_partitions(case.weights), log_sums(case, case.weights))


def check_select(case):
    chosen = [2, 0]
    part = case.batch.select(chosen)
    close(part.sample_weight, SAMPLE_WEIGHT[chosen])
    close(part.observed(), SAMPLE_WEIGHT[chosen] @ np.array(reference_features(case))[chosen])
    close(part.log_partitions(case.weights), log_sums(case, case.weights)[chosen])


def check_weighted(case):
    other = np.array([0.0, 3.0, 1.0])
    weighted = case.batch.weighted(other)
    close(weighted.observed(), other @ np.array(reference_features(case)))
    close(weighted.log_partition_and_mean(case.weights)[1], other @ means(case, case.weights))
    close(case.batch.sample_weight, SAMPLE_WEIGHT)


def check_perceptron_passes(case):
    start = PerceptronState(case.weights, np.zeros_like(case.weights))
    mine = case.batch.perceptron_passes(start, np.random.default_rng(0))
    wanted = perceptron_passes(case.batch, start, np.random.default_rng(0))
    for _ in range(3):
        (found, n_wrong), (state, n_mistakes) = next(mine), next(wanted)
        assert (n_wrong, found.clock) == (n_mistakes, state.clock)
        close(found.weights, state.weights)
        close(found.average, state.average)


def check_early_update_passes(case):
    """Where nothing is wrong there is nothing to update; `tests/rewriting/candidates/test_batch.py` has the steps."""
    best, _ = case.batch.argmax(case.weights)
    right = type(case.batch)(case.batch.chain, case.batch.symbols, case.batch.offsets, case.batch.found, best)
    state, n_wrong = next(
        right.early_update_passes(PerceptronState(case.weights, np.zeros_like(case.weights)), np.random.default_rng(0))
    )
    assert n_wrong == 0
    close(state.weights, case.weights)


def check_frank_wolfe_passes(case):
    mine = case.batch.frank_wolfe_passes(0.8, np.random.default_rng(0))
    wanted = frank_wolfe_passes(case.batch, 0.8, np.random.default_rng(0))
    for _ in range(4):
        found, generic = next(mine), next(wanted)
        close(found.weights, generic.weights)
        close([found.dual, found.gap], [generic.dual, generic.gap])
    for make in (case.batch.frank_wolfe_passes, partial(frank_wolfe_passes, case.batch)):
        random, other = np.random.default_rng(0), np.random.default_rng(1)
        passes = make(0.8, random)
        state = [next(passes) for _ in range(3)][-1].state
        other.bit_generator.state = random.bit_generator.state
        gone_on = make(0.8, other, [array.copy() for array in state])
        for _ in range(12):  # the same steps, to the last bit
            assert np.array_equal(next(passes).weights, next(gone_on).weights)


def check_partition_and_windows(case):
    value, sparse, windows = case.batch.partition_and_windows(case.weights)
    total, mean = case.batch.log_partition_and_mean(case.weights)
    close(value, total)
    close(np.concatenate([sparse, windows.reshape(-1)]), mean)


def check_most_violating(case):
    outputs, hinges = case.batch.most_violating(case.weights)
    best, values = case.batch.argmax(case.weights, 1.0)
    assert np.array_equal(outputs, best)
    close(hinges, np.maximum(values - case.batch.scores(case.weights, case.batch.reference()), 0.0))


def steps_of(case):
    """Features of the references minus those of the best outputs, with the weights of the sequences."""
    best, _ = case.batch.argmax(case.weights)
    return best, SAMPLE_WEIGHT @ (reference_features(case) - case.batch.features_of(best).toarray())


def check_window_steps(case):
    best, wanted = steps_of(case)
    cells, signs = case.batch.window_steps(best)
    shape = case.batch.observed_windows().shape
    found = np.zeros(shape)
    np.add.at(found, tuple(cells.T), signs)
    close(found.reshape(-1), wanted[-found.size :])


def check_sparse_steps(case):
    best, wanted = steps_of(case)
    found = case.batch.sparse_steps(best)
    close(found, wanted[: len(found)])


def check_observed_windows(case):
    found = case.batch.observed_windows()
    close(found.reshape(-1), case.batch.observed()[-found.size :])


# --------------------------------------------------------------- the contract


def is_on_the_page(name, query):
    """Whether the documentation says that a structure answers; its variants are not on the page."""
    rows = [line.strip("| ").split("|") for line in TABLE.read_text().splitlines() if line.startswith("|")]
    names = [cell.strip() for cell in rows[0]]
    column = names.index(name.partition(",")[0].partition(" of order")[0])
    row = next(row for row in rows if row[0].strip() == f"`{query}`")
    return column < len(row) and row[column].strip() == "yes"


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", CASES)
def test_query_equals_enumeration(name, query):
    case = case_of(name)
    if not hasattr(case.batch, query):
        assert not is_on_the_page(name, query), f"{name} no longer answers {query}"
        return
    globals()[f"check_{query}"](case)


@pytest.mark.parametrize("name", CASES)
def test_every_public_method_is_named_by_a_protocol(name):
    batch = case_of(name).batch
    methods = {key for cls in type(batch).__mro__ for key in vars(cls) if not key.startswith("_")}
    known = {*QUERIES, "dense_features"}
    assert sorted(methods - known) == []


def asked(group, query):
    """A question as a learner writes it."""
    member = vars(group).get(query)
    if not inspect.isfunction(member):
        return query
    parameters = list(inspect.signature(member).parameters.values())[1:]
    return f"{query}({', '.join(str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters)})"


def meaning(group, query):
    """First line of what the contract says about a question."""
    attributes = {
        "sample_weight": "Weight of each sequence.",
        "shards": "How the sequences are cut for threads.",
        "hints": "What passes have learned about their numbers: it changes speed, and rounding at most.",
    }
    return attributes.get(query) or inspect.getdoc(vars(group)[query]).partition("\n")[0]


def table():
    """Who answers what, as a page of the documentation."""
    names = [name for name in CASES if "," not in name and "of order" not in name]
    lines = [
        "# Who answers what",
        "",
        "A learner asks questions of a batch, a structure bound to data; [below](#what-each-one-means) is what each",
        "one means. This page is written by the test that holds every answer against the list of all outputs",
        "(`tests/structures/test_protocol.py`).",
        "",
        f"| question | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
    ]
    for title, group in GROUPS.items():
        lines.append(f"| **{title}** |{' |' * len(names)}")
        for query in queries_of(group):
            marks = ["yes" if hasattr(case_of(name).batch, query) else "" for name in names]
            lines.append(f"| `{query}` | {' | '.join(marks)} |")
    lines += [
        "",
        "## What each one means",
        "",
        "An *output* belongs to one sequence. *Outputs*, one of each sequence, are of a type of the structure's own:",
        "hand on what `argmax` or `reference` gave. Sums weigh each sequence by `sample_weight`; what comes per",
        "sequence does not.",
        "",
    ]
    for group in GROUPS.values():
        lines += [f"* `{asked(group, query)}`: {meaning(group, query)}" for query in queries_of(group)]
    return "\n".join(lines) + "\n"


def test_the_page_of_the_documentation_is_this_table():
    wanted = table()
    if not TABLE.exists() or TABLE.read_text() != wanted:
        TABLE.write_text(wanted)
        pytest.fail(f"{TABLE.name} was written anew; look at it and commit it")

"""Every query of a Hankel chain against enumeration of all labellings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hankel_problems import make
from weft.structures.hankel.batch import HankelBatch

UNSEEN = ["azb", "zz", "b", "cab"]


def random_weights(chain, seed, rank=2):
    random = np.random.default_rng(seed)
    size = chain.base.n_features + (
        rank * (chain.n_rows + chain.n_columns) if chain.factored else chain.n_rows * chain.n_columns
    )
    return random.normal(size=size)


def slow_score(chain, weights, symbols, labels):
    """Score straight from the definition: sparse features, then every window of the padded sequence."""
    sparse, _ = chain.split_matrix(weights)
    matrix, base = chain.matrix(weights), chain.base
    pair_weights, gram_weights, start, end = base.split(sparse)
    score = 0.0
    for t, (symbol, label) in enumerate(zip(symbols, labels, strict=True)):
        if symbol >= 0:
            for j in range(base.pair_offsets[symbol], base.pair_offsets[symbol + 1]):
                score += pair_weights[j] * (base.pair_labels[j] == label)
        if t and base.n_features > base.n_pairs:
            steps = dict(zip(base.grams.grams, gram_weights, strict=True))
            score += steps.get((labels[t - 1], label), 0.0)
        if base.boundary:
            score += start[label] * (t == 0) + end[label] * (t == len(symbols) - 1)
        if base.forbidden is not None and t and base.forbidden.steps[labels[t - 1], label]:
            return -np.inf
    spelled = []
    for symbol, label in zip(symbols, labels, strict=True):
        run = range(*chain.pairs.begins[symbol : symbol + 2]) if symbol >= 0 else []
        found = [pair for pair in run if chain.pairs.labels[pair] == label]
        if symbol >= 0 and not found:
            return -np.inf
        spelled.append(found[0] if found else chain.pairs.n_pairs)
    _, before, after, _, scored = chain.shape
    outside = chain.pairs.n_pairs
    padded = [outside] * before + spelled + [outside] * after
    for length in range(1, chain.order + 1):
        for i in range(len(padded) - length + 1):
            if scored[length] >= 0:
                row = scored[length] + sum(
                    p * chain.base_size**e for e, p in enumerate(padded[i : i + length - 1][::-1])
                )
                if chain.factored:
                    place = np.searchsorted(chain.row_numbers, row)
                    if place == len(chain.row_numbers) or chain.row_numbers[place] != row:
                        continue
                    row = place
                score += matrix[row, padded[i + length - 1]]
    return score


SHAPES = [
    {"order": 2},
    {"order": 3, "sparse": False},
    {"order": 3, "sparse": False, "boundary": False},
    {"order": 3, "shorter": True, "boundary": False},
    {"order": 3, "shorter": True, "constrained": True},
    {"order": 4, "constraints": [("p", "p"), ("q", "r")]},
    {"order": 3, "factored": True},
]


@pytest.mark.parametrize("options", SHAPES, ids=str)
@settings(deadline=None, max_examples=4)
@given(seed=st.integers(0, 1000))
def test_every_query_equals_enumeration(options, seed):
    encoder, chain, _, _ = make(**options)
    weights = random_weights(chain, seed)
    corpus = encoder.encode(UNSEEN)
    batch = HankelBatch(chain, corpus, n_jobs=2)
    labels, best = batch.argmax(weights)
    ranked, values = batch.kbest(weights, 4)
    marginals, log_partitions = batch.marginals(weights)
    for i, (begin, end) in enumerate(zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)):
        symbols = batch.symbols[begin:end]
        outputs = np.array(list(product(range(3), repeat=end - begin)))
        scores = np.array([slow_score(chain, weights, symbols, output) for output in outputs])
        order = np.argsort(-scores, kind="stable")
        assert best[i] == pytest.approx(scores[order[0]])
        assert slow_score(chain, weights, symbols, labels[begin:end]) == pytest.approx(best[i])
        some = [scores[o] for o in order[:4] if scores[o] > -np.inf]
        np.testing.assert_allclose(values[i, : len(some)], some)
        assert (values[i, len(some) :] == -np.inf).all()
        for rank in range(len(some)):
            found = slow_score(chain, weights, symbols, ranked[rank, begin:end])
            assert found == pytest.approx(values[i, rank])
        weight = np.exp(scores - scores.max())
        assert log_partitions[i] == pytest.approx(scores.max() + np.log(weight.sum()))
        for t in range(end - begin):
            expected = np.bincount(outputs[:, t], weights=weight, minlength=3) / weight.sum()
            np.testing.assert_allclose(marginals[begin + t], expected, atol=1e-12)


@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_losses_steps_and_gradients_follow_the_scores(options):
    constraints = options.get("constraints")
    options = {**options, "constraints": None if constraints is None else [("r", "r")]}
    _, chain, corpus, labels = make(**options)
    weights = random_weights(chain, 7)
    batch = HankelBatch(chain, corpus, labels, importance=np.array([1.0, 2, 1, 1, 0.5]), n_jobs=2)
    violating, losses = batch.most_violating(weights)
    for i, (begin, end) in enumerate(zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)):
        symbols, gold = batch.symbols[begin:end], labels[begin:end]
        worst = max(
            slow_score(chain, weights, symbols, output) + np.sum(gold != output)
            for output in product(range(3), repeat=end - begin)
        )
        assert losses[i] == pytest.approx(worst - slow_score(chain, weights, symbols, gold))
    some = np.array([3, 0])
    few, few_losses = batch.most_violating(weights, some)
    assert few_losses[[1, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(few_losses[some], losses[some])
    np.testing.assert_array_equal(
        few[corpus.offsets[3] : corpus.offsets[4]], violating[corpus.offsets[3] : corpus.offsets[4]]
    )
    if chain.factored:
        return
    # The steps are the counts of the reference minus those of the other labels.
    cells, signs = batch.window_steps(violating)
    change = np.zeros((chain.n_rows, chain.n_columns))
    np.add.at(change, tuple(cells.T), signs)
    other = HankelBatch(chain, corpus, violating, batch.importance)
    np.testing.assert_allclose(change, batch.observed_windows() - other.observed_windows(), atol=1e-12)

    def objective(vector):
        value, _, _ = batch.log_partition_and_mean(vector, cost=0.5)
        return value - batch.importance @ batch.scores(vector, labels)

    _, mean, cells = batch.log_partition_and_mean(weights, cost=0.5)
    gradient = np.concatenate([mean - batch.base.observed(), (cells - batch.observed_windows()).reshape(-1)])
    direction = np.random.default_rng(1).normal(size=len(weights))
    slope = (objective(weights + 1e-5 * direction) - objective(weights - 1e-5 * direction)) / 2e-5
    assert gradient @ direction == pytest.approx(slope, rel=1e-6)

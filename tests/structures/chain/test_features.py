import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_oracle import feature_vector, random_problem
from weft.sequences.corpus import SparseTokens
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.features import DENSE_SHARE, ChainFeatures
from weft.structures.chain.label_grams import LabelGrams


def tokens_of(rows, n_columns):
    offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    ids = np.array([a for row in rows for a in row], dtype=np.int32)
    return SparseTokens(offsets, ids, np.empty(0), n_columns)


TOKENS = tokens_of([[0, 2], [1], [], [2]], 4)
LABELS = np.array([0, 1, 1, 2], dtype=np.int32)
OFFSETS = np.array([0, 3, 4])


def test_observed_pairs_are_those_of_the_data():
    features = ChainFeatures.collect(TOKENS, LABELS, OFFSETS, 3, boundary=True)
    names = features.names(list("abcd"), np.array(["X", "Y", "Z"], dtype=object))
    assert names == [
        ("a", "X"), ("b", "Y"), ("c", "X"), ("c", "Z"), ("X", "Y"), ("Y", "Y"),
        ("start", "X"), ("start", "Y"), ("start", "Z"), ("end", "X"), ("end", "Y"), ("end", "Z"),
    ]  # fmt: skip
    assert features.n_features == len(names)


def test_all_pairs_are_every_combination():
    features = ChainFeatures.collect(TOKENS, LABELS, OFFSETS, 3, order=2, pairs="all")
    names = features.names(list("abcd"), np.array(list("XYZ"), dtype=object))
    expected = [*itertools.product("abcd", "XYZ"), *itertools.product("XYZ", repeat=2)]
    assert names == [*expected, *itertools.product("XYZ", repeat=3)]


def test_known_weights_are_kept_when_the_data_lacks_them():
    first = ChainFeatures.collect(tokens_of([[0], [1]], 2), np.array([0, 1], np.int32), np.array([0, 2]), 3)
    second = ChainFeatures.collect(TOKENS, LABELS, OFFSETS, 3, known=first)
    names = second.names(list("abcd"), np.arange(3, dtype=object))
    assert set(first.names(list("ab"), np.arange(3, dtype=object))) <= set(names)
    assert len(names) == len(set(names))
    weights = np.arange(1.0, 1 + first.n_features)
    moved = dict(zip(names, second.transfer(weights, first, np.arange(3)), strict=True))
    for name, weight in zip(first.names(list("ab"), np.arange(3, dtype=object)), weights, strict=True):
        assert moved[name] == weight
    assert sum(moved.values()) == weights.sum()


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_transfer_moves_weights_by_name(seed, boundary, order):
    rng = np.random.default_rng(seed)
    old, new = (random_problem(rng, n, order, [2], boundary=boundary, observed=True).features for n in (3, 4))
    label_map = np.array([2, -1, 0])
    weights = rng.normal(size=old.n_features)
    moved = new.transfer(weights, old, label_map)
    columns = ["a", "b", "c"]
    old_names = old.names(columns, np.array(["L2", None, "L0"], dtype=object))
    new_names = new.names(columns, np.array(["L0", "L1", "L2", "L3"], dtype=object))
    weight_of = {name: w for name, w in zip(old_names, weights, strict=True) if None not in name}
    np.testing.assert_array_equal(moved, [weight_of.get(name, 0.0) for name in new_names])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_keep_drops_pairs_without_changing_the_rest(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 3, 1, [3], boundary=True, observed=True)
    features = problem.features
    weights = rng.normal(size=features.n_features)
    selected = rng.random(features.n_pairs) < 0.5
    smaller = features.keep(selected)
    zeroed = weights.copy()
    zeroed[: features.n_pairs][~selected] = 0.0
    kept = np.concatenate([weights[: features.n_pairs][selected], weights[features.n_pairs :]])
    [expected] = ChainBatch(features, problem.corpus, n_jobs=1).marginals(zeroed)
    [found] = ChainBatch(smaller, problem.corpus, n_jobs=1).marginals(kept)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_labels", [1, 3, 4, 5])
def test_attributes_with_few_and_with_many_labels_score_alike(n_labels):
    # Whether an attribute has a dense row of weights or a short list must not show.
    rng = np.random.default_rng(n_labels)
    problem = random_problem(rng, n_labels, 1, [4], n_columns=6, observed=True, weighted=True)
    weights = rng.normal(size=problem.features.n_features)
    labels = rng.integers(0, n_labels, size=4).astype(np.int32)
    batch = ChainBatch(problem.features, problem.corpus, labels, n_jobs=1)
    vector = feature_vector(problem.features, problem.sequences[0], labels.tolist())
    assert batch.scores(weights, labels)[0] == pytest.approx(vector @ weights, abs=1e-12)
    np.testing.assert_allclose(batch.observed(), vector, atol=1e-12)


def test_a_chain_without_attributes_has_transitions_only():
    features = ChainFeatures(np.zeros(1, np.int64), np.zeros(0, np.int32), LabelGrams.build(2, 1))
    assert (features.n_pairs, features.n_features, features.n_rows) == (0, 4, 0)


def test_a_chain_grown_by_more_data_has_the_pairs_of_both_and_keeps_its_weights():
    random = np.random.default_rng(0)
    for _ in range(20):
        ids = random.integers(0, 12, 30)
        labels = random.integers(0, 4, 30)
        parts = [(slice(0, 12), 6), (slice(12, 30), 12)]
        chains, known = [], None
        for cut, n_columns in parts:
            own = ids[cut] % n_columns
            tokens = SparseTokens(np.arange(len(own) + 1), own.astype(np.int32), np.empty(0), n_columns)
            known = ChainFeatures.collect(tokens, labels[cut], np.array([0, len(own)]), 4, known=known)
            chains.append(known)
        first, grown = chains
        pairs = {(a % n, z) for cut, n in parts for a, z in zip(ids[cut].tolist(), labels[cut].tolist(), strict=True)}
        assert list(zip(grown.pair_attributes.tolist(), grown.pair_labels.tolist(), strict=True)) == sorted(pairs)
        vector = random.normal(size=first.n_features)
        moved = grown.transfer(vector, first, np.arange(4))
        slow = pickle.loads(pickle.dumps(grown)).transfer(vector, first, np.arange(4))  # remembers no origin
        np.testing.assert_array_equal(moved, slow)
        assert np.count_nonzero(moved) == len(vector)


def test_dense_rows_hold_the_pairs_of_frequent_attributes_and_give_them_back():
    mask = np.random.default_rng(0).random((9, 8)) < 0.3
    features = ChainFeatures.of_pairs(mask, LabelGrams.build(8, 1))
    dense = np.flatnonzero(mask.sum(axis=1) > DENSE_SHARE * 8)
    assert 0 < len(dense) < 9
    pairs = np.arange(1.0, features.n_pairs + 1)
    table = np.zeros(mask.shape)
    table[mask] = pairs
    rows = features.spread(pairs, np.full((len(dense), 8), np.nan))
    np.testing.assert_array_equal(rows, table[dense])
    np.testing.assert_array_equal(features.row_mask, mask[dense])
    back = pairs.copy()
    features.collect_rows(-rows, back)
    in_rows = np.isin(features.pair_attributes, dense)
    np.testing.assert_array_equal(back, np.where(in_rows, -pairs, pairs))

"""LoopModel: which weights a structure has, and what learners ask of a batch of them."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.losses import base_pairs
from weft.structures import LoopModel
from weft.structures.free_energies import free_energies
from weft.structures.loop_batch import LoopBatch

MODEL = LoopModel()
SEQUENCES = ["gggaaaaccc", "gcgcaaaagcgc", "aggcaaaagcca"]
STRUCTURES = ["(((....)))", "((((....))))", ".(((....)))."]


def as_pairs(structure):
    return np.array(sorted(base_pairs(structure)), dtype=np.int32).reshape(-1, 2)


def counts(x, structure):
    return MODEL.counts(MODEL.encode(x, unknown="wildcard"), as_pairs(structure))


def features(x, structure):
    """How often a structure has each feature, but for its free energy."""
    found = (MODEL.rule_features > 0).T @ counts(x, structure)
    return {name: int(n) for name, n in list(zip(MODEL.feature_names, found, strict=True))[1:] if n}


@pytest.fixture
def batch():
    symbols = [MODEL.encode(x) for x in SEQUENCES]
    return LoopBatch(MODEL, symbols, [as_pairs(y) for y in STRUCTURES], n_jobs=1)


def test_hairpin_and_stack():
    found = features("ggaaaccu", "((...)).")
    assert found == {
        "pair_cg": 2, "stack_cg_cg": 1, "hairpin": 1, "hairpin_1": 1, "hairpin_2": 1, "hairpin_3": 1, "end_cg": 1,
        "end_gc": 1, "right_gc_u": 1, "exterior_branch": 1, "exterior_base": 1,
    }  # fmt: skip


def test_stacks_are_the_same_from_both_strands():
    assert sum(name.startswith("stack_") for name in MODEL.feature_names) == 21
    assert "stack_au_gc" in features("agaaacu", "((...))")
    assert "stack_au_gc" in features("cuaaaag", "((...))")


def test_loops_between_two_pairs():
    assert features("gaagaaacc", "(..(...))")["bulge_2"] == 1
    one = features("gcgaaacac", "(.(...).)")
    assert one["one_one_ac"] == one["interior_1x1"] == one["interior"] == 1
    wide = features("gaaagaaacac", "(...(...).)")
    assert wide["lopsided_2"] == wide["interior_4"] == wide["interior_1x3"] == 1
    assert "lopsided_3" not in wide
    assert wide["interior_aa"] == 2


def test_multiloops_and_unknown_letters():
    found = features("gagaaacgaaacac", "(.(...)(...).)")
    assert (found["multiloop"], found["multiloop_branch"], found["multiloop_base"]) == (1, 3, 2)
    assert "hairpin_gc_ng" not in features("gnaaagc", "(.....)")


@pytest.mark.parametrize(
    ("x", "structure", "energy"),
    [
        # GC on GC -3.26; loop of 4 AAAA 5.6 with the stronger of its dangling ends, on CG read backwards: -1.1.
        ("ggaaaacc", "((....))", -3.26 + 5.6 - 1.1),
        # Closed by AU: 0.45 outside; loop of 3 is 5.4 and 0.45 again.
        ("aaaau", "(...)", 5.4 + 0.45 + 0.45),
        # Bulge of 1: 3.8 and the stack; hairpin of 3 closed by GC.
        ("gagaaacc", "(.(...))", 3.8 - 3.26 + 5.4),
    ],
)
def test_free_energies_by_hand(x, structure, energy):
    assert counts(x, structure) @ free_energies() == pytest.approx(energy)


def test_free_energies_alone_fold_a_hairpin():
    weights = np.zeros(MODEL.n_features)
    weights[0] = -1.6
    assert MODEL.best("gggcaaaagccc", weights)[0].tolist() == as_pairs("((((....))))").tolist()


def test_moments_count_structures():
    moments = MODEL.moments("gggaaac")
    assert np.exp(moments.log_count) == pytest.approx(4.0)
    pairs = MODEL.feature_names.index("pair_cg")
    assert moments.mean[pairs] == pytest.approx(3 / 4)
    assert moments.covariance[pairs, pairs] == pytest.approx(3 / 16)


def test_the_gradient_is_the_derivative(batch):
    weights = np.random.default_rng(0).normal(scale=0.1, size=batch.n_features)
    direction = np.random.default_rng(1).normal(size=batch.n_features)
    step = 1e-5
    up, down = (batch.log_partition_and_mean(weights + sign * step * direction)[0] for sign in (1, -1))
    value, mean = batch.log_partition_and_mean(weights)
    assert (up - down) / (2 * step) == pytest.approx(mean @ direction, rel=1e-6)
    assert value >= batch.argmax(weights)[1].sum()


@pytest.mark.parametrize("learner", [weft.CRF(c2=0.1), weft.Perceptron(), weft.StructuredSVM(max_iter=5)], ids=str)
def test_learners(batch, learner):
    with Monitor(0) as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
    for found, wanted in zip(batch.argmax(weights)[0], batch.reference(), strict=True):
        assert found.tolist() == wanted.tolist()


def test_what_else_a_batch_answers(batch):
    weights = np.zeros(batch.n_features)
    np.testing.assert_allclose(batch.observed(), batch.gathered(batch.counts().sum(axis=0)))
    samples = batch.draw(weights, 400, np.random.default_rng(0))
    marginals, _ = batch.marginals(weights)
    frequencies = np.mean([batch.marked(0, own) for own in samples[0]], axis=0)
    np.testing.assert_allclose(frequencies, marginals[0], atol=0.1)
    assert batch.sampled_moments(5, np.random.default_rng(0)).mean.shape == weights.shape
    with pytest.raises(InputError, match=r"use weft\.CRF"):
        batch.generative_weights(weights, 1.0)


def test_moments_of_a_batch_are_sums_over_sequences(batch):
    moments = batch.moments()
    each = [MODEL.moments(x) for x in SEQUENCES]
    np.testing.assert_allclose(moments.mean, sum(own.mean for own in each))
    vector = np.random.default_rng(0).normal(size=batch.n_features)
    np.testing.assert_allclose(moments.product(vector), sum(own.covariance @ vector for own in each), atol=1e-9)
    pair = MODEL.feature_names.index("pair_cg")
    assert moments.loss_covariance()[pair] < 0.0  # references are full of pairs: more of them, less loss


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="min_hairpin is -1"):
        LoopModel(-1)
    with pytest.raises(InputError, match="'n' at position 1"):
        MODEL.encode("gnc")
    with pytest.raises(InputError, match="empty"):
        MODEL.encode("")

"""The spectral learner: golden steps, equal storage forms, choices, resuming."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.learners.spectral import learner as learner_module
from weft.learners.spectral.fobos import Fobos
from weft.learners.spectral.joint import JointObjective
from weft.learners.spectral.matrices import FactoredMatrix, WholeMatrix
from weft.structures.hankel_batch import HankelBatch

WORDS = ["abca", "ab", "cab", "bbac", "acb", "cc", "a", "bacca"]


def labels_of(word):
    """A label tells of the letters before and after."""
    padded = f"#{word}#"
    return ["p" if padded[i + 2] in "ab" else "q" if padded[i] in "c#" else "r" for i in range(len(word))]


LABELS = [labels_of(word) for word in WORDS]


def fitted(**parameters):
    return weft.Tagger(weft.Spectral(**parameters), random_state=0).fit(WORDS, LABELS)


def batch_of(tagger):
    gold = np.concatenate([np.searchsorted(tagger.classes_, labels) for labels in LABELS]).astype(np.int32)
    return HankelBatch(tagger.chain_, tagger.encode(WORDS), gold)


def test_golden_first_step():
    # One symbol, labels 0 and 1, windows of two, y = (0, 1): z* = (1, 0) costs 2, and the step moves two cells.
    tagger = weft.Tagger(weft.Spectral(2, tau=0.25, step=1.0, max_iter=2, boundary=False)).fit(["aa"], [["0", "1"]])
    assert [entry["objective"] for entry in tagger.history_] == pytest.approx([2.0, 0.875])
    order = np.argsort(tagger.chain_.pairs.labels[:2])
    np.testing.assert_allclose(
        tagger.chain_.matrix(tagger.weights_)[:2, :2][np.ix_(order, order)], [[0, 0.75], [-0.75, 0]]
    )


@pytest.mark.parametrize("regularizer", ["nuclear", "frobenius", "frobenius_squared", None])
def test_every_regularizer_learns_the_rule(regularizer):
    tagger = fitted(regularizer=regularizer, tau=0.02, max_iter=40)
    assert tagger.score(WORDS, LABELS) == 1.0
    assert tagger.history_[-1]["objective"] < tagger.history_[0]["objective"]


@pytest.mark.parametrize(
    "options",
    [
        {"order": 2, "shorter_grams": True, "tau": 0.02},
        {"order": 4, "tau": 0.02},
        {"batch_size": 3, "tau": 0.02},
        {"loss": "log", "tau": 0.02},
        {"loss": "log", "tau": 0.02, "regularizer": "frobenius_squared"},
        {"loss": "hinge", "sparse": True, "tau": 0.02, "batch_size": 4},
        {"constrained": True, "shorter_grams": True, "tau": 0.02, "max_iter": 15},
        {"constrained": True, "tau": 0.02, "max_iter": 15},
    ],
    ids=str,
)
def test_variants_learn_the_training_words(options):
    assert fitted(**options).score(WORDS, LABELS) > 0.9


def test_equal_strings_of_a_constrained_matrix_have_equal_scores():
    tagger = fitted(constrained=True, tau=0.05, max_iter=5)
    chain = tagger.chain_
    matrix, cells = chain.matrix(tagger.weights_), chain.string_cells
    first = {number: matrix.reshape(-1)[np.flatnonzero(cells.reshape(-1) == number)] for number in (0, 5, 40)}
    for values in first.values():
        np.testing.assert_allclose(values, values[0])


def test_low_rank_plus_sparse_gives_the_whole_matrix(monkeypatch):
    whole = fitted(tau=0.3, step=0.2, max_iter=12)
    monkeypatch.setattr(learner_module, "WHOLE_CELLS", 10)
    factored = fitted(tau=0.3, step=0.2, max_iter=12)
    assert factored.chain_.factored
    assert not whole.chain_.factored
    rows = factored.chain_.row_numbers
    expected = whole.chain_.matrix(whole.weights_)
    np.testing.assert_allclose(factored.chain_.matrix(factored.weights_), expected[rows], atol=1e-8)
    assert np.delete(expected, rows, axis=0).any() == np.False_
    assert [e["objective"] for e in factored.history_] == pytest.approx([e["objective"] for e in whole.history_])
    assert factored.predict(["zab", "cba"]) == whole.predict(["zab", "cba"])
    with pytest.raises(InputError, match="too many for a whole matrix"):
        fitted(regularizer=None)
    with pytest.raises(InputError, match="too many for loss='log'"):
        fitted(loss="log", tau=1.0)


def test_truncated_thresholding_equals_the_whole_one():
    random = np.random.default_rng(0)
    factored = FactoredMatrix(random.normal(size=(60, 3)), random.normal(size=(40, 3)))
    whole = WholeMatrix(factored.left @ factored.right.T, "nuclear")
    assert factored.penalty == pytest.approx(whole.penalty)
    for strength in (3.0, 0.2):  # few singular values are left, then more than were looked for at first
        cells = np.stack([random.integers(60, size=90), random.integers(40, size=90)], axis=1)
        values = random.normal(size=90)
        for matrix in (factored, whole):
            matrix.add(cells, values)
            matrix.shrink(strength)
        np.testing.assert_allclose(factored.left @ factored.right.T, whole.values, atol=1e-8)
        assert factored.penalty == pytest.approx(whole.penalty)
    assert len(factored.flat()) == factored.left.size + factored.right.size


def test_mini_batches_collect_the_threshold_of_a_pass():
    tagger = fitted(tau=0.1, max_iter=1)
    batch = batch_of(tagger)
    runs = [
        Fobos(
            batch,
            WholeMatrix(np.eye(tagger.chain_.n_rows, tagger.chain_.n_columns), "nuclear"),
            np.zeros(0),
            1e6,
            1e-9,
            0.0,
            n,
        )
        for n in (1, 4)
    ]
    for run in runs:
        run.run_pass(np.random.default_rng(0))
    taken = [tagger.chain_.n_columns - run.matrix.penalty for run in runs]
    # Steps fall as 1 / sqrt(t): four quarters of a threshold at t = 1, 2, 3, 4.
    assert taken[1] / taken[0] == pytest.approx(np.mean(1 / np.sqrt([1, 2, 3, 4])), rel=1e-3)


def test_the_log_loss_reaches_the_optimum_of_the_convex_problem():
    tagger = fitted(loss="log", tau=0.4, c2=0.3, margin=0.0, sparse=True, max_iter=300, tol=1e-12)
    batch = batch_of(tagger)
    chain, weights = tagger.chain_, tagger.weights_
    _, mean, cells = batch.log_partition_and_mean(weights)
    gradient = cells - batch.observed_windows()
    # Optimal: the gradient is tau times minus a subgradient of the nuclear norm.
    assert np.linalg.norm(gradient, 2) <= 0.4 * (1 + 1e-3)
    matrix = chain.matrix(weights)
    nuclear = np.linalg.svd(matrix, compute_uv=False).sum()
    assert -np.sum(gradient * matrix) == pytest.approx(0.4 * nuclear, rel=1e-3)
    sparse = weights[: chain.base.n_features]
    np.testing.assert_allclose(mean - batch.base.observed() + 0.6 * sparse, 0.0, atol=1e-3)


@pytest.mark.parametrize("regularizer", ["nuclear", "frobenius_squared", None])
def test_the_gradient_of_the_joint_objective(regularizer):
    tagger = fitted(sparse=True, loss="log", tau=1.0, max_iter=1)
    objective = JointObjective(batch_of(tagger), regularizer, 0.7, 0.2, rank=3, margin=0.5)
    random = np.random.default_rng(0)
    point = objective.start(random.normal(size=tagger.chain_.n_features), random)
    direction = random.normal(size=len(point))
    slope = (objective(point + 1e-5 * direction)[0] - objective(point - 1e-5 * direction)[0]) / 2e-5
    assert objective(point)[1] @ direction == pytest.approx(slope, rel=1e-6)


def test_the_probe_finds_a_step_that_lowers_the_objective():
    tagger = fitted(tau=0.1, max_iter=10)
    fixed = [fitted(tau=0.1, step=step, max_iter=10).history_[-1]["objective"] for step in (0.001, 100.0)]
    assert tagger.history_[-1]["objective"] < min(fixed)


def test_tau_is_chosen_on_held_out_words(monkeypatch):
    monkeypatch.setattr(learner_module, "TAU_PATH", {"nuclear": (50.0, 0.1)})
    tagger = weft.Tagger(weft.Spectral(max_iter=15), random_state=0).fit(WORDS * 3, LABELS * 3)
    assert [entry["tau"] for entry in tagger.learner_.tau_path_] == [50.0, 0.1]
    assert tagger.learner_.tau_ == 0.1
    assert fitted(regularizer=None, max_iter=2).learner_.tau_ == 0.0
    few = weft.Tagger(weft.Spectral(max_iter=2)).fit(["ab"], [["x", "y"]])
    assert few.learner_.tau_ == 1.0


class Killed(Exception):
    pass


@pytest.mark.parametrize(
    "options", [{"batch_size": 3}, {"loss": "log", "sparse": True}, {"constrained": True}], ids=["hinge", "log", "admm"]
)
def test_a_killed_fit_goes_on_to_the_same_result(options, tmp_path, monkeypatch):
    file = tmp_path / "fit.checkpoint"
    parameters = {"tau": 0.1, "max_iter": 12, "tol": 0.0, "checkpoint_every": 4, **options}
    whole = weft.Tagger(weft.Spectral(**parameters, checkpoint=file), random_state=0)
    whole.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert not file.exists()
    record, seen = learner_module.Monitor.record, []

    def dying(self, iteration, *rest):
        seen.append(iteration)
        if len(seen) == 7:
            raise Killed
        return record(self, iteration, *rest)

    monkeypatch.setattr(learner_module.Monitor, "record", dying)
    resumed = weft.Tagger(weft.Spectral(**parameters, checkpoint=file), random_state=0)
    with pytest.raises(Killed):
        resumed.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert file.exists()
    with pytest.raises(InputError, match="checkpoint of a fit with other data or parameters"):
        weft.Tagger(weft.Spectral(**{**parameters, "tau": 0.2}, checkpoint=file)).fit(WORDS, LABELS)
    resumed.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert seen[7] == 5
    np.testing.assert_array_equal(resumed.weights_, whole.weights_)
    assert [e["objective"] for e in resumed.history_] == [e["objective"] for e in whole.history_]
    assert [e["score"] for e in resumed.history_] == [e["score"] for e in whole.history_]


def test_early_stopping_survives_a_restart(tmp_path):
    tagger = weft.Tagger(weft.Spectral(tau=0.1, max_iter=60, checkpoint=tmp_path / "c", checkpoint_every=1), patience=3)
    tagger.set_params(random_state=0).fit(WORDS, LABELS, X_dev=WORDS[:4], y_dev=LABELS[:4])
    assert len(tagger.history_) < 60


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 1}, "order of Spectral is 1; a whole number of at least 2"),
        ({"batch_size": 0}, "batch_size of Spectral is 0"),
        ({"regularizer": "l1"}, "regularizer of Spectral is 'l1'"),
        ({"loss": "square"}, "loss of Spectral is 'square'"),
        ({"tau": -1.0}, "tau of Spectral is -1.0"),
        ({"step": np.inf}, "step of Spectral is inf"),
        ({"constrained": True, "regularizer": None}, "constrained=True of Spectral needs"),
        ({"loss": "log", "regularizer": "frobenius"}, "loss='log' of Spectral takes"),
        ({"ties": "first"}, "ties of Spectral is 'first'"),
        ({"max_iter": 0}, "max_iter of Spectral is 0"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(InputError, match=message):
        fitted(**options)


def test_ties_go_to_the_frequent_label_or_to_the_first():
    X, y = ["a", "a", "a"], [["y"], ["x"], ["y"]]
    for ties, label in (("frequency", "y"), ("label", "x")):
        tagger = weft.Tagger(weft.Spectral(tau=100.0, step=0.1, ties=ties)).fit(X, y)
        assert tagger.predict(["a", "z"]) == [[label], [label]]


def test_the_order_of_the_tagger_stays_at_one():
    with pytest.raises(InputError, match="leave that of the tagger at 1"):
        weft.Tagger(weft.Spectral(tau=1.0, sparse=True), order=2).fit(WORDS, LABELS)
    with pytest.raises(InputError, match="X holds arrays"):
        weft.Tagger(weft.Spectral(tau=1.0)).fit([np.eye(2)], [["x", "y"]])

"""The averaged perceptron against a slow one that is easy to believe."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

import weft
from listed_outputs import LISTED
from weft.learners.perceptron import perceptron_passes
from weft.structures.online import PerceptronState

X = ["abcd", "bca", "ddab", "ca", "b"]
Y = [list("xyzx"), list("yzx"), list("xxxy"), list("zy"), list("y")]


def features_of(sequence, labels, order):
    yield from zip(sequence, labels, strict=True)
    for length in range(2, order + 2):
        yield from (tuple(labels[i : i + length]) for i in range(len(labels) - length + 1))


class SlowPerceptron:
    """Adds up the weights of every step; decodes by trying all labellings."""

    def __init__(self, classes, order, known=None):
        self.classes, self.order, self.known = classes, order, known
        self.weights, self.sums, self.clock = defaultdict(float), defaultdict(float), 0

    def step(self, sequence, gold, sample_weight):
        paths = [list(path) for path in itertools.product(self.classes, repeat=len(sequence))]
        # Ties go to the smallest state, the last labels, looked at from the end.
        paths.sort(key=lambda path: [path[max(0, t - self.order) : t] for t in range(len(path), 0, -1)])
        best = max(paths, key=lambda path: self.score(sequence, path))
        if best != gold:
            for name in self.allowed(sequence, gold):
                self.weights[name] += sample_weight
            for name in self.allowed(sequence, best):
                self.weights[name] -= sample_weight
        return sum(a != b for a, b in zip(best, gold, strict=True))

    def allowed(self, sequence, labels):
        return [f for f in features_of(sequence, labels, self.order) if self.known is None or f in self.known]

    def score(self, sequence, labels):
        return sum(self.weights[name] for name in self.allowed(sequence, labels))

    def train(self, X, y, order, sample_weight=None):
        wrong = 0
        for i in order:
            self.clock += 1
            wrong += self.step(X[i], y[i], 1.0 if sample_weight is None else sample_weight[i])
            for name, weight in self.weights.items():
                self.sums[name] += weight
        return wrong


def generator(random_state):
    """The generator that a fit with this seed uses."""
    return np.random.default_rng(np.random.RandomState(random_state).randint(np.iinfo(np.int32).max))


def weights_of(tagger):
    return dict(zip(tagger.feature_names_, tagger.weights_, strict=True))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("pairs", ["all", "observed"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fit_equals_the_slow_perceptron(order, pairs, weighted):
    sample_weight = [1.0, 0.5, 2.0, 1.0, 0.0] if weighted else None
    tagger = weft.Tagger(weft.Perceptron(max_iter=4), order=order, pairs=pairs, random_state=3, n_jobs=1)
    tagger.fit(X, Y, sample_weight=sample_weight)
    slow = SlowPerceptron(list("xyz"), order, set(tagger.feature_names_))
    random, wrong = generator(3), []
    for _ in range(4):
        wrong.append(slow.train(X, Y, random.permutation(len(X)), sample_weight))
        if not wrong[-1]:
            break
    assert [entry["objective"] for entry in tagger.history_] == wrong
    for name, weight in weights_of(tagger).items():
        assert weight == pytest.approx(slow.sums[name] / slow.clock, abs=1e-9)


def test_boundary_weights_equal_marked_ends():
    """A first and a last label of their own are what unique symbols at the ends would learn."""
    tagger = weft.Tagger(weft.Perceptron(max_iter=3), boundary=True, random_state=0, n_jobs=1).fit(X, Y)
    marked_X = [[[c, *["start"] * (i == 0), *["end"] * (i == len(s) - 1)] for i, c in enumerate(s)] for s in X]
    marked = weft.Tagger(weft.Perceptron(max_iter=3), pairs="all", random_state=0, n_jobs=1).fit(marked_X, Y)
    expected = weights_of(marked)
    for name, weight in weights_of(tagger).items():
        assert weight == pytest.approx(expected[name], abs=1e-12)


def test_a_stream_equals_the_slow_perceptron():
    tagger = weft.Tagger(weft.Perceptron(), pairs="observed", random_state=5, n_jobs=1)
    random, slow = generator(5), SlowPerceptron(list("xyz"), 1)
    for begin, end in [(0, 2), (2, 3), (3, 5), (0, 5)]:
        tagger.partial_fit(X[begin:end], Y[begin:end], classes=list("xyz"))
        slow.known = set(tagger.feature_names_)
        wrong = slow.train(X[begin:end], Y[begin:end], random.permutation(end - begin))
        assert tagger.history_[-1]["objective"] == wrong
        found = weights_of(tagger)
        state = dict(zip(tagger.feature_names_, tagger.perceptron_state_.weights, strict=True))
        for name in found:
            assert state[name] == pytest.approx(slow.weights[name], abs=1e-9)
            assert found[name] == pytest.approx(slow.sums[name] / slow.clock, abs=1e-9)
        assert tagger.perceptron_state_.clock == slow.clock
    assert set("abcd") == set(tagger.encoder_.feature_names)


def test_fits_stop_after_a_pass_without_a_mistake():
    tagger = weft.Tagger(weft.Perceptron(max_iter=50), random_state=0).fit(["ab", "ba"], ["xy", "yx"])
    assert tagger.n_iter_ < 50
    assert tagger.history_[-1]["objective"] == 0
    assert tagger.predict(["ab", "ba"]) == [["x", "y"], ["y", "x"]]


def test_the_seed_decides_the_order():
    first, second, third = (
        weft.Tagger(weft.Perceptron(max_iter=2), random_state=seed).fit(X, Y).weights_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, third)


def test_constraints_hold_while_learning():
    y = [["B-A", "I-A", "O", "O"], ["O", "B-A", "I-A"], ["B-A", "O", "O", "B-A"], ["O", "O"], ["B-A"]]
    tagger = weft.Tagger(weft.Perceptron(), constraints="BIO", boundary=True, random_state=0)
    for learn in (tagger.fit, tagger.partial_fit):
        learn(X, y)
        assert np.isfinite(tagger.weights_).all()
        weights = weights_of(tagger)
        assert weights["start", "I-A"] == weights["O", "I-A"] == 0
        assert any(weights[name] != 0 for name in [("start", "B-A"), ("end", "O"), ("B-A", "I-A")])
        for labels in tagger.predict(X):
            assert ("O", "I-A") not in itertools.pairwise(["O", *labels])


def test_real_values_scale_the_steps():
    vectors = [np.array([[0.5, -1.0], [2.0, 0.0]])]
    tagger = weft.Tagger(weft.Perceptron(max_iter=1), random_state=0).partial_fit(
        vectors, [["y", "x"]], classes=["x", "y"]
    )
    state = dict(zip(tagger.feature_names_, tagger.perceptron_state_.weights, strict=True))
    # All scores are zero, so both tokens are tagged x; only the first is wrong.
    assert (state[0, "y"], state[1, "y"], state[0, "x"]) == (0.5, -1.0, -0.5)


def test_a_batch_without_the_query_is_refused():
    with pytest.raises(weft.InputError, match=r"Perceptron needs 'argmax', 'losses', .*, which object does not answer"):
        weft.Perceptron().learn(object(), np.zeros(1), None, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", LISTED)
def test_passes_over_any_structure_equal_those_over_listed_outputs(kind, seed):
    listed = LISTED[kind](seed)
    random = np.random.default_rng(seed)
    start = random.normal(size=listed.batch.n_features)  # so that nothing ties
    passes = perceptron_passes(listed.batch, PerceptronState(start, np.zeros_like(start)), np.random.default_rng(7))
    weights, history, order = start.copy(), [], np.random.default_rng(7)
    for _ in range(4):
        n_wrong = 0
        for i in order.permutation(len(listed.right)):
            features, right = listed.features[i], listed.right[i]
            found = int(np.argmax(features @ weights))
            if listed.losses[i][found] or (features[found] != features[right]).any():
                n_wrong += max(int(listed.losses[i][found]), 1)
                weights = weights + listed.batch.sample_weight[i] * (features[right] - features[found])
            history.append(weights)
        state, n_found = next(passes)
        assert n_found == n_wrong
        np.testing.assert_allclose(state.weights, weights, atol=1e-12)
        np.testing.assert_allclose(state.average, np.mean(history, axis=0), atol=1e-12)

import pickle
from datetime import date, timedelta

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import weft
from weft import (
    InputError,
    KernelDependencyEstimator,
    LabelKernel,
    LinearKernel,
    ModelFileError,
    NGramKernel,
    Normalized,
    PolynomialKernel,
    RBFKernel,
    RBFOver,
    SubsequenceKernel,
)
from weft.kernel_methods.pca import KernelComponents
from weft.kernel_methods.ridge.path import solve_ridge

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.normal(size=(24, 3))
SIDES = (POINTS[:, 0] > 0).astype(int)
STRINGS = ["abab" if side else "baa" for side in SIDES]
TOKENS = [list(s) for s in STRINGS]
IMAGES = np.where(SIDES[:, None, None], np.eye(2), 1 - np.eye(2)) + 0.01 * RANDOM.normal(size=(24, 2, 2))
WORDS = ["abab", "abba", "bab", "aab", "bbab", "abb", "baab", "ba", "ab", "bbb"]
UPPER = [word.upper() for word in WORDS]


def oracle(X, y, x_new, input_kernel, output_kernel, alpha):
    """Predictions without components: |sum_i b_i Phi(y_i) - Phi(y)| with centred images, over training outputs."""
    m = len(y)
    centre = np.eye(m) - 1.0 / m
    L = centre @ output_kernel.gram(y) @ centre
    weights = input_kernel.gram(x_new, X) @ np.linalg.inv(input_kernel.gram(X) + alpha * np.eye(m))
    squared = np.diag(L) - 2 * weights @ L
    return [y[i] for i in squared.argmin(axis=1)]


@pytest.mark.parametrize(
    ("y", "output_kernel"),
    [
        (STRINGS, Normalized(NGramKernel(2))),
        ([f"{s}{'ab'[i % 2]}" for i, s in enumerate(STRINGS)], SubsequenceKernel(2, 0.5)),
        (SIDES.tolist(), LabelKernel()),
        (IMAGES, RBFKernel(0.5)),
        ([["to", "be"] if side else ["not"] for side in SIDES], NGramKernel(1)),
    ],
    ids=["strings", "subsequences", "labels", "images", "tokens"],
)
def test_predictions_equal_those_without_components(y, output_kernel):
    kernel = RBFKernel(0.3)
    model = KernelDependencyEstimator(kernel, output_kernel, alpha=0.5).fit(POINTS, y)
    new = np.random.default_rng(1).normal(size=(15, 3))
    wanted = oracle(POINTS, y, new, kernel, output_kernel, 0.5)
    np.testing.assert_array_equal(np.array(model.predict(new), dtype=object), np.array(wanted, dtype=object))
    for full in (True, False):
        same = clone(model).set_params(full=full).fit(POINTS, y).predict(new)
        np.testing.assert_array_equal(np.array(same, dtype=object), np.array(wanted, dtype=object))


@pytest.mark.parametrize("y", [STRINGS, SIDES, IMAGES, TOKENS], ids=["strings", "labels", "images", "tokens"])
def test_every_form_of_output_comes_back(y):
    model = KernelDependencyEstimator(alpha=0.01).fit(POINTS, y)
    predicted = model.predict(POINTS)
    assert len(predicted) == len(POINTS)
    assert type(predicted) is (np.ndarray if isinstance(y, np.ndarray) else list)
    assert np.shape(predicted[0]) == np.shape(y[0])
    assert model.score(POINTS, y) > (-0.1 if np.ndim(y[0]) == 2 else 0.8)
    assert len(model.predict(POINTS[:0])) == 0
    assert model.predict_kbest(POINTS[:0], 1) == []


@pytest.mark.parametrize(
    "X",
    [STRINGS, TOKENS, IMAGES, [np.ones((2 + side, 3)) for side in SIDES], POINTS.tolist()],
    ids=["strings", "tokens", "images", "vector sequences", "lists"],
)
def test_every_form_of_input_is_taken(X):
    assert KernelDependencyEstimator(alpha=1e-3).fit(X, SIDES).score(X, SIDES) == pytest.approx(1.0, abs=0.15)


def test_labels_equal_ridge_on_centred_indicators():
    y = np.digitize(POINTS[:, 0], [-0.5, 0.5])
    model = KernelDependencyEstimator(RBFKernel(0.3), alpha=0.1).fit(POINTS, y)
    indicators = np.eye(3)[y]
    gram = RBFKernel(0.3).gram(POINTS)
    scores = gram @ solve_ridge(gram, indicators - indicators.mean(axis=0), 0.1) + indicators.mean(axis=0)
    np.testing.assert_array_equal(model.predict(POINTS), scores.argmax(axis=1))


def test_string_labels_are_labels_with_their_kernel():
    y = np.array(["left", "right"])[SIDES]
    model = KernelDependencyEstimator(output_kernel=LabelKernel(), alpha=0.01).fit(POINTS, y)
    assert set(model.predict(POINTS)) == {"left", "right"}
    assert model.score(POINTS, y) > 0.9


def test_losses_and_distances_equal_their_kernel():
    kernel = Normalized(NGramKernel(2, min_n=1))
    distances = np.sqrt(np.maximum(2 - 2 * kernel.gram(WORDS), 0.0))
    new = ["AAB", "BB", "ABAB"]
    wanted = KernelDependencyEstimator(NGramKernel(2), kernel, alpha=0.1).fit(UPPER, WORDS)
    by_distance = KernelDependencyEstimator(NGramKernel(2), alpha=0.1).fit(UPPER, WORDS, distances=distances)
    by_loss = KernelDependencyEstimator(
        NGramKernel(2), lambda a, b: 2 - 2 * float(kernel.gram([a], [b])[0, 0]), alpha=0.1
    ).fit(UPPER, WORDS)
    assert wanted.predict(new) == by_distance.predict(new) == by_loss.predict(new)
    np.testing.assert_allclose(by_loss.losses(WORDS, WORDS[::-1]), wanted.losses(WORDS, WORDS[::-1]), atol=1e-9)


def test_a_loss_that_is_no_distance_is_reported_with_its_eigenvalue():
    y = ["", "abab", "baba", "aabb", "bbaa", "aba", "bab", "abba", "baab", "b"]
    with pytest.warns(UserWarning, match="most negative eigenvalue .* is -"):
        model = KernelDependencyEstimator(output_kernel="edit", alpha=0.1).fit(UPPER, y)
    assert model.components_.lowest_eigenvalue_ < 0
    assert set(model.predict(UPPER)) <= set(y)
    with pytest.raises(InputError, match="most negative eigenvalue"):
        KernelDependencyEstimator(output_kernel="edit", negative="raise").fit(UPPER, y)


def test_other_candidates_with_unseen_symbols():
    model = KernelDependencyEstimator(NGramKernel(2), NGramKernel(2), alpha=0.1).fit(UPPER, WORDS)
    pool = ["abab", "zzz", "ab\N{SNOWMAN}", ""]
    assert set(model.predict(UPPER, candidates=pool)) <= set(pool)
    full = clone(model).set_params(full=True).fit(UPPER, WORDS)
    best = full.predict_kbest(["ABAB"], 3, candidates=pool)[0]
    assert best[0][0] == "abab"
    assert [d for _, d in best] == sorted(d for _, d in best)
    # In full space the distance to a string is that to all of its image, unseen features included.
    point = full.transform(["ABAB"])
    centre = WORDS
    kernel = NGramKernel(2)
    weights = KernelComponents().fit(kernel.gram(centre)).expansion(point)[0]
    for text, squared in best:
        wanted = weights @ kernel.gram(centre) @ weights - 2 * weights @ kernel.gram(centre, [text])[:, 0]
        wanted += kernel.diagonal([text])[0]
        assert squared == pytest.approx(wanted, abs=1e-8)


def test_unseen_output_symbols_can_be_scored():
    model = KernelDependencyEstimator(NGramKernel(2), NGramKernel(2), alpha=0.1).fit(UPPER, WORDS)
    assert 0.0 <= model.score(UPPER[:2], ["zz", "\N{SNOWMAN}"]) < 0.5
    assert np.isfinite(model.losses(["zz"], ["ab"])).all()


def test_fixed_points_move_away_from_training_outputs_and_nearer():
    angles = np.linspace(0, 3, 30)
    X, y = angles[:, None], np.column_stack([np.cos(angles), np.sin(angles)])
    new = np.array([[0.05], [1.53], [2.2]])
    truth = np.column_stack([np.cos(new[:, 0]), np.sin(new[:, 0])])
    model = KernelDependencyEstimator(RBFKernel(1.0), RBFKernel(0.5), alpha=1e-6, preimage="fixed_point").fit(X, y)
    moved = np.abs(model.predict(new) - truth).max()
    nearest = np.abs(model.set_params(preimage="candidates").predict(new) - truth).max()
    assert moved < 0.02 < nearest


@pytest.mark.parametrize("preimage", ["euler", "nearest"])
def test_strings_need_not_be_training_outputs(preimage):
    random = np.random.default_rng(3)
    words = sorted({"".join(random.choice(list("abc"), size=random.integers(2, 6))) for _ in range(150)})
    X = [word.upper() for word in words]
    train, test = words[::2], words[1::2]
    model = KernelDependencyEstimator(
        NGramKernel(2, min_n=1) + NGramKernel(3), NGramKernel(2), alpha=1e-3, preimage=preimage
    ).fit(X[::2], train)
    predicted = model.predict(X[1::2])
    assert set(predicted) - set(train)
    assert model.score(X[1::2], test) > 0.6
    tokens = [list(word) for word in train]
    assert KernelDependencyEstimator(alpha=0.1, preimage=preimage).fit(X[::2], tokens).predict(X[:1])[0][0] in "abc"


@pytest.mark.parametrize("preimage", ["euler", "nearest"])
def test_long_outputs_are_not_cut(preimage):
    words = ["".join(chr(97 + (3 * i + k) % 26) for i in range(length)) for k in range(4) for length in (35, 50, 80)]
    X = np.eye(len(words))
    model = KernelDependencyEstimator(LinearKernel(), NGramKernel(2), alpha=1e-6, preimage=preimage)
    assert max(map(len, model.fit(np.vstack([X, X]), words * 2).predict(X))) > 70


def test_predictions_with_and_without_candidates_agree_for_shifted_losses():
    """Training outputs as candidates are what the default has, also where they repeat."""
    random = np.random.default_rng(5)
    y = ["".join(random.choice(list("ab"), size=random.integers(1, 5))) for _ in range(80)]
    X = random.normal(size=(80, 3)) + np.array([[len(t), t.count("a"), t[0] == "a"] for t in y])
    for full in (False, True):
        with pytest.warns(UserWarning, match="that much is added to all"):
            model = KernelDependencyEstimator(RBFKernel(0.1), "edit", alpha=0.1, negative="shift", full=full).fit(X, y)
        assert len(set(y)) < 80
        assert model.predict(X) == model.predict(X, candidates=model.candidates_)
        block = model.output_kernel_.gram(y)
        equal = np.equal.outer(y, y)
        np.testing.assert_allclose(model.components_.project(block, equal), model.components_.coordinates_, atol=1e-8)


class Overlap(weft.kernels.base.Kernel):
    """Size of the intersection of two sets: no kernel of weft compares sets."""

    def gram(self, X, Y=None):
        return np.array([[float(len(x & y)) for y in (X if Y is None else Y)] for x in X])

    def diagonal(self, X):
        return np.array([float(len(x)) for x in X])


SETS = [frozenset(word) for word in ["abc", "abd", "abe", "xyz", "xyw", "xyv"]]


@pytest.mark.parametrize("objects", [SETS, [set(s) for s in SETS]], ids=["frozensets", "sets"])
def test_any_objects_are_compared_by_kernels_losses_and_distances_of_the_user(objects, tmp_path):
    inputs = KernelDependencyEstimator(Overlap(), LabelKernel(), alpha=0.1).fit(objects, [0, 0, 0, 1, 1, 1])
    assert inputs.predict([{"a", "b"}, {"x", "v"}]).tolist() == [0, 1]
    loss = lambda a, b: float(len(a ^ b))  # noqa: E731
    D = np.sqrt([[loss(a, b) for b in objects] for a in objects])
    for kernel, given in (
        (Overlap(), {}),
        (loss, {}),
        (None, {"distances": D}),
        (None, {"gram": Overlap().gram(objects)}),
    ):
        model = KernelDependencyEstimator(output_kernel=kernel, alpha=0.1).fit(POINTS[:6], objects, **given)
        assert model.output_form_ == "objects"
        assert all(each in objects for each in model.predict(POINTS[:6]))
        with pytest.raises(ModelFileError, match="files hold no code"):
            weft.save(model, tmp_path / "model.weft")
    with pytest.raises(InputError, match=r"y\[0\] is a"):
        KernelDependencyEstimator(alpha=0.1).fit(POINTS[:6], objects)


def test_nested_lists_of_integers_are_what_they_are():
    nested = [[[0, 1], [side]] for side in SIDES.tolist()]
    model = KernelDependencyEstimator(output_kernel=lambda a, b: float(a != b), alpha=0.01).fit(POINTS, nested)
    assert model.predict(POINTS)[0] in nested
    pairs = [[side, 1 - side] for side in SIDES.tolist()]
    assert KernelDependencyEstimator(alpha=0.01).fit(POINTS, pairs).output_form_ == "tokens"
    vectors = KernelDependencyEstimator(output_kernel=RBFKernel(1.0), alpha=0.01, preimage="fixed_point")
    assert vectors.fit(POINTS, pairs).predict(POINTS).shape == (24, 2)
    assert KernelDependencyEstimator(RBFKernel(1.0), alpha=0.01).fit(pairs, STRINGS).predict([[1, 0]]) == ["abab"]


@pytest.mark.parametrize("approximation", [None, "greedy"])
def test_precomputed_matrices_predict_as_their_kernels(approximation, tmp_path):
    kernel, output_kernel = RBFKernel(0.3), Normalized(NGramKernel(2))
    y = [f"{s}{'ab'[i % 2]}" for i, s in enumerate(STRINGS)]
    new = np.random.default_rng(1).normal(size=(15, 3))
    wanted = KernelDependencyEstimator(kernel, output_kernel, alpha=0.1, approximation=approximation).fit(POINTS, y)
    model = KernelDependencyEstimator("precomputed", alpha=0.1, approximation=approximation)
    model.fit(kernel.gram(POINTS), y, gram=output_kernel.gram(y))
    rows = kernel.gram(new, POINTS)
    assert model.predict(rows) == wanted.predict(new)
    weft.save(model, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict(rows) == wanted.predict(new)
    search = GridSearchCV(clone(model).set_params(output_kernel=output_kernel), {"alpha": [0.01, 1.0]}, cv=2)
    direct = GridSearchCV(clone(wanted), {"alpha": [0.01, 1.0]}, cv=2).fit(POINTS, y)
    assert search.fit(kernel.gram(POINTS), y).best_score_ == pytest.approx(direct.best_score_)


@pytest.mark.parametrize("kernel", [PolynomialKernel(3, 0.3), LinearKernel()], ids=repr)
def test_odd_polynomials_are_inverted(kernel):
    """Outputs on a curve: predictions lie on it, between training outputs."""
    t = np.linspace(-1, 1, 25)
    X, y = t[:, None], np.column_stack([t, t**2])
    model = KernelDependencyEstimator(RBFKernel(2.0), kernel, alpha=1e-8, preimage="inverse").fit(X, y)
    new = np.array([[0.04], [-0.53], [0.77]])
    np.testing.assert_allclose(model.predict(new), np.column_stack([new, new**2]), atol=2e-3)
    images = KernelDependencyEstimator(RBFKernel(2.0), kernel, alpha=1e-8, preimage="inverse").fit(X, y[:, None, :])
    assert images.predict(new).shape == (3, 1, 2)


def test_landmarks_and_a_basis_take_a_hundred_thousand_examples(tmp_path):
    """No matrix grows with the square of the examples: 80 GB for either side otherwise."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(100_000, 2))
    y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 0] * X[:, 1]])
    model = KernelDependencyEstimator(
        RBFKernel(1.0), RBFKernel(0.5), 10, 1e-3, approximation="nystroem", n_basis=60, n_landmarks=50, random_state=0
    ).fit(X, y)
    new = random.uniform(-1, 1, size=(20, 2))
    truth = np.column_stack([np.sin(2 * new[:, 0]), new[:, 0] * new[:, 1]])
    assert np.abs(model.predict(new) - truth).max() < 0.1
    moved = model.set_params(preimage="fixed_point").predict(new)
    assert np.abs(moved - truth).max() < 0.05
    small = clone(model).fit(X[:500], y[:500])
    weft.save(small, tmp_path / "model.weft")
    np.testing.assert_allclose(weft.load(tmp_path / "model.weft").predict(new), small.predict(new))


def test_all_outputs_as_landmarks_change_nothing():
    model = KernelDependencyEstimator(RBFKernel(0.3), RBFKernel(1.0), alpha=0.1).fit(POINTS, POINTS)
    same = clone(model).set_params(n_landmarks=24).fit(POINTS, POINTS)
    new = np.random.default_rng(1).normal(size=(15, 3))
    np.testing.assert_array_equal(same.predict(new), model.predict(new))


def test_fewer_components_say_less():
    y = np.arange(24) % 7
    model = KernelDependencyEstimator(RBFKernel(5.0), alpha=1e-3)
    full, few = model.fit(POINTS, y).score(POINTS, y), clone(model).set_params(n_components=1).fit(POINTS, y)
    assert few.transform(POINTS).shape == (24, 1)
    assert few.score(POINTS, y) < full


def test_several_strengths_are_chosen_between():
    model = KernelDependencyEstimator(RBFKernel(0.3), alpha=[1e-4, 1e-2, 1.0, 100.0]).fit(POINTS, STRINGS)
    assert model.alpha_ in (1e-4, 1e-2, 1.0)


def test_an_approximation_keeps_a_third_of_the_inputs():
    model = KernelDependencyEstimator(RBFKernel(0.3), alpha=0.1, approximation="greedy").fit(POINTS, SIDES)
    assert len(model.regression_.basis_) == 8
    assert model.score(POINTS, SIDES) > 0.8


def test_grid_search_and_clones():
    model = KernelDependencyEstimator(RBFKernel(0.3), LabelKernel())
    search = GridSearchCV(model, {"alpha": [0.01, 1.0], "input_kernel__gamma": [0.1, 1.0]}, cv=2).fit(POINTS, SIDES)
    assert search.best_score_ > 0.7
    assert model.input_kernel.gamma == 0.3
    assert not hasattr(clone(search.best_estimator_), "regression_")


@pytest.mark.parametrize(
    ("X", "y", "options"),
    [
        (POINTS, STRINGS, {}),
        (POINTS, SIDES, {"input_kernel": LinearKernel()}),
        (STRINGS, STRINGS, {"output_kernel": "edit", "negative": "clip"}),
        (STRINGS, STRINGS, {"input_kernel": NGramKernel(1)}),
        (POINTS, IMAGES, {"preimage": "fixed_point"}),
        (UPPER, WORDS, {"preimage": "euler", "output_kernel": NGramKernel(2)}),
        (UPPER, WORDS, {"preimage": "nearest"}),
        ([np.ones((2 + side, 3)) for side in SIDES], TOKENS, {}),
        (POINTS, STRINGS, {"input_kernel": RBFOver(PolynomialKernel(2), 0.1), "approximation": "greedy"}),
    ],
    ids=lambda value: "" if not isinstance(value, dict) else str(list(value)),
)
def test_saved_models_predict_the_same(X, y, options, tmp_path):
    model = KernelDependencyEstimator(alpha=0.1, **options).fit(X, y)
    weft.save(model, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft", "KernelDependencyEstimator")
    for copy in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(np.array(copy.predict(X), dtype=object), np.array(model.predict(X), dtype=object))
        np.testing.assert_allclose(copy.transform(X), model.transform(X), atol=1e-12)


def test_functions_are_not_saved(tmp_path):
    model = KernelDependencyEstimator(output_kernel=lambda a, b: float(a != b)).fit(POINTS, STRINGS)
    with pytest.raises(ModelFileError, match="hold no code"):
        weft.save(model, tmp_path / "model.weft")


def test_models_fitted_on_distances_are_saved(tmp_path):
    D = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))
    model = KernelDependencyEstimator(alpha=0.1).fit(UPPER, WORDS, distances=D)
    weft.save(model, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict(UPPER) == model.predict(UPPER)


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({"n_components": 30}, POINTS, STRINGS, "n_components=30 with 24 outputs given"),
        ({"alpha": 0.0, "input_kernel": PolynomialKernel(2)}, POINTS, STRINGS, "alpha=0 with a singular kernel matrix"),
        ({}, POINTS[:3], STRINGS, "3 inputs but 24 outputs"),
        ({}, [], [], "X is empty"),
        ({"output_kernel": LabelKernel()}, POINTS, [], "y is empty"),
        ({}, [1, 2], [1, 2], "X holds single labels"),
        ({}, "abc", ["a", "b", "c"], "X is a str"),
        ({}, [object()], ["a"], r"X\[0\] is a object"),
        ({}, ["a", 3], ["a", "b"], r"X\[1\] is a int"),
        ({"preimage": "magic"}, POINTS, STRINGS, "preimage='magic' given"),
        ({"preimage": "fixed_point"}, POINTS, STRINGS, "need vectors and an RBFKernel"),
        ({"preimage": "euler"}, POINTS, SIDES, "need strings or lists of tokens"),
        ({"preimage": "inverse"}, POINTS, STRINGS, "need vectors and a PolynomialKernel of odd degree"),
        (
            {"preimage": "inverse", "output_kernel": PolynomialKernel(2)},
            POINTS,
            POINTS,
            "of odd degree, or LinearKernel",
        ),
        ({"preimage": "nearest", "n_landmarks": 5}, POINTS, STRINGS, "n_landmarks=None"),
        ({"n_basis": 5}, POINTS, STRINGS, "n_basis=5 given without an approximation"),
        ({"preimage": "euler", "approximation": "greedy"}, POINTS, STRINGS, "approximation=None"),
        ({"output_kernel": 3}, POINTS, STRINGS, "output_kernel is a int"),
        ({"output_kernel": "fear"}, POINTS, STRINGS, "loss='fear' given"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_bad_input_is_refused_in_one_line(options, X, y, message):
    with pytest.raises(InputError, match=message) as caught:
        KernelDependencyEstimator(**options).fit(X, y)
    assert "\n" not in str(caught.value)


def test_bad_use_is_refused_in_one_line():
    with pytest.raises(NotFittedError):
        KernelDependencyEstimator().predict(POINTS)
    D = np.zeros((10, 10))
    model = KernelDependencyEstimator().fit(UPPER, WORDS, distances=1.0 - np.eye(10))
    for call, message in (
        (lambda: model.predict(UPPER, candidates=["a"]), "a fit on a matrix knows training outputs only"),
        (lambda: model.losses(WORDS, WORDS), "a fit on a matrix has no kernel"),
        (lambda: KernelDependencyEstimator().fit(UPPER[:3], WORDS[:3], distances=D), "given for 3 outputs"),
        (lambda: KernelDependencyEstimator(full=True).fit(UPPER, WORDS, distances=D), "need the matrix alone"),
        (lambda: KernelDependencyEstimator(n_landmarks=3).fit(UPPER, WORDS, gram=D), "need the matrix alone"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS, distances=D, gram=D), "need one of them"),
        (lambda: KernelDependencyEstimator("precomputed").fit(np.zeros((10, 9)), WORDS), "need a square one"),
        (lambda: KernelDependencyEstimator("precomputed").fit(np.tri(10), WORDS), "a Gram matrix is not symmetric"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS, gram=np.tri(10)), "of outputs is not symmetric"),
        (lambda: KernelDependencyEstimator("rbf").fit(UPPER, WORDS), "input_kernel is 'rbf'"),
        (
            lambda: KernelDependencyEstimator("precomputed").fit(np.eye(10), WORDS).predict(np.ones((2, 9))),
            "rows of 9 kernel values given; need 10",
        ),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).predict(UPPER, candidates=[]), "candidates are empty"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).predict_kbest(UPPER, 11), "k=11"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).losses(WORDS, WORDS[:2]), "need one for each"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_strength_and_pre_image_are_chosen_by_leaving_out():
    days = [date(2000, 1, 1) + timedelta(37 * k) for k in range(200)]
    X, y = [day.strftime("%d %B %Y") for day in days], [day.isoformat() for day in days]
    built = KernelDependencyEstimator().fit(X[:150], y[:150])
    assert built.preimage_ == "nearest"  # no date comes twice, so none of the training outputs is right
    assert built.score(X[150:], y[150:]) > 0.9
    kept = KernelDependencyEstimator().fit(["uno", "dos", "un", "do"] * 5, ["1-1", "2-2", "1-1", "2-2"] * 5)
    assert kept.preimage_ == "candidates"
    assert kept.predict(["uno"]) == ["1-1"]


def test_an_output_that_is_none_is_refused():
    with pytest.raises(weft.InputError, match=r"y\[1\] is None; an output of each example is needed"):
        weft.KernelDependencyEstimator().fit(["ab", "ba"], ["x", None])
    with pytest.raises(weft.InputError, match=r"y\[0\] is None"):
        weft.KernelDependencyEstimator().fit(["ab", "ba"], [None, None])

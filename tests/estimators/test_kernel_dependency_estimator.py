import pickle

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
        ({"n_components": 30}, POINTS, STRINGS, "n_components=30 with 24 outputs came"),
        ({"alpha": 0.0, "input_kernel": PolynomialKernel(2)}, POINTS, STRINGS, "alpha=0 with a singular kernel matrix"),
        ({}, POINTS[:3], STRINGS, "3 inputs but 24 outputs"),
        ({}, [], [], "X is empty"),
        ({"output_kernel": LabelKernel()}, POINTS, [], "y is empty"),
        ({}, [1, 2], [1, 2], "X holds single labels"),
        ({}, "abc", ["a", "b", "c"], "X is a str"),
        ({}, [object()], ["a"], r"X\[0\] is a object"),
        ({}, ["a", 3], ["a", "b"], r"X\[1\] is a int"),
        ({"preimage": "magic"}, POINTS, STRINGS, "preimage='magic' came"),
        ({"preimage": "fixed_point"}, POINTS, STRINGS, "want vectors and an RBFKernel"),
        ({"preimage": "euler"}, POINTS, SIDES, "want strings or lists of tokens"),
        ({"preimage": "euler", "approximation": "greedy"}, POINTS, STRINGS, "approximation=None"),
        ({"output_kernel": 3}, POINTS, STRINGS, "output_kernel is a int"),
        ({"output_kernel": "fear"}, POINTS, STRINGS, "loss='fear' came"),
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
        (lambda: model.predict(UPPER, candidates=["a"]), "a fit on distances knows training outputs only"),
        (lambda: model.losses(WORDS, WORDS), "a fit on distances has no kernel"),
        (lambda: KernelDependencyEstimator().fit(UPPER[:3], WORDS[:3], distances=D), "came for 3 outputs"),
        (lambda: KernelDependencyEstimator(full=True).fit(UPPER, WORDS, distances=D), "want distances alone"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).predict(UPPER, candidates=[]), "candidates are empty"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).predict_kbest(UPPER, 11), "k=11"),
        (lambda: KernelDependencyEstimator().fit(UPPER, WORDS).losses(WORDS, WORDS[:2]), "want one for each"),
    ):
        with pytest.raises(InputError, match=message):
            call()

"""Experiments with kernel dependency estimation and basis functions: their parts, and quick runs on real data."""

import json
from itertools import pairwise

import numpy as np
import pytest

from weft import KernelDependencyEstimator, LabelKernel, Normalized, RBFKernel, SubsequenceKernel
from weft.experiments import basis_functions, dependency, kde_digits, kde_strings
from weft.experiments.registry import run_experiment


def test_places_are_those_of_the_estimator():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 2)), random.integers(3, size=30)
    new = random.normal(size=(10, 2))
    squared = dependency.squared_distances(X)
    equal = (y[:, None] == y).astype(float)
    cross = dependency.gaussian(dependency.squared_distances(new, X), 1.0)
    places = dependency.predicted_places(dependency.gaussian(squared, 1.0), equal, cross, [0.1, 1.0])
    for alpha, found in zip([0.1, 1.0], places, strict=True):
        model = KernelDependencyEstimator(RBFKernel(0.5), LabelKernel(), alpha=alpha).fit(X, y)
        np.testing.assert_array_equal(y[found], model.predict(new))


def test_folds_share_nothing_and_leave_nothing_out():
    seen = []
    for others, part in dependency.folds(11, 4, np.random.default_rng(0)):
        assert not set(others) & set(part)
        assert len(others) + len(part) == 11
        seen += part.tolist()
    assert sorted(seen) == list(range(11))


def test_choices_never_see_what_judges_them():
    """Targets without any relation to inputs: the chosen setting is no better than chance."""
    random = np.random.default_rng(1)
    x, labels = random.normal(size=(90, 2)), random.integers(2, size=90)
    wrong = (labels[:, None] != labels).astype(float)
    chosen = dependency.choose(dependency.squared_distances(x), 1 - wrong, wrong, [1e-3, 1.0], [1e-6, 1.0], random)
    assert 0.3 < chosen.loss < 0.7


def test_neighbours_choose_their_number():
    x = np.repeat([0.0, 10.0], 20)[:, None] + 0.1 * np.arange(40)[:, None]
    labels = np.repeat([0, 1], 20)
    labels[[5, 30]] = labels[[30, 5]]  # one wrong label on each side
    squared = dependency.squared_distances(x)
    wrong = (labels[:, None] != labels).astype(float)
    places, size = dependency.neighbours(squared, squared, wrong, [1, 5], np.random.default_rng(0))
    assert size == 5
    np.testing.assert_array_equal(labels[places], np.repeat([0, 1], 20))


def test_strings_are_as_the_slides_say():
    inputs, outputs, classes = kde_strings.draw(600, np.random.default_rng(0))
    assert {len(text) for text in inputs} == set(range(10, 16))
    repeats = [np.mean([a == b for a, b in pairwise(t)]) for t in inputs]
    by_class = [np.mean([r for r, c in zip(repeats, classes, strict=True) if c == k]) for k in range(3)]
    np.testing.assert_allclose(by_class, [0.25, 0.7, 0.7], atol=0.04)
    assert all(set(text) <= set("cd") for text, c in zip(inputs, classes, strict=True) if c == 2)
    intact = [o == kde_strings.PROTOTYPES[c] for o, c in zip(outputs, classes, strict=True)]
    assert 0.5 < np.mean(intact) < 0.65
    assert {abs(len(o) - 4) for o in outputs} == {0, 1, 2}


def test_short_strings_have_one_common_image():
    kernel = kde_strings.ShortStrings(Normalized(SubsequenceKernel(3, 0.01)))
    X = ["", "ab", "abc", "abcd"]
    gram = kernel.gram(X)
    np.testing.assert_allclose(np.diag(gram), kernel.diagonal(X), rtol=1e-12)
    np.testing.assert_allclose(gram[:2, :2], 1.0)
    np.testing.assert_allclose(gram[:2, 2:], 0.0)
    np.testing.assert_allclose(kernel.gram(X, X[1:]), gram[:, 1:])
    assert np.isfinite(gram).all()


def test_string_losses_of_three_data_sets():
    runs = [kde_strings.measure(200, seed, quick=True) for seed in range(3)]
    mean = {key: np.mean([run[key] for run in runs]) for key in runs[0]}
    assert mean["string loss", "KDE"] < 0.80
    assert mean["string loss", "KDE"] < mean["string loss", "1-NN"] - 0.2
    assert mean["classification loss", "KDE"] < 0.17
    assert mean["classification loss", "KDE"] < mean["classification loss", "1-NN"] - 0.03


def test_patterns_are_equilibria_of_the_network():
    random = np.random.default_rng(0)
    patterns = np.where(random.random((4, 20)) < 0.5, -1.0, 1.0)
    np.testing.assert_allclose(kde_digits.hopfield(patterns, patterns), patterns, atol=1e-9)
    noisy = np.clip(patterns * 0.8, -1, 1)
    np.testing.assert_allclose(kde_digits.hopfield(patterns, noisy), patterns, atol=1e-6)


def test_smoothing_keeps_background_and_blurs_edges():
    image = np.full((1, 256), -1.0)
    image[0, 8 * 16 + 8] = 1.0
    blurred = kde_digits.smoothed(image)
    assert blurred[0, 0] == pytest.approx(-1.0)
    assert -1.0 < blurred[0, 8 * 16 + 9] < blurred[0, 8 * 16 + 8] < 1.0
    np.testing.assert_array_equal(kde_digits.smoothed(image, 0.0), image)


def test_curves_end_at_the_error_of_all_examples():
    random = np.random.default_rng(0)
    centres = random.normal(size=(26, 8))
    labels = np.arange(120) % 26
    X = centres[labels] + 0.3 * random.normal(size=(120, 8))
    found = basis_functions.curves(
        RBFKernel(0.2), (X[:60], labels[:60]), (X[60:], labels[60:]), [10, 59], [0, 1], lambda text: None
    )
    assert {method for method, _ in found} == {
        "greedy",
        "incomplete Cholesky",
        "random subset",
        "random basis, fitted on all",
        "all",
    }
    assert len(found["random subset", 10]) == 2
    everything = found["all", 60][0]
    for method in ("greedy", "incomplete Cholesky", "random basis, fitted on all"):
        assert found[method, 59][0] == pytest.approx(everything, abs=7.0)
        assert found[method, 10][0] > everything


def quick_report(name, tmp_path):
    report = run_experiment(name, quick=True)
    paths = report.write(tmp_path)
    assert [path.suffix for path in paths] == [".json", ".png"]
    assert json.loads(paths[0].read_text(encoding="utf-8"))["measurements"]
    assert paths[1].stat().st_size > 10_000
    return {(m.quantity, m.setting, m.method): m.mean for m in report.measurements}


def test_a_quick_run_of_strings(tmp_path):
    found = quick_report("kde-strings", tmp_path)
    assert found["string loss", "200 strings", "KDE"] < found["string loss", "200 strings", "1-NN"]


@pytest.mark.needs_data("usps")
def test_quick_runs_of_digits(tmp_path):
    found = quick_report("kde-classes", tmp_path)
    assert found["", "smoothed", "KDE"] <= 0.095
    assert found["", "smoothed", "one-vs-rest SVM"] <= 0.097
    assert found["", "smoothed", "KDE"] <= found["", "smoothed", "k-NN"] - 0.025
    assert found["", "not smoothed", "KDE"] <= 0.105
    halves = {key[2]: value for key, value in quick_report("kde-halves", tmp_path).items()}
    assert 0.80 <= halves["KDE"] <= 0.86
    assert halves["KDE"] <= halves["k-NN"] - 0.03
    assert halves["best training half"] < halves["KDE, fixed point"] < halves["KDE"]
    assert halves["k-NN"] < halves["random training half"]


@pytest.mark.needs_data("ocr_letters")
def test_a_quick_run_of_basis_functions(tmp_path):
    found = quick_report("ocr-basis", tmp_path)
    quantity = "test error in %, (1 + z)^3"
    assert found[quantity, "200", "greedy"] < found[quantity, "200", "incomplete Cholesky"] - 5
    assert found[quantity, "621", "all"] < found[quantity, "200", "greedy"]

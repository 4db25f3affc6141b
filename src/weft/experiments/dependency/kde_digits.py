"""USPS digits by kernel dependency estimation: which digit it is, and its lower half from its upper half.

1,000 images in five folds of which one trains and four test: four would halve the error. All images are smoothed, which
the slides do not say; without it no setting gives the three published errors at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
from scipy.cluster.vq import kmeans2
from scipy.ndimage import gaussian_filter

from weft.arrays import Floats, Integers
from weft.datasets import load_usps
from weft.estimators.regress.kernel_dependency_estimator import KernelDependencyEstimator
from weft.experiments.dependency.given_grams import (
    Chosen,
    Progress,
    choose,
    folds,
    gaussian,
    neighbours,
    squared_distances,
)
from weft.experiments.report import Measurement, Report
from weft.kernel_methods.svm.smo import KernelRows, solve_smo
from weft.kernels.outputs import LabelKernel
from weft.kernels.vectors.products import RBFKernel

WIDTHS = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)
ALPHAS = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1)
COSTS = (1.0, 100.0)
SIZES = (1, 2, 3, 5, 8)
HALF = 128
OUTPUT_WIDTH = 4.1
"""Width of the loss of lower halves: half the median distance. The slides matched it to k-means; it was chosen for a
loss of nearest neighbours of the published size."""


def smoothed(images: Floats, sigma: float = 0.75) -> Floats:
    """Images of 16 x 16 pixels after a Gaussian blur; around them is background, -1.

    Examples
    --------
    >>> bool(np.allclose(smoothed(np.full((1, 256), -1.0)), -1.0))
    True
    """
    squares = np.asarray(images).reshape(-1, 16, 16)
    if not sigma:
        return squares.reshape(-1, 256)
    return np.stack([gaussian_filter(each, sigma, mode="constant", cval=-1.0) for each in squares]).reshape(-1, 256)


def one_vs_rest(gram: Floats, cross: Floats, labels: Integers, cost: float) -> Integers:
    """Classes by support vector machines with squared slack, one for each class against the others.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> gram = gaussian(squared_distances(x), 1.0)
    >>> one_vs_rest(gram, gram, np.array([0, 0, 1, 1]), 10.0)
    array([0, 0, 1, 1])
    """
    classes = np.unique(labels)
    decisions = []
    for label in classes:
        signs = np.where(labels == label, 1.0, -1.0)
        rows = KernelRows(lambda i: gram[i], np.diag(gram))
        found = solve_smo(rows, signs, cost, loss="squared_hinge", offset=True)
        decisions.append(cross @ (found.alpha * signs) + found.offset)
    return np.asarray(classes[np.argmax(decisions, axis=0)])


def chosen_machine(squared: Floats, labels: Integers, random: np.random.Generator, grid: Any) -> tuple[float, float]:
    """Width and cost of the machines, by five folds of the training data."""
    totals = dict.fromkeys(grid, 0)
    for train, part in folds(len(squared), 5, random):
        for width, cost in grid:
            gram = gaussian(squared[np.ix_(train, train)], width)
            cross = gaussian(squared[np.ix_(part, train)], width)
            totals[width, cost] += int((one_vs_rest(gram, cross, labels[train], cost) != labels[part]).sum())
    found: tuple[float, float] = min(totals, key=lambda setting: totals[setting])
    return found


def classify(
    images: Floats, labels: Integers, train: Integers, test: Integers, random: np.random.Generator, quick: bool = False
) -> dict[str, float]:
    """Errors of the three methods on the test images of one split."""
    squared = squared_distances(images[train])
    cross = squared_distances(images[test], images[train])
    wrong = (labels[train][:, None] != labels[train]).astype(np.float64)
    widths, alphas = ((7.0,), (1e-2,)) if quick else (WIDTHS, ALPHAS)
    chosen = choose(squared, 1.0 - wrong, wrong, widths, alphas, random)
    model = KernelDependencyEstimator(_gaussian_kernel(chosen), LabelKernel(), alpha=chosen.alpha)
    model.fit(images[train], labels[train])
    grid = [(width, cost) for width in widths[-5:] for cost in (COSTS[1:] if quick else COSTS)]
    width, cost = chosen_machine(squared, labels[train], random, grid)
    machine = one_vs_rest(gaussian(squared, width), gaussian(cross, width), labels[train], cost)
    nearest = labels[train][neighbours(cross, squared, wrong, SIZES, random)[0]]
    found = {"KDE": model.predict(images[test]), "one-vs-rest SVM": machine, "k-NN": nearest}
    return {method: float(np.mean(predicted != labels[test])) for method, predicted in found.items()}


def _gaussian_kernel(chosen: Chosen) -> RBFKernel:
    return RBFKernel(1.0 / (2.0 * chosen.width**2))


def hopfield(patterns: Floats, starts: Floats, *, tau: float = 10.0, step: float = 0.15, n_steps: int = 200) -> Floats:
    """Where a saturating linear network ends that has the patterns as equilibria (Li, Michel and Porod 1989).

    Directions between patterns grow, all others decay `tau` times as fast, and values are cut to [-1, 1].

    Parameters
    ----------
    patterns : ndarray of shape (n, d)
    starts : ndarray of shape (n_starts, d)
    tau, step : float
    n_steps : int

    Examples
    --------
    >>> patterns = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> hopfield(patterns, np.array([[0.8, 0.7, 0.0]])).round(3)
    array([[ 1.,  1., -1.]])
    """
    last = patterns[-1]
    _, sizes, directions = scipy.linalg.svd(patterns[:-1] - last, full_matrices=True)
    rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
    inside, outside = directions[:rank], directions[rank:]
    growth = inside.T @ inside - tau * outside.T @ outside
    pull = last - growth @ last
    matrix = np.exp(step) * inside.T @ inside + np.exp(-tau * step) * outside.T @ outside
    shift = np.expm1(step) * inside.T @ (inside @ pull) - np.expm1(-tau * step) / tau * outside.T @ (outside @ pull)
    state = starts
    for _ in range(n_steps):
        state = np.clip(state @ matrix.T + shift, -1.0, 1.0)
    return state


def matched_width(rows: Floats, n_clusters: int, seed: int = 0) -> float:
    """Width of the Gaussian that is most aligned with the kernel "in the same cluster of k-means".

    The slides say no more than that the width of the output kernel was "designed to match k-means". Alignment is the
    cosine of the two Gram matrices.

    Examples
    --------
    >>> rows = np.concatenate([np.random.default_rng(0).normal(size=(20, 2)) + 9 * k for k in range(3)])
    >>> 1.0 < matched_width(rows, 3) < 9.0
    True
    """
    _, cluster = kmeans2(rows, n_clusters, minit="++", rng=np.random.default_rng(seed), iter=50)
    same = (cluster[:, None] == cluster).astype(np.float64)
    squared = squared_distances(rows)

    def alignment(width: float) -> float:
        gram = gaussian(squared, width)
        return float(np.sum(gram * same) / np.sqrt(np.sum(gram * gram)))

    widths = np.sqrt(np.median(squared)) * np.linspace(0.1, 1.5, 57)
    return float(max(widths, key=alignment))


def reconstruct(
    images: Floats, train: Integers, test: Integers, random: np.random.Generator, quick: bool = False
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Mean losses of all methods on one split, and the lower halves that they predict."""
    upper, lower = images[:, :HALF], images[:, HALF:]
    squared = squared_distances(upper[train])
    cross = squared_distances(upper[test], upper[train])
    output_gram = gaussian(squared_distances(lower[train]), OUTPUT_WIDTH)
    losses = np.sqrt(np.maximum(2.0 - 2.0 * output_gram, 0.0))
    widths, alphas = ((5.0,), (1e-2,)) if quick else (WIDTHS[:-1], ALPHAS[2:])
    chosen = choose(squared, output_gram, losses, widths, alphas, random)
    output_kernel = RBFKernel(1.0 / (2.0 * OUTPUT_WIDTH**2))
    model = KernelDependencyEstimator(_gaussian_kernel(chosen), output_kernel, alpha=chosen.alpha)
    model.fit(upper[train], lower[train])
    found = {"KDE": np.asarray(model.predict(upper[test]))}
    found["KDE, fixed point"] = np.asarray(model.set_params(preimage="fixed_point").predict(upper[test]))
    found["k-NN"] = lower[train][neighbours(cross, squared, losses, SIZES, random)[0]]
    starts = np.hstack([upper[test], np.zeros_like(lower[test])])
    ended = hopfield(images[train], starts)
    found["Hopfield"] = lower[train][squared_distances(ended, images[train]).argmin(axis=1)]
    found["best training half"] = lower[train][squared_distances(lower[test], lower[train]).argmin(axis=1)]
    found["random training half"] = lower[train][random.integers(len(train), size=len(test))]
    means = {}
    for method, halves in found.items():
        similarity = np.exp(-np.sum((halves - lower[test]) ** 2, axis=1) / (2.0 * OUTPUT_WIDTH**2))
        means[method] = float(np.mean(np.sqrt(2.0 - 2.0 * similarity)))
    return means, found


@dataclass(frozen=True)
class DigitReport(Report):
    """A report with images below its bars.

    Attributes
    ----------
    images : dict
        Rows of images of 16 x 16 pixels by name.
    """

    images: dict[str, Floats] = field(default_factory=dict)

    def plot(self, path: Path) -> None:
        """Rows of digits: the true ones, then the upper half with each method's lower half."""
        from weft.experiments.dependency.digit_picture import draw_digits

        draw_digits(self, self.images, path)


def run_classes(*, quick: bool, n_replicates: int | None, seed: int, progress: Progress) -> Report:
    """The first 100 images of each digit, in five folds of which one trains, split at random twice."""
    n_replicates = n_replicates or (1 if quick else 2)
    data = load_usps()
    first = np.sort(np.concatenate([np.flatnonzero(data.y_train == digit)[:100] for digit in range(10)]))
    images, labels = data.X_train[first], data.y_train[first]
    published = {"KDE": 0.0798, "one-vs-rest SVM": 0.0847, "k-NN": 0.1250}
    errors: dict[tuple[str, str], list[float]] = {}
    for setting, sigma in (("smoothed", 0.75), ("not smoothed", 0.0)):
        rows = smoothed(images, sigma)
        for replicate in range(n_replicates):
            random = np.random.default_rng([seed, replicate])
            for number, (test, train) in enumerate(folds(len(rows), 5, random)):
                if quick and number:
                    break
                progress(f"{setting}, split {replicate + 1} of {n_replicates}, fold {number + 1} of 5")
                for method, error in classify(rows, labels, train, test, random, quick).items():
                    errors.setdefault((setting, method), []).append(error)
    return Report(
        "kde-classes",
        "USPS digits, 200 training images",
        "0-1 loss",
        [
            Measurement(
                setting + (", one fold, nothing tuned" if quick else ""),
                method,
                tuple(values),
                published[method] if setting == "smoothed" and not quick else None,
            )
            for (setting, method), values in errors.items()
        ],
        notes=[
            "Published: 0.0798 ± 0.0067, 0.0847 ± 0.0064 and 0.1250 ± 0.0075 over five folds. One value here is one "
            "fold: 200 images train, 800 test. Which 1,000 images were used is not said; here 100 of each digit.",
            "Smoothing (Gaussian, 0.75 pixels) is not in the slides. Widths, strengths, costs and k: five folds of the "
            "200 training images.",
        ],
        decimals=4,
        facts={"n_splits": n_replicates, "seed": seed, "widths": list(WIDTHS), "alphas": list(ALPHAS)},
    )


def run_halves(*, quick: bool, n_replicates: int | None, seed: int, progress: Progress) -> Report:
    """The first 1,000 images, in five folds of which one trains, split at random once."""
    n_replicates = n_replicates or 1
    images = smoothed(load_usps().X_train[:1000])
    matched = {n: round(matched_width(images[:, HALF:], n, seed), 1) for n in (30, 10, 5, 3)}
    published = {"KDE": 0.8384, "k-NN": 0.8960, "Hopfield": 1.2190}
    quickly = ", one fold, nothing tuned" if quick else ""
    losses: dict[str, list[float]] = {}
    pictures: dict[str, Floats] = {}
    for replicate in range(n_replicates):
        random = np.random.default_rng([seed, replicate])
        for number, (test, train) in enumerate(folds(len(images), 5, random)):
            if quick and number:
                break
            progress(f"split {replicate + 1} of {n_replicates}, fold {number + 1} of 5")
            means, found = reconstruct(images, train, test, random, quick)
            for method, loss in means.items():
                losses.setdefault(method, []).append(loss)
            if not pictures:
                pictures = _pictures(images, test, found)
    return DigitReport(
        "kde-halves",
        "Lower halves of USPS digits from upper halves, 200 training images",
        "loss",
        [
            Measurement("1,000 images" + quickly, m, tuple(values), None if quick else published.get(m))
            for m, values in losses.items()
        ],
        notes=[
            "Published: 0.8384 ± 0.0077, 0.8960 ± 0.0052 and 1.2190 ± 0.0072 over five folds; one value here is one. "
            "Only the last stands in our copy of the slides, where the passage before it is missing. The others come "
            "from our notes, which name no source (presumably the complete slide, or Weston et al., NIPS 2002).",
            f"Loss: root of 2 - 2 l, l a Gaussian of width {OUTPUT_WIDTH} on the lower half. Smoothing and this width "
            "are not in the slides; they were chosen for losses of the published size. The slides match the width to "
            f"k-means; most aligned with k clusters are {', '.join(f'{w} ({k})' for k, w in matched.items())}.",
            "All methods but the fixed point give the lower half of a training image. A fixed point lies between "
            "several of them: nearer on average, and blurred where they differ. Best and random training halves are "
            "bounds: the first knows the answer.",
        ],
        decimals=4,
        facts={
            "n_splits": n_replicates,
            "seed": seed,
            "output_width": OUTPUT_WIDTH,
            "widths_of_clusters": {str(k): width for k, width in matched.items()},
        },
        images=pictures,
    )


def _pictures(images: Floats, test: Integers, found: dict[str, Floats], n: int = 12) -> dict[str, Floats]:
    """Rows of images: the truth, and the upper half completed by each method."""
    rows = {"truth": images[test[:n]]}
    for method in ("KDE", "KDE, fixed point", "k-NN", "Hopfield"):
        rows[method] = np.hstack([images[test[:n], :HALF], found[method][:n]])
    return rows

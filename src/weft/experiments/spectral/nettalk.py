"""Letters to phonemes with little data: Figures 1 and 2 of Spectral Regularization for Max-Margin Sequence Tagging.

NETtalk, 15,000 / 1,034 / 3,974 words by a random split; smaller training sets are its beginnings. Settings are chosen
by accuracy on the development words, test accuracy is reported. The figures print no numbers; the text has the gains
over the unregularised model at 2,000 words: +2.2 spectral, +1.1 for l2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weft.datasets import load_nettalk
from weft.estimators.tag.tagger import Tagger
from weft.experiments.report import Measurement, Report
from weft.experiments.spectral.latent_svm import LatentSVM
from weft.experiments.spectral.spectral_counts import SpectralCounts
from weft.experiments.spectral.sub_patterns import SubPatterns
from weft.experiments.tuning import TokenFrequencies, error_rate
from weft.learners.spectral.learner import Spectral

SIZES = (500, 1000, 2000, 5000, 10000, 15000)
PARTS = (15000, 1034, 3974)
LARGE = 5000
"""From this many words on the matrix is learned from mini-batches."""
STEPS = (0.03, 0.05, 0.1, 0.3, 1.0, 2.0)
"""Tried for every method that learns a matrix, at every size."""
MATRICES: dict[str, tuple[Any, tuple[float, ...]]] = {
    "spectral": ("nuclear", (8.0, 12.0)),
    "l2": ("frobenius", (40.0, 30.0)),
    "unregularised": (None, (0.0,)),
}
"""Penalty of each such method, and the strengths to try."""
BY_FREQUENCY = {f"{name}, ties by frequency": name for name in ("unregularised", "spectral")}
PUBLISHED_GAIN = {"spectral": 2.2, "l2": 1.1}
EQUAL_STEP = 0.3


@dataclass(frozen=True)
class Split:
    """Words and phonemes of the three parts."""

    train: tuple[list[str], list[list[str]]]
    dev: tuple[list[str], list[list[str]]]
    test: tuple[list[str], list[list[str]]]

    def first(self, n: int) -> tuple[list[str], list[list[str]]]:
        """The first training words."""
        return self.train[0][:n], self.train[1][:n]


def split(seed: int = 0, parts: Sequence[int] = PARTS) -> Split:
    """The corpus in random order, cut into three parts."""
    data = load_nettalk()
    order = np.random.default_rng(seed).permutation(len(data.words))
    cuts = np.cumsum(parts)
    chosen = [order[: cuts[0]], order[cuts[0] : cuts[1]], order[cuts[1] : cuts[2]]]
    return Split(*(([data.words[i] for i in part], [data.phonemes[i] for i in part]) for part in chosen))


def accuracy(model: Any, part: tuple[list[str], list[list[str]]]) -> float:
    """Percentage of letters with the right phoneme.

    Examples
    --------
    >>> accuracy(TokenFrequencies().fit(["ab"], ["xy"]), (["ba"], ["yx"]))
    100.0
    """
    return 100.0 - error_rate(model.predict(part[0]), part[1])


def _matrix(
    regularizer: Any, tau: float, step: float, n: int, max_iter: int, ties: Literal["frequency", "label"] = "label"
) -> Any:
    """A max-margin tagger over a whole matrix of trigrams.

    Without a penalty windows never seen all score zero. As published, ties go to the first label; given to the most
    frequent one, they lift the unregularised model by much, so both are shown.
    """
    batches: dict[str, Any] = {}
    if n >= LARGE:
        batches = {"batch_size": max(1, n // 20)}
        max_iter = max(8, max_iter // 5)
    learner = Spectral(3, regularizer, tau, step=step, max_iter=max_iter, ties=ties, **batches)
    return Tagger(learner, random_state=0)


def _steps(quick: bool) -> tuple[float, ...]:
    return STEPS[2:4] if quick else STEPS


def _passes(quick: bool) -> int:
    return 20 if quick else 110


def _with_best_step(method: str, n: int, train: Any, dev: Any, quick: bool) -> Any:
    """A method of `MATRICES` with its first strength, fitted with the best of all steps."""
    penalty, strengths = MATRICES[method]
    return best_of([_matrix(penalty, strengths[0], step, n, _passes(quick)) for step in _steps(quick)], train, dev)


def tuned_matrices(n: int, train: Any, dev: Any, quick: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """Every method that learns a matrix, tuned alike: first the step, then the strength with that step.

    What gives ties to the most frequent label has the settings of its twin.
    """
    passes = _passes(quick)
    found = {}
    for method, (penalty, strengths) in MATRICES.items():
        tell(method)
        by_step = _with_best_step(method, n, train, dev, quick)
        others = [] if quick else strengths[1:]
        rivals = [_matrix(penalty, tau, by_step.learner.step, n, passes).fit(*train) for tau in others]
        found[method] = max([by_step, *rivals], key=lambda model: accuracy(model, dev))
    for method, twin in BY_FREQUENCY.items():
        tell(method)
        learner = found[twin].learner
        same = _matrix(MATRICES[twin][0], learner.tau, learner.step, n, passes, "frequency")
        found[method] = same.fit(*train)
    return found


def candidates(quick: bool = False) -> dict[str, list[Any]]:
    """Models to choose from for each method that learns no matrix."""
    return {
        "most frequent": [TokenFrequencies()],
        "spectral IO-HMM": [SpectralCounts(k) for k in ((20,) if quick else (10, 30, 60))],
        "spectral transducer": [SpectralCounts(k, conditional=True) for k in ((5,) if quick else (3, 5, 10))],
        "latent SVM": [LatentSVM(k) for k in ((4,) if quick else (4, 8))],
        "sub-pattern CRF": [
            Tagger(SubPatterns("log", c2, max_iter=10 if quick else 40))
            for c2 in ((0.2,) if quick else (0.05, 0.2, 0.8))
        ],
        "sub-pattern perceptron": [Tagger(SubPatterns("perceptron", max_iter=2 if quick else 10), random_state=0)],
    }


def best_of(models: Sequence[Any], train: tuple[Any, Any], dev: tuple[Any, Any]) -> Any:
    """Fit each model; return the best on the development words."""
    for model in models:
        model.fit(*train)
    return max(models, key=lambda model: accuracy(model, dev))


def run_sizes(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Figure 1: test accuracy of every method against the size of the training set.

    Small training sets differ much from each other, so they are drawn several times; large ones once.
    """
    n_replicates = n_replicates or (1 if quick else 3)
    sizes = (100, 200) if quick else SIZES
    parts = (200, 100, 200) if quick else PARTS
    chosen: dict[str, list[list[float]]] = {}
    results: dict[tuple[int, str], list[float]] = {}
    for replicate in range(n_replicates):
        data = split(seed + replicate, parts)
        for n in (n for n in sizes if replicate == 0 or n < LARGE):
            train = data.first(n)

            def tell(method: str, n: int = n, number: int = replicate + 1) -> None:
                progress(f"split {number} of {n_replicates}, {n} words: {method}")

            models = tuned_matrices(n, train, data.dev, quick, tell)
            for method in MATRICES:
                learner = models[method].learner
                chosen.setdefault(f"{n} words, {method}", []).append([learner.step, learner.tau])
            for method, rivals in candidates(quick).items():
                tell(method)
                models[method] = best_of(rivals, train, data.dev)
            for method, model in models.items():
                results.setdefault((n, method), []).append(accuracy(model, data.test))
    return Report(
        "nettalk-size",
        "Letters to phonemes against the size of the training set",
        "% of letters right",
        [Measurement(str(n), method, tuple(values)) for (n, method), values in results.items()],
        notes=[
            "Published as a figure without numbers: spectral best everywhere, far ahead of unregularised when small.",
            "All methods but the first look at three letters; wide windows are better still (weft.Spectral beside "
            "WindowFeatures, or CRFsuite).",
            f"From {LARGE:,} words on one split and mini-batches; below, as many splits as there are runs.",
            f"Steps of all methods that learn a matrix are chosen among {', '.join(map(str, _steps(quick)))} at every "
            f"size{'' if quick else ', then strengths'}, by accuracy on the development words.",
            "The paper's spectral IO-HMM decodes by Viterbi; here labels are chosen by marginal scores.",
            "Spectral transducer: the conditional method of Balle et al. (2011), which the paper left out of its plot "
            "for development accuracies of about 70 %.",
        ],
        facts={
            "n_replicates": n_replicates,
            "seed": seed,
            "sizes": list(sizes),
            "parts": list(parts),
            "chosen": chosen,
        },
        style="lines",
        axis="training words",
    )


def run_path(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Figure 2: accuracy along the strength of the penalty at 2,000 words; gains over the unregularised model.

    Two comparisons: every method with the step that is best for it on the development words, and all with one step.
    """
    n_replicates = n_replicates or (1 if quick else 3)
    n, passes = 150 if quick else 2000, _passes(quick)
    strengths = {"spectral": (2.0, 4.0, 8.0, 12.0, 16.0), "l2": (10.0, 20.0, 40.0, 60.0, 80.0)}
    chosen: dict[str, list[float]] = {method: [] for method in MATRICES}
    dev_curve: dict[tuple[float, str], list[float]] = {}
    gains: dict[tuple[str, str], list[float]] = {}
    for replicate in range(n_replicates):
        data = split(seed + replicate, (n, 100, 200) if quick else PARTS)
        train = data.first(n)
        progress(f"split {replicate + 1} of {n_replicates}: unregularised")
        tuned = _with_best_step("unregularised", n, train, data.dev, quick)
        chosen["unregularised"].append(tuned.learner.step)
        equal = _matrix(None, 0.0, EQUAL_STEP, n, passes).fit(*train)
        base = {"tuned": accuracy(tuned, data.test), "equal step": accuracy(equal, data.test)}
        for method, taus in strengths.items():
            progress(f"split {replicate + 1} of {n_replicates}: {method}, steps")
            penalty, models = MATRICES[method][0], []
            step = _with_best_step(method, n, train, data.dev, quick).learner.step
            chosen[method].append(step)
            for tau in taus:
                progress(f"split {replicate + 1} of {n_replicates}: {method}, tau {tau:g}")
                models.append(_matrix(penalty, tau, step, n, passes).fit(*train))
                dev_curve.setdefault((tau / taus[-1], method), []).append(accuracy(models[-1], data.dev))
            best = max(models, key=lambda model: accuracy(model, data.dev))
            same = _matrix(penalty, best.learner_.tau_, EQUAL_STEP, n, passes).fit(*train)
            gains.setdefault(("tuned", method), []).append(accuracy(best, data.test) - base["tuned"])
            gains.setdefault(("equal step", method), []).append(accuracy(same, data.test) - base["equal step"])
    measurements = [
        Measurement(f"{place:.2f}", method, tuple(values), quantity="development accuracy, %")
        for (place, method), values in dev_curve.items()
    ]
    for comparison in ("tuned", "equal step"):
        for method, published in PUBLISHED_GAIN.items():
            values = tuple(gains[comparison, method])
            measurements.append(Measurement(comparison, method, values, published, "gain over unregularised"))
    return Report(
        "nettalk-path",
        f"Strength of the penalty at {n:,} words",
        "%",
        measurements,
        notes=[
            f"Steps are chosen for each method among {', '.join(map(str, _steps(quick)))} by accuracy on the "
            f"development words, or equal for all ({EQUAL_STEP}), which is too large without a penalty.",
            "The horizontal axis is tau divided by the largest of its method.",
        ],
        facts={"n_replicates": n_replicates, "seed": seed, "n_words": n, "strengths": strengths, "steps": chosen},
        style="lines",
        axis="normalised tau",
    )

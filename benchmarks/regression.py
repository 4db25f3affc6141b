"""Kernel ridge regression on handwritten letters: against scikit-learn, and few basis functions against all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data import data_file
from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

EXAMPLES = 5_000
QUICK = 600
TEST = 8_000
PIXELS = 128
ALPHA = 0.01
N_PREDICTIONS = 5
N_ALPHAS = 20


@dataclass
class Letters:
    """Images of letters to train on and to test on, with their numbers from 0 to 25."""

    X: Any
    labels: Any
    test_X: Any
    test_labels: Any

    @property
    def targets(self) -> Any:
        import numpy as np

        return np.eye(26)[self.labels]

    def error(self, predicted: Any) -> float:
        """Percentage of wrong letters."""
        return 100.0 * float((predicted.argmax(axis=1) != self.test_labels).mean())


def letters(quick: bool, fold: int | None = None) -> Letters:
    """5,000 letters, or those of one fold, to train; 8,000 of the others to test."""
    import numpy as np

    with np.load(data_file("ocr_letters", "ocr_letters.npz")) as arrays:
        X = np.unpackbits(arrays["pixels_packed"], axis=1, count=PIXELS).astype(np.float64)
        labels = arrays["labels"].astype(np.int64)
        folds = np.repeat(arrays["word_folds"], np.diff(arrays["word_offsets"]))
    if fold is None:
        train, rest = np.split(np.random.default_rng(1).permutation(len(X)), [EXAMPLES])
    else:
        train, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
    train = train[:QUICK] if quick else train
    test = np.random.default_rng(0).permutation(rest)[: QUICK if quick else TEST]
    return Letters(X[train], labels[train], X[test], labels[test])


def alphas() -> Any:
    import numpy as np

    return np.logspace(-4, 2, N_ALPHAS)


# ---------------------------------------------------------------------------- one strength, and twenty


def sklearn_one(data: Letters, meter: Meter) -> dict[str, float]:
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(kernel="poly", degree=3, gamma=1.0 / PIXELS, coef0=1.0, alpha=ALPHA)
    with meter.phase("fit", tokens=len(data.X)):
        model.fit(data.X, data.targets)
    with meter.phase("predict", tokens=len(data.test_X)):
        predicted = model.predict(data.test_X)
    return {"test error in %": data.error(predicted)}


def weft_one(data: Letters, meter: Meter) -> dict[str, float]:
    from weft import PolynomialKernel
    from weft.kernel_methods.ridge.regressor import KernelRidge

    model = KernelRidge(PolynomialKernel(3, scale=1.0 / PIXELS), alpha=ALPHA)
    with meter.phase("fit", tokens=len(data.X)):
        model.fit(data.X, data.targets)
    with meter.phase("predict", tokens=len(data.test_X)):
        predicted = model.predict(data.test_X)
    return {"test error in %": data.error(predicted)}


def sklearn_path(data: Letters, meter: Meter) -> dict[str, float]:
    """Twenty fits; which of them to take is not known yet."""
    from sklearn.kernel_ridge import KernelRidge

    models = []
    with meter.phase("coefficients for 20 strengths", tokens=len(data.X)):
        for alpha in alphas():
            model = KernelRidge(kernel="poly", degree=3, gamma=1.0 / PIXELS, coef0=1.0, alpha=alpha)
            models.append(model.fit(data.X, data.targets))
    return {"test error in %, middle strength": data.error(models[N_ALPHAS // 2].predict(data.test_X))}


def weft_path(data: Letters, meter: Meter) -> dict[str, float]:
    """The same twenty solutions, and then their leave-one-out errors, which choose one."""
    from weft import PolynomialKernel
    from weft.kernel_methods.ridge.banded_path import ridge_path

    kernel = PolynomialKernel(3, scale=1.0 / PIXELS)
    with meter.phase("coefficients for 20 strengths", tokens=len(data.X)):
        path = ridge_path(kernel.gram(data.X), data.targets)
        solutions = path.coefficients_of(alphas())
    with meter.phase("leave-one-out errors of all 20", tokens=len(data.X)):
        best = path.best(alphas())
    cross = kernel.gram(data.test_X, data.X)
    return {
        "test error in %, middle strength": data.error(cross @ solutions[N_ALPHAS // 2]),
        "chosen strength": best,
        "test error in %, chosen strength": data.error(cross @ solutions[alphas().tolist().index(best)]),
    }


# ---------------------------------------------------------------------------- few basis functions


def basis(data: Letters, meter: Meter, approximation: str | None) -> dict[str, float]:
    """All letters of a fold as basis functions, or a third of them."""
    from weft import PolynomialKernel
    from weft.kernel_methods.ridge.regressor import KernelRidge

    n_basis = len(data.X) // 3
    model = KernelRidge(PolynomialKernel(3), alpha=ALPHA, approximation=approximation, n_basis=n_basis, random_state=0)
    with meter.phase("fit", tokens=len(data.X)):
        model.fit(data.X, data.targets)
    # The first prediction starts threads, which only the side that fits without them would pay for.
    predicted = model.predict(data.test_X)
    with meter.phase("predict", tokens=N_PREDICTIONS * len(data.test_X)):
        for _ in range(N_PREDICTIONS):
            model.predict(data.test_X)
    return {"basis functions": float(len(model.basis_)), "test error in %": data.error(predicted)}


def warm_up() -> None:
    """Load all that is measured."""
    import numpy as np

    from weft import PolynomialKernel
    from weft.kernel_methods.ridge.banded_path import BandedRidgePath
    from weft.kernel_methods.ridge.regressor import KernelRidge

    X = np.random.default_rng(0).random((80, 4))
    for approximation in (None, "greedy", "nystroem"):
        KernelRidge(PolynomialKernel(3), approximation=approximation).fit(X, X).predict(X)
    BandedRidgePath(PolynomialKernel(3).gram(X), X, width=8).best([0.1, 1.0])


def sklearn_warm_up() -> None:
    import numpy as np
    from sklearn.kernel_ridge import KernelRidge

    X = np.random.default_rng(0).random((80, 4))
    KernelRidge(kernel="poly").fit(X, X).predict(X)


ENTRIES = [
    Entry(
        "ridge-one",
        "kernel ridge with 26 outputs and 5,000 examples, one strength, against scikit-learn",
        letters,
        Side("scikit-learn", sklearn_one, sklearn_warm_up),
        Side("weft", weft_one, warm_up),
    ),
    Entry(
        "ridge-path",
        "the same for 20 strengths; scikit-learn fits 20 times",
        letters,
        Side("scikit-learn", sklearn_path, sklearn_warm_up),
        Side("weft", weft_path, warm_up),
    ),
    *(
        Entry(
            f"basis-{name}",
            f"a third of 4,617 letters as basis functions ({name}) against all of them",
            partial(letters, fold=0),
            Side("all", partial(basis, approximation=None), warm_up),
            Side(name, partial(basis, approximation=name), warm_up),
        )
        for name in ("greedy", "nystroem")
    ),
]

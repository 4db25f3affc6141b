"""Parameters that are worth trying: one table, for scikit-learn's searches and for `--tune auto`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from weft.errors import InputError

if TYPE_CHECKING:
    from weft.parameters import Parameters

PENALTIES = (1.0, 0.01, 0.03, 0.1, 0.3, 3.0, 10.0)
RIDGES = (0.01, 0.0001, 0.001, 0.1, 1.0)
RIDGE_LEARNERS = ("ZScore", "SODA", "MarginRegression", "LossRegression")

SPACES: dict[str, dict[str, tuple[Any, ...]]] = {
    # Learners
    "CRF": {"c2": (None, *PENALTIES), "c1": (0.0, 0.1, 0.5)},
    "Perceptron": {"max_iter": (10, 5, 20, 40)},
    "StructuredSVM": {"C": (1.0, 0.01, 0.03, 0.1, 0.3, 3.0, 10.0)},
    "MomentSteps": {"c2": PENALTIES, "n_steps": (2, 1, 3)},
    "ExpectedLoss": {"c2": (1.0, 0.1, 10.0, 100.0)},
    "Generative": {"smoothing": (1.0, 0.01, 0.1, 10.0)},
    "EM": {"smoothing": (0.1, 0.01, 1.0)},
    "Spectral": {"c2": (0.05, 0.01, 0.2), "order": (3, 2, 4)},
    **{key: {"alpha": RIDGES} for key in RIDGE_LEARNERS},
    # Features
    "WindowFeatures": {
        "width": (2, 1, 3, 4),
        "ngrams": (2, 1, 3, 4),
        "affixes": (0, 3, 5),
        "shape": (False, True),
        "lower": (False, True),
    },
    # Kernels
    "BlendedSpectrumKernel": {
        "n": (5, 3, 4, 6, 8),
        "min_n": (1, 2, 3),
        "idf": (False, True),
        "sublinear": (True, False),
    },
    "NGramKernel": {"n": (4, 3, 5, 6), "min_n": (None, 1), "idf": (False, True), "sublinear": (False, True)},
    "GappyKernel": {"n": (3, 2, 4), "decay": (0.5, 0.3, 0.8)},
    "MismatchKernel": {"n": (5, 4, 6, 7)},
    "GappedKMerKernel": {"g": (10, 8, 11), "k": (6, 7), "half_life": (None, 100.0, 50.0)},
    "WeightedDegreeKernel": {"n": (8, 4, 6), "shift": (0, 2, 5, 10)},
    "LocalAlignmentKernel": {"beta": (0.5, 0.2, 1.0)},
    "LocalityImprovedKernel": {"width": (4, 2, 8), "inner": (4, 2, 3)},
    "SubsequenceKernel": {"n": (3, 2, 4), "decay": (0.5, 0.3, 0.8)},
    "RBFKernel": {"gamma": (1.0, 0.01, 0.1, 10.0)},
    "PolynomialKernel": {"degree": (3, 1, 2)},
    # Estimators
    "Tagger": {"order": (1, 2), "decode": ("best", "expected")},
    "StackedTagger": {"order": (1, 2), "decode": ("best", "expected")},
    "Aligner": {"gamma": (None, 0.5, 1.0, 4.0), "mode": ("auto", "global")},
    "Folder": {"gamma": (None, 1.0, 2.0, 4.0)},
    "Parser": {"decode": ("best", "expected")},
    "Rewriter": {"context": (5, 3, 7), "joint_n": (8, 6, 4)},
    "SequenceSVC": {
        "C": (None, 0.1, 1.0, 10.0),
        "loss": ("squared_hinge", "hinge"),
        "bias": (True, False),
        "class_weight": (None, "balanced"),
    },
    "StringRegressor": {"output_order": (None, 2, 3, 4), "preimage": (None, "euler", "nearest")},
    "KernelDependencyEstimator": {"n_components": (None, 0.9, 0.99)},
}
"""Values for each parameter of a class; the first is the default."""


def search_space(estimator: Parameters) -> dict[str, list[Any]]:
    """Parameters that are worth trying and their values, for scikit-learn's searches.

    Each list begins with the default. Parts that the estimator has (learner, features, kernel) add their own
    parameters, as in ``learner__c2``; a learner or kernel that is left open is tried as a whole, with `None` for the
    default.

    Parameters
    ----------
    estimator : estimator of weft

    Returns
    -------
    dict
        Names as `set_params` takes them, each with a list of values.

    Examples
    --------
    >>> import weft
    >>> weft.search_space(weft.Aligner(learner=weft.Perceptron()))
    {'gamma': [None, 0.5, 1.0, 4.0], 'mode': ['auto', 'global'], 'learner__max_iter': [10, 5, 20, 40]}

    Successive halving tries many settings on few examples, and the better ones on more:

    >>> from sklearn.experimental import enable_halving_search_cv
    >>> from sklearn.model_selection import HalvingRandomSearchCV
    >>> tagger = weft.Tagger(weft.CRF(), weft.WindowFeatures())
    >>> search = HalvingRandomSearchCV(tagger, weft.search_space(tagger), n_candidates=3, cv=2, random_state=0)
    >>> X, y = ["ab", "ba", "abb", "bab"] * 6, ["xy", "yx", "xyy", "yxy"] * 6
    >>> sorted(search.fit(X, y).best_params_)  # doctest: +ELLIPSIS
    ['decode', 'features__affixes', ...]
    """
    if isinstance(estimator, type) or type(estimator).__name__ not in SPACES:
        raise InputError(
            f"there is no search space for {getattr(estimator, '__name__', type(estimator).__name__)!s}; give an "
            f"estimator such as weft.Tagger(), or one of its parts: {', '.join(sorted(SPACES))}."
        )
    parameters: Mapping[str, Any] = estimator.get_params(deep=True)
    space = {name: list(values) for name, values in SPACES[type(estimator).__name__].items()}
    for path, part in parameters.items():
        for name, values in SPACES.get(type(part).__name__, {}).items():
            space[f"{path}__{name}"] = list(values)
    if "learner" in parameters and parameters["learner"] is None and parameters.get("effort") is None:
        space["learner"] = _learners(estimator)
    if "kernel" in parameters and parameters["kernel"] is None:
        space["kernel"] = _kernels()
    if parameters.get("decode") == "best" or parameters.get("beam_width") is not None:
        space.pop("gamma", None)  # a trade-off of expected accuracy
    if type(parameters.get("learner")).__name__ == "Spectral":
        space.pop("order", None)  # its own is that of its windows
    return space


def _learners(estimator: Any) -> list[Any]:
    from weft.learners.crf import CRF
    from weft.learners.perceptron import Perceptron
    from weft.learners.structured_svm import StructuredSVM

    if type(estimator).__name__ == "Rewriter":
        return [None, Perceptron(16), CRF(c2=0.1, max_iter=60), CRF(c2=0.3, max_iter=60)]
    return [None, *(CRF(c2=c2) for c2 in PENALTIES), Perceptron(), StructuredSVM(0.1), StructuredSVM()]


def _kernels() -> list[Any]:
    from weft.kernels.combinators import Normalized
    from weft.kernels.grams.blended import BlendedSpectrumKernel
    from weft.kernels.grams.gappy import GappyKernel
    from weft.kernels.grams.ngram import NGramKernel

    blended = [BlendedSpectrumKernel(n, idf=True) for n in (4, 6)]
    weighted = [NGramKernel(n, idf=True, sublinear=True) for n in (3, 4, 5)]
    return [None, *blended, *map(Normalized, [NGramKernel(4), NGramKernel(6), GappyKernel(3), *weighted])]

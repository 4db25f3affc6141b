"""Which learner of weft each training algorithm of CRFsuite becomes, and what becomes of its settings.

=========  ==================================  ==================================================================
algorithm  learner                             remarks
=========  ==================================  ==================================================================
lbfgs      ``CRF(c1, c2, max_iter, tol)``      the same objective, the same rule to stop
l2sgd      ``CRF(c2=c2, max_iter, tol)``       the same objective, minimised as a whole and not step by step
ap         ``Perceptron(max_iter)``            averaged too; ends when a pass makes no mistake
pa         ``StructuredSVM(C=c, max_iter)``    the loss of type 1, minimised over all sequences together; a warning
arow       ``StructuredSVM(max_iter)``         no confidences of weights; a warning
=========  ==================================  ==================================================================

A setting that steers only the way to the same weights has no effect here, and a warning says so. One that would give
other weights, which no learner here can, is refused, as is one that belongs to another algorithm.
"""

from __future__ import annotations

import warnings
from typing import Any

from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.crf import CRF as ConditionalRandomField
from weft.learners.perceptron import Perceptron
from weft.learners.structured_svm import StructuredSVM

CALIBRATION = tuple(f"calibration_{each}" for each in ("eta", "rate", "samples", "candidates", "max_trials"))

USED = {
    "lbfgs": ("c1", "c2", "delta"),
    "l2sgd": ("c2", "delta"),
    "ap": (),
    "pa": ("c", "pa_type"),
    "arow": (),
}
"""Settings that change what is learned, beside `max_iterations`."""
WITHOUT_EFFECT = {
    "lbfgs": ("num_memories", "epsilon", "period", "linesearch", "max_linesearch"),
    "l2sgd": ("period", *CALIBRATION),
    "ap": ("epsilon",),
    "pa": ("epsilon", "error_sensitive", "averaging"),
    "arow": ("epsilon", "variance", "gamma"),
}
ALGORITHMS = tuple(USED)
SETTINGS = tuple(dict.fromkeys(name for each in (*USED.values(), *WITHOUT_EFFECT.values()) for name in each))

NO_LIMIT = 1_000_000
"""Iterations of L-BFGS, which CRFsuite does not limit by default."""
PASSES = 100
"""Passes of the other algorithms by default, as in CRFsuite."""


def make_learner(algorithm: str | None, settings: dict[str, Any]) -> Learner:
    """The learner that an algorithm and its settings stand for.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"} or None
        None means "lbfgs".
    settings : dict
        Parameters of sklearn-crfsuite by name; None is the default of each.

    Examples
    --------
    >>> make_learner("lbfgs", {"c1": 0.1, "c2": None})
    CRF(c1=0.1, c2=1.0, max_iter=1000000)
    >>> make_learner("ap", {"c1": 0.1})
    Traceback (most recent call last):
    ...
    weft.errors.InputError: c1=0.1 given with algorithm='ap', which has no such setting; it has epsilon: leave c1 out.
    """
    chosen = "lbfgs" if algorithm is None else algorithm
    if chosen not in ALGORITHMS:
        raise InputError(f"algorithm is {algorithm!r}; use {', '.join(map(repr, ALGORITHMS))} or None.")
    given = {name: settings[name] for name in SETTINGS if settings.get(name) is not None}
    for name, value in given.items():
        if name not in USED[chosen] + WITHOUT_EFFECT[chosen]:
            known = ", ".join(USED[chosen] + WITHOUT_EFFECT[chosen])
            raise InputError(
                f"{name}={value!r} given with algorithm={chosen!r}, which has no such setting; it has {known}: "
                f"leave {name} out."
            )
    idle = [f"{name}={value!r}" for name, value in given.items() if name in WITHOUT_EFFECT[chosen]]
    if idle:
        _warn(f"{', '.join(idle)} of algorithm={chosen!r} has no effect on weft's learners; leave it out.")
    limit = settings.get("max_iterations")
    if chosen in ("lbfgs", "l2sgd"):
        return ConditionalRandomField(
            given.get("c1", 0.0),
            given.get("c2", 1.0),
            max_iter=NO_LIMIT if limit is None else limit,
            tol=given.get("delta", 1e-5),
        )
    passes = PASSES if limit is None else limit
    if chosen == "ap":
        return Perceptron(passes)
    if given.get("pa_type", 1) != 1:
        raise InputError(
            f"pa_type={given['pa_type']!r} has no counterpart here; use pa_type=1, the hinge loss weighed by c."
        )
    _warn(
        f"algorithm={chosen!r} is learned as a structural SVM, weft.StructuredSVM, which minimises the hinge loss of "
        "all sequences together; choose 'lbfgs' or 'ap' to avoid this warning."
    )
    return StructuredSVM(given.get("c", 1.0), max_iter=passes)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)  # whoever called fit

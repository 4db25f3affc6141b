"""What the parameters of a spectral learner may be."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.learners.spectral.proximal import REGULARIZERS

MOST_ORDER = 1000


def check_parameters(learner: Any) -> None:
    """Raise unless every parameter of a `Spectral` learner, and their combination, makes sense."""
    whole: list[tuple[str, Any, int]] = [("order", learner.order, 2), ("min_count", learner.min_count, 1)]
    whole += [("max_rank", learner.max_rank, 1), ("checkpoint_every", learner.checkpoint_every, 1)]
    if learner.batch_size is not None:
        whole.append(("batch_size", learner.batch_size, 1))
    for name, value, smallest in whole:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < smallest:
            raise InputError(f"{name} of Spectral is {value!r}; a whole number of at least {smallest} is needed.")
    if learner.order > MOST_ORDER:
        raise InputError(f"order of Spectral is {learner.order!r:.30}; at most {MOST_ORDER} is possible.")
    if not isinstance(learner.symbol, str):
        raise InputError(
            f"symbol of Spectral is {learner.symbol!r:.60}; how attributes begin is needed, such as '0[0]='."
        )
    file = learner.checkpoint
    if file is not None and not isinstance(file, str | os.PathLike):
        raise InputError(f"checkpoint of Spectral is {file!r:.60}; the path of a file is needed, or None.")
    if learner.regularizer not in REGULARIZERS:
        raise InputError(
            f"regularizer of Spectral is {learner.regularizer!r}; use 'nuclear', 'frobenius', 'frobenius_squared' "
            "or None."
        )
    if learner.loss not in ("hinge", "log", None):
        raise InputError(f"loss of Spectral is {learner.loss!r}; use 'hinge', 'log' or None.")
    if learner.ties not in ("frequency", "label"):
        raise InputError(f"ties of Spectral is {learner.ties!r}; use 'frequency' or 'label'.")
    if learner.constrained and learner.regularizer != "nuclear":
        raise InputError("constrained=True of Spectral needs regularizer='nuclear'.")
    if learner.loss == "log" and (learner.constrained or learner.regularizer == "frobenius"):
        raise InputError(
            "loss='log' of Spectral takes regularizer='nuclear', 'frobenius_squared' or None, and no constraints; "
            "use loss='hinge'."
        )
    learner._check_iterations(learner.max_iter)
    learner._check_positive(c2=learner.c2, tol=learner.tol, margin=learner.margin)
    if learner.tau is not None:
        learner._check_positive(tau=learner.tau)
    if learner.step is not None:
        learner._check_positive(step=learner.step)

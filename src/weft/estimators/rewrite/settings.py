"""Which parameters a rewriter may have."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import InputError
from weft.estimators.inputs import check_shared
from weft.estimators.rewrite.efforts import check_effort
from weft.estimators.tag.tagger import Tagger
from weft.language_model import NGramLanguageModel
from weft.language_model.model import LONGEST
from weft.learners.base import Learner
from weft.learners.perceptron import Perceptron
from weft.learners.spectral.learner import Spectral
from weft.rewriting.network.learner import RecurrentNetwork
from weft.rewriting.training import Settings
from weft.sequences.window import WindowFeatures


def checked_settings(rewriter: Any) -> Settings:
    """Settings of the models from the parameters of a rewriter; an error for those that cannot be."""
    check_shared(rewriter)
    choices = {"invalid": ("skip", "error"), "unknown": ("copy", "drop", "error")}
    for name, allowed in choices.items():
        if getattr(rewriter, name) not in allowed:
            raise InputError(f"{name} is {getattr(rewriter, name)!r}; use one of {', '.join(map(repr, allowed))}.")
    check_effort(rewriter)
    for name in ("context", "joint_n", "n_models", "beam_width"):
        value = getattr(rewriter, name)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{name} is {value!r}; a whole number of at least 1 is needed.")
        if value > LONGEST:
            raise InputError(f"{name} is {value!r:.30}; at most {LONGEST:,} is possible.")
    parts: Any = rewriter.rerank
    if isinstance(parts, bool) or not isinstance(parts, int | np.integer) or parts < 0 or parts == 1:
        raise InputError(f"rerank is {rewriter.rerank!r}; 0 or a whole number of at least 2 is needed.")
    given = rewriter.max_chunk
    chunk = (2, 2) if given is None else given if isinstance(given, tuple | list) else (given, given)
    if len(chunk) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 9 for n in chunk):
        raise InputError(f"max_chunk is {rewriter.max_chunk!r}; a whole number from 1 to 9 is needed, or two of them.")
    if isinstance(rewriter.learner, RecurrentNetwork):
        raise InputError("a RecurrentNetwork given as learner; give it as Rewriter(network=...), it works beside one.")
    if rewriter.learner is not None and not isinstance(rewriter.learner, Learner):
        raise InputError(f"learner is {rewriter.learner!r}; weft.Perceptron(), weft.CRF() or None is needed.")
    if isinstance(rewriter.learner, Spectral) and rewriter.patience is not None:
        raise InputError(
            f"patience={rewriter.patience} given with Spectral, whose iterations are not scored; leave it out."
        )
    if rewriter.language_model is not None and not isinstance(rewriter.language_model, NGramLanguageModel):
        raise InputError(f"language_model is {rewriter.language_model!r}; an NGramLanguageModel or None is needed.")
    if rewriter.network is not None:
        if not isinstance(rewriter.network, RecurrentNetwork):
            raise InputError(f"network is {rewriter.network!r}; a RecurrentNetwork or None is needed.")
        rewriter.network.check()
    learner = Perceptron(8) if rewriter.learner is None else rewriter.learner
    max_input, max_output = chunk
    return Settings(
        learner, max_input, max_output, rewriter.context, rewriter.joint_n, rewriter.language_model,
        rewriter.n_jobs, network=rewriter.network, new_tagger=new_tagger, patience=rewriter.patience,
    )  # fmt: skip


def new_tagger(learner: Spectral, context: int, n_jobs: int | None, verbose: int = 0) -> Tagger:
    """A tagger over symbols and their windows, or over symbols alone if the learner wants nothing sparse.

    Examples
    --------
    >>> new_tagger(Spectral(2, sparse=False), 3, 1).features is None
    True
    """
    features = None if learner.sparse is False else WindowFeatures(context, context)
    return Tagger(learner, features, n_jobs=n_jobs, verbose=verbose)

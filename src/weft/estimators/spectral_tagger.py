"""SpectralTagger: a tagger with latent states."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from weft.errors import InputError, ModelFileError
from weft.estimators.tagger import Tagger
from weft.learners.spectral.learner import Spectral
from weft.learners.spectral.operator_model import InputOutputOOM
from weft.learners.spectral.states import LatentState, latent_states, operators, spectrum
from weft.sequences.corpus import Corpus
from weft.state_rules import ANY, check_state, real
from weft.structures.hankel.chain import HankelChain

__all__ = ["SpectralTagger"]

Floats = NDArray[np.float64]

RANK_SHARE = 1e-6
"""Singular values below this share of the largest do not count as states."""


class SpectralTagger(BaseEstimator):
    """Tags with the scores of windows of symbols and labels, learned as one matrix of low rank.

    A shorthand for ``Tagger(learner=Spectral(...))`` that can also show its latent states. Without `features` it needs
    no feature design: windows of `order` symbols with their labels are all there is. With features, say
    ``WindowFeatures(3, 7)``, both are learned together.

    Parameters
    ----------
    order, regularizer, tau, loss, step, batch_size, max_iter, c2, shorter_grams, constrained, symbol, min_count, ties
        As in `Spectral`.
    features : transformer of sequences, optional
        As in `Tagger`.
    constraints, validation_fraction, patience, n_jobs, verbose, random_state
        As in `Tagger`.
    checkpoint : path, optional
        As in `Spectral`: a fit that was killed goes on from there.

    Attributes
    ----------
    tagger_ : Tagger
        The fitted tagger.
    classes_, weights_, history_, n_iter_
        Those of the tagger.
    tau_ : float
        Strength of the penalty that was used.
    singular_values_ : ndarray
        Spectrum of the Hankel matrix, from largest to smallest.
    n_states_ : int
        Its numerical rank.
    operators_ : InputOutputOOM
        Operator model of the windows' scores, computed at each use.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.SpectralTagger(tau=0.1, random_state=0).fit(["abab", "ba"], ["xyxy", "zx"])
    >>> tagger.predict(["bab"])
    [['z', 'x', 'y']]
    >>> tagger.n_states_
    3
    """

    def __init__(
        self,
        order: int = 3,
        regularizer: Any = "nuclear",
        tau: float | None = None,
        *,
        features: Any = None,
        loss: Any = None,
        step: float | None = None,
        batch_size: int | None = None,
        max_iter: int = 100,
        c2: float = 0.05,
        shorter_grams: bool = False,
        constrained: bool = False,
        symbol: str = "0[0]=",
        min_count: int = 1,
        ties: Any = "frequency",
        constraints: Any = None,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.order = order
        self.regularizer = regularizer
        self.tau = tau
        self.features = features
        self.loss = loss
        self.step = step
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.c2 = c2
        self.shorter_grams = shorter_grams
        self.constrained = constrained
        self.symbol = symbol
        self.min_count = min_count
        self.ties = ties
        self.constraints = constraints
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _new_tagger(self) -> Tagger:
        learner = Spectral(
            self.order,
            self.regularizer,
            self.tau,
            loss=self.loss,
            step=self.step,
            batch_size=self.batch_size,
            max_iter=self.max_iter,
            c2=self.c2,
            shorter_grams=self.shorter_grams,
            constrained=self.constrained,
            symbol=self.symbol,
            min_count=self.min_count,
            ties=self.ties,
            checkpoint=self.checkpoint,
        )
        return Tagger(
            learner,
            self.features,
            constraints=self.constraints,
            validation_fraction=self.validation_fraction,
            patience=self.patience,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            random_state=self.random_state,
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_dev: Any = None, y_dev: Any = None) -> SpectralTagger:
        """Learn from sequences and their labels; arguments as in `Tagger.fit`."""
        self._set_model(self._new_tagger().fit(X, y, sample_weight, X_dev, y_dev))
        self.tau_ = self.tagger_.learner_.tau_
        return self

    def _set_model(self, tagger: Tagger) -> None:
        self.tagger_ = tagger
        self.classes_ = tagger.classes_
        self.weights_ = tagger.weights_
        self.history_ = tagger.history_
        self.n_iter_ = tagger.n_iter_

    # -------------------------------------------------------------- predicting

    def _fitted(self) -> Tagger:
        check_is_fitted(self, "tagger_")
        return self.tagger_

    def encode(self, X: Any) -> Corpus:
        """Encode sequences once, to predict from them many times."""
        return self._fitted().encode(X)

    def predict(self, X: Any) -> list[list[Any]]:
        """Best labels of each sequence."""
        return self._fitted().predict(X)

    def predict_kbest(self, X: Any, k: Any) -> list[list[tuple[list[Any], float]]]:
        """The k best labellings of each sequence with their probabilities, best first."""
        return self._fitted().predict_kbest(X, k)

    def predict_proba(self, X: Any) -> list[Floats]:
        """Probability of each label at each token: one array (length, n_classes) per sequence.

        Scores are read as log-weights; a margin is no likelihood, so with the hinge probabilities are not calibrated.
        """
        return self._fitted().predict_proba(X)

    def predict_marginals(self, X: Any) -> list[list[dict[Any, float]]]:
        """As `predict_proba`, one dict {label: probability} per token."""
        return self._fitted().predict_marginals(X)

    def confidence(self, X: Any) -> Floats:
        """Probability that the model gives to its own prediction, one number per sequence."""
        return self._fitted().confidence(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Token accuracy."""
        return self._fitted().score(X, y, sample_weight)

    # -------------------------------------------------------------- inspecting

    @property
    def feature_names_(self) -> list[tuple[Any, ...]]:
        """What each weight belongs to: sparse features as in `Tagger`, then windows as tuples of bi-symbols."""
        return self._fitted().feature_names_

    @property
    def bi_symbols_(self) -> list[tuple[Any, Any]]:
        """Pairs of a symbol and a label, in the order of the matrix' columns."""
        tagger = self._fitted()
        names: list[tuple[Any, Any]] = tagger.chain_.pairs.names(tagger.encoder_.feature_names, list(self.classes_))
        return names

    @property
    def singular_values_(self) -> Floats:
        """Spectrum of the Hankel matrix, from largest to smallest."""
        return spectrum(self._fitted().chain_, self.weights_)

    @property
    def n_states_(self) -> int:
        """Numerical rank of the Hankel matrix: the number of latent states."""
        values = self.singular_values_
        return int(np.count_nonzero(values > RANK_SHARE * values.max(initial=np.finfo(float).tiny)))

    @property
    def operators_(self) -> InputOutputOOM:
        """Operator model of the windows' scores; with ``constrained=True`` recovered by singular vectors."""
        chain = self._fitted().chain_
        if chain.factored:
            raise InputError(
                f"{chain.pairs.n_pairs:,} bi-symbols are too many for operators; raise min_count or lower the order."
            )
        return operators(chain, self.weights_, self.bi_symbols_)

    def latent_states(self, n_states: int = 10, n_nearest: int = 6) -> list[LatentState]:
        """What the strongest latent states encode: the bi-symbols that lie furthest along each singular direction.

        Examples
        --------
        >>> import weft
        >>> tagger = weft.SpectralTagger(tau=0.1, random_state=0).fit(["abab", "ba"], ["xyxy", "zx"])
        >>> tagger.latent_states(n_states=1)[0].beginnings[0][0]
        (('a', 'x'), ('b', 'y'))
        """
        return latent_states(self._fitted().chain_, self.weights_, self.bi_symbols_, n_states, n_nearest)

    # ------------------------------------------------------------- model files

    def _training_summary(self) -> dict[str, Any]:
        return {**self._fitted()._training_summary(), "tau": self.tau_, "n_states": self.n_states_}

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        state, arrays = self._fitted()._to_state()
        return {**state, "tau": self.tau_}, arrays

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a spectral tagger", state, {"tau": real(0.0), "kind": ANY, "history": ANY})
        tagger = self._new_tagger()
        tagger._from_state({"kind": state["kind"], "history": state["history"]}, arrays)
        if not isinstance(tagger.chain_, HankelChain):
            raise ModelFileError("a spectral tagger has no Hankel matrix")
        self._set_model(tagger)
        self.tau_ = state["tau"]

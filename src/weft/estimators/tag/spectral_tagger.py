"""SpectralTagger: a tagger with latent states."""

from __future__ import annotations

import os
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Constraints, Seed, SequenceTransformer
from weft.arrays import Floats
from weft.errors import InputError, ModelFileError
from weft.estimators.tag.tagger import Tagger
from weft.learners.spectral.learner import Spectral
from weft.learners.spectral.operator_model import InputOutputOOM
from weft.learners.spectral.proximal import Regularizer
from weft.learners.spectral.states import LatentState, latent_states, operators, spectrum
from weft.parameters import check_is_fitted
from weft.state_rules import ANY, check_state, optional, real
from weft.structures.hankel.chain import HankelChain

RANK_SHARE = 1e-6
"""Singular values below this share of the largest do not count as states."""


class SpectralTagger(Tagger):
    """Tags with the scores of windows of symbols and labels, learned as one matrix of low rank.

    A shorthand for ``Tagger(learner=Spectral(...))`` that can also show its latent states. Without `features` the model
    consists of windows of `order` symbols with their labels alone, so no features have to be designed. With features,
    say ``WindowFeatures(3, 7)``, both are learned together.

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
    classes_, weights_, history_, n_iter_, learner_
        As in `Tagger`.
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

    noun: ClassVar[str] = "a spectral tagger"
    boundary: bool = False
    pairs: str | None = None
    transitions: str | None = None
    min_frequency: float = 0.0
    n_features: int | None = None
    decode: str = "best"
    warm_start: bool = False

    def __init__(
        self,
        order: int = 3,
        regularizer: Regularizer | None = "nuclear",
        tau: float | None = None,
        *,
        features: SequenceTransformer | None = None,
        loss: Literal["hinge", "log"] | None = None,
        step: float | None = None,
        batch_size: int | None = None,
        max_iter: int = 100,
        c2: float = 0.05,
        shorter_grams: bool = False,
        constrained: bool = False,
        symbol: str = "0[0]=",
        min_count: int = 1,
        ties: Literal["frequency", "label"] = "frequency",
        constraints: Constraints | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def chain_order(self) -> int:
        """One: windows know of more labels."""
        return 1

    def _new_learner(self, default: Any = None) -> Spectral:
        return Spectral(
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

    @property
    def tau_(self) -> float:
        """Strength of the regulariser: as given, or chosen."""
        check_is_fitted(self, "weights_")
        return float(self._tau)

    def _keep(
        self, structure: Any, weights: Floats, history: list[dict[str, Any]], learner: Any, facts: dict[str, Any]
    ) -> None:
        super()._keep(structure, weights, history, learner, facts)
        self._tau: Any = getattr(learner, "tau_", None)

    # -------------------------------------------------------------- inspecting

    @property
    def chain_(self) -> HankelChain:
        """Which features have weights, and the windows of the Hankel matrix."""
        check_is_fitted(self, "weights_")
        chain: HankelChain = self.structure_.chain
        return chain

    @property
    def bi_symbols_(self) -> list[tuple[Any, Any]]:
        """Pairs of a symbol and a label, in the order of the matrix' columns."""
        return self.chain_.pairs.names(list(self.encoder_.feature_names), list(self.classes_))

    @property
    def singular_values_(self) -> Floats:
        """Spectrum of the Hankel matrix, from largest to smallest."""
        return spectrum(self.chain_, self.weights_)

    @property
    def n_states_(self) -> int:
        """Numerical rank of the Hankel matrix: the number of latent states."""
        values = self.singular_values_
        return int(np.count_nonzero(values > RANK_SHARE * values.max(initial=np.finfo(float).tiny)))

    @property
    def operators_(self) -> InputOutputOOM:
        """Operator model of the windows' scores; with ``constrained=True`` recovered by singular vectors."""
        chain = self.chain_
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
        >>> tagger.latent_states(n_states=1)[0].prefixes[0][0]
        (('a', 'x'), ('b', 'y'))
        """
        return latent_states(self.chain_, self.weights_, self.bi_symbols_, n_states, n_nearest)

    # ------------------------------------------------------------- model files

    def _training_summary(self) -> dict[str, Any]:
        return {**super()._training_summary(), "tau": self.tau_, "n_states": self.n_states_}

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        state, arrays = super()._structure_state()
        return {**state, "tau": self.tau_}, arrays

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
        check_state(
            "a spectral tagger", state, {"tau": real(0.0), "kind": ANY, "tokens": optional(ANY), "history": ANY}
        )
        structure = super()._structure_from_state({key: state[key] for key in state if key != "tau"}, arrays)
        if not isinstance(structure.chain, HankelChain):
            raise ModelFileError("a spectral tagger has no Hankel matrix")
        return structure

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._from_state(state, arrays)
        self._tau = state["tau"]

"""CRF: the estimator of sklearn-crfsuite, learned and decoded by weft."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from weft.compat.sklearn_crfsuite.algorithms import make_learner
from weft.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from weft.compat.sklearn_crfsuite.tagger import ModelInfo, SequenceTagger
from weft.errors import InputError, ModelFileError
from weft.estimators.tag.tagger import Tagger
from weft.model_file import load, save
from weft.parameters import Parameters, check_is_fitted
from weft.sequences.checks import as_list

MAGIC = b"lCRF"
"""How files of CRFsuite begin."""


@dataclass(frozen=True)
class TrainingLog:
    """What happened at each iteration.

    Attributes
    ----------
    iterations : list of dict
        ``num``, ``loss``, ``time`` (seconds of this iteration) and, with held-out data, ``item_accuracy_float``.
    """

    iterations: list[dict[str, Any]]

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        """The last of them; None if there was none."""
        return self.iterations[-1] if self.iterations else None

    @classmethod
    def of(cls, history: list[dict[str, Any]]) -> TrainingLog:
        """Log of ``history_`` of a `weft.Tagger`."""
        rows, before = [], 0.0
        for entry in history:
            seconds = entry.get("seconds", before)
            row = {"num": entry["iteration"], "loss": entry["objective"], "time": seconds - before}
            if "score" in entry:
                row["item_accuracy_float"] = entry["score"]
            rows.append(row)
            before = seconds
        return cls(rows)


class CRF(Parameters):
    """Labels sequences of feature dicts; parameters, methods and attributes are those of sklearn-crfsuite.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"}, optional
        Which learner of weft each becomes is said in `weft.compat.sklearn_crfsuite.algorithms`; None is "lbfgs".
    min_freq : float, optional
        Features whose values sum to less get no weight.
    all_possible_states, all_possible_transitions : bool, optional
        Give weights also to pairs of attribute and label, and to steps between labels, that the data do not have.
    c1, c2 : float, optional
        Penalties: ``c1 |w|_1 + c2 ||w||^2``; 0 and 1 by default.
    max_iterations : int, optional
        No limit for "lbfgs" by default, 100 passes for "ap", "pa" and "arow".
    delta : float, optional
        Stop when ten iterations improve the objective by less than this share of it.
    c, pa_type : optional
        Of "pa": weight of the loss, and its type, of which there is only 1.
    num_memories, epsilon, period, linesearch, max_linesearch : optional
        Have no effect here, and a warning says so.
    calibration_eta, calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials : optional
        Have no effect here.
    error_sensitive, averaging, variance, gamma : optional
        Have no effect here.
    verbose : bool
        Show a progress bar.
    model_filename : path, optional
        A fit writes its model there, as `weft.save` does; a model that is there can predict without a fit.
    keep_tempfiles : bool
        Has no effect: there are no temporary files to keep.
    trainer_cls : None
        Trainers of python-crfsuite cannot be used.

    Attributes
    ----------
    estimator_ : weft.Tagger or None
        The model; `weft.save` it.
    tagger_ : SequenceTagger or None
        Answers one sequence at a time, as a tagger of python-crfsuite.
    classes_ : list or None
        Labels.
    attributes_, num_attributes_ : list, int or None
        Attributes with a weight that is not zero.
    state_features_, transition_features_ : dict or None
        Weights that are not zero.
    size_ : int or None
        Bytes of the model file.
    training_log_ : TrainingLog or None

    Examples
    --------
    >>> from weft.compat import sklearn_crfsuite
    >>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "a"}, {"word": "dog"}]]
    >>> crf = sklearn_crfsuite.CRF(c2=0.1, all_possible_transitions=True)
    >>> crf.fit(X, [["D", "N"], ["D", "N"]]).predict_single([{"word": "a"}, {"word": "cat"}])
    ['D', 'N']
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | os.PathLike[str] | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls

    # ---------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Learn from sequences of feature dicts, or of attribute lists, and their labels.

        Parameters
        ----------
        X, y : list of sequences, list of label sequences
            Empty ones are left out.
        X_dev, y_dev : optional
            Scored at each iteration.
        """
        if (X_dev is None) != (y_dev is None):
            missing = "y_dev" if y_dev is None else "X_dev"
            raise InputError(f"{missing} is missing; pass both X_dev and y_dev, or neither.")
        if self.trainer_cls is not None:
            raise InputError("trainer_cls given, and a trainer of python-crfsuite cannot be used; leave it out.")
        learner = make_learner(self.algorithm, self.get_params(deep=False))
        X, y = _without_empty(X, y)
        estimator = Tagger(
            learner,
            pairs="all" if self.all_possible_states else "observed",
            transitions="all" if self.all_possible_transitions else "observed",
            min_frequency=0.0 if self.min_freq is None else self.min_freq,
            random_state=0,  # CRFsuite gives the same model each time
            verbose=int(self.verbose),
        )
        if X_dev is None:
            estimator.fit(X, y)
        else:
            X_dev, y_dev = _without_empty(X_dev, y_dev)
            estimator.fit(X, y, X_dev=X_dev, y_dev=y_dev)
        if self.model_filename is not None:
            save(estimator, self.model_filename)
        self._estimator = estimator
        self._tagger: SequenceTagger | None = None
        self._information: ModelInfo | None = None
        self._log = TrainingLog.of(estimator.history_)
        return self

    @property
    def estimator_(self) -> Tagger | None:
        """The `weft.Tagger` that was learned or is in the file; None before."""
        found: Tagger | None = getattr(self, "_estimator", None)
        if found is None and self.model_filename is not None and Path(self.model_filename).is_file():
            with Path(self.model_filename).open("rb") as file:
                if file.read(len(MAGIC)) == MAGIC:
                    raise ModelFileError(
                        f"{os.fspath(self.model_filename)} is a model of CRFsuite, which weft cannot read; "
                        "fit again with another model_filename."
                    )
            self._estimator = found = load(self.model_filename, expected="Tagger")
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return self.estimator_ is not None

    # -------------------------------------------------------------- predicting

    def _fitted(self) -> Tagger:
        check_is_fitted(self)
        found = self.estimator_
        assert found is not None, "check_is_fitted has asked"
        return found

    def predict(self, X: Any) -> NDArray[np.object_]:
        """Labels of each sequence, as an array of lists (of two dimensions if all have the same length)."""
        return np.array(_each(X, self._fitted().predict), dtype=object)

    def predict_single(self, xseq: Any) -> list[Any]:
        """Labels of one sequence."""
        found: list[Any] = _each([xseq], self._fitted().predict)[0]
        return found

    def predict_marginals(self, X: Any) -> NDArray[np.object_]:
        """Probability of each label at each token, one dict per token."""
        return np.array(_each(X, self._fitted().predict_marginals), dtype=object)

    def predict_marginals_single(self, xseq: Any) -> list[dict[Any, float]]:
        """Probability of each label at each token of one sequence."""
        found: list[dict[Any, float]] = _each([xseq], self._fitted().predict_marginals)[0]
        return found

    def score(self, X: Any, y: Any) -> float:
        """Share of labels that are predicted right; a label unseen in training is wrong."""
        return flat_accuracy_score(y, self.predict(X))

    # -------------------------------------------------------------- inspecting

    @property
    def tagger_(self) -> SequenceTagger | None:
        """Answers one sequence at a time; None before a fit."""
        estimator = self.estimator_
        if estimator is None:
            return None
        if getattr(self, "_tagger", None) is None:
            self._tagger = SequenceTagger(estimator, self._file_size(estimator))
            self._information = None
        return self._tagger

    def _file_size(self, estimator: Tagger) -> int:
        if self.model_filename is not None:
            return Path(self.model_filename).stat().st_size
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.weft"
            save(estimator, path)
            return path.stat().st_size

    @property
    def _info(self) -> ModelInfo | None:
        tagger = self.tagger_
        if tagger is not None and self._information is None:
            self._information = tagger.info()
        return None if tagger is None else self._information

    @property
    def training_log_(self) -> TrainingLog | None:
        """What happened at each iteration of the fit; None before."""
        return getattr(self, "_log", None)

    @property
    def classes_(self) -> list[Any] | None:
        """Labels, sorted; None before a fit."""
        return None if self.estimator_ is None else list(self.estimator_.classes_)

    @property
    def size_(self) -> int | None:
        """Bytes of the model file; None before a fit."""
        info = self._info
        return None if info is None else int(info.header["size"])

    @property
    def num_attributes_(self) -> int | None:
        """Number of attributes with a weight that is not zero; None before a fit."""
        info = self._info
        return None if info is None else len(info.attributes)

    @property
    def attributes_(self) -> list[Any] | None:
        """Attributes with a weight that is not zero; None before a fit."""
        info = self._info
        return None if info is None else list(info.attributes)

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float] | None:
        """Weight of each (attribute, label) that is not zero; None before a fit."""
        info = self._info
        return None if info is None else info.state_features

    @property
    def transition_features_(self) -> dict[tuple[Any, ...], float] | None:
        """Weight of each (label, next label) that is not zero; None before a fit."""
        info = self._info
        return None if info is None else info.transitions

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tagger": None, "_information": None}


def _without_empty(X: Any, y: Any) -> tuple[list[Any], list[Any]]:
    """Sequences that have tokens, and their labels: CRFsuite learns nothing from the others."""
    X, y = as_list(X, "X"), as_list(y, "y")
    if len(X) != len(y):
        raise InputError(f"X has {len(X)} sequences but y has {len(y)} label sequences; each needs its own.")
    kept = [
        (x, labels)
        for x, labels in zip(X, y, strict=True)
        if not (hasattr(x, "__len__") and hasattr(labels, "__len__") and len(x) == 0 == len(labels))
    ]
    return [x for x, _ in kept], [labels for _, labels in kept]


def _each(X: Any, ask: Any) -> list[Any]:
    """Answers for all sequences in one call; an empty one has an empty answer."""
    X = as_list(X, "X")
    full = [x for x in X if not (hasattr(x, "__len__") and len(x) == 0)]
    answers = iter(ask(full) if full else [])
    return [[] if hasattr(x, "__len__") and len(x) == 0 else next(answers) for x in X]

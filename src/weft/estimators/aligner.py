"""Aligner: which positions of two sequences belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from weft.checkpoint import pack_named, unpack_named
from weft.errors import InputError, ModelFileError
from weft.estimators.alignment_inputs import as_pairs, as_references, upper
from weft.estimators.inputs import checked_sample_weight, generator
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor, untimed
from weft.state_rules import HISTORY, boolean, check_arrays, check_state, floats, packed_symbols
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.pair_corpus import Alignments, gapped_pair
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix
from weft.structures.z_scores import z_scores

__all__ = ["Aligner"]

Floats = NDArray[np.float64]


class Aligner(BaseEstimator):
    """Learns to align two sequences globally.

    Parameters
    ----------
    model : {"substitution", "match"}
        A weight for each unordered pair of symbols, or one for equal and one for different symbols.
    gaps : {"affine", "linear"}
        Weights for the first symbol of a gap and for further ones, or one for all. Where a gap in one sequence
        follows directly on a gap in the other, a new gap opens.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. A fit works on a copy, ``learner_``.
    alphabet : sequence of symbols, optional
        Symbols that have weights; by default those of the training sequences. Model "match" takes any symbols.
    reliable : {"all", "upper"}
        With "upper", only reference columns of two upper-case letters are known, as in PREFAB. The others are neither
        learned nor scored: a reference is then the set of all alignments that contain the known columns. `CRF`
        raises the likelihood of the set, moment learners use its mean, `Perceptron` steps to its best member, and
        `StructuredSVM` to the one that pairs most equal letters in fewest gaps. Case of `X` does not matter.
    decode : {"best", "expected_accuracy"}
        What to predict: the alignment of the largest score, or the one whose pairs of positions have the largest sum
        of probabilities, which finds more of the right ones where weights are those of a `CRF`.
    patience : int, optional
        Stop after this many iterations without a better score on ``X_dev``; the best weights are kept.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.
    random_state : int, optional
        Seed of everything random.

    Attributes
    ----------
    weights_ : ndarray
        One weight per feature, in the order of `feature_names_`.
    structure_ : weft.structures.Alignment
    history_ : list of dict
        Objective, held-out score and seconds of each iteration.
    learner_ : learner
        The learner that was used.

    Examples
    --------
    >>> import weft
    >>> X = [("ACGT", "AGT"), ("CCAT", "CCT")]
    >>> y = [("ACGT", "A-GT"), ("CCAT", "CC-T")]
    >>> aligner = weft.Aligner("match", learner=weft.CRF(c2=0.1)).fit(X, y)
    >>> aligner.predict([("GATTC", "GTTC")])
    [('GATTC', 'G-TTC')]
    """

    def __init__(
        self,
        model: str = "substitution",
        gaps: str = "affine",
        learner: Any = None,
        *,
        alphabet: Any = None,
        reliable: str = "all",
        decode: str = "best",
        patience: int | None = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.gaps = gaps
        self.learner = learner
        self.alphabet = alphabet
        self.reliable = reliable
        self.decode = decode
        self.patience = patience
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        columns: Any = None,
        X_dev: Any = None,
        y_dev: Any = None,
    ) -> Aligner:
        """Learn from pairs of sequences and their alignments.

        Parameters
        ----------
        X : list of pairs (s1, s2)
            Strings or lists of symbols, without gaps.
        y : list of pairs (t1, t2)
            The same with gaps ``"-"``; not needed by `EM`, which learns without them.
        sample_weight : array of shape (n_pairs,), optional
        columns : list of boolean arrays, optional
            Which columns of each alignment are known, instead of `reliable`.
        X_dev, y_dev : optional
            Held-out pairs, scored at each iteration.
        """
        if self.reliable not in ("all", "upper"):
            raise InputError(f"reliable is {self.reliable!r}; use 'all' or 'upper'.")
        if self.decode not in ("best", "expected_accuracy"):
            raise InputError(f"decode is {self.decode!r}; use 'best' or 'expected_accuracy'.")
        pairs = self._pairs(X)
        sample_weight = checked_sample_weight(sample_weight, len(pairs))
        structure = self._new_structure(pairs)
        learner = self._new_learner()
        if getattr(learner, "learns_without_references", False):
            batch = AlignmentBatch(structure, structure.encode(pairs), None, sample_weight, self.n_jobs)
        elif y is None:
            raise InputError(f"{type(learner).__name__} learns from alignments; pass y, or use learner=weft.EM().")
        else:
            batch = self._labelled(structure, pairs, y, sample_weight, columns)
        if batch.has_partial_references and not batch.reference().n_anchors.any():
            raise InputError(
                "no column of y is reliable, so there is nothing to learn; mark some or use reliable='all'."
            )
        with Monitor(self.verbose, self._scorer(structure, X_dev, y_dev), self.patience) as monitor:
            weights = learner.learn(batch, np.zeros(batch.n_features), monitor, generator(self.random_state))
        if monitor.best_weights is not None:
            weights = monitor.best_weights
        self.learner_ = learner
        self._set_model(structure, weights, monitor.history)
        return self

    @classmethod
    def from_matrix(cls, matrix: SubstitutionMatrix, *, n_jobs: int | None = -1) -> Aligner:
        """An aligner with given scores, such as BLOSUM62, that has nothing to learn.

        Parameters
        ----------
        matrix : SubstitutionMatrix
            Symmetric, with the scores of gaps.
        n_jobs : int
            Threads; -1 for all cores.

        Examples
        --------
        >>> import numpy as np
        >>> import weft
        >>> matrix = SubstitutionMatrix(("A", "C"), np.array([[2.0, -1.0], [-1.0, 2.0]]), -1.5, -0.5)
        >>> weft.Aligner.from_matrix(matrix).predict([("ACA", "AA")])
        [('ACA', 'A-A')]
        """
        values = np.asarray(matrix.values, dtype=np.float64)
        if values.shape != (len(matrix.alphabet),) * 2 or not np.array_equal(values, values.T):
            raise InputError(
                f"the matrix has shape {values.shape} and {len(matrix.alphabet)} symbols, or is not symmetric; a score "
                "for each unordered pair of symbols is wanted."
            )
        aligner = cls(alphabet=list(matrix.alphabet), n_jobs=n_jobs)
        structure = aligner._new_structure([])
        weights = np.empty(structure.n_features)
        weights[structure.pair_features(len(values))] = values
        weights[structure.gap_features] = matrix.gap_open, matrix.gap_extend
        aligner.learner_ = aligner._new_learner()
        aligner._set_model(structure, weights, [])
        return aligner

    def _pairs(self, X: Any) -> list[tuple[Any, Any]]:
        pairs = as_pairs(X)
        return [(upper(a), upper(b)) for a, b in pairs] if self.reliable == "upper" else pairs

    def _new_structure(self, pairs: list[tuple[Any, Any]]) -> Alignment:
        alphabet = self.alphabet
        if alphabet is None and self.model == "substitution":
            symbols = {symbol for pair in pairs for sequence in pair for symbol in sequence}
            alphabet = sorted(symbols, key=lambda symbol: (type(symbol).__name__, symbol))
            alphabet = [symbol for symbol in alphabet if symbol != "-"]
        return Alignment(self.model, alphabet, self.gaps)

    def _new_learner(self) -> Any:
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise InputError(
                f"learner is {self.learner!r}; a learner such as weft.CRF() or weft.Perceptron() is wanted, or None."
            )
        return CRF() if self.learner is None else clone(self.learner)

    def _labelled(
        self,
        structure: Alignment,
        pairs: list[tuple[Any, Any]],
        y: Any,
        sample_weight: Floats | None,
        columns: Any = None,
    ) -> AlignmentBatch:
        moves, masks = as_references(pairs, y, self.reliable, columns)
        corpus = structure.encode(pairs)
        return AlignmentBatch(structure, corpus, References.build(corpus, moves, masks), sample_weight, self.n_jobs)

    def labelled_batch(self, X: Any, y: Any) -> AlignmentBatch:
        """Pairs and their alignments, bound to the fitted structure: for queries beyond those of this class."""
        check_is_fitted(self, "weights_")
        return self._labelled(self.structure_, self._pairs(X), y, None)

    def _scorer(self, structure: Alignment, X_dev: Any, y_dev: Any) -> Any:
        if X_dev is None:
            if self.patience is not None:
                raise InputError("patience needs held-out data; pass X_dev and y_dev.")
            return None
        batch = self._labelled(structure, self._pairs(X_dev), y_dev, None)
        return lambda weights: self._accuracy(batch, weights)

    def _set_model(self, structure: Alignment, weights: Floats, history: list[dict[str, Any]]) -> None:
        self.structure_ = structure
        self.weights_ = weights
        self.history_ = history
        self.n_iter_ = len(history)

    # -------------------------------------------------------------- predicting

    def _batch(self, X: Any) -> AlignmentBatch:
        check_is_fitted(self, "weights_")
        return AlignmentBatch(self.structure_, self.structure_.encode(self._pairs(X)), n_jobs=self.n_jobs)

    def _alignments(self, batch: AlignmentBatch, weights: Floats) -> Alignments:
        return batch.argmax(weights)[0] if self.decode == "best" else batch.most_accurate(weights, gamma=np.inf)

    def _accuracy(self, batch: AlignmentBatch, weights: Floats) -> float:
        """Share of the known pairs of positions that the predictions have."""
        total = float(batch.sample_weight @ batch.reference().n_anchors)
        if total == 0.0:
            raise InputError("no reference alignment has a column to score; give at least one without a gap.")
        return 1.0 - float(batch.sample_weight @ batch.losses(self._alignments(batch, weights))) / total

    def predict(self, X: Any) -> list[tuple[Any, Any]]:
        """Alignment of each pair: two rows with gaps ``"-"``, strings for strings."""
        pairs = as_pairs(X)
        alignments = self._alignments(self._batch(pairs), self.weights_)
        return [gapped_pair(pair, alignments[index]) for index, pair in enumerate(pairs)]

    def predict_kbest(self, X: Any, k: Any) -> list[list[tuple[tuple[Any, Any], float]]]:
        """The k best alignments of each pair with their probabilities, best first; fewer if fewer exist."""
        if not (isinstance(k, int | np.integer) and k >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is wanted.")
        pairs = as_pairs(X)
        batch = self._batch(pairs)
        ranked = batch.kbest(self.weights_, int(k))
        log_partitions = batch.log_partitions(self.weights_)
        return [
            [(gapped_pair(pair, moves), float(np.exp(min(score - log_partition, 0.0)))) for moves, score in own]
            for pair, own, log_partition in zip(pairs, ranked, log_partitions, strict=True)
        ]

    def predict_marginals(self, X: Any) -> list[Floats]:
        """Probability that each two positions are paired: one array (len(s1), len(s2)) per pair."""
        return self._batch(X).marginals(self.weights_)

    def confidence(self, X: Any) -> Floats:
        """Probability that the model gives to its own prediction, one number per pair."""
        batch = self._batch(X)
        scores = batch.scores(self.weights_, self._alignments(batch, self.weights_))
        return np.asarray(np.exp(np.minimum(scores - batch.log_partitions(self.weights_), 0.0)))

    def z_score(self, X: Any) -> Floats:
        """How far the score of each prediction stands above the mean over all alignments, in standard deviations."""
        batch = self._batch(X)
        return z_scores(batch, self.weights_, self._alignments(batch, self.weights_))

    def relative_rank_bound(self, X: Any) -> Floats:
        """Bound on the share of all alignments that score at least as high as the prediction: ``1 / (1 + z^2)``."""
        return np.asarray(1.0 / (1.0 + self.z_score(X) ** 2))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the known reference columns without gaps that the predictions have."""
        check_is_fitted(self, "weights_")
        pairs = self._pairs(X)
        batch = self._labelled(self.structure_, pairs, y, checked_sample_weight(sample_weight, len(pairs)))
        return self._accuracy(batch, self.weights_)

    # ------------------------------------------------------------- inspecting

    @property
    def feature_names_(self) -> list[Any]:
        """What each weight belongs to: a pair of symbols, or a kind of gap."""
        check_is_fitted(self, "weights_")
        return self.structure_.feature_names

    @property
    def substitution_matrix_(self) -> SubstitutionMatrix:
        """Weights of pairs and gaps as a labelled matrix, which can be written for Biopython and parasail."""
        check_is_fitted(self, "weights_")
        alphabet = self.structure_.alphabet
        if alphabet is None:
            raise InputError("model 'match' has no alphabet; give Aligner(alphabet='ACGT') to get a matrix.")
        values, gap_open, gap_extend = self.structure_.tables(self.weights_, len(alphabet))
        return SubstitutionMatrix(alphabet, values, gap_open, gap_extend)

    # ------------------------------------------------------------ model files

    def _training_summary(self) -> dict[str, Any]:
        last = self.history_[-1] if self.history_ else {}
        return {
            "n_weights": len(self.weights_),
            "n_iterations": self.n_iter_,
            **{key: last[key] for key in ("objective", "score") if key in last},
        }

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "weights_")
        arrays: dict[str, NDArray[Any]] = {"weights": self.weights_}
        alphabet = self.structure_.alphabet
        if alphabet is not None:
            arrays |= pack_named("alphabet", list(alphabet))
        return {"history": untimed(self.history_), "has_alphabet": alphabet is not None}, arrays

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("an aligner", state, {"history": HISTORY, "has_alphabet": boolean()})
        letters = packed_symbols("alphabet", "n_letters") if state["has_alphabet"] else {}
        sizes = check_arrays("an aligner", arrays, {"weights": floats("n_weights"), **letters})
        alphabet = unpack_named("alphabet", arrays) if state["has_alphabet"] else None
        structure = Alignment(self.model, alphabet, self.gaps)
        if sizes["n_weights"] != structure.n_features:
            raise ModelFileError(f"an aligner has {sizes['n_weights']} weights; wanted {structure.n_features}")
        self.learner_ = self._new_learner()
        self._set_model(structure, arrays["weights"], state["history"])

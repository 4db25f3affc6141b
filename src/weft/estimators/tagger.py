"""Tagger: one label per token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from weft.checkpoint import pack_named, unpack_named
from weft.errors import InputError, ModelFileError
from weft.estimators.inputs import as_classes, checked_sample_weight, generator, hold_out, label_map
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor, untimed
from weft.learners.perceptron import Perceptron
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_sequences
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import Kind, TokenEncoder
from weft.sequences.labels import encode_labels, label_classes
from weft.state_rules import HISTORY, check_state, choice
from weft.structures.chain.batch import ChainBatch, sparse_tokens
from weft.structures.chain.constraints import check_allowed, forbidden_labels
from weft.structures.chain.features import ChainFeatures
from weft.structures.hankel.arrays import chain_from_arrays, chain_to_arrays, check_chain_arrays, check_chain_weights
from weft.structures.hankel.batch import HankelBatch, bind_chain
from weft.structures.hankel.chain import HankelChain
from weft.structures.online import PerceptronState
from weft.structures.z_scores import z_scores

__all__ = ["Tagger"]

Floats = NDArray[np.float64]


class Tagger(BaseEstimator):
    """Learns to give each token of a sequence a label.

    Parameters
    ----------
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. A fit works on a copy, ``learner_``.
    features : transformer of sequences, optional
        Turns sequences into attribute lists before encoding, for example `WindowFeatures`. With ``None`` the
        features are the symbol itself paired with each label and label transitions, exactly those of an HMM;
        feature dicts, attribute lists and arrays are used as they are, plus transitions.
    order : int
        Number of previous labels that a label depends on.
    constraints : {"BIO", "BIOES"} or list of (label, label) pairs, optional
        Steps between labels that no output takes.
    boundary : bool
        Give the first and the last label of a sequence weights of their own.
    pairs : {"observed", "all"}, optional
        Which (attribute, label) pairs and transitions have a weight: those of the training data, or all. ``None``
        means all for plain symbols and for arrays, observed for attribute lists and feature dicts.
    validation_fraction : float
        Share of the training sequences held out to score each iteration.
    patience : int, optional
        Stop after this many iterations without a better held-out score; the best weights are kept.
    warm_start : bool
        Start from the weights of the last fit.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.
    random_state : int, optional
        Seed of everything random: the perceptron's order, the held-out part.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted.
    weights_ : ndarray
        One weight per feature, in the order of `feature_names_`.
    history_ : list of dict
        Objective, held-out score and seconds of each iteration.
    learner_ : learner
        The learner that was used.

    Examples
    --------
    >>> import weft
    >>> X = [["the", "cat", "sleeps"], ["a", "cat"]]
    >>> y = [["D", "N", "V"], ["D", "N"]]
    >>> tagger = weft.Tagger(weft.CRF(c2=0.01)).fit(X, y)
    >>> tagger.predict([["a", "cat", "sleeps"]])
    [['D', 'N', 'V']]
    """

    def __init__(
        self,
        learner: Any = None,
        features: Any = None,
        *,
        order: int = 1,
        constraints: Any = None,
        boundary: bool = False,
        pairs: str | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = -1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.features = features
        self.order = order
        self.constraints = constraints
        self.boundary = boundary
        self.pairs = pairs
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    # ---------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_dev: Any = None, y_dev: Any = None) -> Tagger:
        """Learn from sequences and their labels.

        Parameters
        ----------
        X : list of sequences
        y : list of label sequences
        sample_weight : array of shape (n_sequences,), optional
        X_dev, y_dev : optional
            Held-out sequences, scored at each iteration (instead of `validation_fraction`).
        """
        X, y = as_sequences(X, "X"), as_sequences(y, "y")
        sample_weight = checked_sample_weight(sample_weight, len(X))
        random = generator(self.random_state)
        if X_dev is None and self.validation_fraction:
            X, y, sample_weight, X_dev, y_dev = hold_out(X, y, sample_weight, self.validation_fraction, random)
        earlier = self._earlier() if self.warm_start else None
        encoder = TokenEncoder() if earlier is None else earlier.encoder_.copy()
        corpus = self._encoded(encoder.encode_training, X)
        classes = label_classes(y, () if earlier is None else list(earlier.classes_))
        labels = encode_labels(X, y, classes)
        learner = self._new_learner(CRF())
        chain = learner.extend(self._choose_features(corpus, labels, classes, encoder), corpus, labels, encoder)
        initial = np.zeros(chain.n_features)
        if earlier is not None:
            initial = chain.transfer(earlier.weights_, earlier.chain_, label_map(earlier.classes_, classes))
        batch = bind_chain(chain, corpus, labels, sample_weight, self.n_jobs)
        with Monitor(self.verbose, self._scorer(chain, encoder, classes, X_dev, y_dev), self.patience) as monitor:
            weights = learner.learn(batch, initial, monitor, random)
        if monitor.best_weights is not None:
            weights = monitor.best_weights
        if getattr(learner, "c1", 0.0) > 0.0:
            used = weights[: chain.n_pairs] != 0.0
            weights = np.concatenate([weights[: chain.n_pairs][used], weights[chain.n_pairs :]])
            chain = chain.keep(used)
        self.learner_ = learner
        self.perceptron_state_: PerceptronState | None = None
        encoder.alphabet.prepare()
        self._set_model(encoder, classes, chain, weights, monitor.history)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Tagger:
        """Make one perceptron pass over a part of a stream; new attributes join the vocabulary.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : list of labels
            All labels that will ever come; needed at the first call.
        """
        learner = self._new_learner(Perceptron())
        if not isinstance(learner, Perceptron):
            raise InputError(
                f"partial_fit needs a learner that works in steps, but learner is {type(learner).__name__}; "
                "use Tagger(weft.Perceptron())."
            )
        X, y = as_sequences(X, "X"), as_sequences(y, "y")
        earlier = self._earlier()
        before: PerceptronState | None = getattr(self, "perceptron_state_", None)
        if earlier is None:
            if classes is None:
                raise InputError("the first partial_fit needs classes=[...], all labels that will ever come.")
            encoder, known = TokenEncoder(), label_classes([as_classes(classes)])
        else:
            encoder, known = earlier.encoder_.copy(), earlier.classes_
        corpus = self._encoded(encoder.encode_training, X)
        labels = encode_labels(X, y, known)
        chain = self._choose_features(corpus, labels, known, encoder, None if earlier is None else earlier.chain_)
        same = np.arange(len(known))
        state = PerceptronState(np.zeros(chain.n_features), np.zeros(chain.n_features))
        if earlier is not None:
            if before is None:  # fitted or loaded before: the stream goes on from those weights
                before = PerceptronState(earlier.weights_, np.zeros_like(earlier.weights_))
            state = PerceptronState(
                chain.transfer(before.weights, earlier.chain_, same),
                chain.transfer(before.totals, earlier.chain_, same),
                before.clock,
            )
        random = getattr(self, "_stream_random", None)
        if random is None or earlier is None:
            random = generator(self.random_state)
        batch = ChainBatch(chain, corpus, labels, checked_sample_weight(sample_weight, len(X)), self.n_jobs)
        with Monitor(self.verbose) as monitor:
            state = learner.learn_more(batch, state, monitor, random, n_passes=1)
        self.perceptron_state_ = state
        self._stream_random = random
        self.learner_ = learner
        history = monitor.history if earlier is None else [*self.history_, *monitor.history]
        self._set_model(encoder, known, chain, state.average, history)
        return self

    def _new_learner(self, default: Learner) -> Any:
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise InputError(
                f"learner is {self.learner!r}; a learner such as weft.CRF() or weft.Perceptron() is wanted, or None."
            )
        return default if self.learner is None else clone(self.learner)

    def _earlier(self) -> Tagger | None:
        return self if hasattr(self, "weights_") else None

    def _set_model(
        self,
        encoder: TokenEncoder,
        classes: NDArray[np.object_],
        chain: ChainFeatures | HankelChain,
        weights: Floats,
        history: list[dict[str, Any]],
    ) -> None:
        self.encoder_ = encoder
        self.classes_ = classes
        self.chain_: Any = chain
        self.weights_ = weights
        self.history_ = history
        self.n_iter_ = len(history)

    def _choose_features(
        self,
        corpus: Corpus,
        labels: NDArray[np.int32],
        classes: NDArray[np.object_],
        encoder: TokenEncoder,
        known: ChainFeatures | None = None,
    ) -> ChainFeatures:
        if self.pairs not in (None, "observed", "all"):
            raise InputError(f"pairs is {self.pairs!r}; use 'observed', 'all' or None.")
        pairs = self.pairs
        if pairs is None:
            pairs = "all" if encoder.kind in ("symbols", "vectors") else "observed"
        forbidden = forbidden_labels(self.constraints, list(classes))
        check_allowed(labels, corpus.offsets, forbidden, list(classes))
        return ChainFeatures.collect(
            sparse_tokens(corpus),
            labels,
            corpus.offsets,
            len(classes),
            order=self.order,
            pairs=pairs,  # type: ignore[arg-type]
            boundary=self.boundary,
            forbidden=forbidden,
            known=known,
        )

    def _scorer(
        self,
        chain: ChainFeatures,
        encoder: TokenEncoder,
        classes: NDArray[np.object_],
        X_dev: Any,
        y_dev: Any,
    ) -> Any:
        """Token accuracy on held-out data as a function of the weights, or None."""
        if X_dev is None:
            if self.patience is not None:
                raise InputError("patience needs held-out data; pass X_dev and y_dev or set validation_fraction.")
            return None
        X_dev, y_dev = as_sequences(X_dev, "X_dev"), as_sequences(y_dev, "y_dev")
        corpus = self._encoded(encoder.encode, X_dev)
        gold = encode_labels(X_dev, y_dev, classes)
        batch = bind_chain(chain, corpus, n_jobs=self.n_jobs)
        return lambda weights: float(np.mean(batch.argmax(weights)[0] == gold))

    # -------------------------------------------------------------- predicting

    def _encoded(self, encode: Callable[[Any], Corpus], X: Any) -> Corpus:
        """Corpus of sequences, transformed first if there is a transformer."""
        if self.features is None or isinstance(X, Corpus):
            return encode(X)
        X = as_sequences(X, "X")
        if not hasattr(self.features, "transform"):
            raise InputError(
                f"features is {self.features!r}; a transformer of sequences is wanted, such as weft.WindowFeatures(), "
                "or None."
            )
        corpus = encode(self.features.transform(X))
        # Labels are counted by X, so a transformer that drops or adds a token would shift them all.
        if corpus.lengths.tolist() != list(map(len, X)):
            raise InputError(
                f"features, a {type(self.features).__name__}, makes {corpus.n_tokens} tokens in {len(corpus)} "
                f"sequences of the {sum(map(len, X))} in {len(X)}; a transformer that keeps each token is wanted."
            )
        return corpus

    def encode(self, X: Any) -> Corpus:
        """Encode sequences once, to predict from them many times."""
        check_is_fitted(self, "weights_")
        return self._encoded(self.encoder_.encode, X)

    def _batch(self, X: Any, labels: NDArray[np.int32] | None = None) -> ChainBatch | HankelBatch:
        corpus = self.encode(X)
        if corpus.encoder_key != self.encoder_.key or corpus.n_columns > len(self.chain_.pair_offsets) - 1:
            raise InputError("this corpus was encoded by another model; encode X again with this one.")
        return bind_chain(self.chain_, corpus, labels, n_jobs=self.n_jobs)

    def labelled_batch(self, X: Any, y: Any) -> ChainBatch | HankelBatch:
        """Output spaces of inputs with their references, as learners see them.

        Parameters
        ----------
        X, y
            As in `fit`; labels are those of the model.

        Returns
        -------
        ChainBatch or HankelBatch
            Answers the questions of `weft.structures.protocol`.

        Examples
        --------
        >>> import weft
        >>> tagger = weft.Tagger().fit(["ab", "ba"], ["xy", "yx"])
        >>> tagger.labelled_batch(["aab"], ["xxy"]).reference()
        array([0, 0, 1], dtype=int32)
        """
        check_is_fitted(self, "weights_")
        X, y = as_sequences(X, "X"), as_sequences(y, "y")
        return self._batch(X, encode_labels(X, y, self.classes_))

    def predict(self, X: Any) -> list[list[Any]]:
        """Best labels of each sequence; X may be a `Corpus` from `encode`."""
        batch = self._batch(X)
        labels, _ = batch.argmax(self.weights_)
        return self._decoded(labels, batch.corpus)

    def _decoded(self, labels: NDArray[np.int32], corpus: Corpus) -> list[list[Any]]:
        names = list(self.classes_)
        return corpus.split(list(map(names.__getitem__, labels.tolist())))

    def predict_kbest(self, X: Any, k: Any) -> list[list[tuple[list[Any], float]]]:
        """The k best labellings of each sequence with their probabilities, best first; fewer if fewer exist."""
        if not (isinstance(k, int | np.integer) and k >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is wanted.")
        batch = self._batch(X)
        names, log_partitions = list(self.classes_), batch.log_partitions(self.weights_).tolist()
        return [
            [
                (list(map(names.__getitem__, labels.tolist())), float(np.exp(min(score - log_partition, 0.0))))
                for labels, score in ranked
            ]
            for ranked, log_partition in zip(batch.kbest(self.weights_, int(k)), log_partitions, strict=True)
        ]

    def predict_proba(self, X: Any) -> list[Floats]:
        """Probability of each label at each token: one array (length, n_classes) per sequence."""
        return self._batch(X).marginals(self.weights_)

    def predict_marginals(self, X: Any) -> list[list[dict[Any, float]]]:
        """As `predict_proba`, one dict {label: probability} per token (the form of sklearn-crfsuite)."""
        check_is_fitted(self, "weights_")
        names = list(self.classes_)
        return [
            [dict(zip(names, row, strict=True)) for row in probabilities.tolist()]
            for probabilities in self.predict_proba(X)
        ]

    def confidence(self, X: Any) -> Floats:
        """Probability that the model gives to its own prediction, one number per sequence."""
        batch = self._batch(X)
        _, scores = batch.argmax(self.weights_)
        return np.asarray(np.exp(np.minimum(scores - batch.log_partitions(self.weights_), 0.0)))

    def z_score(self, X: Any) -> Floats:
        """How far the score of each prediction stands above the mean over all outputs, in standard deviations.

        The moments are those of the model's own scores over every possible labelling. By Chebyshev's inequality at
        most a share of ``1 / (1 + z^2)`` of all labellings scores as high: see `relative_rank_bound`.
        """
        return z_scores(self._batch(X), self.weights_)

    def relative_rank_bound(self, X: Any) -> Floats:
        """Bound on the share of all labellings that score at least as high as the prediction: ``1 / (1 + z^2)``."""
        return np.asarray(1.0 / (1.0 + self.z_score(X) ** 2))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Token accuracy; `sample_weight` counts each sequence's tokens that many times."""
        X, y = as_sequences(X, "X"), as_sequences(y, "y")
        check_is_fitted(self, "weights_")
        gold = encode_labels(X, y, self.classes_)
        batch = self._batch(X)
        right = batch.argmax(self.weights_)[0] == gold
        sample_weight = checked_sample_weight(sample_weight, len(X))
        token_weights = None if sample_weight is None else np.repeat(sample_weight, batch.corpus.lengths)
        return float(np.average(right, weights=token_weights))

    # ------------------------------------------------------------- inspecting

    @property
    def feature_names_(self) -> list[tuple[Any, ...]]:
        """What each weight belongs to: (attribute, label), or the labels of a transition."""
        check_is_fitted(self, "weights_")
        names: list[tuple[Any, ...]] = self.chain_.names(self.encoder_.feature_names, self.classes_)
        return names

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float]:
        """Weight of each (attribute, label), as in sklearn-crfsuite."""
        check_is_fitted(self, "weights_")
        n_pairs = self.chain_.n_pairs
        return dict(zip(self.feature_names_[:n_pairs], self.weights_[:n_pairs].tolist(), strict=True))

    @property
    def transition_features_(self) -> dict[tuple[Any, ...], float]:
        """Weight of each label n-gram, as in sklearn-crfsuite."""
        check_is_fitted(self, "weights_")
        labels = list(self.classes_)
        weights = self.chain_.split(self.weights_)[1].tolist()
        names = [tuple(labels[z] for z in gram) for gram in self.chain_.grams.grams]
        return dict(zip(names, weights, strict=True))

    # ------------------------------------------------------------ model files

    def _training_summary(self) -> dict[str, Any]:
        last = self.history_[-1] if self.history_ else {}
        return {
            "n_labels": len(self.classes_),
            "n_attributes": len(self.encoder_.alphabet),
            "n_weights": len(self.weights_),
            "n_iterations": self.n_iter_,
            **{key: last[key] for key in ("objective", "score") if key in last},
        }

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "weights_")
        arrays = {"weights": self.weights_, **chain_to_arrays(self.chain_)}
        arrays |= pack_named("classes", list(self.classes_)) | pack_named("attributes", self.encoder_.feature_names)
        return {"kind": self.encoder_.kind, "history": untimed(self.history_)}, arrays

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a tagger", state, {"kind": choice(*get_args(Kind)), "history": HISTORY})
        check_chain_arrays(arrays)
        names, columns = unpack_named("classes", arrays), unpack_named("attributes", arrays)
        classes = np.empty(len(names), dtype=object)
        classes[:] = names
        encoder = TokenEncoder(state["kind"], Alphabet(columns))
        if len(encoder.alphabet) != len(columns) or len(set(names)) != len(names):
            raise ModelFileError("a tagger has the same label or the same attribute twice")
        chain = chain_from_arrays(arrays)
        check_chain_weights(chain, arrays["weights"])
        self.learner_ = self._new_learner(CRF())
        self._set_model(encoder, classes, chain, arrays["weights"], state["history"])

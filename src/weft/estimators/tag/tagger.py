"""Tagger: one label per token."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from operator import eq
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Constraints, Inputs, Seed, SequenceTransformer, Symbols
from weft.arrays import Floats, Ids, Integers, Mask
from weft.core.vectors import product
from weft.errors import InputError
from weft.estimators.inputs import as_classes, check_shared, checked_sample_weight, label_map
from weft.estimators.structured_estimator import StructuredEstimator
from weft.estimators.tag.features import choose_features
from weft.estimators.tag.tagging import Tagging, tagging_from_arrays, tagging_from_state, tagging_to_arrays
from weft.learners.base import Learner
from weft.learners.crf import CRF, USUAL_C2
from weft.learners.perceptron import Perceptron
from weft.parameters import check_is_fitted
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_sequences
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import Kind, TokenEncoder
from weft.sequences.hashed_alphabet import HashedAlphabet
from weft.sequences.labels import UnseenLabelError, encode_labels, label_classes
from weft.sequences.token_forms import Form, check_token_form, joined_form, token_form
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.features import ChainFeatures

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked
    from weft.structures.hankel.chain import HankelChain

NAMES_C2 = 0.1
"""Penalty of a CRF that leaves it open, for tokens with names: `python -m benchmarks.strengths` compares others."""


class Tagger(StructuredEstimator):
    """Learns to give each token of a sequence a label.

    Parameters
    ----------
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`, whose ``c2`` is 0.1 for tokens with names and 1 for arrays if
        not given. A fit works on a copy, ``learner_``.
    features : transformer of sequences, optional
        Turns sequences into attribute lists before encoding, for example `WindowFeatures`. With ``None`` the
        features are the symbol itself paired with each label and label transitions, exactly those of an HMM;
        feature dicts, attribute lists and arrays are used as they are, plus transitions.
    order : int
        Number of previous labels that a label depends on.
    constraints : {"BIO", "BIOES"} or list of (label, label) pairs, optional
        Steps between labels that no output may take.
    boundary : bool
        Give the first and the last label of a sequence weights of their own.
    pairs : {"observed", "all"}, optional
        Which (attribute, label) pairs have a weight: those of the training data, or all. ``None`` means all for plain
        symbols and for arrays, observed for attribute lists and feature dicts.
    transitions : {"observed", "all"}, optional
        The same of steps between labels; ``None`` means as `pairs`.
    min_frequency : float
        Pairs and transitions whose values in the training data sum to less than this get no weight.
    min_count : int
        Attributes that fewer tokens of the training data have are left out.
    n_features : int, optional
        Hash attributes to this many columns, the same on every machine, and keep no names: for more attributes than
        fit into memory. Some share a column; ``feature_names_`` has numbers of columns instead of names, and
        weights of plain symbols are those of observed pairs. ``None`` keeps names.
    decode : {"best", "expected"}
        Predict the labels of the best score together, or at each token the most probable one.
    validation_fraction : float
        Share of the training sequences held out to score each iteration.
    patience : int, optional
        Stop after this many iterations without a better held-out score; the best weights are kept.
    warm_start : bool
        Start from the weights of the last fit.
    random_state : int, optional
        Seed of everything random: the perceptron's order, the held-out part.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.

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

    noun: ClassVar[str] = "a tagger"
    empty_output: ClassVar[Any] = []
    needs_outputs: ClassVar[bool] = True
    words: ClassVar[tuple[str, str]] = ("sequences", "label sequences")

    def __init__(
        self,
        learner: Learner | None = None,
        features: SequenceTransformer | None = None,
        *,
        order: int = 1,
        constraints: Constraints | None = None,
        boundary: bool = False,
        pairs: str | None = None,
        transitions: str | None = None,
        min_frequency: float = 0.0,
        min_count: int = 1,
        n_features: int | None = None,
        decode: str = "best",
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.features = features
        self.order = order
        self.constraints = constraints
        self.boundary = boundary
        self.pairs = pairs
        self.transitions = transitions
        self.min_frequency = min_frequency
        self.min_count = min_count
        self.n_features = n_features
        self.decode = decode
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------------------------- learning

    @property
    def chain_order(self) -> int:
        """Number of previous labels that a label of the chain depends on."""
        return self.order

    def _as_inputs(self, X: Any, name: str = "X") -> Any:
        return X if isinstance(X, Corpus) else as_sequences(X, name)

    def _as_outputs(self, y: Any) -> Any:
        return as_sequences(y, "y")

    def _collect(self, X: Any, y: Any, learner: Learner) -> Tagging:
        earlier = self.structure_ if self.warm_start and hasattr(self, "weights_") else None
        encoder = self._new_encoder() if earlier is None else earlier.encoder.copy()
        corpus = self._encoded(encoder.encode_training, X)
        encoder.form = self._form_of(X, None if earlier is None else earlier.encoder)
        if self.min_count > 1:
            known = 0 if earlier is None or encoder.is_hashed else len(earlier.encoder.alphabet)
            encoder, corpus = encoder.without_rare(corpus, self.min_count, known)
        classes = label_classes(y, () if earlier is None else list(earlier.classes))
        labels = encode_labels(X, y, classes)
        chain = choose_features(self, corpus, labels, classes, encoder)
        extended = learner.extend(chain, corpus, labels, encoder)
        if encoder.is_hashed and extended is not chain:
            raise InputError(f"{type(learner).__name__} needs names of attributes; leave n_features out.")
        encoder.alphabet.put_away()  # before a learner needs memory
        return Tagging(encoder, classes, extended, (X, corpus))

    @staticmethod
    def _form_of(X: Any, earlier: TokenEncoder | None = None) -> Form | None:
        """How sequences are written, these and those that an encoder knows."""
        form = None if isinstance(X, Corpus) else token_form(X)
        return form if earlier is None else joined_form(form, earlier.form)

    def _new_encoder(self, kind: Kind | None = None, names: list[Any] | None = None) -> TokenEncoder:
        """An encoder with these names of columns, or with hashes for names."""
        return TokenEncoder(kind, Alphabet(names or ()) if self.n_features is None else HashedAlphabet(self.n_features))

    def _references(self, structure: Tagging, X: Any, y: Any) -> tuple[Ids, dict[str, Any]]:
        return encode_labels(X, y, structure.classes), {}

    def _bind(
        self, structure: Tagging, X: Any, references: Any = None, sample_weight: Floats | None = None
    ) -> ChainBatch:
        given, corpus = structure.encoded
        if corpus is None or given is not X:
            if not isinstance(X, Corpus):
                check_token_form(structure.encoder.form, X, stacklevel=7)
            corpus = self._encoded(structure.encoder.encode, X)
        if corpus.encoder_key != structure.encoder.key or corpus.n_columns > len(structure.chain.pair_offsets) - 1:
            raise InputError("this corpus was encoded by another model; encode X again with this one.")
        if isinstance(structure.chain, ChainFeatures):
            return ChainBatch(structure.chain, corpus, references, sample_weight, self.n_jobs)
        found: ChainBatch = structure.chain.bind(corpus, references, sample_weight, self.n_jobs)
        return found

    def _transferred(self, weights: Floats, structure: Tagging) -> Floats:
        before = self.structure_
        found: Floats = structure.chain.transfer(weights, before.chain, label_map(before.classes, structure.classes))
        return found

    def _learn(self, structure: Tagging, batch: Any, learner: Learner, *others: Any) -> None:
        if isinstance(learner, CRF) and learner.c2 is None:
            has_names = structure.encoder.kind != "vectors"
            learner.c2 = NAMES_C2 if has_names and learner.prior is None else USUAL_C2
        super()._learn(structure, batch, learner, *others)

    def _can_be_scored(self, y: Any, kept: Integers, held_out: Integers) -> Mask:
        """A label that only the held-out part has could not be scored."""
        try:
            known = {label for i in kept for label in y[i]}
            return np.array([known.issuperset(y[i]) for i in held_out])
        except TypeError:
            label_classes(y)  # names the sequence with a label that is none
            raise

    def _keep(
        self, structure: Tagging, weights: Floats, history: list[dict[str, Any]], learner: Any, facts: dict[str, Any]
    ) -> None:
        chain = structure.chain
        if getattr(learner, "c1", 0.0) > 0.0:
            used = weights[: chain.n_pairs] != 0.0
            weights = np.concatenate([weights[: chain.n_pairs][used], weights[chain.n_pairs :]])
            chain = chain.keep(used)
        structure.encoder.alphabet.prepare()
        super()._keep(replace(structure, chain=chain, encoded=(None, None)), weights, history, learner, facts)

    def partial_fit(
        self, X: Asked, y: Inputs, classes: Symbols | None = None, sample_weight: ArrayLike | None = None
    ) -> Tagger:
        """Make one perceptron pass over a part of a stream; new attributes join the vocabulary.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes : list of labels
            All labels of the stream; needed at the first call.
        sample_weight : array of shape (n_sequences,), optional
        """
        check_shared(self)
        self._check_settings()
        learner = self._new_learner(Perceptron)
        inputs, outputs = self._as_examples(X, y, learner)
        earlier: Tagging | None = self.structure_ if hasattr(self, "weights_") else None
        if earlier is None:
            if classes is None:
                raise InputError("the first partial_fit needs classes=[...], all labels that will ever occur.")
            encoder, known = self._new_encoder(), label_classes([as_classes(classes)])
        else:
            encoder, known = earlier.encoder.copy(), earlier.classes
        corpus = self._encoded(encoder.encode_training, inputs)
        encoder.form = self._form_of(inputs, None if earlier is None else encoder)
        labels = encode_labels(inputs, outputs, known)
        chain = choose_features(self, corpus, labels, known, encoder, None if earlier is None else earlier.chain)
        structure = Tagging(encoder, known, chain, (inputs, corpus))
        batch = self._bind(structure, inputs, labels, checked_sample_weight(sample_weight, len(inputs)))
        self._pass_over(learner, structure, batch, lambda vector: self._transferred(vector, structure), {})
        return self

    def _check_settings(self) -> None:
        super()._check_settings()
        for name, value in (("pairs", self.pairs), ("transitions", self.transitions)):
            if value not in (None, "observed", "all"):
                raise InputError(f"{name} is {value!r}; use 'observed', 'all' or None.")
        least: Any = self.min_frequency
        if not (isinstance(least, int | float | np.number) and 0.0 <= least < np.inf):
            raise InputError(f"min_frequency is {least!r}; a number of at least 0 is needed.")
        min_count: Any = self.min_count
        if not (isinstance(min_count, int | np.integer) and min_count >= 1):
            raise InputError(f"min_count is {min_count!r}; a whole number of at least 1 is needed.")
        if self.n_features is not None:
            HashedAlphabet(self.n_features)

    # --------------------------------------------------------- examples in parts

    def _part_maker(self, learner: Learner) -> Any:
        from weft.estimators.tag.parts import TagPartMaker

        return TagPartMaker(self, learner)

    def _tagging(self, encoder: TokenEncoder, classes: NDArray[np.object_], chain: Any) -> Tagging:
        return Tagging(encoder, classes, chain)

    def _spilled_structure(self, structure: Tagging) -> dict[str, NDArray[Any]]:
        """Arrays from which `_structure_from_spill` makes the structure again."""
        return tagging_to_arrays(structure)

    def _structure_from_spill(self, arrays: dict[str, NDArray[Any]], kind: str, form: Form | None) -> Tagging:
        return tagging_from_arrays(arrays, kind, self.n_features, form)

    def _scorer(self, structure: Tagging, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """Token accuracy; a weight counts all tokens of its sequence."""
        batch = self._bind(structure, X, encode_labels(X, y, structure.classes), sample_weight)
        sample_weight = batch.sample_weight
        n_tokens = product(sample_weight, batch.corpus.lengths.astype(np.float64))
        return lambda weights: 1.0 - product(sample_weight, batch.losses(self._outputs(batch, weights))) / n_tokens

    def score(self, X: Asked, y: Inputs, sample_weight: ArrayLike | None = None) -> float:
        """Share of tokens with the right label; `sample_weight` counts each sequence that many times.

        Labels unseen in training are errors, and a warning names one: a fold may lack a rare label.
        """
        check_is_fitted(self, "weights_")
        try:
            return super().score(X, y, sample_weight)
        except UnseenLabelError as error:
            warnings.warn(f"{error} Until then it counts as an error.", stacklevel=2)
        inputs, outputs = self._as_examples(X, y)
        weights = checked_sample_weight(sample_weight, len(inputs))
        weights = np.ones(len(inputs)) if weights is None else weights
        predicted = self.predict(inputs)
        right = [sum(map(eq, labels, guess)) for labels, guess in zip(outputs, predicted, strict=True)]
        lengths = np.array(list(map(len, predicted)), dtype=np.float64)
        return product(weights, np.array(right, dtype=np.float64)) / product(weights, lengths)

    # -------------------------------------------------------------- predicting

    def _prepared(self) -> Any:
        super()._prepared()
        chain = self.structure_.chain
        return chain.loop_weights(self.weights_) if isinstance(chain, ChainFeatures) else None

    def _copied(self) -> bool | slice:
        chain = self.structure_.chain
        return slice(chain.n_pairs, None) if isinstance(chain, ChainFeatures) else True

    def _encoded(self, encode: Callable[[Any], Corpus], X: Any) -> Corpus:
        """Corpus of sequences, transformed first if there is a transformer."""
        return encode(X if self.features is None or isinstance(X, Corpus) else self._transformed(X))

    def _transformed(self, X: Any) -> Any:
        """What the transformer makes of sequences."""
        X = as_sequences(X, "X")
        if self.features is None or not hasattr(self.features, "transform"):
            raise InputError(
                f"features is {self.features!r}; a transformer of sequences is needed, such as weft.WindowFeatures(), "
                "or None."
            )
        found = as_sequences(self.features.transform(X), "what features makes of X")
        # Labels are counted by X, so a transformer that drops or adds a token would shift them all.
        if (lengths := list(map(len, found))) != list(map(len, X)):
            raise InputError(
                f"features, a {type(self.features).__name__}, makes {sum(lengths)} tokens in {len(found)} "
                f"sequences of the {sum(map(len, X))} in {len(X)}; a transformer that keeps each token is needed."
            )
        return found

    def encode(self, X: Asked) -> Corpus:
        """Encode sequences once, to predict from them many times."""
        encoder = self.encoder_
        if not isinstance(X, Corpus):
            X = as_sequences(X, "X")
            check_token_form(encoder.form, X, stacklevel=3)
        return self._encoded(encoder.encode, X)

    def _written(self, X: Any, i: int, output: Any) -> list[Any]:
        return list(map(self.structure_.names.__getitem__, output.tolist()))

    def _all_written(self, X: Any, batch: Any, outputs: Any) -> list[list[Any]]:
        """All labels at once, then cut: one by one would take as long as finding them."""
        found: list[list[Any]] = batch.corpus.split(list(map(self.structure_.names.__getitem__, outputs.tolist())))
        return found

    def predict_proba(self, X: Asked) -> list[Floats]:
        """Probability of each label at each token: one array (length, n_classes) per sequence."""
        return self._answered(X, super().predict_marginals, lambda: np.empty((0, len(self.structure_.names))))

    def predict_marginals(self, X: Asked) -> list[list[dict[Any, float]]]:
        """As `predict_proba`, one dict {label: probability} per token (the form of sklearn-crfsuite)."""
        found = self.predict_proba(X)
        names = self.structure_.names
        return [[dict(zip(names, row, strict=True)) for row in own.tolist()] for own in found]

    # ------------------------------------------------------------- inspecting

    @property
    def classes_(self) -> NDArray[np.object_]:
        """Labels, sorted."""
        check_is_fitted(self, "weights_")
        classes: NDArray[np.object_] = self.structure_.classes
        return classes

    @property
    def encoder_(self) -> TokenEncoder:
        """What turns sequences into numbers."""
        check_is_fitted(self, "weights_")
        encoder: TokenEncoder = self.structure_.encoder
        return encoder

    @property
    def chain_(self) -> ChainFeatures | HankelChain:
        """Which features have weights: `ChainFeatures`, or a `HankelChain` after a spectral learner."""
        check_is_fitted(self, "weights_")
        chain: ChainFeatures | HankelChain = self.structure_.chain
        return chain

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
        sizes = {"n_labels": len(self.classes_), "n_attributes": len(self.encoder_.alphabet)}
        return {**sizes, **super()._training_summary()}

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        hashed = {"n_features": len(self.encoder_.alphabet)} if self.encoder_.is_hashed else {}
        form = {} if self.encoder_.form is None else {"tokens": self.encoder_.form}
        return {"kind": self.encoder_.kind, **form, **hashed}, tagging_to_arrays(self.structure_)

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Tagging:
        return tagging_from_state(state, arrays)

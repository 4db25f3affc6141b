"""StackedTagger: a tagger that reads what a first one has answered."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Constraints, Inputs, Seed, SequenceTransformer, Symbols
from weft.arrays import Floats
from weft.errors import InputError, convergence_warning
from weft.estimators.inputs import LARGEST_WEIGHT, generator
from weft.estimators.tag.tagger import Tagger
from weft.estimators.tag.tagging import Tagging
from weft.learners.base import Learner
from weft.learners.structured_svm import StructuredSVM
from weft.parameters import check_is_fitted, clone
from weft.sequences.answers import answer_attributes, is_chunked
from weft.sequences.checks import as_sequences
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import input_kind
from weft.sequences.token_forms import check_token_form, token_form
from weft.sequences.window import escape
from weft.state_rules import ANY, check_state, choice, optional
from weft.structures.chain.batch import ChainBatch

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked

FORMS = ("symbols", "attributes", "dicts")
"""Of sequences, as `weft.sequences.encoder` names them; arrays have no names to which answers could be added."""
FIRST = "first."
"""Begins the names of the first tagger's arrays in a file."""


@dataclass(frozen=True, eq=False)
class StackedTagging(Tagging):
    """Labellings, the fitted tagger whose answers are among the attributes, and the form of the sequences."""

    first: Any = None
    form: str = "symbols"

    @property
    def chunked(self) -> bool:
        """Whether labels are those of chunks."""
        return is_chunked(_texts(self.classes))


class StackedTagger(Tagger):
    """Tags twice: a second tagger also reads the predictions of a first one, and so sees whole chunks around a token.

    On the training data the first tagger predicts by cross-validation, so that the second learns to correct the errors
    that the first makes on new data (stacking: Wolpert 1992; of taggers, Cohen and Carvalho 2005). Its predictions
    become attributes: labels near the token, and the chunks around it where labels begin with ``B-`` or ``S-``, each
    also together with the first and the last column of the token.

    A fit takes as long as `n_folds` fits of the first tagger on a part of the data, one on all of them, and one of the
    second. It is worth that where labels depend on labels further away than a chain of order 1 or 2 sees, as in
    chunking.

    Parameters
    ----------
    learner : learner, optional
        Of the second tagger, as in `Tagger`.
    features : transformer of sequences, optional
        Of both, as in `Tagger`: it has to give attribute lists or feature dicts.
    first : learner, optional
        Of the first tagger; ``None`` means ``StructuredSVM(0.1, max_iter=10)``.
    n_folds : int
        Parts of the training data, each of which is answered for by a first tagger of the others.
    order, constraints, boundary, pairs, transitions, min_frequency, min_count
        Of both, as in `Tagger`.
    decode, validation_fraction, patience
        Of the second, as in `Tagger`.
    random_state : int, optional
        Seed of everything random: the folds, and what a `Tagger` draws.
    n_jobs, verbose
        As in `Tagger`.

    Attributes
    ----------
    first_ : Tagger
        The first tagger, of all training data; it takes attribute lists.
    classes_, weights_, history_, n_iter_, learner_
        Those of the second, as in `Tagger`.

    Examples
    --------
    >>> import weft
    >>> X = [["the", "cat", "sleeps"], ["a", "cat"], ["the", "dog", "sleeps"], ["a", "dog"]]
    >>> y = [["B-NP", "I-NP", "O"], ["B-NP", "I-NP"], ["B-NP", "I-NP", "O"], ["B-NP", "I-NP"]]
    >>> tagger = weft.StackedTagger(n_folds=2, random_state=0).fit(X, y)
    >>> tagger.predict([["a", "cat", "sleeps"]])
    [['B-NP', 'I-NP', 'O']]
    >>> ("answer[-1]=I-NP", "O") in tagger.state_features_
    True
    """

    noun: ClassVar[str] = "a stacked tagger"
    n_features: int | None = None
    warm_start: bool = False

    def __init__(
        self,
        learner: Learner | None = None,
        features: SequenceTransformer | None = None,
        *,
        first: Learner | None = None,
        n_folds: int = 5,
        order: int = 1,
        constraints: Constraints | None = None,
        boundary: bool = False,
        pairs: str | None = None,
        transitions: str | None = None,
        min_frequency: float = 0.0,
        min_count: int = 1,
        decode: str = "best",
        validation_fraction: float = 0.0,
        patience: int | None = None,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.features = features
        self.first = first
        self.n_folds = n_folds
        self.order = order
        self.constraints = constraints
        self.boundary = boundary
        self.pairs = pairs
        self.transitions = transitions
        self.min_frequency = min_frequency
        self.min_count = min_count
        self.decode = decode
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------------------------- learning

    def _check_settings(self) -> None:
        super()._check_settings()
        n_folds: Any = self.n_folds
        if isinstance(n_folds, bool) or not isinstance(n_folds, int | np.integer) or n_folds < 2:
            raise InputError(f"n_folds is {n_folds!r}; a whole number of at least 2 is needed.")
        if self.first is not None and not isinstance(self.first, Learner):
            raise InputError(
                f"first is {self.first!r}; a learner such as weft.StructuredSVM() or weft.CRF() is needed, or None."
            )

    def _new_first(self) -> Tagger:
        """The first tagger, which is given what `features` makes."""
        learner = StructuredSVM(0.1, max_iter=10) if self.first is None else clone(self.first)
        shared = ("order", "constraints", "boundary", "pairs", "transitions", "min_frequency", "min_count")
        settings: dict[str, Any] = {name: getattr(self, name) for name in (*shared, "random_state", "n_jobs")}
        return Tagger(learner, verbose=self.verbose, **settings)

    def _fitted_first(self, X: Any, y: Any, sample_weight: Floats | None) -> Tagger:
        if sample_weight is not None and sample_weight.max() < 1.0 / LARGEST_WEIGHT:
            raise InputError(
                f"sample_weight is {sample_weight.max():g} or less for all {len(X)} sequences that a first tagger "
                "learns from while others are left out; leave out sequences without weight, or raise n_folds."
            )
        with warnings.catch_warnings():
            if self.first is None:  # ten iterations of the usual one are enough, converged or not
                warnings.simplefilter("ignore", convergence_warning())
            return self._new_first().fit(X, y, sample_weight)

    def _collected(self, X: Any, y: Any, learner: Learner, sample_weight: Floats | None) -> StackedTagging:
        if isinstance(X, Corpus):
            raise InputError("X was encoded already, but StackedTagger learns what it encodes with; pass sequences.")
        if len(X) < 2:
            raise InputError("StackedTagger has a first tagger answer for others; pass 2 sequences or more.")
        form = input_kind(X)
        known, columns = self._own_attributes(X, form)
        first = self._fitted_first(known, y, sample_weight)
        random = generator(self.random_state)
        answers = cross_answers(self._fitted_first, known, y, int(self.n_folds), random, sample_weight)
        described = with_answers(known, columns, answers, is_chunked(_texts(first.classes_)))
        found = self._collect(described, y, learner)
        found.encoder.form = token_form(X)
        return StackedTagging(found.encoder, found.classes, found.chain, (X, found.encoded[1]), first, form)

    def _own_attributes(self, X: Any, form: str) -> tuple[list[Any], list[Any]]:
        """Attributes of each token without any answer, and columns of each sequence to join answers with."""
        if form == "vectors":
            raise InputError(
                "X holds arrays, to which no answer can be added; StackedTagger takes strings, lists of tokens, rows "
                "of columns, attribute lists or feature dicts."
            )
        has_columns = form == "symbols" or (form == "attributes" and self.features is not None)
        columns = [columns_of(sequence) if has_columns else [] for sequence in X]
        if self.features is not None:
            X = self._transformed(X)
            if input_kind(X) not in ("attributes", "dicts"):
                raise InputError(
                    f"features, a {type(self.features).__name__}, makes {input_kind(X)}; StackedTagger needs attribute "
                    "lists or feature dicts, such as weft.WindowFeatures() makes."
                )
        elif form == "symbols":  # named as a window names them, which no answer is
            X = [[(f"0[0]={escape(token)}",) for token in tokens] for [tokens] in columns]
        return X, columns

    def _encoded(self, encode: Any, X: Any) -> Corpus:
        """Corpus of tokens that are described already."""
        corpus: Corpus = encode(X)
        return corpus

    def _answered_corpus(self, structure: StackedTagging, X: Any) -> Corpus:
        """Sequences together with the answers of the first tagger, encoded for the second."""
        if isinstance(X, Corpus):
            return X
        X = as_sequences(X, "X")
        if (form := input_kind(X)) != structure.form:
            raise InputError(f"X holds {form}, but this tagger was trained on {structure.form}; give the same form.")
        check_token_form(structure.encoder.form, X, stacklevel=4)
        known, columns = self._own_attributes(X, form)
        described = with_answers(known, columns, structure.first.predict(known), structure.chunked)
        return structure.encoder.encode(described)

    def _bind(self, structure: Any, X: Any, references: Any = None, sample_weight: Floats | None = None) -> ChainBatch:
        if structure.encoded[0] is not X:
            X = self._answered_corpus(structure, X)
        return super()._bind(structure, X, references, sample_weight)

    def encode(self, X: Asked) -> Corpus:
        """Encode sequences and the answers of the first tagger once, to predict from them many times."""
        check_is_fitted(self, "weights_")
        return self._answered_corpus(self.structure_, X)

    def partial_fit(
        self, X: Asked, y: Inputs, classes: Symbols | None = None, sample_weight: ArrayLike | None = None
    ) -> NoReturn:
        """Refuse: answers of a first tagger come by cross-validation of all data."""
        raise InputError("StackedTagger has no partial_fit: its first tagger is cross-validated; use fit, or Tagger.")

    def _part_maker(self, learner: Learner) -> NoReturn:
        raise InputError(
            "StackedTagger cross-validates its first tagger in memory; leave client and spill out, or use Tagger."
        )

    # -------------------------------------------------------------- inspecting

    @property
    def first_(self) -> Tagger:
        """The first tagger, of all training data; it takes attribute lists."""
        check_is_fitted(self, "weights_")
        first: Tagger = self.structure_.first
        return first

    # ------------------------------------------------------------- model files

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        state, arrays = super()._structure_state()
        first_state, first_arrays = self.first_._to_state()
        state |= {"first": first_state, "form": self.structure_.form}
        return state, {**arrays, **{FIRST + key: each for key, each in first_arrays.items()}}

    def _structure_from_state(self, state: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> StackedTagging:
        rules = {"first": ANY, "form": choice(*FORMS), "kind": ANY, "tokens": optional(ANY), "history": ANY}
        check_state("a stacked tagger", state, rules)
        first = self._new_first()
        first._from_state(
            state["first"], {key.removeprefix(FIRST): each for key, each in arrays.items() if key.startswith(FIRST)}
        )
        own = {key: each for key, each in arrays.items() if not key.startswith(FIRST)}
        rest = {key: each for key, each in state.items() if key in ("kind", "tokens", "history")}
        found = super()._structure_from_state(rest, own)
        return StackedTagging(found.encoder, found.classes, found.chain, first=first, form=state["form"])


def _texts(labels: Any) -> list[str]:
    return list(map(str, labels))


def cross_answers(
    fit: Callable[[Any, Any, Any], Any],
    X: Sequence[Any],
    y: Sequence[Any],
    n_folds: int,
    random: np.random.Generator,
    sample_weight: Floats | None = None,
) -> list[Any]:
    """Outputs for each input by a model that was fitted without its fold.

    Parameters
    ----------
    fit : callable
        Takes inputs, outputs and weights, which may be None; returns a model with ``predict``.
    X, y : sequences
    n_folds : int
        There are no more than inputs.
    random : numpy.random.Generator
        Draws the folds.
    sample_weight : ndarray, optional

    Examples
    --------
    >>> import weft
    >>> cross_answers(weft.Tagger(n_jobs=1).fit, ["ab", "ba", "b"], ["xy", "yx", "y"], 3, np.random.default_rng(0))
    [['x', 'y'], ['y', 'x'], ['y']]
    """
    answers: list[Any] = [None] * len(X)
    for fold in np.array_split(random.permutation(len(X)), min(n_folds, len(X))):
        others = np.setdiff1d(np.arange(len(X)), fold)  # in their order, which steps of a learner depend on
        weights = None if sample_weight is None else sample_weight[others]
        model = fit([X[i] for i in others], [y[i] for i in others], weights)
        for i, found in zip(fold, model.predict([X[i] for i in fold]), strict=True):
            answers[i] = found
    return answers


def columns_of(sequence: Any) -> list[list[str]]:
    """Columns of a sequence of tokens or of rows; none if rows are not equally long.

    Examples
    --------
    >>> columns_of("ab"), columns_of([["the", "DT"], ["cat", "NN"]]), columns_of([["a"], ["b", "c"]])
    ([['a', 'b']], [['the', 'cat'], ['DT', 'NN']], [])
    """
    rows = [token if isinstance(token, list | tuple) else (token,) for token in sequence]
    return [_texts(column) for column in zip(*rows, strict=True)] if len(set(map(len, rows))) == 1 else []


def with_answers(
    known: Sequence[Any], columns: Sequence[Any], answers: Sequence[Any], chunked: bool
) -> list[list[Any]]:
    r"""Attributes of tokens and those of answers together.

    Parameters
    ----------
    known : sequences of attribute lists or of feature dicts
    columns : sequences
        As `columns_of` gives them; empty for sequences without.
    answers : sequences of labels
    chunked : bool
        Whether labels are those of chunks.

    Examples
    --------
    >>> with_answers([[("a",)]], [[]], [["x"]], chunked=False)[0][0][:3]
    ['a', 'answer[-4]=\\start', 'answer[-3]=\\start']
    """
    found = []
    for tokens, own_columns, labels in zip(known, columns, answers, strict=True):
        more = answer_attributes(own_columns, _texts(labels), chunked)
        found.append(
            [
                {**token, **dict.fromkeys(names, True)} if isinstance(token, Mapping) else [*token, *names]
                for token, names in zip(tokens, more, strict=True)
            ]
        )
    return found

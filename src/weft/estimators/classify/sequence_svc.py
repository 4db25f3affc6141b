"""SequenceSVC: one class per sequence."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, Inputs, Seed, Symbols
from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.core.kept import kept
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.estimators.classify.inputs import (
    as_examples,
    batch_costs,
    check_cache_size,
    check_options,
    check_same_form,
    encode_targets,
    example_costs,
    labels_of,
    learned_features,
    named,
    offered_kernels,
    single_kernel,
    target_classes,
    warn_of_case,
    warn_of_unknown,
)
from weft.estimators.classify.problems import chosen_kernel, feature_problems, problems_of, scores_of_passes
from weft.estimators.classify.solutions import earlier_alpha, keep_solutions
from weft.estimators.classify.state import svc_from_state, svc_to_state
from weft.estimators.inputs import (
    as_classes,
    check_held_out,
    check_shared,
    check_weights,
    checked_sample_weight,
    generator,
    hold_out,
)
from weft.kernel_methods.svm.calibration import class_probabilities
from weft.kernel_methods.svm.highlight import Highlight, highlight_features
from weft.kernel_methods.svm.problems import (
    binary_tasks,
    calibrate,
    choose_cost,
)
from weft.kernel_methods.svm.storages.size import StorageSize
from weft.kernels.base import Kernel
from weft.kernels.feature_map import FeatureMap
from weft.learners.monitor import Monitor
from weft.parameters import Classifier, Parameters, available_if, check_is_fitted, clone
from weft.scale.examples import as_examples as parts_of
from weft.sequences.checks import as_sequence

if TYPE_CHECKING:
    from weft.estimators.annotations import Training


def _has_probabilities(estimator: SequenceSVC) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba needs SequenceSVC(probability=True); decision_function needs nothing.")
    return True


class SequenceSVC(Classifier, Parameters):
    """Learns to put sequences into classes, by a support vector machine over a string kernel.

    If the kernel has explicit features, dual coordinate descent trains on them in time linear in the data; otherwise
    sequential minimal optimisation works on rows of the kernel matrix. With more than two classes, each is learned
    against the rest.

    Features unseen in training are left out. A sequence that shares none with the training data, such as an empty
    string, is classified by the bias alone, that is, into the class that training favours, with a warning unless it is
    empty. (Without a bias the decision is 0, and the first class is predicted.)

    Parameters
    ----------
    kernel : kernel or list of kernels, optional
        ``None`` means ``BlendedSpectrumKernel()``, runs of one to five symbols (for lattices with ``sublinear=False``),
        and for texts of several words that and ``WordKernel()`` (without idf in streams, with `min_count` or `spill`).
        A fit works on a copy, ``kernel_``.
        Of a list of kernels, such as that of `dna_kernels`, the one with the largest mean area under the curve in
        3-fold cross-validation on at most 2,500 examples is taken, which costs about three fits for each.
    C : float, optional
        Cost of an error. ``None`` chooses 0.3, 1, 3 or 10 in three folds of at most 3,000 examples, ``C_`` (for
        `partial_fit`, and while a kernel is chosen, it means 1). Kernels of counts are large, so that most data are
        separated for any C above 0.01; divide by lengths with ``Normalized(kernel)`` to make C matter.
    storage : {"array", "trie", "minimal", "naive", "hash"}
        How the weights of features (W' in LK) are kept while training. All give the same model; "array" is fastest,
        the others are for study: a trie, a minimal weighted automaton, the plain sum over examples, a perfect hash.
    loss : {"squared_hinge", "hinge"}
        The squared hinge is right slightly more often (``python -m benchmarks.classify_default``); the hinge is the
        machine of LK, with fewer support vectors. Neither trains faster.
    bias : bool
        Add a constant feature of value 1, so that the kernel becomes K + 1.
    class_weight : dict or "balanced", optional
        Factors of C; each example has that of its own class.
    probability : bool
        Calibrate probabilities on held-out folds, for `predict_proba`: up to five more fits.
    min_count : int
        Features that fewer sequences of the training data have are left out; they still count for lengths.
    tol : float
        Passes end when projected gradients differ by at most this: the rule, and the meaning, of LIBLINEAR.
    max_iter : int
        Maximum number of passes over the examples.
    validation_fraction : float
        Share of the training data held out to score each pass: how many of them each problem, a class against the
        rest, decides rightly. Needs a kernel with explicit features and ``storage="array"``.
    patience : int, optional
        Stop a problem after this many passes without a better held-out score; the best weights are kept, while
        ``alpha_`` and ``gap_`` are those of the last pass.
    random_state : int, optional
        Seed of the order of examples, of folds and of the held-out part.
    warm_start : bool
        Begin with the dual variables of the last fit if it had as many examples and the same classes.
    n_jobs : int
        Threads for problems of several classes; -1 for all cores.
    verbose : int
        1 shows a progress bar.
    cache_size : float
        Megabytes for rows of the kernel matrix, where a kernel has no explicit features.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted.
    weights_ : ndarray of shape (n_problems, n_features)
        One row for two classes, in favour of the second; else one for each class. For a kernel without explicit
        features, signed dual variables of `support_`.
    bias_ : ndarray of shape (n_problems,)
    alpha_ : ndarray of shape (n_problems, n_examples)
        Dual variables.
    history_ : list of dict
        Dual objective along the passes, or of each class.
    gap_ : ndarray of shape (n_problems,)
        Upper bound on the distance of each objective from its minimum; NaN without explicit features.
    storage_size_ : list of StorageSize
        States, transitions and bytes of W' in each problem; empty for "array".
    kernel_ : kernel
    kernel_scores_ : ndarray of shape (n_kernels,), or None
        Mean area under the curve of each kernel of a list; zeros where there are too few examples.
    C_ : float
        The cost of an error that was used.

    Examples
    --------
    >>> import weft
    >>> X = ["the cat sat", "the dog sat", "le chat dort", "le chien dort"]
    >>> svc = weft.SequenceSVC(weft.NGramKernel(2)).fit(X, ["en", "en", "fr", "fr"])
    >>> svc.predict(["the mat", "le lit"]).tolist()
    ['en', 'fr']
    >>> [name for name, weight in svc.top_features("en", 3)]
    [' s', 'he', 'sa']
    """

    weights_: Floats
    bias_: Floats
    support_: list[Any] | None
    alpha_: Floats | None
    gap_: Floats
    history_: list[dict[str, Any]]
    n_iter_: int
    kernel_scores_: Floats | None
    storage_size_: list[StorageSize]
    _known_names: list[str] | None

    def __init__(
        self,
        kernel: Kernel | list[Kernel] | None = None,
        C: float | None = None,
        storage: str = "array",
        *,
        loss: str = "squared_hinge",
        bias: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        probability: bool = False,
        min_count: int = 1,
        tol: float = 1e-3,
        max_iter: int = 1000,
        cache_size: float = 200.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.storage = storage
        self.loss = loss
        self.bias = bias
        self.class_weight = class_weight
        self.probability = probability
        self.min_count = min_count
        self.tol = tol
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.cache_size = cache_size

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Training,
        y: Symbols | None = None,
        sample_weight: ArrayLike | None = None,
        X_dev: Inputs | None = None,
        y_dev: Symbols | None = None,
        *,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> SequenceSVC:
        """Learn from sequences and their classes.

        Parameters
        ----------
        X : list of strings, token lists or automata, or `weft.scale.Examples`
        y : list of labels
            None for `Examples`, which have them.
        sample_weight : array of shape (n_sequences,), optional
            Factors of C.
        X_dev, y_dev : optional
            Held-out examples, scored at each pass (instead of `validation_fraction`).
        client : None
            Not on a cluster: steps of coordinate descent depend on each other.
        spill : path, optional
            Keep the features of `Examples` in files of this folder. Then `tol` is the duality gap as a share of the
            objective, and ``C=None`` is chosen on the first parts.
        """
        check_shared(self)
        check_cache_size(self.cache_size)
        check_options(self.C, self.storage, self.loss, self.tol, self.max_iter, self.min_count)
        check_held_out(X_dev, y_dev)
        examples = parts_of(X)
        if client is not None or (spill is not None and examples is None):
            raise InputError("SequenceSVC learns on this machine; pass weft.scale.Examples with spill=, and no client.")
        if examples is not None:
            if spill is not None:
                first = as_examples(examples.readers[0]()[0]) if self.kernel is None else []
                kernel = clone(single_kernel(self.kernel, first))
                from weft.estimators.classify.parts import fit_sequences_in_parts

                fit_sequences_in_parts(self, kernel, examples, spill, sample_weight, X_dev)
                return self
            X, y = examples.read()
        X = as_examples(X)
        kernels = clone(offered_kernels(self.kernel, X, idf=self.min_count == 1))
        random = generator(self.random_state)
        if X_dev is None and self.validation_fraction:
            labels = labels_of(X, y)
            sample_weight = checked_sample_weight(sample_weight, len(X))
            X, y, sample_weight, X_dev, y_dev = hold_out(
                X, labels.tolist(), sample_weight, self.validation_fraction, random,
                lambda _, kept, held_out: np.isin(labels[held_out], labels[kept]),
            )  # fmt: skip
        classes = target_classes(X, y)
        targets = encode_targets(X, y, classes)
        costs = example_costs(1.0, self.class_weight, targets, classes, sample_weight)
        start = earlier_alpha(self, len(X), classes)
        kernel, kernel_scores = chosen_kernel(self, kernels, X, targets, len(classes), costs)
        mapped, problems = problems_of(self, kernel, X, self.min_count)
        cost = choose_cost(problems, targets, len(classes), costs) if self.C is None else float(self.C)
        costs = cost * costs
        scores = scores_of_passes(self, kernel, mapped, X_dev, y_dev, classes)
        with ExitStack() as stack:
            watches = [Monitor(self.verbose, score, self.patience) for score in scores if len(scores) == 1]
            monitor = stack.enter_context(watches[0] if watches else Monitor(self.verbose))
            scored = watches or [stack.enter_context(Monitor(0, score, self.patience)) for score in scores]
            tasks = binary_tasks(targets, len(classes), costs, random, start, None, monitor, self.max_iter, scored)
            solutions, sizes = problems.solve(tasks)
            solutions = [
                solution if each.best_weights is None else solution._replace(weights=each.best_weights)
                for solution, each in zip(solutions, scored or [monitor] * len(solutions), strict=True)
            ]
            calibration = calibrate(problems, targets, len(classes), costs, random) if self.probability else None
        self.kernel_, self.classes_, self.features_ = kernel, classes, mapped
        self.kernel_scores_, self.calibration_, self.C_ = kernel_scores, calibration, cost
        self.alpha_ = np.array([solution.alpha for solution in solutions])
        keep_solutions(self, solutions, sizes, X, monitor)
        return self

    def partial_fit(
        self, X: Inputs, y: Symbols, classes: Symbols | None = None, sample_weight: ArrayLike | None = None
    ) -> SequenceSVC:
        """Learn from one more batch of a stream.

        The examples of the batch join as new dual variables, and passes go over the batch only: the weights move no
        farther from where they were than its errors demand, ``|w - w_before|^2 / 2 + sum C loss``. Features that no
        earlier batch had join with weight zero, so that `weights_` grows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : list of labels
            All classes of the stream; needed at the first call.
        """
        check_shared(self)
        check_cache_size(self.cache_size)
        check_options(self.C, self.storage, self.loss, self.tol, self.max_iter, self.min_count)
        if self.min_count > 1:
            raise InputError(f"min_count={self.min_count} needs all examples to count; leave it out of a stream.")
        X = as_examples(X)
        begun = hasattr(self, "classes_")
        if not begun and classes is None:
            raise InputError("the first partial_fit needs classes=[...], all labels that will ever occur.")
        kernel = self.kernel_ if begun else clone(single_kernel(self.kernel, X))
        if not kernel.has_features:
            raise InputError(f"partial_fit needs explicit features, which {type(kernel).__name__} lacks; use fit.")
        known = self.classes_ if begun else target_classes(names := as_classes(classes), names)
        targets = encode_targets(X, y, known)
        cost = 1.0 if self.C is None else float(self.C)
        costs = batch_costs(cost, self.class_weight, targets, known, sample_weight)
        earlier: Floats | None = None
        if begun:
            mapped, places = self._map().grown(X)
            matrix = mapped.transform(X)
            earlier = np.zeros((len(self.weights_), mapped.n_features + self.bias))
            earlier[:, places] = self.weights_
            if self.bias:
                earlier[:, -1] = self.bias_
        else:
            mapped, matrix = learned_features(kernel, X)
        random = getattr(self, "_stream_random", None) or generator(self.random_state)
        with Monitor(self.verbose, gives_back=False) as monitor:
            tasks = binary_tasks(targets, len(known), costs, random, None, earlier, monitor, self.max_iter)
            solutions, sizes = feature_problems(self, mapped, matrix).solve(tasks)
        self.kernel_, self.classes_, self.features_ = kernel, known, mapped
        self.kernel_scores_ = getattr(self, "kernel_scores_", None)
        self._stream_random = random
        self.calibration_, self.C_ = getattr(self, "calibration_", None), cost
        self.alpha_ = None
        keep_solutions(self, solutions, sizes, X, monitor, getattr(self, "history_", []))
        return self

    # -------------------------------------------------------------- predicting

    def _decisions(self, X: Any, *, says_unknown: bool = True) -> Floats:
        check_is_fitted(self, "weights_")
        kept(self.weights_, self.kernel_, lambda: check_weights(self.weights_), copied=False)
        check_weights(self.bias_)
        X = as_examples(X)
        support = self.support_ or []
        n_problems = 1 if len(self.classes_) == 2 else len(self.classes_)
        shape = n_problems, len(support) if self.features_ is None else self.features_.n_features
        if self.weights_.shape != shape or self.bias_.shape != shape[:1]:
            raise InputError(
                f"weights_ and bias_ have shapes {self.weights_.shape} and {self.bias_.shape}; {shape} and {shape[:1]} "
                "are needed: fit again."
            )
        if self.features_ is not None:
            products = self.features_.products(X, self.weights_)
        elif support:
            check_same_form(X[0], support[0])
            with one_algebra_thread():
                products = np.asarray(self.kernel_.gram(X, support) @ self.weights_.T)
        else:
            return np.tile(self.bias_, (len(X), 1))
        if says_unknown:
            rows = partial(self.kernel_.gram, Y=support) if self.features_ is None else self.features_.transform
            is_said = np.count_nonzero(products) < products.size and warn_of_unknown(X, products, rows)
            if not is_said and self.features_ is not None:
                warn_of_case(X, self.features_.symbols())
        return np.asarray(products + self.bias_)

    def decision_function(self, X: Inputs) -> Floats:
        """Signed distance from the border, unscaled: (n,) for two classes, else (n, n_classes)."""
        decisions = self._decisions(X)
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

    def predict(self, X: Inputs) -> NDArray[Any]:
        """Class of each sequence; symbols unseen in training are left out, with a warning if those are all."""
        return self._classes_of(self._decisions(X))

    def _classes_of(self, decisions: Floats) -> NDArray[Any]:
        """Class of each sequence of whom `decision_function` says `decisions`, or `_decisions` does."""
        if len(self.classes_) == 2:
            decisions = decisions.reshape(len(decisions))
        # Margins are 1, so that is the size of decisions for ties; the first class wins them.
        if decisions.ndim == 1:
            chosen = (decisions > TIE_TOLERANCE).astype(np.int64)
        else:
            chosen = (decisions >= decisions.max(axis=1, keepdims=True) - TIE_TOLERANCE).argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: sigmoids of the decisions, fitted on held-out folds, scaled to sum to one."""
        decisions = self._decisions(X)
        if self.calibration_ is None:
            raise InputError("this model was trained without probabilities; fit it with probability=True.")
        return class_probabilities(decisions, self.calibration_[:, 0], self.calibration_[:, 1])

    def score(self, X: Inputs, y: Symbols, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy; features and labels unseen in training lower it without a warning."""
        X = as_examples(X)
        predicted = self._classes_of(self._decisions(X, says_unknown=False))
        right = predicted == self.classes_[encode_targets(X, y, self.classes_)]
        return float(np.average(right, weights=checked_sample_weight(sample_weight, len(X))))

    # ------------------------------------------------------------- inspecting

    @property
    def feature_names_(self) -> list[str]:
        """What each column of `weights_` belongs to."""
        return list(self._names())

    def _names(self) -> list[str]:
        """Names of the columns, kept once made: there may be millions."""
        names: list[str] | None = getattr(self, "_known_names", None)
        if names is None:
            names = self._known_names = self._map().names()
        return names

    def _map(self) -> FeatureMap:
        check_is_fitted(self, "weights_")
        if self.features_ is None:
            raise InputError(f"{type(self.kernel_).__name__} has no explicit features to show; use another kernel.")
        return self.features_

    def _class_weights(self, label: Any) -> tuple[Floats, float]:
        """Weights and bias that speak for a class."""
        places = np.flatnonzero(self.classes_ == label)
        if len(places) != 1:
            raise InputError(f"{label!r} is not a class of this model; its classes are {named(self.classes_)}.")
        if len(self.weights_) == 1:
            sign = 1.0 if places[0] == 1 else -1.0
            return sign * self.weights_[0], sign * float(self.bias_[0])
        return self.weights_[places[0]], float(self.bias_[places[0]])

    def top_features(self, label: Hashable, k: int = 10) -> list[tuple[str, float]]:
        """The `k` features that speak most for a class, and their weights."""
        names = self._names()
        weights, _ = self._class_weights(label)
        order = np.argsort(-weights, kind="stable")[:k].tolist()
        return [(names[column], float(weights[column])) for column in order if weights[column] > 0.0]

    def highlight(self, sequence: Inputs, label: Hashable = None) -> Highlight:
        """Show which parts of a sequence count in favour of a class; ``None`` means the predicted one.

        Returns
        -------
        Highlight
            Prints as text; has `to_ansi` and `to_html`, and shows colours in a notebook.
        """
        mapped = self._map()
        if not hasattr(sequence, "__len__"):
            raise InputError(f"a {type(sequence).__name__} given; highlight shows a string or a list of tokens.")
        sequence = as_sequence(sequence, "sequence", "a string or a list of tokens is needed")
        chosen = self._classes_of(self._decisions([sequence], says_unknown=False))[0] if label is None else label
        weights, bias = self._class_weights(chosen)
        return highlight_features(mapped, sequence, weights, chosen, bias, self._names())

    # ------------------------------------------------------------ model files

    def _training_summary(self) -> dict[str, Any]:
        threads = {name: -1 for name in self.kernel_.get_params() if name.split("__")[-1] == "n_jobs"}
        return {
            "classes": [str(label) for label in self.classes_[:100]],
            "C": self.C_,
            "kernel": repr(clone(self.kernel_).set_params(**threads)),
            "n_weights": int(self.weights_.size),
            "n_passes": self.n_iter_,
        }

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return svc_to_state(self)

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        svc_from_state(self, state, arrays)

"""What Tagger, Aligner, Folder and Parser share, and what any structure of one's own becomes an estimator by."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, Inputs, Seed
from weft.arrays import Floats, Integers, Mask
from weft.core.kept import kept
from weft.errors import InputError
from weft.estimators.inputs import check_weights, checked_sample_weight, generator, hold_out
from weft.estimators.own_structures import check_learned, own_structure_from_state, own_structure_state
from weft.estimators.predictions import Predictions
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.moments.ranks import rank_bound
from weft.learners.monitor import Monitor, untimed
from weft.learners.perceptron import Perceptron
from weft.parameters import Parameters, check_is_fitted, clone
from weft.scale.examples import Examples, as_examples
from weft.sequences.checks import as_list, as_sequences, empty_places
from weft.state_rules import ANY, HISTORY, check_arrays, check_state, floats
from weft.structures.online import PerceptronState
from weft.structures.protocol import Answers, Structure
from weft.structures.z_scores import z_scores

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked, Training


class StructuredEstimator(Parameters):
    """Learns to map inputs to the outputs of a structure.

    Parameters
    ----------
    structure : object
        Says what the outputs of an input are. It has ``bind(X, y=None, sample_weight=None, n_jobs=None)``, the batch
        of the output spaces of inputs, with references if there are some (`weft.structures.protocol`);
        ``decode(x, output)``, an output as users write it; and ``feature_names``, what each weight belongs to.
        `weft.structures.GraphStructure` makes `bind` of graphs. A structure with a method ``collect(X, y)`` is asked
        by it, at each fit, for the structure that suits these data.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. A fit works on a copy, ``learner_``.
    decode : {"best", "expected"}
        Predict the output of the best score, or the one that is expected to have most right.
    gamma : float
        With ``decode="expected"``, how many times more something found counts than something rightly left out.
    validation_fraction : float
        Share of the training data held out to score each iteration.
    patience : int, optional
        Stop after this many iterations without a better held-out score; the best weights are kept.
    warm_start : bool
        Start from the weights of the last fit.
    random_state : int, optional
        Seed of everything random: the order of steps, the held-out part.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    structure_ : object
        The structure that was learned on.
    weights_ : ndarray
        One weight per feature, in the order of ``feature_names_``.
    history_ : list of dict
        Objective, held-out score and seconds of each iteration.
    learner_ : learner
        The learner that was used.

    Examples
    --------
    Outputs are the characters of a string, of which one is picked:

    >>> import weft
    >>> from scipy.sparse import csr_array
    >>> from weft.core import DerivationGraph
    >>> class Pick(weft.structures.GraphStructure):
    ...     feature_names = ["a", "b", "c"]
    ...     def compile(self, x):  # one node, and an edge with a part of its own for each character
    ...         return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))
    ...     def part_features(self, x):
    ...         return csr_array([[float(letter == name) for name in self.feature_names] for letter in x])
    ...     def encode(self, x, y):
    ...         return [x.index(y)]
    ...     def decode(self, x, parts):
    ...         return x[parts[0]]
    >>> estimator = weft.StructuredEstimator(Pick()).fit(["abc", "cab", "bc"], ["b", "b", "b"])
    >>> estimator.predict(["cb", "ac"]), estimator.confidence(["cb"]).round(2)
    (['b', 'a'], array([0.72]))
    """

    default_learner: ClassVar[Callable[[], Learner]] = CRF
    noun: ClassVar[str] = "an estimator"
    words: ClassVar[tuple[str, str]] = ("inputs", "outputs")
    """What messages call X and y."""
    needs_outputs: ClassVar[bool] = False
    """Whether even a learner that learns without outputs needs them, to know what they are called."""
    empty_output: ClassVar[Any] = None
    """What is predicted for an empty sequence; None if there is nothing to predict, and it is refused."""
    default_gamma: ClassVar[float] = 1.0
    gamma: float | None = None  # of estimators that have no such parameter

    def __init__(
        self,
        structure: Structure,
        learner: Learner | None = None,
        *,
        decode: str | None = "best",
        gamma: float | None = 1.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.learner = learner
        self.decode = decode
        self.gamma = gamma
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ----------------------------------------------- what a subclass may say itself

    def _as_inputs(self, X: Any, name: str = "X") -> Any:
        """Inputs as a list."""
        return as_sequences(X, name)

    def _as_outputs(self, y: Any) -> Any:
        """Outputs as a list; those of a structure of one's own may be anything."""
        return as_list(y, "y", "a list of outputs is needed")

    def _collect(self, X: Any, y: Any, learner: Learner) -> Any:
        """The structure to learn on: what the parameters and the data say together."""
        if isinstance(self.structure, type):
            name = self.structure.__name__
            raise InputError(f"structure is the class {name}; an object is needed, such as {name}().")
        collect = getattr(self.structure, "collect", None)
        return self.structure if collect is None else collect(X, y)

    def _collected(self, X: Any, y: Any, learner: Learner, sample_weight: Floats | None) -> Any:
        """As `_collect`, for who learns something on the way: examples may count differently."""
        return self._collect(X, y, learner)

    def _references(self, structure: Any, X: Any, y: Any) -> tuple[Any, dict[str, Any]]:
        """Outputs as users write them, in the form that `_bind` takes, and attributes that a fit gets from them."""
        return y, {}

    def _facts_without_references(self) -> dict[str, Any]:
        """Those attributes of a fit that nothing was given for."""
        return {}

    def _bind(self, structure: Any, X: Any, references: Any = None, sample_weight: Floats | None = None) -> Any:
        """The batch of the output spaces of inputs."""
        return structure.bind(X, references, sample_weight, self.n_jobs)

    def _written(self, X: Any, i: int, output: Any) -> Any:
        """An output of input number i as users write it."""
        return self.structure_.decode(X[i], output)

    def _all_written(self, X: Any, batch: Any, outputs: Any) -> list[Any]:
        """Outputs of all inputs as users write them."""
        return [self._written(X, i, output) for i, output in enumerate(batch.split(outputs))]

    def _scorer(self, structure: Any, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """What `score` says about weights: the share of inputs whose prediction is `y`, if nothing else is said."""
        batch = self._bind(structure, X, None, sample_weight)

        def score(weights: Floats) -> float:
            outputs = batch.split(self._outputs(batch, weights))
            right = [structure.decode(x, own) == wanted for x, own, wanted in zip(X, outputs, y, strict=True)]
            return float(np.average(right, weights=batch.sample_weight))

        return score

    def _decoding(self) -> str:
        """How outputs are chosen, "best" or "expected"; by the learner, where that is left open."""
        if self.decode is not None:
            return self.decode
        learner = type(self).default_learner if self.learner is None else self.learner
        return "expected" if getattr(learner, "probabilistic", False) else "best"

    def _usual_gamma(self) -> float | None:
        """What gamma=None means; None is the largest expected F1, where the structure can tell."""
        return type(self).default_gamma

    def _can_be_scored(self, y: Any, kept: Integers, held_out: Integers) -> Mask:
        """Which examples can be held out: scored with what the others teach."""
        return np.ones(len(held_out), dtype=bool)

    def _transferred(self, weights: Floats, structure: Any) -> Floats:
        """Weights of the last fit for the features of a structure; features that it did not have get zero."""
        before = dict(zip(self.structure_.feature_names, weights.tolist(), strict=True))
        return np.array([before.get(name, 0.0) for name in structure.feature_names])

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Training,
        y: Inputs | None = None,
        sample_weight: ArrayLike | None = None,
        X_dev: Inputs | None = None,
        y_dev: Inputs | None = None,
        *,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> Self:
        """Learn from inputs and their outputs.

        Parameters
        ----------
        X : list of inputs, `weft.scale.Examples`, or Dask bag of (input, output)
        y : list of outputs
            Not needed by a learner that learns without them, such as `EM`.
        sample_weight : array of shape (n_inputs,), optional
        X_dev, y_dev : optional
            Held-out examples, scored at each iteration (instead of `validation_fraction`).
        client : dask.distributed.Client, optional
            Examples in parts are kept on the workers of its cluster.
        spill : path, optional
            Folder for the encoded tokens of examples in parts, which need not fit into memory then.
        """
        self._check_settings()
        learner = self._new_learner()
        examples = as_examples(X)
        if examples is not None:
            if y is not None or sample_weight is not None:
                raise InputError("X has its outputs with it; pass no y and no sample_weight beside examples in parts.")
            if client is not None or spill is not None:
                return self._fit_parts(examples, learner, X_dev, y_dev, client, spill)
            X, y = examples.read()
        elif client is not None or spill is not None:
            raise InputError("client and spill need examples in parts; pass weft.scale.Examples or a Dask bag as X.")
        inputs, outputs = self._as_examples(X, y, learner)
        weights = checked_sample_weight(sample_weight, len(inputs))
        random = generator(self.random_state)
        if X_dev is None and self.validation_fraction:
            inputs, outputs, weights, X_dev, y_dev = hold_out(
                inputs, outputs, weights, self.validation_fraction, random, self._can_be_scored
            )
        structure = self._collected(inputs, outputs, learner, weights)
        references, facts = None, self._facts_without_references()
        if outputs is not None:
            references, facts = self._references(structure, inputs, outputs)
        batch = self._bind(structure, inputs, references, weights)
        self._learn(structure, batch, learner, facts, self._held_out(structure, X_dev, y_dev), random)
        return self

    def _learn(
        self,
        structure: Any,
        batch: Any,
        learner: Learner,
        facts: dict[str, Any],
        held_out: Callable[[Floats], float] | None,
        random: np.random.Generator,
    ) -> None:
        """Find weights and make them the model."""
        self._check_decoding(batch)
        prior = getattr(structure, "prior", None)  # weights of a structure of which something is known beforehand
        initial = np.zeros(batch.n_features) if prior is None else prior.copy()
        if prior is not None and getattr(learner, "prior", prior) is None:
            learner.set_params(prior=prior)
        if self.warm_start and hasattr(self, "weights_"):
            initial = self._transferred(self.weights_, structure)
        with Monitor(self.verbose, held_out, self.patience) as monitor:
            monitor.learn_from(batch)
            weights = learner.learn(batch, initial, monitor, random)
        check_learned(weights, learner, structure)
        if monitor.best_weights is not None:
            weights = monitor.best_weights
        self._keep(structure, weights, monitor.history, learner, facts)
        self.perceptron_state_: PerceptronState | None = None

    # --------------------------------------------------------- examples in parts

    def _fit_parts(self, examples: Examples, learner: Learner, X_dev: Any, y_dev: Any, client: Any, spill: Any) -> Self:
        from weft.estimators.parted_fit import batch_of_parts

        random = generator(self.random_state)
        structure, batch = batch_of_parts(self, examples, self._part_maker(learner), client, spill)
        facts = self._facts_without_references()
        self._learn(structure, batch, learner, facts, self._held_out(structure, X_dev, y_dev), random)
        self._n_examples = batch.n_sequences
        return self

    def _part_maker(self, learner: Learner) -> Any:
        """What makes batches of examples in parts."""
        from weft.estimators.part_makers import PartMaker

        return PartMaker(self, learner)

    def _merged(self, structures: Any) -> Any:
        """The structure of all parts of the data, of those that each part alone would have."""
        if getattr(self, "structure", None) is not None and hasattr(self.structure, "collect"):
            raise InputError(
                f"{type(self.structure).__name__} collects its features from all examples; give it fixed ones, without "
                "collect, to fit examples in parts."
            )
        return structures[0]

    def partial_fit(self, X: Asked, y: Inputs, *, sample_weight: ArrayLike | None = None) -> Self:
        """Make one perceptron pass over a part of a stream; the first part says what the structure is.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        self._check_settings()
        learner = self._new_learner(Perceptron)
        inputs, outputs = self._as_examples(X, y, learner)
        is_first = not hasattr(self, "weights_")
        structure = self._collect(inputs, outputs, learner) if is_first else self.structure_
        references, facts = self._references(structure, inputs, outputs)
        batch = self._bind(structure, inputs, references, checked_sample_weight(sample_weight, len(inputs)))
        self._pass_over(learner, structure, batch, lambda vector: vector, facts)
        return self

    def _pass_over(
        self,
        learner: Learner,
        structure: Any,
        batch: Any,
        transferred: Callable[[Floats], Floats],
        facts: dict[str, Any],
    ) -> None:
        """One pass of the perceptron from the state of the last one, whose vectors get the form of this structure."""
        if not isinstance(learner, Perceptron):
            raise InputError(
                f"partial_fit needs a learner that works in steps, but learner is {type(learner).__name__}; "
                f"use {type(self).__name__}(learner=weft.Perceptron())."
            )
        is_first = not hasattr(self, "weights_")
        before: PerceptronState | None = getattr(self, "perceptron_state_", None)
        if before is None and not is_first:  # fitted or loaded before: the stream goes on from those weights
            before = PerceptronState(self.weights_, np.zeros_like(self.weights_))
        if before is None:
            start = getattr(structure, "prior", np.zeros(batch.n_features))
            state = PerceptronState(start.copy(), np.zeros(batch.n_features), is_lent=True)
        else:
            weights, totals = transferred(before.weights), transferred(before.totals)
            state = PerceptronState(weights, totals, before.clock, is_lent=weights is not before.weights)
        random = getattr(self, "_stream_random", None)
        if random is None or is_first:
            random = generator(self.random_state)
        with Monitor(self.verbose, gives_back=False) as monitor:
            state = learner.learn_more(batch, state, monitor, random, n_passes=1)
        history = monitor.history if is_first else [*self.history_, *monitor.history]
        self._keep(structure, state.average, history, learner, facts)
        self.perceptron_state_, self._stream_random = state, random

    def _check_settings(self) -> None:
        how = self._decoding()
        if how not in ("best", "expected"):
            raise InputError(f"decode is {self.decode!r}; use 'best' or 'expected'.")
        gamma: Any = self.gamma
        if gamma is not None and not (isinstance(gamma, int | float | np.number) and gamma > 0):
            raise InputError(f"gamma is {gamma!r}; a positive number is needed.")
        if how == "best" and gamma not in (None, 1.0):
            raise InputError(f"gamma={gamma!r} has no meaning with decode='best'; use decode='expected'.")

    def _check_decoding(self, batch: Any) -> None:
        if self._decoding() == "expected" and not hasattr(batch, "most_accurate"):
            raise InputError(
                f"decode='expected' needs 'most_accurate', which {type(batch).__name__} does not answer; "
                "use decode='best', or add the answer to the structure."
            )

    def _new_learner(self, default: Callable[[], Learner] | None = None) -> Any:
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise InputError(
                f"learner is {self.learner!r}; a learner such as weft.CRF() or weft.Perceptron() is needed, or None."
            )
        if self.learner is not None:
            return clone(self.learner)
        return type(self).default_learner() if default is None else default()

    def _as_examples(self, X: Any, y: Any, learner: Learner | None = None) -> tuple[Any, Any]:
        """Inputs and outputs, one each; no outputs for a learner that wants none."""
        X = self._as_inputs(X)
        goes_without = getattr(learner, "learns_without_references", False) and not self.needs_outputs
        if y is None and goes_without:
            return X, None
        if y is None:
            who = "a score" if learner is None else type(learner).__name__
            raise InputError(f"y is None, but {who} needs {self.words[1]}; pass y, or learn by weft.EM() without them.")
        y = self._as_outputs(y)
        if len(X) != len(y):
            given, wanted = self.words
            raise InputError(f"X has {len(X)} {given} but y has {len(y)} {wanted}; each of the {given} needs its own.")
        return X, None if goes_without else y

    def _held_out(self, structure: Any, X_dev: Any, y_dev: Any) -> Callable[[Floats], float] | None:
        """Score on held-out data as a function of the weights, or None."""
        if X_dev is None:
            if self.patience is not None:
                raise InputError("patience needs held-out data; pass X_dev and y_dev or set validation_fraction.")
            return None
        X_dev, y_dev = self._as_examples(self._as_inputs(X_dev, "X_dev"), y_dev)
        return self._scorer(structure, X_dev, y_dev, None)

    def _keep(
        self, structure: Any, weights: Floats, history: list[dict[str, Any]], learner: Any, facts: dict[str, Any]
    ) -> None:
        """Make what was learned the model."""
        self.structure_ = structure
        self.weights_ = weights
        self.history_ = history
        self.n_iter_ = len(history)
        self.learner_ = learner
        for name, value in facts.items():
            setattr(self, name, value)

    # -------------------------------------------------------------- predicting

    def _batch(self, X: Any) -> tuple[Any, Any]:
        """Inputs as a list, and their output spaces."""
        check_is_fitted(self, "weights_")
        weights = self.weights_
        made = kept(weights, self.structure_, self._prepared, copied=self._copied())
        X = self._as_inputs(X)
        batch = self._bind(self.structure_, X)
        if made is not None:
            batch._known = weights, made
        return X, batch

    def _prepared(self) -> Any:
        """What passes need of the fitted weights, which are looked at here; None if that is nothing."""
        check_weights(self.weights_)

    def _copied(self) -> bool | slice:
        """Of which weights `_prepared` has copies."""
        return True

    def _chosen(self, batch: Any, weights: Floats) -> tuple[Any, Floats]:
        """Outputs that are predicted, and their scores."""
        if self._decoding() == "best":
            found: tuple[Any, Floats] = batch.argmax(weights)
            return found
        outputs = self._outputs(batch, weights)
        return outputs, batch.scores(weights, outputs)

    def _outputs(self, batch: Any, weights: Floats) -> Any:
        """Outputs that are predicted."""
        if self._decoding() == "best":
            return batch.argmax(weights)[0]
        self._check_decoding(batch)
        return batch.most_accurate(weights, self._usual_gamma() if self.gamma is None else float(self.gamma))

    def bind(self, X: Asked, y: Inputs | None = None) -> Answers:
        """Inputs, with their outputs if given, bound to the fitted structure: for questions beyond those of this class.

        Returns
        -------
        Batch
            Answers the questions of `weft.structures.protocol`.
        """
        if y is None:
            batch: Answers = self._batch(X)[1]
        else:
            check_is_fitted(self, "weights_")
            inputs, outputs = self._as_examples(X, y)
            batch = self._bind(self.structure_, inputs, self._references(self.structure_, inputs, outputs)[0])
        return batch

    def _answered(self, X: Any, ask: Callable[[Any], Any], empty: Callable[[], Any]) -> list[Any]:
        """Answers for all inputs; an empty one has the answer of nothing, where this kind of output has one.

        Another input takes the place of an empty one while the others are answered, so that errors count right.
        """
        check_is_fitted(self, "weights_")
        places = [] if self.empty_output is None else empty_places(X)
        if not places:
            return list(ask(X))
        X = as_list(X, "X")
        full = next((x for i, x in enumerate(X) if i not in set(places)), None)
        if full is None:
            return [empty() for _ in X]
        found = list(ask([full if i in set(places) else x for i, x in enumerate(X)]))
        for i in places:
            found[i] = empty()
        return found

    def _nothing(self) -> Any:
        """The output of an empty input."""
        return copy.copy(self.empty_output)

    def predict(self, X: Asked) -> list[Any]:
        """Output of each input; that of an empty sequence is empty."""
        return Predictions(self._answered(X, self._predict, self._nothing))

    def _predict(self, X: Any) -> list[Any]:
        X, batch = self._batch(X)
        return self._all_written(X, batch, self._outputs(batch, self.weights_))

    def predict_kbest(self, X: Asked, k: int) -> list[list[tuple[Any, float]]]:
        """The k best outputs of each input with their probabilities, best first; fewer if fewer exist."""
        number: Any = k
        if not (isinstance(number, int | np.integer) and number >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is needed.")
        return self._answered(X, lambda given: self._kbest(given, int(k)), lambda: [(self._nothing(), 1.0)])

    def _kbest(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        X, batch = self._batch(X)
        found = batch.kbest(self.weights_, k)  # first: long inputs are refused here
        totals = batch.log_partitions(self.weights_).tolist()
        return [
            [(self._written(X, i, output), float(np.exp(min(score - total, 0.0)))) for output, score in ranked]
            for i, (ranked, total) in enumerate(zip(found, totals, strict=True))
        ]

    def predict_marginals(self, X: Asked) -> list[Any]:
        """Probability of each part of the outputs of each input, an array each."""
        return list(self._batch(X)[1].marginals(self.weights_))

    def confidence(self, X: Asked) -> Floats:
        """Probability that the model gives to its own prediction, one number per input; 1 for an empty one."""

        def ask(given: Any) -> Floats:
            _, batch = self._batch(given)
            _, scores = self._chosen(batch, self.weights_)
            return np.asarray(np.exp(np.minimum(scores - batch.log_partitions(self.weights_), 0.0)))

        return np.array(self._answered(X, ask, lambda: 1.0))

    def z_score(self, X: Asked) -> Floats:
        """How far the score of each prediction stands above the mean over all outputs, in standard deviations.

        The moments are those of the model's own scores over every possible output. By Chebyshev's inequality at most a
        share of ``1 / (1 + z^2)`` of all outputs scores as high (MM Theorem 5): see `relative_rank_bound`.
        """
        _, batch = self._batch(X)
        return z_scores(batch, self.weights_, self._outputs(batch, self.weights_))

    def relative_rank_bound(self, X: Asked) -> Floats:
        """Bound on the share of all outputs that score at least as high as the prediction: ``1 / (1 + z^2)``."""
        return rank_bound(self.z_score(X))

    def score(self, X: Asked, y: Inputs, sample_weight: ArrayLike | None = None) -> float:
        """How good the predictions are, 1 at best; `sample_weight` counts each input that many times."""
        check_is_fitted(self, "weights_")
        check_weights(self.weights_)
        inputs, outputs = self._as_examples(X, y)
        weights = checked_sample_weight(sample_weight, len(inputs))
        return self._scorer(self.structure_, inputs, outputs, weights)(self.weights_)

    @property
    def feature_names_(self) -> list[Any]:
        """What each weight belongs to."""
        check_is_fitted(self, "weights_")
        return list(self.structure_.feature_names)

    # ------------------------------------------------------------- model files

    def _training_summary(self) -> dict[str, Any]:
        last = self.history_[-1] if self.history_ else {}
        of_own = {"structure": type(self.structure_).__name__} if type(self) is StructuredEstimator else {}
        return {
            **of_own,
            "n_weights": len(self.weights_),
            "n_iterations": self.n_iter_,
            **{key: last[key] for key in ("objective", "score") if key in last},
        }

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the structure beyond the parameters: plain values, and arrays."""
        return {"structure": own_structure_state(self.structure_)}, {}

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
        """The structure again, after all checks of what the file has."""
        check_state(self.noun, state, {"history": HISTORY, "structure": ANY})
        structure = own_structure_from_state(self.structure, state["structure"])
        check_arrays(self.noun, arrays, {"weights": floats("n_weights")}, n_weights=len(structure.feature_names))
        return structure

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "weights_")
        state, arrays = self._structure_state()
        return {**state, "history": untimed(self.history_)}, {**arrays, "weights": self.weights_}

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self._check_settings()
        structure = self._structure_from_state(state, arrays)
        self._keep(structure, arrays["weights"], state["history"], self._new_learner(), {})

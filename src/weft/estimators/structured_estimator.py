"""What Tagger, Aligner, Folder and Parser share, and what any structure of one's own becomes an estimator by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, Inputs, Seed
from weft.arrays import Floats, Integers, Mask
from weft.errors import InputError
from weft.estimators.given_parts import given_parts
from weft.estimators.inputs import check_held_out, check_shared, checked_sample_weight, generator, hold_out
from weft.estimators.own_structures import check_learned, own_structure_from_state, own_structure_state
from weft.estimators.structured_model import StructuredModel
from weft.learners.base import Learner
from weft.learners.monitor import Monitor, untimed
from weft.learners.perceptron import Perceptron
from weft.parameters import check_is_fitted, clone
from weft.scale.examples import Examples
from weft.state_rules import ANY, HISTORY, check_arrays, check_state, floats
from weft.structures.online import PerceptronState
from weft.structures.protocol import Structure

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked, Training


class StructuredEstimator(StructuredModel):
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

    noun: ClassVar[str] = "an estimator"

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

    def _facts_without_references(self) -> dict[str, Any]:
        """Those attributes of a fit that nothing was given for."""
        return {}

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
        check_shared(self)
        self._check_settings()
        check_held_out(X_dev, y_dev)
        learner = self._new_learner()
        examples = given_parts(X, client, spill, y=y, sample_weight=sample_weight)
        if examples is not None:
            if client is not None or spill is not None:
                return self._fit_parts(examples, learner, X_dev, y_dev, client, spill)
            X, y = examples.read()
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
        check_shared(self)
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
        self._check_predicting()

    def _check_predicting(self) -> None:
        """Refuse what parameters of predictions cannot be; they may have been set after fitting."""
        how = self._decoding()
        if how not in ("best", "expected"):
            raise InputError(f"decode is {self.decode!r}; use 'best' or 'expected'.")
        gamma: Any = self.gamma
        if gamma is not None and not (isinstance(gamma, int | float | np.number) and gamma > 0):
            raise InputError(f"gamma is {gamma!r}; a positive number is needed.")
        if how == "best" and gamma not in (None, 1.0):
            raise InputError(f"gamma={gamma!r} has no meaning with decode='best'; use decode='expected'.")

    def _new_learner(self, default: Callable[[], Learner] | None = None) -> Any:
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise InputError(
                f"learner is {self.learner!r}; a learner such as weft.CRF() or weft.Perceptron() is needed, or None."
            )
        if self.learner is not None:
            return clone(self.learner)
        return type(self).default_learner() if default is None else default()

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

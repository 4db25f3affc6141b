"""StringRegressor on examples in parts: a basis drawn from all, and the regression on it from sums over the parts.

Nobody holds more than one part. What is no sum comes from samples: lengths of n-grams and the kind of pre-image from a
fit in memory of a few examples, thresholds and probabilities from predictions for more of them, which regressions on
the other two thirds of all examples make.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.shards import added
from weft.errors import InputError
from weft.estimators.examples import compared_form, default_kernel, is_own, read_examples
from weft.estimators.inputs import generator
from weft.estimators.regress.gram_regressor import N_FOLDS, GramRegressor
from weft.estimators.regress.members import choose_members, joint_lengths
from weft.estimators.regress.settings import candidates_of, ridge_of, ways_of
from weft.kernel_methods.ridge.kernel_columns import taken
from weft.kernel_methods.ridge.nystroem import NystroemSums
from weft.kernels.precomputed import PrecomputedKernel
from weft.parameters import clone, is_fitted
from weft.preimages.gram_space import GramSpace
from weft.preimages.thresholds import fit_thresholds
from weft.scale.examples import Examples
from weft.scale.part_work import PartWork
from weft.scale.shard_files import folder_key, made_once, map_arrays, write_arrays
from weft.sequences.checks import as_sequences

FORMAT = 1
SUMS = "sums"
MOST_BASIS = 1000
"""What n_basis=None means in parts, or a third of the examples if that is less."""
N_CHOICE = 1000
"""Examples on which lengths of n-grams and the kind of pre-image are chosen."""
N_HELD_OUT = 5000
"""Examples whose held-out predictions decide on thresholds."""
USUAL_THRESHOLD = 0.5
"""Of n-grams that none of these examples has."""


def drawn(n_examples: int, size: int, *seed: int) -> Integers:
    """Numbers of some examples, sorted."""
    return np.sort(np.random.default_rng(seed if len(seed) > 1 else seed[0]).permutation(n_examples)[:size])


def picked(X: Any, y: Any, first: int, numbers: Integers) -> tuple[Any, Any]:
    """The examples of a part that have these numbers."""
    own = numbers[(numbers >= first) & (numbers < first + len(X))] - first
    return taken(X, own), taken(y, own)


def picked_from(parts: PartWork, numbers: Integers) -> tuple[list[Any], list[Any]]:
    """The examples with these numbers, in their order."""
    found = parts.each(picked, numbers)
    return [x for X, _ in found for x in X], [each for _, y in found for each in y]


def check_forms(parts: PartWork, kernel: Any) -> None:
    """Refuse a part whose inputs have another form than those of the first."""
    forms = parts.each(_form, kernel)
    bad = next((i for i, form in enumerate(forms) if form != forms[0]), None)
    if bad is not None:
        names = parts.names
        raise InputError(
            f"{names[bad]} holds {forms[bad]} but {names[0]} holds {forms[0]}; give every part the same form."
        )


def _form(X: Any, y: Any, first: int, kernel: Any) -> str:
    return compared_form(read_examples(X, own=is_own(kernel)), "X", kernel)


def checked_parts(estimator: Any, client: Any, spill: Any) -> None:
    """Refuse what cannot be learned from examples in parts."""
    if client is not None and spill is not None:
        raise InputError("client and spill given; parts lie on workers or in files: pass one of them.")
    if estimator.approximation != "nystroem":
        raise InputError(
            f"approximation is {estimator.approximation!r}; examples in parts are learned from with "
            "approximation='nystroem' alone: pass that, and n_basis."
        )
    if estimator.alpha is not None and not np.isscalar(estimator.alpha):
        raise InputError(f"alpha is {estimator.alpha!r}; examples in parts need one strength: choose it on a few.")


def n_basis_of(estimator: Any, n_examples: int) -> int:
    """How many examples are the basis."""
    wanted = min(MOST_BASIS, max(1, n_examples // 3)) if estimator.n_basis is None else int(estimator.n_basis)
    return min(wanted, n_examples)


def fit_strings_in_parts(regressor: Any, examples: Examples, client: Any, spill: Any) -> None:
    """Learn a `StringRegressor`."""
    checked_parts(regressor, client, spill)
    kernels = regressor.input_kernel
    if regressor.n_regressors != 1 or isinstance(kernels, list | tuple):
        raise InputError("several regressors given; examples in parts are learned from by one: give it one kernel.")
    if kernels == "precomputed" or isinstance(kernels, PrecomputedKernel):
        raise InputError(
            "input_kernel is 'precomputed'; examples in parts are compared as they are read: give a kernel."
        )
    model = regressor.language_model
    if model is not None and not is_fitted(model):
        raise InputError("language_model has learned nothing, and outputs lie in parts; fit it first, or leave it out.")
    parts = PartWork(examples, client, regressor.n_jobs)
    content: dict[str, Any] = {"seed": int(generator(regressor.random_state).integers(2**31))}
    folder = None if spill is None else Path(spill)
    if folder is not None:
        settled = regressor.output_order is not None and len(ways_of(regressor)) == 1  # whatever the strength is
        alike = clone(regressor).set_params(n_jobs=None, **({"alpha": None} if settled else {}))
        key = folder_key(FORMAT, "string regressor", str(alike), examples.names, examples.sources)
        own = content
        content = made_once(folder, key, lambda: own | _spilled(_Fit(regressor, parts, own["seed"]), folder))
    fit = _Fit(regressor, parts, content["seed"])
    if folder is None:
        fit.finish(*fit.sums())
        return
    arrays = map_arrays(folder / SUMS)
    fit.finish(arrays["squares"], arrays["products"], arrays["caps"])


def _spilled(fit: _Fit, folder: Path) -> dict[str, Any]:
    squares, products, caps = fit.sums()
    write_arrays(folder / SUMS, {"squares": squares, "products": products, "caps": caps})
    return {}


class _Fit:
    """The steps of one fit; what they need to know of the examples is read when it is made."""

    def __init__(self, regressor: Any, parts: PartWork, seed: int) -> None:
        self.regressor, self.parts, n = regressor, parts, parts.n_examples
        check_forms(parts, regressor.input_kernel)
        self.held_out = drawn(n, N_HELD_OUT, seed, 1)
        X, y = picked_from(parts, self.held_out)
        outputs = as_sequences(y, "y")
        inputs = regressor._inputs(X, fitted=False)
        self.sample = (inputs, outputs)
        regressor.language_model_ = regressor.language_model
        default = default_kernel(inputs, regressor._form) if regressor.input_kernel is None else None
        order, way = self._choice(seed)
        [(kernel, lengths)] = choose_members(regressor.input_kernel, default, order, 1, way)
        joint_lengths([(kernel, lengths)], way)  # refuses lengths that do not suit
        self.order, self.way, self.kernel = order, way, kernel
        surveys = parts.each(_surveyed, lengths, way == "candidates" and regressor.candidates is None)
        self.space = GramSpace.join([space for space, _, _, _ in surveys])
        regressor._text = all(text for _, text, _, _ in surveys)
        regressor._max_length = int(regressor.max_length or 2 * max(longest for _, _, longest, _ in surveys))
        self.distinct = list(dict.fromkeys(each for _, _, _, found in surveys for each in found))
        self.basis = regressor._inputs(picked_from(parts, drawn(n, n_basis_of(regressor, n), seed))[0])

    def _choice(self, seed: int) -> tuple[Any, str]:
        """Length of output n-grams and kind of pre-image, as a fit of some examples in memory chooses them."""
        regressor = self.regressor
        ways = ways_of(regressor)
        if regressor.output_order is not None and len(ways) == 1:
            return regressor.output_order, ways[0]
        inputs, outputs = self.sample
        some = drawn(len(outputs), N_CHOICE, seed, 2)
        chosen = clone(regressor).set_params(approximation=None, n_basis=None)
        chosen.fit(taken(inputs, some), taken(outputs, some))
        return chosen.output_order_, chosen.preimage_

    def sums(self) -> tuple[Floats, Floats, Floats]:
        """Phi'Phi and Phi'Y of each fold, and the largest count of each n-gram."""
        form, plan = self.regressor._form, NystroemSums(self.kernel, self.basis)
        squares, products, caps = self.parts.total(
            _summed, clone(self.regressor), form, plan, self.space, add=_added
        )  # fmt: skip
        return squares, products, caps

    def finish(self, squares: Floats, products: Floats, caps: Floats) -> None:
        """Solve, and learn from predictions for examples that were held out."""
        regressor, (inputs, outputs) = self.regressor, self.sample
        plan = NystroemSums(self.kernel, self.basis)
        alpha: Any = ridge_of(regressor, self.kernel, 0).alpha
        counts = self.space.counts(outputs).toarray()
        predicted = np.empty_like(counts)
        for fold in range(N_FOLDS):
            own = np.flatnonzero(self.held_out % N_FOLDS == fold)
            others = [each for each in range(N_FOLDS) if each != fold]
            ridge = plan.regression(squares[others].sum(axis=0), products[others].sum(axis=0), alpha)
            predicted[own] = ridge.predict(taken(inputs, own))
        thresholds = fit_thresholds(predicted, counts, caps)
        thresholds[counts.sum(axis=0) == 0.0] = USUAL_THRESHOLD
        ridge = plan.regression(squares.sum(axis=0), products.sum(axis=0), alpha)
        regressor.regressors_ = [GramRegressor(ridge, self.space, thresholds, caps, predicted)]
        regressor.space_, regressor.classes_ = self.space, list(self.space.alphabet.symbols)
        regressor.output_order_, regressor.preimage_ = self.order, self.way
        regressor.candidates_ = []
        if self.way == "candidates":
            symbols = [[symbol] for symbol in regressor.classes_]
            found = [list(each) for each in self.distinct]
            regressor.candidates_ = found if regressor.candidates is None else candidates_of(regressor, symbols)
        regressor.temperature_ = None
        if self.way != "euler":
            regressor._calibrate(outputs)
        regressor.regressors_[0].held_out = None
        regressor._n_examples = self.parts.n_examples


def _surveyed(X: Any, y: Any, first: int, lengths: list[int], distinct: bool) -> tuple[GramSpace, bool, int, list[Any]]:
    """N-grams of the outputs of a part, whether they are text, the longest of them, and the different ones."""
    outputs = as_sequences(y, "y")
    found = list(dict.fromkeys(tuple(each) for each in outputs)) if distinct else []
    text = all(isinstance(output, str) for output in outputs)
    return GramSpace.learn(outputs, lengths), text, max(map(len, outputs)), found


def _summed(
    X: Any, y: Any, first: int, regressor: Any, form: str, plan: NystroemSums, space: GramSpace
) -> tuple[Floats, Floats, Floats]:
    regressor = clone(regressor)  # several parts at once
    regressor._form = form
    inputs, counts = regressor._inputs(X), space.counts(as_sequences(y, "y"))
    squares, products = plan.of(inputs, counts, (first + np.arange(len(inputs))) % N_FOLDS, N_FOLDS)
    return squares, products, np.maximum(counts.max(axis=0).toarray().ravel(), 1.0)


def _added(left: Any, right: Any) -> Any:
    return *added(left[:2], right[:2]), np.maximum(left[2], right[2])

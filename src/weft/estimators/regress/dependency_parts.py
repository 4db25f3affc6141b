"""KernelDependencyEstimator on examples in parts: landmarks of outputs, a basis of inputs, and sums over the parts.

Components within the span of the landmarks follow from two sums over outputs, the regression onto them from two more
over inputs and outputs. In memory are one part, the basis, the landmarks, and the different outputs, which are the
candidates of predictions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.estimators.examples import as_examples, compared_form, default_kernel, is_own, numbered, read_examples
from weft.estimators.inputs import generator
from weft.estimators.regress.parts import SUMS, check_forms, checked_parts, drawn, n_basis_of, picked_from
from weft.kernel_methods.pca import KernelComponents
from weft.kernel_methods.ridge.kernel_columns import taken
from weft.kernel_methods.ridge.nystroem import HEIGHT, NystroemSums
from weft.kernel_methods.ridge.regressor import as_kernel
from weft.kernels.base import Kernel
from weft.kernels.precomputed import PrecomputedKernel
from weft.parameters import clone
from weft.scale.examples import Examples
from weft.scale.part_work import PartWork
from weft.scale.shard_files import folder_key, made_once, map_arrays, write_arrays

FORMAT = 1
MOST_LANDMARKS = 1000
"""What n_landmarks=None means in parts."""
N_SAMPLE = 1000
"""Examples from which forms and usual kernels are chosen."""


def fit_dependency_in_parts(model: Any, examples: Examples, client: Any, spill: Any) -> None:
    """Learn a `KernelDependencyEstimator`."""
    checked_parts(model, client, spill)
    if model.preimage in ("euler", "nearest"):
        raise InputError(f"preimage is {model.preimage!r}, which needs all outputs in one place; use 'candidates'.")
    parts = PartWork(examples, client, -1)
    seed = model.random_state
    content: dict[str, Any] = {"seed": int(generator(None).integers(2**31)) if seed is None else int(seed)}
    if spill is None:
        fit = _Fit(model, parts, content["seed"])
        fit.finish(fit.sums())
        return
    folder = Path(spill)
    alike = clone(model).set_params(alpha=None, n_components=None)
    key = folder_key(FORMAT, "dependency", str(alike), examples.names, examples.sources)

    def make() -> dict[str, Any]:
        write_arrays(folder / SUMS, _Fit(model, parts, content["seed"]).sums())
        return content

    fit = _Fit(model, parts, made_once(folder, key, make)["seed"])
    fit.finish(map_arrays(folder / SUMS))


class _Fit:
    """The steps of one fit; what they need to know of the examples is read when it is made."""

    def __init__(self, model: Any, parts: PartWork, seed: int) -> None:
        self.model, self.parts, n = model, parts, parts.n_examples
        kernel = None if model.input_kernel is None else as_kernel(model.input_kernel, "input_kernel")
        if isinstance(kernel, PrecomputedKernel):
            raise InputError(
                "input_kernel is 'precomputed'; examples in parts are compared as they are read: give one."
            )
        check_forms(parts, kernel)
        X, y = picked_from(parts, drawn(n, N_SAMPLE, seed, 1))
        X = read_examples(X, own=is_own(kernel))
        model.input_form_ = compared_form(X, "X", kernel)
        inputs = as_examples(X, model.input_form_)
        self.kernel = default_kernel(inputs, model.input_form_) if kernel is None else kernel
        model.output_kernel_ = model._chosen_output_kernel(model._read_outputs(y, own=False))
        form = model.output_form_
        self.forms = (model.input_form_, form)
        found = [each for own in parts.each(_distinct, self.forms) for each in own]
        found = as_examples(found, form, "y")
        self.distinct = taken(found, np.unique(numbered(found, form), return_index=True)[1])
        n_landmarks = MOST_LANDMARKS if model.n_landmarks is None else model.n_landmarks
        numbers = np.sort(generator(seed).permutation(n)[:n_landmarks])
        self.landmarks = as_examples(picked_from(parts, numbers)[1], form, "y")
        basis = picked_from(parts, drawn(n, n_basis_of(model, n), seed))[0]
        self.plan = NystroemSums(self.kernel, as_examples(basis, model.input_form_))

    def sums(self) -> dict[str, Floats]:
        """Of kernel values of outputs with landmarks, their products, and products of both with features of inputs."""
        kernel: Kernel = self.model.output_kernel_
        found = self.parts.total(_summed, self.forms, self.plan, kernel, self.landmarks)
        return dict(zip(("total", "output_squares", "squares", "products", "features"), found, strict=True))

    def finish(self, sums: Any) -> None:
        """Components of the outputs, and the regression onto them."""
        model = self.model
        kernel = model.output_kernel_
        negative: Any = model.negative
        with one_algebra_thread(scipy=True):
            corner = kernel.gram(self.landmarks)
            components = KernelComponents(model.n_components, negative)
            components.fit_sums(corner, sums["total"], sums["output_squares"], self.parts.n_examples)
            components.coordinates_ = components.project(kernel.gram(self.distinct, self.landmarks))
            # Coordinates are k(y, landmarks) axes - origin, so that products with features follow from those with k.
            origin = -components.project(np.zeros((1, len(corner))))[0]
            products = sums["products"] @ components.axes_ - np.outer(sums["features"], origin)
        model.components_, model.outputs_ = components, self.distinct
        known: dict[Any, int] = {}
        numbered(self.distinct, model.output_form_, known)
        model.landmarks_ = numbered(self.landmarks, model.output_form_, known)
        model._set_candidates()
        model._check_preimage()
        model.preimage_ = model.preimage or "candidates"
        alpha = 1.0 if model.alpha is None else float(model.alpha)
        model.regression_ = self.plan.regression(sums["squares"], products, alpha)
        model.input_kernel_, model.alpha_ = model.regression_.kernel_, model.regression_.alpha_
        model._n_examples = self.parts.n_examples


def _checked(X: Any, y: Any, forms: tuple[str, str]) -> tuple[Any, Any]:
    return as_examples(X, forms[0]), as_examples(y, forms[1], "y")


def _distinct(X: Any, y: Any, first: int, forms: tuple[str, str]) -> list[Any]:
    outputs = _checked(X, y, forms)[1]
    return list(taken(outputs, np.unique(numbered(outputs, forms[1]), return_index=True)[1]))


def _summed(
    X: Any, y: Any, first: int, forms: tuple[str, str], plan: NystroemSums, kernel: Kernel, landmarks: Any
) -> tuple[Floats, ...]:
    inputs, outputs = _checked(X, y, forms)
    found: Any = None
    for begin in range(0, len(inputs), HEIGHT):
        rows = slice(begin, begin + HEIGHT)
        values = np.asarray(kernel.gram(outputs[rows], landmarks))
        squares, products = plan.of(inputs[rows], np.hstack([values, np.ones((len(values), 1))]))
        with one_algebra_thread(scipy=True):
            own = (values.sum(axis=0), values.T @ values, squares[0], products[0][:, :-1], products[0][:, -1])
        found = own if found is None else tuple(a + b for a, b in zip(found, own, strict=True))
    return tuple(np.ascontiguousarray(each) for each in found)

"""KernelDependencyEstimator: from anything a kernel compares to anything a kernel compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, ListOrArray, Seed
from weft.arrays import Floats, Integers
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.estimators.examples import (
    OWN,
    as_examples,
    compared_form,
    default_kernel,
    is_own,
    numbered,
    read_examples,
)
from weft.estimators.given_parts import given_parts
from weft.estimators.inputs import check_shared, check_weights, generator
from weft.estimators.regress.dependency_state import dependency_from_state, dependency_to_state
from weft.estimators.regress.string_preimages import StringPreimages
from weft.kernel_methods.pca import KernelComponents, gram_from_distances
from weft.kernel_methods.ridge.kernel_columns import taken
from weft.kernel_methods.ridge.regressor import KernelRidge, as_kernel
from weft.kernels.base import Kernel
from weft.kernels.outputs import LabelKernel, LossKernel
from weft.kernels.precomputed import check_symmetric
from weft.kernels.vectors.products import LinearKernel, PolynomialKernel, RBFKernel, as_rows
from weft.metrics.strings import normalized_edit_similarity
from weft.parameters import Parameters, check_is_fitted, clone
from weft.preimages.candidates import nearest_candidates, nearest_others
from weft.preimages.fixed_point import fixed_points
from weft.preimages.polynomial import odd_polynomial_preimages

if TYPE_CHECKING:
    from weft.scale.examples import Examples

STRENGTHS = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)
"""Among what leave-one-out errors choose."""
N_TRIED = 200
"""Outputs that are left out to choose the pre-image, at the most."""
PREIMAGES = ("candidates", "fixed_point", "inverse", "euler", "nearest")


class KernelDependencyEstimator(Parameters):
    """Learns to map inputs to outputs of any kind, given a kernel of each side (kernel dependency estimation).

    Kernel principal components turn outputs into vectors, ridge regression predicts these, and a pre-image turns a
    predicted vector into an output: by default, into the nearest output of the training data.

    Parameters
    ----------
    input_kernel : Kernel or "precomputed", optional
        If precomputed, X is a Gram matrix; later, rows of kernel values with all training inputs. None chooses by the
        form of the inputs: cosines of 1- to 3-grams for strings and token lists, a Gaussian as wide as the median
        distance for vectors and images, aligned sums for sequences of vectors. A kernel of your own may compare any
        objects, on either side.
    output_kernel : Kernel, str or callable, optional
        A kernel; or a loss, whose values are taken as squared distances: ``"edit"``, ``"hamming"``, ``"base_pair"`` or
        a function of two outputs. None chooses by the form of the outputs, like inputs, and equality for labels.
        Strings that are labels want `LabelKernel`.
    n_components : int or float, optional
        Principal components of outputs; a number between 0 and 1 is a share of their variance; None keeps all.
    alpha : float or sequence of float, optional
        Strength of the ridge penalty; of several the one with the smallest leave-one-out error is taken, ``alpha_``.
        None means several from 0.0001 to 10, or 1 for an approximation.
    preimage : {"candidates", "fixed_point", "inverse", "euler", "nearest"}, optional
        ``candidates`` takes the nearest of some outputs; ``fixed_point`` moves on from there, for vectors and a
        Gaussian kernel; ``inverse`` inverts a polynomial kernel of odd degree, for vectors; ``euler`` and ``nearest``
        build strings of n-grams that need not be among the training outputs. None means ``candidates``, or ``nearest``
        if that comes nearer to strings that were left out, of at most 200, and no `output_kernel` is given.
    full : bool
        Measure distances to candidates in the whole space of the output kernel, not only along its components. It makes
        no difference to the order of training outputs if all components are kept.
    negative : {"clip", "shift", "raise"}
        What to do if outputs have no inner product of that kind; see `weft.kernel_methods.pca.KernelComponents`.
    approximation : {"greedy", "cholesky", "nystroem", "random"}, optional
        Predict with a part of the training inputs; see `weft.kernel_methods.ridge.regressor.KernelRidge`.
    n_basis : int, optional
        How many; None means a third. Only for approximations.
    n_landmarks : int, optional
        Components within the span of this many training outputs, drawn at random; None takes all, whose Gram matrix
        grows with the square of their number. With ``approximation="nystroem"`` no matrix does.
    random_state : int, optional

    Attributes
    ----------
    input_kernel_, output_kernel_ : Kernel
        What was used; `output_kernel_` is None after a fit on distances or a Gram matrix.
    components_ : KernelComponents
    regression_ : KernelRidge
    candidates_ : list or ndarray
        Distinct training outputs.
    alpha_ : float
    preimage_ : str

    Examples
    --------
    >>> import weft
    >>> X = [[0.0], [0.2], [1.0], [1.1]]
    >>> model = weft.KernelDependencyEstimator(alpha=0.01).fit(X, ["aab", "aab", "bba", "bba"])
    >>> model.predict([[0.1], [0.9]])
    ['aab', 'bba']
    """

    def __init__(
        self,
        input_kernel: Kernel | str | None = None,
        output_kernel: Kernel | str | Callable[[Any, Any], float] | None = None,
        n_components: int | float | None = None,
        alpha: float | Sequence[float] | None = None,
        *,
        preimage: str | None = None,
        full: bool = False,
        negative: str = "clip",
        approximation: str | None = None,
        n_basis: int | None = None,
        n_landmarks: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.input_kernel = input_kernel
        self.output_kernel = output_kernel
        self.n_components = n_components
        self.alpha = alpha
        self.preimage = preimage
        self.full = full
        self.negative = negative
        self.approximation = approximation
        self.n_basis = n_basis
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.input_kernel, str)
        return tags

    def fit(
        self,
        X: ListOrArray | Examples,
        y: ListOrArray | None = None,
        distances: ArrayLike | None = None,
        gram: ArrayLike | None = None,
        *,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> KernelDependencyEstimator:
        """Learn from inputs and outputs.

        Parameters
        ----------
        X : sequence of inputs, or `weft.scale.Examples`
        y : sequence of outputs
        distances : array of shape (n, n), optional
            Distances of the outputs, instead of a kernel; predictions are then training outputs.
        gram : array of shape (n, n), optional
            Kernel values of the outputs, likewise.
        client : dask.distributed.Client, optional
            Examples in parts are read by the workers of its cluster; needs ``approximation="nystroem"``.
        spill : path, optional
            Examples in parts, which need not fit into memory, are read part by part, and the sums over them are kept in
            this folder; likewise. ``n_basis=None`` and ``n_landmarks=None`` then mean 1,000 at most.
        """
        check_shared(self)
        self._check_options(distances, gram)
        examples = given_parts(X, client, spill, y=y, matrix=gram if distances is None else distances)
        if examples is not None:
            if client is not None or spill is not None:
                from weft.estimators.regress.dependency_parts import fit_dependency_in_parts

                fit_dependency_in_parts(self, examples, client, spill)
                return self
            X, y = examples.read()
        kernel = None if self.input_kernel is None else as_kernel(self.input_kernel, "input_kernel")
        X = read_examples(X, own=is_own(kernel))
        self.input_form_ = compared_form(X, "X", kernel)
        inputs = as_examples(X, self.input_form_)
        kernel = default_kernel(inputs, self.input_form_) if kernel is None else kernel
        outputs = self._read_outputs(y, own=distances is not None or gram is not None)
        if len(inputs) != len(outputs):
            raise InputError(f"{len(inputs)} inputs but {len(outputs)} outputs given; need one output for each input.")
        self.outputs_ = outputs
        self._fit_components(distances, gram)
        self._check_preimage()
        self.preimage_ = self.preimage or "candidates"
        is_open = self._may_build_strings()
        wants_strings = self.preimage in ("euler", "nearest")
        self.regression_ = KernelRidge(
            kernel,
            self._strengths(),
            approximation=self.approximation,
            n_basis=self.n_basis,
            leave_one_out=wants_strings or is_open,
            random_state=self.random_state,
        ).fit(inputs, self.components_.coordinates_)
        self.input_kernel_, self.alpha_ = self.regression_.kernel_, self.regression_.alpha_
        if wants_strings or is_open:
            way = self.preimage if wants_strings else "nearest"
            held_out = self.components_.expansion(self.regression_.leave_one_out_)
            self.string_preimages_ = StringPreimages.learn(outputs, self.output_kernel_, str(way), held_out)
            if is_open and self._strings_come_nearer(held_out):
                self.preimage_ = "nearest"
        self.regression_.leave_one_out_ = None
        return self

    def _may_build_strings(self) -> bool:
        """Whether it is left open what becomes a prediction, and strings of n-grams can."""
        given = self.preimage is not None or self.output_kernel is not None or self.output_kernel_ is None
        if given or self.output_form_ not in ("strings", "tokens"):
            return False
        whole = self.approximation is None and self.n_landmarks is None and not self.full
        return whole and len(self.candidates_) > 1 and any(map(len, self.outputs_))

    def _strings_come_nearer(self, held_out: Floats) -> bool:
        """Whether strings of n-grams are nearer to outputs that were left out than the nearest other output."""
        n = len(self.outputs_)
        chosen = np.arange(0, n, max(1, -(-n // N_TRIED)))
        truth = [self.outputs_[i] for i in chosen.tolist()]
        built = self.string_preimages_.decode(held_out[chosen])
        owner = numbered(self.outputs_, self.output_form_)  # also the place of the output among the candidates
        stays = np.bincount(owner)[owner] > 1
        coordinates = np.asarray(self.regression_.leave_one_out_)[chosen]
        places = nearest_others(coordinates, self._images, owner[chosen], stays[chosen])
        found = [self.candidates_[place] for place in places.tolist()]
        return normalized_edit_similarity(truth, built) > normalized_edit_similarity(truth, found) + TIE_TOLERANCE

    def _strengths(self) -> Any:
        if self.alpha is not None:
            return self.alpha
        return STRENGTHS if self.approximation is None else 1.0

    def _read_outputs(self, y: Any, own: bool) -> Any:
        """Outputs in one form; as they are, if a function or a matrix of the user's own compares them."""
        chosen = self.output_kernel
        own = own or is_own(chosen) or callable(chosen)
        y = read_examples(y, "y", own=own or isinstance(chosen, LabelKernel))
        missing = next((i for i, output in enumerate(y) if output is None), None)
        if missing is not None:
            raise InputError(f"y[{missing}] is None; an output of each example is needed: drop those without one.")
        self.output_form_ = compared_form(y, "y", chosen if isinstance(chosen, Kernel) else None, own)
        return as_examples(y, self.output_form_, "y")

    def _fit_components(self, distances: Any, gram: Any) -> None:
        """Components of the outputs, or of what some of them span."""
        outputs, negative = self.outputs_, self.negative
        n = len(outputs)
        self.landmarks_ = np.arange(n)
        self.components_ = KernelComponents(self.n_components, negative)  # type: ignore[arg-type]
        given = distances if gram is None else gram
        if given is not None:
            matrix = np.asarray(given, dtype=np.float64)
            if gram is None:
                gram_from_distances(matrix)  # checks that they are distances
            if matrix.shape != (n, n):
                raise InputError(f"a matrix of shape {matrix.shape} given for {n} outputs; need one row each.")
            if gram is not None:
                check_symmetric(matrix, "the Gram matrix of outputs")
            self.output_kernel_ = None
            self.components_.fit(-0.5 * matrix * matrix if gram is None else matrix)
        else:
            self.output_kernel_ = self._chosen_output_kernel(outputs)
            if self.n_landmarks is not None:
                n_landmarks = min(checked_number("n_landmarks", self.n_landmarks), n)
                self.landmarks_ = np.sort(generator(self.random_state).permutation(n)[:n_landmarks])
                some = taken(outputs, self.landmarks_)
                self.components_.fit_landmarks(self.output_kernel_.gram(some), self.output_kernel_.gram(outputs, some))
            else:
                same = numbered(outputs, self.output_form_)
                self.components_.fit(self.output_kernel_.gram(outputs), same)
        self._set_candidates()

    def _chosen_output_kernel(self, outputs: Any) -> Kernel:
        chosen = self.output_kernel
        if chosen is None:
            return default_kernel(outputs, self.output_form_, output=True)
        if isinstance(chosen, Kernel):
            copy: Kernel = clone(chosen)
            return copy
        if isinstance(chosen, str) or callable(chosen):
            return LossKernel(chosen)
        raise InputError(
            f"output_kernel is a {type(chosen).__name__}; need a kernel, a loss such as 'edit', a function of two "
            "outputs, or None."
        )

    def _set_candidates(self) -> None:
        """Distinct training outputs and their coordinates."""
        places = np.unique(numbered(self.outputs_, self.output_form_), return_index=True)[1]
        self.candidates_ = taken(self.outputs_, places)
        self._images = self.components_.coordinates_[places]

    def transform(self, X: ListOrArray) -> Floats:
        """Predicted coordinates along the principal components of outputs, one row per input."""
        check_is_fitted(self, "regression_")
        X = read_examples(X, own=self.input_form_ in OWN)
        if not len(X):
            return np.zeros((0, self.components_.axes_.shape[1]))
        predicted = self.regression_.predict(as_examples(X, self.input_form_))
        check_weights(predicted, what="the prediction")
        return predicted.reshape(len(predicted), -1)

    def predict(self, X: ListOrArray, candidates: ListOrArray | None = None) -> list[Any] | NDArray[Any]:
        """Predict one output for each input.

        Parameters
        ----------
        X : sequence of inputs
        candidates : sequence of outputs, optional
            Where to look for pre-images; None means the distinct training outputs.

        Returns
        -------
        list of strings or token lists, or ndarray of labels or vectors
        """
        coordinates = self.transform(X)
        if not len(coordinates):
            return self._given(self.outputs_[:0])
        way = self.preimage or self.preimage_
        if way in ("euler", "nearest") and candidates is None:
            return self._given(self.string_preimages_.decode(self.components_.expansion(coordinates)))
        pool, places, _ = self._nearest(coordinates, candidates, 1)
        found = taken(pool, places[:, 0])
        if way in ("fixed_point", "inverse") and candidates is None:
            weights, shape = self.components_.expansion(coordinates), found.shape
            rows, kernel = as_rows(self.outputs_[self.landmarks_]), self.output_kernel_
            if isinstance(kernel, RBFKernel):
                return fixed_points(weights, rows, float(kernel.gamma), as_rows(found)).reshape(shape)
            degree, scale, offset = _polynomial(kernel)
            return odd_polynomial_preimages(weights, rows, degree, scale, offset).reshape(shape)
        return self._given(found)

    def predict_kbest(
        self, X: ListOrArray, k: int, candidates: ListOrArray | None = None
    ) -> list[list[tuple[Any, float]]]:
        """The `k` nearest candidates of each prediction, with their squared distances, nearest first."""
        coordinates = self.transform(X)
        if not len(coordinates):
            return []
        pool, places, squared = self._nearest(coordinates, candidates, k)
        return [
            [(pool[int(i)], float(d)) for i, d in zip(*row, strict=True)] for row in zip(places, squared, strict=True)
        ]

    def _nearest(self, coordinates: Floats, candidates: Any, k: int) -> tuple[Any, Integers, Floats]:
        """Candidates, which of them are nearest, and how near."""
        if candidates is None and not self.full:
            return (self.candidates_, *nearest_candidates(coordinates, self._images, k))
        pool = self.candidates_ if candidates is None else as_examples(candidates, self.output_form_, "candidates")
        if not len(pool):
            raise InputError("candidates are empty; need at least one output to choose from.")
        if self.output_kernel_ is None:
            raise InputError("a fit on a matrix knows training outputs only; need candidates=None and full=False.")
        block = self.output_kernel_.gram(pool, taken(self.outputs_, self.landmarks_))
        known: dict[Any, int] = {}
        training = numbered(self.outputs_, self.output_form_, known)
        equal = numbered(pool, self.output_form_, known)[:, None] == training if self.components_.shift_ else None
        images = self.components_.project(block, equal)
        rest = self.components_.residuals(block, self.output_kernel_.diagonal(pool), equal) if self.full else None
        return (pool, *nearest_candidates(coordinates, images, k, residuals=rest))

    def losses(self, y: ListOrArray, predicted: ListOrArray) -> Floats:
        """Squared distance of each output from its prediction, by the output kernel: the loss, if one was given."""
        check_is_fitted(self, "regression_")
        if self.output_kernel_ is None:
            raise InputError("a fit on a matrix has no kernel to compare outputs with; compare them yourself.")
        first, second = (as_examples(each, self.output_form_, "y") for each in (y, predicted))
        if len(first) != len(second):
            raise InputError(f"{len(first)} outputs but {len(second)} predictions given; need one for each.")
        kernel = self.output_kernel_
        found = kernel.diagonal(first) + kernel.diagonal(second)
        for start in range(0, len(first), 256):
            cut = slice(start, start + 256)
            found[cut] -= 2.0 * np.diag(kernel.gram(first[cut], second[cut]))
        return np.asarray(np.maximum(found, 0.0))

    def score(self, X: ListOrArray, y: ListOrArray) -> float:
        """Accuracy for labels, 1 - normalised edit distance for strings, else minus the mean of `losses`."""
        predicted = self.predict(X)
        if self.output_form_ == "labels":
            truth = as_examples(y, "labels", "y")
            if len(truth) != len(predicted):
                raise InputError(
                    f"{len(predicted)} inputs but {len(truth)} outputs given; need one output for each input."
                )
            return float(np.mean([a == b for a, b in zip(truth, np.asarray(predicted).tolist(), strict=True)]))
        if self.output_form_ in ("strings", "tokens"):
            return normalized_edit_similarity(as_examples(y, self.output_form_, "y"), list(predicted))
        return -float(np.mean(self.losses(y, predicted)))

    def _given(self, found: Any) -> list[Any] | NDArray[Any]:
        return np.array(found) if self.output_form_ in ("labels", "vectors") else found

    def _check_options(self, distances: Any, gram: Any) -> None:
        if self.preimage is not None and self.preimage not in PREIMAGES:
            raise InputError(f"preimage={self.preimage!r} given; need one of {', '.join(PREIMAGES)}.")
        if distances is not None and gram is not None:
            raise InputError("distances and a Gram matrix of outputs given; need one of them.")
        others = self.output_kernel is not None or self.preimage not in (None, "candidates") or self.full
        if (distances is not None or gram is not None) and (others or self.n_landmarks is not None):
            raise InputError(
                "a matrix of outputs given beside an output kernel, landmarks, a pre-image that needs a kernel, or "
                "full=True; need the matrix alone: leave the others at their defaults."
            )
        if self.preimage in ("euler", "nearest") and self.n_landmarks is not None:
            raise InputError(
                f"preimage={self.preimage!r} with n_landmarks given; its strings are sums over all outputs: use "
                "n_landmarks=None, or preimage='candidates'."
            )
        if self.preimage in ("euler", "nearest") and self.approximation is not None:
            raise InputError(
                f"preimage={self.preimage!r} with an approximation given; thresholds of counts need leave-one-out "
                "predictions: use approximation=None, or preimage='candidates'."
            )

    def _check_preimage(self) -> None:
        if self.preimage == "fixed_point":
            if self.output_form_ != "vectors" or not isinstance(self.output_kernel_, RBFKernel):
                raise InputError(
                    f"preimage='fixed_point' given with outputs that are {self.output_form_} and a "
                    f"{type(self.output_kernel_).__name__}; need vectors and an RBFKernel: use preimage='candidates'."
                )
        elif self.preimage == "inverse":
            if self.output_form_ != "vectors" or _polynomial(self.output_kernel_)[0] % 2 == 0:
                raise InputError(
                    f"preimage='inverse' given with outputs that are {self.output_form_} and {self.output_kernel_!r}; "
                    "need vectors and a PolynomialKernel of odd degree, or LinearKernel: use preimage='candidates'."
                )
        elif self.preimage in ("euler", "nearest") and self.output_form_ not in ("strings", "tokens"):
            raise InputError(
                f"preimage={self.preimage!r} given with outputs that are {self.output_form_}; need strings or lists of "
                "tokens: use preimage='candidates'."
            )

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return dependency_to_state(self)

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        dependency_from_state(self, state, arrays)

    def _training_summary(self) -> dict[str, Any]:
        return {
            "examples": len(self.outputs_),
            "outputs": self.output_form_,
            "components": int(self.components_.axes_.shape[1]),
            "alpha": self.alpha_,
            "preimage": self.preimage_,
        }


def _polynomial(kernel: Any) -> tuple[int, float, float]:
    """Degree, scale and offset of a kernel of vectors; degree 0 if it is no polynomial."""
    if isinstance(kernel, PolynomialKernel):
        return int(kernel.degree), float(kernel.scale), float(kernel.offset)
    return int(isinstance(kernel, LinearKernel)), 1.0, 0.0

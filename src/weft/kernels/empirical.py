"""Kernel values with the training examples as features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.checkpoint.sequences import FORM, pack_sequences, sequence_rules, unpack_sequences
from weft.errors import InputError, ModelFileError
from weft.kernels.base import Kernel, kernel_within, read_sides
from weft.kernels.feature_map import FeatureMap, MapState, Spans
from weft.kernels.gram_matrix import product_with_transpose, squared_norms
from weft.state_rules import check_arrays, check_state, floats, integers, offsets, part, rest


class EmpiricalKernelMap(Kernel):
    """Rows of the kernel matrix as features: column i is ``K(x, x_i)`` with the training example x_i.

    The inner product is then ``sum over i of K(x, x_i) K(y, x_i)``, on training data the square of the kernel matrix.
    It suppresses directions in which the training examples hardly vary, which helps if test data are unlike the
    training data, as with remote families of proteins; FastSK uses its kernel in this way. Time and memory grow with
    the squared number of examples. If the kernel has no explicit features, the training examples themselves are kept.

    Parameters
    ----------
    kernel : Kernel
        Any, also one that is not positive semidefinite: the inner product of its rows always is.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> mapped, rows = EmpiricalKernelMap(NGramKernel(1)).feature_map(["ab", "abb"])
    >>> rows.toarray()
    array([[2., 3.],
           [3., 5.]])
    >>> mapped.transform(["b", "c"]).toarray()
    array([[1., 2.],
           [0., 0.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    @property
    def has_features(self) -> bool:
        """Kernel values are explicit features."""
        return True

    @property
    def learns_weights(self) -> bool:
        """Columns are the training examples."""
        return True

    def _check_sides(self, Y: Any) -> None:
        if Y is not None:
            raise InputError(
                "EmpiricalKernelMap has its columns from training data, and gram(X, Y) does not say which side that "
                "is; use SequenceSVC, or the transform of kernel.feature_map(X)[0]."
            )

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows."""
        X, _ = read_sides(X)
        if not kernel_within(self).has_features:
            return ComparisonFeatureMap(self.kernel, X), scipy.sparse.csr_array(kernel_within(self).gram(X))
        inner, examples = kernel_within(self).feature_map(X)
        mapped = EmpiricalFeatureMap(inner, examples)
        return mapped, mapped.products_with(examples)

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        settings, arrays = state
        if not kernel_within(self).has_features:
            check_state("rows of a kernel matrix", settings, {"form": FORM})
            check_arrays("rows of a kernel matrix", arrays, sequence_rules("examples", "n_examples"))
            return ComparisonFeatureMap(self.kernel, unpack_sequences("examples", settings["form"], arrays))
        inner = kernel_within(self).restore_feature_map((settings, part(arrays, "inner")))
        own = rest(arrays, "inner")
        rules = {
            "data": floats("n_entries"),
            "indices": integers("n_entries", below="n_features"),
            "indptr": offsets("n_examples+1", "n_entries"),
        }
        check_arrays("rows of a kernel matrix", own, rules, n_features=inner.n_features)
        shape = (len(own["indptr"]) - 1, inner.n_features)
        examples = scipy.sparse.csr_array((own["data"], own["indices"], own["indptr"]), shape=shape)
        if not examples.has_canonical_format:
            raise ModelFileError("rows of a kernel matrix have a column twice, or not in order")
        return EmpiricalFeatureMap(inner, examples)

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`, which are the training examples too."""
        return squared_norms(self.features(X))


class ExampleFeatureMap(FeatureMap):
    """Columns that are the training examples."""

    def names(self) -> list[str]:
        """Numbers of the training examples."""
        return [f"example {i}" for i in range(self.n_features)]

    def spans(self, sequence: Any) -> Spans:
        """Each training example is compared with the whole sequence."""
        n = self.n_features
        return Spans(np.zeros(n, dtype=np.int64), np.full(n, len(sequence), dtype=np.int64), np.arange(n))


class EmpiricalFeatureMap(ExampleFeatureMap):
    """Products of the rows of another map with those of the training examples.

    Parameters
    ----------
    inner : FeatureMap
    examples : csr_array
        Its rows of the training examples.
    """

    def __init__(self, inner: FeatureMap, examples: scipy.sparse.csr_array) -> None:
        self.inner = inner
        self.examples = examples
        self.n_features = examples.shape[0]

    def products_with(self, rows: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """Kernel values of some rows with the training examples."""
        return scipy.sparse.csr_array(product_with_transpose(rows, self.examples))

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and their squared lengths."""
        rows = self.products_with(self.inner.transform(X))
        return rows, squared_norms(rows)

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Products with some of the training examples only."""
        return EmpiricalFeatureMap(self.inner, self.examples[columns])

    def to_state(self) -> MapState:
        """State of the map inside, and the rows of the training examples."""
        settings, arrays = self.inner.to_state()
        own = {
            "data": self.examples.data.astype(np.float64),
            "indices": self.examples.indices.astype(np.int64),
            "indptr": self.examples.indptr.astype(np.int64),
        }
        return settings, {**own, **{f"inner.{name}": array for name, array in arrays.items()}}


class ComparisonFeatureMap(ExampleFeatureMap):
    """Values of a kernel without explicit features with the training examples.

    Parameters
    ----------
    kernel : Kernel
    examples : list of sequences
    """

    def __init__(self, kernel: Kernel, examples: Sequence[Any]) -> None:
        self.kernel = kernel
        self.examples = list(examples)
        self.n_features = len(self.examples)

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and their squared lengths."""
        rows = scipy.sparse.csr_array(self.kernel.gram(X, self.examples))
        return rows, squared_norms(rows)

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Values with some of the training examples only."""
        return ComparisonFeatureMap(self.kernel, [self.examples[column] for column in columns.tolist()])

    def to_state(self) -> MapState:
        """The training examples."""
        form, arrays = pack_sequences("examples", self.examples)
        return {"form": form}, arrays

"""A structure of one's own: what it compiles to, what describes its parts, and how its outputs are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from weft.annotations import SparseMatrix
from weft.arrays import Floats, Ids
from weft.core import DerivationGraph
from weft.errors import InputError
from weft.structures.graph_batch import GraphBatch


class GraphStructure:
    """Base of structures that compile to derivation graphs; `weft.StructuredEstimator` learns on them.

    A subclass has `feature_names` and the methods `compile`, `part_features`, `encode` and `decode`. If its features
    depend on the data, it has `collect` too.

    Examples
    --------
    Outputs are the characters of a string, of which one is picked:

    >>> from scipy.sparse import csr_array
    >>> class Pick(GraphStructure):
    ...     feature_names = ["a", "b", "c"]
    ...     def compile(self, x):  # one node, and an edge with a part of its own for each character
    ...         return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))
    ...     def part_features(self, x):
    ...         return csr_array([[float(letter == name) for name in self.feature_names] for letter in x])
    ...     def encode(self, x, y):
    ...         return [x.index(y)]
    ...     def decode(self, x, parts):
    ...         return x[parts[0]]
    >>> import weft
    >>> estimator = weft.StructuredEstimator(Pick()).fit(["abc", "cab", "bc"], ["b", "b", "b"])
    >>> estimator.predict(["cb", "ac"])
    ['b', 'a']
    """

    feature_names: Sequence[Any] = ()
    """What each weight belongs to."""

    def collect(self, X: Sequence[Any], y: Sequence[Any] | None) -> Self:
        """The structure for these training data; this one, if it does not depend on them."""
        return self

    def compile(self, x: Any) -> DerivationGraph:
        """Graph whose derivations are the outputs of an input."""
        raise NotImplementedError(f"{type(self).__name__} has no compile; it says what the outputs of an input are")

    def part_features(self, x: Any) -> SparseMatrix:
        """Sparse matrix (n_parts, n_features) of the features of each part."""
        raise NotImplementedError(f"{type(self).__name__} has no part_features; it describes the parts of an input")

    def encode(self, x: Any, y: Any) -> ArrayLike:
        """Parts of an output as users write it."""
        raise NotImplementedError(f"{type(self).__name__} has no encode; it says which parts an output has")

    def decode(self, x: Any, parts: Ids) -> Any:
        """An output as users write it, from its parts."""
        raise NotImplementedError(f"{type(self).__name__} has no decode; it writes outputs")

    def bind(
        self,
        X: Sequence[Any],
        y: Sequence[Any] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = None,
    ) -> GraphBatch:
        """The output spaces of inputs, with the right outputs if there are some."""
        references = None if y is None else [self.encode(x, output) for x, output in zip(X, y, strict=True)]
        graphs = [self.compile(x) for x in X]
        features: list[Any] = [self.part_features(x) for x in X]
        n_named = len(self.feature_names)
        if n_named == 0:
            raise InputError(f"{type(self).__name__} has no feature_names; need at least one: see collect.")
        for i, own in enumerate(features):
            if np.shape(own)[1:] != (n_named,):
                came = f"part_features of {type(self).__name__} gave shape {np.shape(own)} for x[{i}]"
                raise InputError(f"{came}; need a column for each of its {n_named} feature_names.")
        return GraphBatch(graphs, features, references, sample_weight, n_jobs)

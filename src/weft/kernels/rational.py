"""Rational kernels: any transducer makes one (LK section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from weft.automata import (
    Automaton,
    Transducer,
    compose,
    determinize,
    intersect,
    posterior,
    project,
    remove_epsilon,
    total_weight,
)
from weft.automata.machine import require_machine
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.feature_map import FeatureMap, MapState
from weft.kernels.output_weights import Strings, output_weights
from weft.kernels.positive import check_positive_semidefinite
from weft.kernels.string_map import StringFeatureMap
from weft.kernels.symbols import as_coded, form_of


class RationalKernel(Kernel):
    """Kernel of a transducer T: ``K(x, y) = sum over z of T(x, z) T(y, z)``, which is x ∘ T ∘ T⁻¹ ∘ y.

    Positive semidefinite, as an inner product of the outputs of T for x and for y. On lattices the sum runs over their
    strings too, times their weights; costs become probabilities of paths (`weft.automata.posterior`). T must not read
    epsilon in a cycle, so that what it writes for a string ends; where a cyclic lattice makes it write infinitely many
    strings, ``method="composition"`` sums over them.

    Parameters
    ----------
    transducer : Transducer
        Over the real semiring; must read every symbol of the data.
    method : {"features", "composition"}
        Write out the strings that T gives as explicit features, or compute each entry of a Gram matrix as the total
        weight of an intersection, which is slow but never needs all strings.
    whole : bool
        The transducer is U with ``K(x, y) = U(x, y)`` and not T. Nothing then makes K an inner product, so
        ``gram(X)`` is checked to be symmetric and positive semidefinite.
    max_strings : int
        More strings than this for one sequence are an error.

    Examples
    --------
    >>> from weft.automata import ngram_transducer
    >>> kernel = RationalKernel(ngram_transducer("ab", 2))
    >>> kernel.gram(["ababa", "abaab"])
    array([[8., 6.],
           [6., 6.]])
    >>> kernel.feature_map(["ababa", "abaab"])[0].names()
    ['aa', 'ab', 'ba']
    """

    def __init__(
        self,
        transducer: Transducer,
        method: str = "features",
        *,
        whole: bool = False,
        max_strings: int = 1_000_000,
    ) -> None:
        self.transducer = transducer
        self.method = method
        self.whole = whole
        self.max_strings = max_strings

    @property
    def has_features(self) -> bool:
        """Whether the strings that T writes are written out."""
        return self.method == "features" and not self.whole

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows; a column is a string that T writes."""
        self._check()
        if not self.has_features:
            return super().feature_map(X)
        found = self._strings(X)
        strings = sorted(set().union(*found))
        mapped = StringFeatureMap(self, strings)
        return mapped, mapped.rows(found)

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        return StringFeatureMap.from_state(self, state)

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        self._check()
        X = as_coded(X)
        if self.has_features:
            return super().gram(X, Y)
        left = [compose(machine, self.transducer) for machine in self._machines(X)]
        if self.whole:
            right = self._machines(X if Y is None else Y)
            gram = np.array([[total_weight(compose(one, other)) for other in right] for one in left])
            if Y is None:
                check_positive_semidefinite(gram)
            return gram
        outputs = list(map(_output, left))
        others = outputs if Y is None else [_output(compose(each, self.transducer)) for each in self._machines(Y)]
        return np.array([[total_weight(intersect(one, other)) for other in others] for one in outputs])

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        self._check()
        if self.has_features:
            return np.array([sum(weight**2 for weight in found.values()) for found in self._strings(X)])
        machines = self._machines(X)
        left = [compose(machine, self.transducer) for machine in machines]
        if self.whole:
            return np.array([total_weight(compose(one, x)) for one, x in zip(left, machines, strict=True)])
        return np.array([total_weight(intersect(one, one)) for one in map(_output, left)])

    def _check(self) -> None:
        machine = require_machine(self.transducer, "transducer", Transducer)
        if machine.semiring != "real":
            raise InputError(
                f"transducer has the {machine.semiring} semiring; RationalKernel needs 'real': "
                "build it with semiring='real'."
            )
        if self.method not in ("features", "composition"):
            raise InputError(f"method={self.method!r} given; need 'features' or 'composition'.")

    def _strings(self, X: Sequence[Any]) -> list[Strings]:
        """What the transducer writes for each sequence."""
        written = [compose(x, self.transducer) for x in self._machines(X)]
        # Cycles that write nothing are summed; what a counter writes is then finite.
        finite = [each if each.is_acyclic else remove_epsilon(project(each)) for each in written]
        if not all(each.is_acyclic for each in finite):
            raise InputError(
                "a cycle of the lattice or of the transducer writes infinitely many strings; need finitely many for "
                "explicit features: set method='composition'."
            )
        return [output_weights(each, self.max_strings) for each in finite]

    def _machines(self, X: Sequence[Any]) -> list[Automaton]:
        """Sequences as automata whose symbols the transducer reads."""
        X = as_coded(X)
        form = form_of(X)
        known = set(self.transducer.input_symbols)
        machines = []
        for index, x in enumerate(X):
            machine = posterior(x) if form == "automata" else Automaton.from_string(x)
            unknown = [symbol for symbol in machine.symbols if symbol not in known]
            if unknown:
                raise InputError(
                    f"X[{index}] has the symbol {unknown[0]!r}, which the transducer does not read; need only symbols "
                    f"of its {len(known) - 1}: build the transducer over a larger alphabet."
                )
            machines.append(machine)
        return machines


def _output(machine: Any) -> Automaton:
    """What a composition writes, as an automaton with few states."""
    written = remove_epsilon(project(machine))
    return determinize(written) if written.is_acyclic else written

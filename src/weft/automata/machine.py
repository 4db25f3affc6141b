"""What weighted automata and transducers share: arrays of arcs, sorted by source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from weft.automata.arc_arrays import FloatArray, IntArray, LongArray, Symbols, weight_number
from weft.automata.loops.ordering import topological_order
from weft.automata.semirings import check_weights, one_of, semiring_code, zero_of
from weft.errors import InputError


class Arc(NamedTuple):
    """One arc by name; ``label`` is a string or None, and a pair of them for a transducer."""

    source: int
    label: Any
    target: int
    weight: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Machine:
    """What automata and transducers share; make one of those two."""

    offsets: LongArray
    targets: IntArray
    weights: FloatArray
    final: FloatArray
    start: int = 0
    semiring: str = "real"

    if TYPE_CHECKING:  # an automaton has these as properties, a transducer as fields

        @property
        def inputs(self) -> IntArray:
            """Input label of every arc."""

        @property
        def outputs(self) -> IntArray:
            """Output label of every arc."""

        @property
        def input_symbols(self) -> Symbols:
            """Names of the input labels."""

        @property
        def output_symbols(self) -> Symbols:
            """Names of the output labels."""

    def __post_init__(self) -> None:
        semiring_code(self.semiring)
        n_arcs = len(self.targets)
        for name, dtype, length in (
            ("offsets", np.int64, len(self.final) + 1),
            ("inputs", np.int32, n_arcs),
            ("outputs", np.int32, n_arcs),
            ("targets", np.int32, n_arcs),
            ("weights", np.float64, n_arcs),
            ("final", np.float64, max(1, len(self.final))),
        ):
            # One type per array keeps one compiled version of every loop.
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != (length,) or not array.flags.c_contiguous:
                raise InputError(
                    f"{name} is {array.dtype} of shape {array.shape}; need contiguous {np.dtype(dtype)} of shape "
                    f"({length},): use from_arcs"
                )
        if self.offsets[0] != 0 or self.offsets[-1] != n_arcs or (np.diff(self.offsets) < 0).any():
            raise InputError(f"offsets do not rise from 0 to the number of arcs, {n_arcs}: use from_arcs")
        if not 0 <= self.start < self.n_states:
            raise InputError(f"start={self.start} given; need one of the {self.n_states} states, numbered from 0")
        for name, array, stop in (
            ("target", self.targets, self.n_states),
            ("input label", self.inputs, len(self.input_symbols)),
            ("output label", self.outputs, len(self.output_symbols)),
        ):
            if n_arcs and (array.min() < 0 or array.max() >= stop):
                raise InputError(f"the {name} of an arc is outside 0 to {stop - 1}: use from_arcs")
        for table in (self.input_symbols, self.output_symbols):
            if not table or table[0] is not None:
                raise InputError("a symbol table does not begin with None, the epsilon: put None first")
        check_weights(self.weights, self.semiring, "arc")
        check_weights(self.final, self.semiring, "final state")

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.final)

    @property
    def n_arcs(self) -> int:
        """Number of arcs."""
        return len(self.targets)

    @property
    def semiring_code(self) -> int:
        """Number of the semiring, for compiled loops."""
        return semiring_code(self.semiring)

    @property
    def zero(self) -> float:
        """Weight of what is not accepted."""
        return zero_of(self.semiring)

    @property
    def one(self) -> float:
        """Weight that changes nothing when multiplied."""
        return one_of(self.semiring)

    @cached_property
    def sources(self) -> IntArray:
        """Source of every arc."""
        return np.repeat(np.arange(self.n_states, dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def order(self) -> IntArray:
        """States in topological order; shorter than the number of states if there is a cycle."""
        order: IntArray = topological_order(self.offsets, self.targets)
        return order

    @property
    def is_acyclic(self) -> bool:
        """Whether no path visits a state twice."""
        return len(self.order) == self.n_states

    def topological_order(self) -> IntArray:
        """States in an order in which every arc leads forwards; an `InputError` if there is a cycle."""
        if not self.is_acyclic:
            raise InputError(
                f"the machine has a cycle (through {self.n_states - len(self.order)} of its {self.n_states} states or "
                "leading to them); need an acyclic one: remove the arc that leads back"
            )
        return self.order

    def scaled(self, factor: float) -> Self:
        """The machine with every final weight multiplied by `factor`, LK section 2.1."""
        factor = weight_number(factor, "factor")
        final = self.final * factor if self.semiring == "real" else self.final + factor
        return replace(self, final=final)

    def replaced(
        self,
        sources: IntArray,
        inputs: IntArray,
        outputs: IntArray,
        targets: IntArray,
        weights: FloatArray,
        final: FloatArray,
        start: int,
    ) -> Self:
        """A machine of the same kind and symbols with other arcs, in any order."""
        raise NotImplementedError

    def __repr__(self) -> str:
        kind = type(self).__name__
        n_final = int((self.final != self.zero).sum())
        counts = [
            f"{number} {noun}{'' if number == 1 else 's'}"
            for number, noun in ((self.n_states, "state"), (self.n_arcs, "arc"), (n_final, "final state"))
        ]
        return f"{kind}({', '.join(counts)}, semiring={self.semiring!r})"


K = TypeVar("K", bound=Machine)


def require_machine(value: Any, name: str, kind: type[K] = Machine) -> K:  # type: ignore[assignment]
    """The value itself if it is a machine of this kind.

    Examples
    --------
    >>> require_machine("abc", "left")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: left is a str; need an Automaton or Transducer: use Automaton.from_string for text
    """
    if not isinstance(value, kind):
        wanted = "an Automaton or Transducer" if kind is Machine else f"{kind.__name__}"
        cure = "use Automaton.from_string for text" if isinstance(value, str) else "build or convert it first"
        raise InputError(f"{name} is a {type(value).__name__}; need {wanted}: {cure}")
    return value

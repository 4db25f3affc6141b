"""A batch made of batches: each part has some of the sequences and lies wherever its keeper says.

It answers what a batch of all sequences would, to the last digit: a part is a shard of that batch, cut into the same
chunks, and the parts are added in the same order (`weft.core.shards`). Learners do not know the difference, but for
two: perceptrons and structural SVMs take steps that depend on each other, which no sum can do. They have methods of
their own here (`weft.scale.steps`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.array_checks import checked_floats
from weft.scale.questions import SHAPES, PartOutputs
from weft.scale.steps import cutting_plane_passes, mixed_perceptron_passes
from weft.structures.moments import Moments
from weft.structures.online import FrankWolfePass, PerceptronState

__all__ = ["Keeper", "PartedBatch"]

ASKED_OF_ONE = frozenset({"generative_weights", "maximised_weights"})
"""Questions whose answer does not depend on the sequences."""


class Keeper(Protocol):
    """Who keeps the parts and asks them: threads over files, or a cluster."""

    n_sequences: list[int]
    """Number of sequences of each part."""
    facts: dict[str, Any]
    """What is the same for all parts: questions, n_features, dense_features, and about references and hints."""
    hints: list[Any]
    """What passes have learned about their numbers, of each part; None of one that was not asked."""
    watcher: Callable[[str], None] | None
    """Hears how many parts of a question are done, and who works."""

    def ask(self, question: str, arguments: Sequence[Any], sample_weight: list[Floats] | None) -> Any:
        """The answer of all parts together."""
        ...

    def step(self, work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """What ``work(batch, *arguments)`` gives for the first parts, one for each tuple of arguments."""
        ...


class PartedBatch:
    """The output spaces of sequences that lie in several places.

    Outputs are those of each part in a list (`PartOutputs`). It answers the questions that its parts answer, as
    `weft.scale.questions.SHAPES` says how to put them together.

    Parameters
    ----------
    keeper : Keeper
    sample_weight : ndarray of shape (n_sequences,)
    """

    def __init__(self, keeper: Keeper, sample_weight: Floats) -> None:
        self.keeper = keeper
        self.n_sequences = sum(keeper.n_sequences)
        self.sample_weight = sample_weight
        self.dense_features = keeper.facts["dense_features"]
        ends = np.cumsum(keeper.n_sequences).tolist()
        self.parts = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        self._weights_of_parts: list[Floats] | None = None

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return int(self.keeper.facts["n_features"])

    @property
    def has_partial_references(self) -> bool:
        """Whether some reference stands for several outputs."""
        return bool(self.keeper.facts["has_partial_references"])

    @property
    def hints(self) -> dict[bool, list[float | None]] | None:
        """What passes have learned about their numbers, of all sequences; None of a structure that learns nothing."""
        if not self.keeper.facts["has_hints"]:
            return None
        none: list[dict[bool, list[float | None]]] = [
            dict.fromkeys((False, True), [None] * n) for n in self.keeper.n_sequences
        ]
        kept = [own or nothing for own, nothing in zip(self.keeper.hints, none, strict=True)]
        return {key: [value for own in kept for value in own[key]] for key in (False, True)}

    @hints.setter
    def hints(self, hints: dict[bool, list[float | None]]) -> None:
        self.keeper.hints = [{key: values[own] for key, values in hints.items()} for own in self.parts]

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Let somebody hear how many parts of a question are done, and how many workers there are."""
        self.keeper.watcher = watcher

    def weighted(self, sample_weight: Floats) -> Self:
        """The same batch with other weights of the sequences."""
        other = copy.copy(self)
        cure = "give one number per sequence"
        other.sample_weight = checked_floats("sample_weight", sample_weight, (self.n_sequences,), cure)
        other._weights_of_parts = [other.sample_weight[own] for own in self.parts]
        return other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.keeper.facts["questions"]:
            raise AttributeError(f"a batch in parts has no answer to {name!r}")
        if name in SHAPES:
            return lambda *given, **named: self.keeper.ask(name, [*given, *named.values()], self._weights_of_parts)
        if name in ASKED_OF_ONE:
            return lambda *given: self.keeper.step(_asked, [(name, *given)])[0]
        if name == "starting_weights":
            return self._starting_weights
        raise AttributeError(f"{name!r} cannot be asked of sequences that lie in several places")

    def moments(self, base: Floats | None = None) -> Moments:
        """Moments under a base distribution; uniform without one."""
        return Moments(self, base)

    def _starting_weights(self) -> Floats:
        counts = self.observed() if self.keeper.facts["has_references"] else np.zeros(self.n_features)
        found: Floats = self.keeper.step(_asked, [("starting_weights", counts)])[0]
        return found

    # ----------------------------------------------------------------- outputs

    def join(self, outputs: Sequence[Any]) -> PartOutputs:
        """One output of each sequence, as the other questions want them."""
        return PartOutputs(self.keeper.step(_asked, [("join", list(outputs[own])) for own in self.parts]))

    def split(self, outputs: PartOutputs) -> list[Any]:
        """The output of each sequence."""
        return [each for own in self.keeper.step(_asked, [("split", own) for own in outputs]) for each in own]

    # --------------------------------------------- steps that depend on each other

    def perceptron_passes(
        self, state: PerceptronState, random: np.random.Generator
    ) -> Iterator[tuple[PerceptronState, int]]:
        """Iterative parameter mixing (`weft.scale.steps.mixed_perceptron_passes`)."""
        return mixed_perceptron_passes(self, state, random)

    def frank_wolfe_passes(
        self, strength: float, random: np.random.Generator, state: Sequence[NDArray[Any]] = ()
    ) -> Iterator[FrankWolfePass]:
        """Cutting planes (`weft.scale.steps.cutting_plane_passes`)."""
        return cutting_plane_passes(self, strength, state)


def _asked(batch: Any, question: str, *arguments: Any) -> Any:
    return getattr(batch, question)(*arguments)

"""What goes in and what comes out, as types: they validate requests, and the OpenAPI document is made of them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "ENCODER",
    "UNSET",
    "Answers",
    "ErrorFacts",
    "ErrorReply",
    "ExplainRequest",
    "Explanation",
    "Lattice",
    "LatticeArc",
    "ModelFacts",
    "ModelList",
    "ModelName",
    "Options",
    "PredictRequest",
    "Sequence",
    "State",
]

MOST_KBEST = 100

Scalar = str | int | float | bool | None
Token = str | int | float | dict[str, Scalar] | list[str | int | float]


class LatticeArc(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An arc of a lattice."""

    source: str | int
    target: str | int
    label: str | None
    weight: float | UnsetType = UNSET
    log_weight: float | UnsetType = UNSET


class Lattice(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A weighted automaton, as `weft.automata.Automaton.from_lattice` takes it."""

    arcs: list[LatticeArc]
    final: list[str | int] | dict[str, float]
    start: str | int | UnsetType = UNSET
    nodes: list[str | int] | UnsetType = UNSET


Sequence = Annotated[
    str | list[Token] | Lattice,
    Meta(
        description=(
            "A sequence as in Python: a string (its characters), a list of tokens, of feature objects, of attribute "
            "lists or of vectors, a lattice; for a model that aligns, a list of two strings or of two token lists."
        )
    ),
]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked beyond the answer itself."""

    kbest: Annotated[int, Meta(ge=1, le=MOST_KBEST, description="Number of outputs, best first.")] = 1
    confidence: Annotated[bool, Meta(description="Probability of each answer.")] = False
    marginals: Annotated[bool, Meta(description="Probability of each part of the outputs.")] = False
    z_score: Annotated[bool, Meta(description="How far the answer stands above the mean of all outputs.")] = False


class PredictRequest(Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sequences to answer: `inputs`, or one that a person has typed, `text`, which is split as the training files were.

    With `warnings` the answer says what the model warned of, such as symbols unknown to it; such a request is not
    answered together with others.
    """

    inputs: list[Sequence] | UnsetType = UNSET
    text: str | UnsetType = UNSET
    tags: list[str | list[str]] | UnsetType = UNSET
    warnings: bool = False

    @property
    def options(self) -> Options:
        """What is asked of each sequence."""
        return Options(self.kbest, self.confidence, self.marginals, self.z_score)


class ExplainRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One sequence whose answer is to be explained; with `drawing` also as a picture, SVG."""

    input: Sequence | UnsetType = UNSET
    text: str | UnsetType = UNSET
    tags: str | list[str] | UnsetType = UNSET
    top: Annotated[int, Meta(ge=1, le=200, description="Number of parts of the explanation, strongest first.")] = 20
    drawing: bool = False


class ModelName(Struct):
    """Which model answered: `version` is the beginning of the SHA-256 of its file."""

    name: str
    version: str
    kind: str


class Answers(Struct, omit_defaults=True):
    """An answer for each sequence, in their order; its fields depend on the kind of the model.

    `inputs` has the sequence that was made of `text`.
    """

    model: ModelName
    answers: list[dict[str, Any]]
    inputs: list[Any] | UnsetType = UNSET
    warnings: list[str] | UnsetType = UNSET


class Explanation(Struct, omit_defaults=True):
    """The evidence for the answer: parts with their contributions, and what else the kind of the model has to tell."""

    model: ModelName
    input: Any
    answer: dict[str, Any]
    explanation: dict[str, Any]
    drawing: str | UnsetType = UNSET


class ModelFacts(Struct):
    """A model and what it can be asked."""

    name: str
    version: str
    kind: str
    estimator: str
    task: str
    library_version: str
    questions: list[str]
    inputs: list[str]
    labels: list[Any] | None
    training: dict[str, Any]
    loaded: Annotated[str, Meta(description="When it was loaded, UTC.")]
    stale: Annotated[bool, Meta(description="Whether a newer file could not be loaded.")]
    example: Annotated[str, Meta(description="Something to type.")]
    hint: Annotated[str, Meta(description="What to type.")]
    limits: dict[str, float]


class ModelList(Struct):
    """All models."""

    models: list[ModelFacts]


class State(Struct):
    """Whether the server is there, or ready."""

    status: str


class ErrorFacts(Struct):
    """What went wrong: a word for programs and a line for people."""

    code: str
    message: str


class ErrorReply(Struct):
    """The answer to whatever cannot be answered."""

    error: ErrorFacts


def encode_more(value: Any) -> Any:
    """Numbers and arrays of NumPy as JSON knows them.

    Examples
    --------
    >>> import numpy as np
    >>> encode_more(np.array([1.5, 2.0]))
    [1.5, 2.0]
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


ENCODER = msgspec.json.Encoder(enc_hook=encode_more)

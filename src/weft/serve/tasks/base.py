"""What a model is asked over HTTP, whatever its kind: inputs from JSON, their cost, answers, explanations."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy as np

from weft.errors import InputError
from weft.kinds.base import Kind
from weft.serve.limits import Cost
from weft.serve.types import Lattice, Options
from weft.spelling import with_article

__all__ = ["THRESHOLD", "Answer", "StructuredTask", "Task", "as_vectors", "plain_lattice", "ranks", "split_blanks"]

Answer = dict[str, Any]

THRESHOLD = 1e-3
"""Pairs that are less probable are left out of marginals."""

PYTHON = 1e-6
"""Seconds that Python takes for a symbol, from JSON and back. `python -m benchmarks.serving costs` holds this and all
other constants of `Task.cost` against what answers take."""


class Task:
    """A loaded model and what it can be asked; a task of each kind adds what only that knows.

    Parameters
    ----------
    kind : Kind
        An opened model.
    """

    questions: tuple[str, ...] = ("kbest", "confidence", "marginals", "z_score", "explain")
    """What this model can be asked."""
    joins: bool = True
    """Whether answers are the same, bit for bit, whichever other sequences are asked together with one."""
    forms: ClassVar[tuple[str, ...]] = ("string", "tokens")
    hint: ClassVar[str] = "Type a sequence."
    lacks: ClassVar[str] = "has none"
    """Why it cannot be asked the rest."""

    def __init__(self, kind: Kind) -> None:
        self.kind, self.estimator = kind, kind.estimator

    # --------------------------------------------------------------- inputs

    def from_json(self, value: Any) -> Any:
        """A sequence of a request as the estimator takes it."""
        if isinstance(value, Lattice):
            raise InputError("a lattice given; only models that classify take lattices: send a string or tokens.")
        return value

    def from_text(self, text: str) -> Any:
        """A sequence that a person has typed, split as the training files were."""
        return text

    def length(self, value: Any) -> int:
        """Symbols of a sequence."""
        return len(value)

    def cost(self, value: Any, options: Options) -> Cost:
        """What answering one sequence takes; from lengths and sizes alone."""
        raise NotImplementedError

    # -------------------------------------------------------------- answers

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """The answer to each sequence."""
        raise NotImplementedError

    def joined(self, parts: list[list[Any]]) -> Any:
        """Sequences of several requests as one thing that `answers` takes."""
        return [value for part in parts for value in part]

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """The answer to one sequence, and what speaks for it."""
        raise NotImplementedError

    def drawing(self, value: Any, answer: Answer) -> str | None:
        """The answer as a picture, SVG, if the kind has one."""
        return None

    def check_options(self, tags: list[Any] | None, options: Options) -> None:
        """Refuse what models of this kind cannot be asked."""
        name = with_article(type(self.estimator).__name__)
        if tags is not None and "tags" not in self.questions:
            raise InputError(f"tags given, but this model is {name}, which has no use for them; leave them out.")
        asked = {
            "kbest": options.kbest > 1,
            "confidence": options.confidence,
            "marginals": options.marginals,
            "z_score": options.z_score,
        }
        for question, came in asked.items():
            if came and question not in self.questions:
                raise InputError(f"{question} given, but this model is {name} that {self.lacks}; leave it out.")

    # ---------------------------------------------------------------- facts

    @property
    def labels(self) -> list[Any] | None:
        """Labels or classes, where there are some."""
        found = getattr(self.estimator, "classes_", None)
        return None if found is None else list(found.tolist() if hasattr(found, "tolist") else found)

    @cached_property
    def example(self) -> str:
        """Something to type."""
        return ""

    def warm(self) -> None:
        """Ask everything once, so that all loops are compiled before the first request."""
        try:
            value = self.from_text(self.example)
            tags: list[Any] | None = [["x"]] if getattr(self.estimator, "has_tags_", False) else None
            self.answers([value], tags, Options())
            for question in ("confidence", "marginals", "z_score"):
                if question in self.questions:
                    self._try(value, tags, Options(**{question: True}))
            if "kbest" in self.questions:
                self._try(value, tags, Options(kbest=3))
            answer, _ = self.explain(value, None if tags is None else tags[0], 5)
            self.drawing(value, answer)
        except InputError:
            return  # an example that this model cannot read: the first request compiles what is missing

    def _try(self, value: Any, tags: list[Any] | None, options: Options) -> None:
        try:
            self.answers([value], tags, options)
        except InputError:
            return


class StructuredTask(Task):
    """Models on a structure: all of them are asked the same."""

    key: ClassVar[str]
    """What an output is called."""

    def written(self, output: Any) -> Any:
        """An output as JSON."""
        return output

    def marginals(self, inputs: list[Any]) -> list[Any]:
        """Probabilities of parts as JSON."""
        raise NotImplementedError

    @property
    def is_expected(self) -> bool:
        """Whether predictions need the probabilities of all parts."""
        return bool(self.estimator._decoding() == "expected")

    def encoded(self, inputs: list[Any]) -> Any:
        """The inputs in a form that is not made again for each question."""
        return inputs

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """Outputs, and beside them what was asked for."""
        self.check_options(tags, options)
        estimator, X = self.estimator, self.encoded(inputs)
        found: list[Answer] = [{self.key: self.written(output)} for output in estimator.predict(X)]
        if options.kbest > 1:
            for answer, ranked in zip(found, estimator.predict_kbest(X, options.kbest), strict=True):
                answer["kbest"] = [{self.key: self.written(y), "probability": p} for y, p in ranked]
        if options.confidence:
            for answer, sure in zip(found, estimator.confidence(X).tolist(), strict=True):
                answer["confidence"] = sure
        if options.z_score:
            for answer, z in zip(found, estimator.z_score(X).tolist(), strict=True):
                answer["z_score"] = z
        if options.marginals:
            for answer, own in zip(found, self.marginals(X), strict=True):
                answer["marginals"] = own
        return found

    @cached_property
    def names(self) -> list[str]:
        """What each weight belongs to."""
        return [" ".join(map(str, n)) if isinstance(n, tuple) else str(n) for n in self.estimator.feature_names_]

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """Features of the answer with their weights, the largest contributions first."""
        [answer] = self.answers([value], None, Options())
        batch = self.estimator.bind([value])
        outputs, scores = batch.argmax(self.estimator.weights_)
        row = batch.features_of(outputs).tocsr()
        shares = row.data * self.estimator.weights_[row.indices]
        parts = [
            {
                "name": self.names[int(row.indices[k])],
                "count": float(row.data[k]),
                "weight": float(self.estimator.weights_[row.indices[k]]),
                "contribution": float(shares[k]),
            }
            for k in np.argsort(-np.abs(shares), kind="stable")[:top].tolist()
        ]
        return answer, {"score": float(np.asarray(scores)[0]), "features": parts}


def ranks(options: Options) -> int:
    """Outputs beyond the answer itself.

    Examples
    --------
    >>> ranks(Options()), ranks(Options(kbest=5))
    (0, 5)
    """
    return options.kbest if options.kbest > 1 else 0


def as_vectors(value: Any) -> Any:
    """Lists of numbers as an array of floats; other sequences as they are.

    Examples
    --------
    >>> as_vectors([[1, 2.5], [3, 4]])
    array([[1. , 2.5],
           [3. , 4. ]])
    >>> as_vectors(["a", "b"])
    ['a', 'b']
    """
    is_rows = isinstance(value, list) and bool(value) and all(isinstance(row, list) and row for row in value)
    if not is_rows or not all(isinstance(x, int | float) and not isinstance(x, bool) for row in value for x in row):
        return value
    if len({len(row) for row in value}) != 1:
        raise InputError("the vectors of a sequence have different lengths; give each token the same number of values.")
    try:
        return np.array(value, dtype=np.float64)
    except OverflowError:
        raise InputError("a vector has a number that is too large; give finite numbers.") from None


def plain_lattice(value: Lattice) -> dict[str, Any]:
    """A lattice as `weft.automata.Automaton.from_lattice` takes it."""
    found: dict[str, Any] = msgspec.to_builtins(value)
    return found


def split_blanks(text: str, what: str = "tokens") -> list[str]:
    """Tokens between blanks; at least one."""
    tokens = text.split()
    if not tokens:
        raise InputError(f"the text is empty; type {what} with blanks between them.")
    return tokens

"""Models that put strings together from predicted n-grams, over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.kinds.texts import Units
from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, Answer, Task, as_vectors, split_blanks
from weft.serve.types import Options

__all__ = ["RegressTask"]


@dataclass(frozen=True)
class Predicted:
    """Counts that were predicted for sequences of several requests."""

    counts: Floats


class RegressTask(Task):
    """A `StringRegressor`."""

    questions: tuple[str, ...] = ("explain",)
    lacks = "has no distances, which only preimage='nearest' and 'candidates' know"
    forms = ("string", "tokens", "vectors")
    hint = "Type a string."
    example = "a"

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        if self.estimator.temperature_ is not None:
            self.questions = ("kbest", "confidence", *self.questions)
        self.joins = self.estimator.preimage_ == "nearest"  # a search of its own for each row of counts

    def joined(self, parts: list[list[Any]]) -> Predicted:
        """Counts of each request by itself, since products of matrices round by their shapes; one search for all."""
        return Predicted(np.concatenate([self.estimator.predict_counts(part) for part in parts]))

    def from_json(self, value: Any) -> Any:
        """Rows of numbers are vectors."""
        return as_vectors(super().from_json(value))

    def from_text(self, text: str) -> Any:
        """Characters or words."""
        return split_blanks(text, "words") if self.kind.units == Units.WORDS else text  # type: ignore[attr-defined]

    def cost(self, value: Any, options: Options) -> Cost:
        """Kernel values with the basis, predicted counts, and searches whose steps are bounded."""
        estimator = self.estimator
        n_grams, size = float(estimator.space_.n_grams), float(value.size if hasattr(value, "size") else len(value))
        n_basis = float(sum(len(each.ridge.coefficients_) for each in estimator.regressors_))
        search = (estimator.beam_width or 40) * estimator._max_length * len(estimator.classes_)
        ranked = 1e-7 * search * ((options.kbest > 1) + options.confidence)
        seconds = 1.5e-4 + size * PYTHON + n_basis * (n_grams * 2e-10 + size * 2e-9) + 1e-8 * search + ranked
        return Cost(seconds, n_grams * 64.0 + size * 1000.0 + n_basis * 8.0)

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """Strings, and with distances their probabilities."""
        self.check_options(tags, options)
        estimator = self.estimator
        if not self.joins:
            found: list[Answer] = [{"output": output} for output in estimator.predict(inputs)]
            counts = estimator.predict_counts(inputs) if options.kbest > 1 or options.confidence else None
        else:
            counts = inputs.counts if isinstance(inputs, Predicted) else estimator.predict_counts(inputs)
            found = [{"output": estimator._written(symbols)} for symbols in estimator._best(counts)]
        if options.kbest > 1:
            for answer, ranked in zip(found, estimator._kbest(counts, options.kbest), strict=True):
                answer["kbest"] = [{"output": output, "probability": p} for output, p in ranked]
        if options.confidence:
            for answer, ranked in zip(found, estimator._kbest(counts, 1), strict=True):
                answer["confidence"] = ranked[0][1] if ranked else 0.0
        return found

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """The n-grams that were predicted, with their counts."""
        [answer] = self.answers([value], None, Options())
        counts = self.estimator.predict_counts([value])[0]
        order = np.argsort(-counts, kind="stable")[:top].tolist()
        return answer, {"grams": [{"name": self.names[k], "count": float(counts[k])} for k in order]}

    @cached_property
    def names(self) -> list[str]:
        """The n-grams that are counted."""
        return list(self.estimator.space_.names())

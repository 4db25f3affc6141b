"""Models that put strings together from predicted n-grams, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weft.kinds.texts import Units
from weft.serve.limits import Cost
from weft.serve.tasks.base import Answer, Task, as_vectors, split_blanks
from weft.serve.types import Options

__all__ = ["RegressTask"]


class RegressTask(Task):
    """A `StringRegressor`."""

    questions: tuple[str, ...] = ("explain",)
    lacks = "has no distances, which only preimage='nearest' and 'candidates' know"
    joins = False  # products of matrices round by their shapes
    forms = ("string", "tokens", "vectors")
    hint = "Type a string."
    example = "a"

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        if self.estimator.temperature_ is not None:
            self.questions = ("kbest", "confidence", *self.questions)

    def from_json(self, value: Any) -> Any:
        """Rows of numbers are vectors."""
        return as_vectors(super().from_json(value))

    def from_text(self, text: str) -> Any:
        """Characters or words."""
        return split_blanks(text, "words") if self.kind.units == Units.WORDS else text  # type: ignore[attr-defined]

    def cost(self, value: Any, options: Options) -> Cost:
        """Kernel values, predicted counts, and a search whose steps are bounded."""
        n_grams = float(self.estimator.space_.n_grams)
        n_searches = 1 + (options.kbest > 1) + options.confidence
        return Cost(2e-3 + len(value) * 1e-4 + n_grams * 2e-6 + 2e-2 * n_searches, n_grams * 64.0 + len(value) * 1000.0)

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """Strings, and with distances their probabilities."""
        self.check_options(tags, options)
        found: list[Answer] = [{"output": output} for output in self.estimator.predict(inputs)]
        if options.kbest > 1:
            for answer, ranked in zip(found, self.estimator.predict_kbest(inputs, options.kbest), strict=True):
                answer["kbest"] = [{"output": output, "probability": p} for output, p in ranked]
        if options.confidence:
            for answer, sure in zip(found, self.estimator.confidence(inputs).tolist(), strict=True):
                answer["confidence"] = sure
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

"""Models that put sequences into classes, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weft.automata import Automaton
from weft.kernels.base import Kernel
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.ngram import NGramKernel
from weft.kinds.texts import Units
from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, Answer, Task, as_vectors, plain_lattice, split_blanks
from weft.serve.types import Lattice, Options

__all__ = ["ClassifyTask"]

GRAM = 4e-8
"""Seconds that a gram takes."""
SUPPORT = 0.1
"""Part of the work on a gram that one of a support vector takes: the vectors are read once for a request."""
OTHER = 50.0
"""Grams at a symbol that stand for the work of a kernel which has none."""
LENGTH, N_SYMBOLS = 200, 30
"""Of a sequence whose grams are counted, and different symbols in it."""
"""Seconds for the grams at a symbol."""


class ClassifyTask(Task):
    """A `SequenceSVC`."""

    questions: tuple[str, ...] = ("explain",)
    lacks = "gives one class, and probabilities only if it was fitted with probability=True"
    forms = ("string", "tokens", "lattice")
    hint = "Type a text, or a lattice as JSON."
    example = "a text"

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        if self.estimator.calibration_ is not None:
            self.questions = ("confidence", *self.questions)

    @property
    def of_words(self) -> bool:
        """Whether a text is a sequence of words."""
        return self.kind.units == Units.WORDS  # type: ignore[attr-defined,no-any-return]

    def from_json(self, value: Any) -> Any:
        """Lattices as automata, rows of numbers as vectors."""
        if isinstance(value, Lattice):
            return Automaton.from_lattice(plain_lattice(value))
        return as_vectors(value)

    def from_text(self, text: str) -> Any:
        """Characters or words; a JSON object with arcs is a lattice."""
        if text.lstrip().startswith("{") and '"arcs"' in text:
            return Automaton.from_json(text)
        return split_blanks(text, "words") if self.of_words else text

    def length(self, value: Any) -> int:
        """Symbols, or arcs."""
        return len(value.targets) if isinstance(value, Automaton) else len(value)

    def cost(self, value: Any, options: Options) -> Cost:
        """Grams of a sequence; without explicit features, those of each support vector too."""
        n = self.length(value)
        times = 1 + options.confidence
        if isinstance(value, Automaton):
            return Cost(times * n * 1e-4 + 1e-3, n * 2000.0)
        grams = n * self._grams
        if self.estimator.features_ is None:
            grams += SUPPORT * self._grams * sum(map(len, self.estimator.support_ or ()))
        return Cost(times * (grams * GRAM + 10 * PYTHON) + n * PYTHON / 20, grams * 40.0 + n * 100.0)

    @cached_property
    def _grams(self) -> float:
        """Grams of the kernel at a symbol, about."""
        return grams_of(self.estimator.kernel_)

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """Classes, and the probabilities of all if asked for."""
        self.check_options(tags, options)
        found: list[Answer] = [{"label": label} for label in self.estimator.predict(inputs).tolist()]
        if options.confidence:
            names = [str(label) for label in self.estimator.classes_.tolist()]
            for answer, row in zip(found, self.estimator.predict_proba(inputs).tolist(), strict=True):
                answer["probabilities"] = dict(zip(names, row, strict=True))
                answer["confidence"] = answer["probabilities"][str(answer["label"])]
        return found

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """What each symbol adds to the decision, the strongest grams, and the decisions for all classes."""
        [answer] = self.answers([value], None, Options())
        decisions = np.atleast_1d(np.squeeze(self.estimator.decision_function([value]), axis=0)).tolist()
        names = [str(label) for label in self.estimator.classes_.tolist()]
        if len(decisions) == 1:
            decisions = [-decisions[0], decisions[0]]
        told: dict[str, Any] = {"decisions": dict(zip(names, decisions, strict=True))}
        if self.estimator.features_ is not None and isinstance(value, str | list) and len(value):
            shown = self.estimator.highlight(value)
            told |= {
                "contributions": shown.contributions.tolist(),
                "features": [
                    {"start": start, "stop": stop, "name": name, "contribution": share}
                    for start, stop, name, share in shown.features[:top]
                ],
            }
        return answer, told

    def drawing(self, value: Any, answer: Answer) -> str | None:
        """A lattice; texts are shown as they are."""
        if not isinstance(value, Automaton):
            return None
        from weft.reports.lattice_pictures import lattice_drawing

        arcs = [(arc.source, arc.label, arc.target, arc.weight) for arc in value.arcs()]
        final = [state for state, weight in enumerate(value.final.tolist()) if weight]
        text = f"Lattice of {value.n_states} states and {len(value.targets)} arcs"
        return str(lattice_drawing(arcs, value.start, final, text))


def grams_of(kernel: Any) -> float:
    """Grams at a symbol that a kernel, or those that it is made of, count.

    Examples
    --------
    >>> import weft
    >>> round(grams_of(weft.NGramKernel(3))), round(grams_of(weft.MismatchKernel(3, 1)))
    (1, 90)
    """
    if isinstance(kernel, NGramKernel):
        return float(kernel.n - (kernel.min_n or kernel.n) + 1)
    if isinstance(kernel, GramKernel):
        return float(kernel._capacities(np.array([LENGTH]), N_SYMBOLS)[0]) / LENGTH
    inside = [each for each in kernel.get_params(deep=False).values() if isinstance(each, Kernel)]
    return sum(map(grams_of, inside)) if inside else OTHER

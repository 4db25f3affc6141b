"""Models that fold RNA, over HTTP."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, THRESHOLD, Answer, StructuredTask
from weft.serve.types import Options
from weft.structures.grammar.structure import Grammar

__all__ = ["FoldTask"]

INTERIOR = 480.0
"""Loops of two pairs that a pair may close: 30 bases between them at the most, on both sides."""


class FoldTask(StructuredTask):
    """A `Folder`."""

    key = "structure"
    forms = ("string",)
    hint = "Type a sequence of A, C, G and U."
    example = "GGGCUAUUAGCUCAGUUGGUUAGAGCGCACCCCUGAUAAGGGUGAGGUCGCUGAUUCGAAUUCAGCAUAGCCCA"

    def from_text(self, text: str) -> str:
        """One string, whatever line ends it was typed with."""
        return "".join(text.split())

    def cost(self, value: Any, options: Options) -> Cost:
        """Cubic for grammars and for branches; quadratic, with a large constant, for loops of two pairs."""
        n, structure = float(len(value)), self.estimator.structure_
        width = structure.n_rules if isinstance(structure, Grammar) else 4
        cells = n * n * (len(structure.nonterminals) if isinstance(structure, Grammar) else 4)
        steps = width * n**3 / 6 + (0.0 if isinstance(structure, Grammar) else INTERIOR * n * n / 2)
        times = self.passes(options) * (4 if self.estimator.decode == "expected" else 1)
        tables = 2 + options.kbest * (options.kbest > 1)
        return Cost(steps * 1.5e-9 * times + n * PYTHON, cells * 8 * tables + n * n * 24)

    def marginals(self, inputs: Any) -> list[Any]:
        """Base pairs and their probabilities."""
        found = []
        for own in self.estimator.predict_marginals(inputs):
            places = np.argwhere(np.triu(own, 1) >= THRESHOLD)
            found.append([[int(i), int(j), float(own[i, j])] for i, j in places])
        return found

    def drawing(self, value: Any, answer: Answer) -> str:
        """The structure, its pairs as thick as they are probable."""
        from weft.reports.rna_pictures import rna_drawing

        structure = answer["structure"]
        [own] = self.estimator.predict_marginals([value])
        text = f"Secondary structure of {len(value)} bases: {structure}"
        return str(rna_drawing(value, structure, structure, text, probabilities=own))

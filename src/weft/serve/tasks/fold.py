"""Models that fold RNA, over HTTP."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, THRESHOLD, Answer, StructuredTask, ranks
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
        n, structure, k = float(len(value)), self.estimator.structure_, ranks(options)
        is_grammar = isinstance(structure, Grammar)
        one_pass = structure.n_rules * n**3 / 6 * 5e-10 if is_grammar else 7e-8 * n * n + 3.5e-11 * n**3
        passes = (3 if self.is_expected else 1) + 6 * (k > 0)
        passes += 6 * options.confidence + 4 * options.marginals + 14 * (options.z_score and is_grammar)
        cells = n * n * (len(structure.nonterminals) if is_grammar else 4)
        python = n * (5 + 12 * k + 25 * options.confidence + 15 * options.marginals + 80 * options.z_score) * PYTHON
        moments = 7e-12 * n**4 * (options.z_score and not is_grammar)
        return Cost(one_pass * passes + moments + python, cells * 8 * (2 + k) + n * n * 24)

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

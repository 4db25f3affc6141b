"""Models that align two sequences, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from weft.errors import InputError
from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, THRESHOLD, StructuredTask, ranks
from weft.serve.types import Options
from weft.structures.alignment.graph import BYTES_PER_CELL as BYTES_OF_GRAPH

__all__ = ["AlignTask"]


class AlignTask(StructuredTask):
    """An `Aligner`."""

    key = "alignment"
    forms = ("two strings", "two token lists")
    hint = "Type two sequences, one on each line."

    @cached_property
    def example(self) -> str:
        """Two strings of the alphabet, one of them without a letter in the middle."""
        alphabet = self.estimator.structure_.alphabet
        letters = [str(each) for each in alphabet or "ACGT" if len(str(each)) == 1] or ["A"]
        first = "".join((letters * 8)[:8])
        return f"{first}\n{first[:3]}{first[4:]}"

    def from_json(self, value: Any) -> tuple[Any, Any]:
        """A pair."""
        value = super().from_json(value)
        if not isinstance(value, list) or len(value) != 2:
            raise InputError("an input is not a list of two sequences; this model aligns pairs: send [first, second].")
        return value[0], value[1]

    def from_text(self, text: str) -> tuple[str, str]:
        """Two lines, or two words."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        lines = lines if len(lines) != 1 else lines[0].split()
        if len(lines) != 2:
            raise InputError(f"{len(lines)} sequences given; two are aligned: type one on each line.")
        return lines[0], lines[1]

    def length(self, value: tuple[Any, Any]) -> int:
        """Of the longer one."""
        return max(_size(value[0]), _size(value[1]))

    def cost(self, value: tuple[Any, Any], options: Options) -> Cost:
        """The table of all pairs of positions."""
        n, m = _size(value[0]) + 1, _size(value[1]) + 1
        cells = float(n * m)
        # Gaps that score by place are summed in tables of whole pairs.
        is_global = self.estimator.mode_ == "global"
        a_cell = 8e-9 * (4 if self.is_expected else 1)
        a_cell += 4e-8 * options.confidence + 2.5e-8 * options.marginals + 4.5e-8 * options.z_score
        a_cell = a_cell * (1 if is_global else 2) + 1.2e-7 * ranks(options)
        tables = 1 + 3 * (options.confidence or options.z_score)
        a_table = max(24.0 * tables + 40.0 * options.marginals, 0.0 if is_global else 60.0)
        a_table = max(a_table, float(BYTES_OF_GRAPH) if ranks(options) else 0.0)
        return Cost(cells * a_cell + (n + m) * PYTHON, cells * a_table)

    def written(self, output: Any) -> list[Any]:
        """Two rows."""
        return list(output)

    def marginals(self, inputs: Any) -> list[Any]:
        """Pairs of positions and their probabilities."""
        found = []
        for own in self.estimator.predict_marginals(inputs, threshold=THRESHOLD):
            pairs = own.tocoo()
            rows = zip(pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist(), strict=True)
            found.append([list(each) for each in sorted(rows)])
        return found


def _size(sequence: Any) -> int:
    return len(sequence) if isinstance(sequence, str | list) else 1

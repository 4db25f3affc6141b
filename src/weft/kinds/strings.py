"""What models share whose outputs are strings: they are scored against the nearest of their references."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.kinds.base import TABLES, Answer, Kind
from weft.kinds.locations import located
from weft.kinds.measures import Measure, share
from weft.sequences.formats.text import may_be_header, name_of

if TYPE_CHECKING:
    from weft.estimators.prediction_sets import PredictionSets

N_OUTPUTS = 20
"""Most outputs of a set that has the right one with a stated probability, if --kbest says nothing else."""


def nearest(references: list[Any], guess: Any) -> tuple[int, list[Any]]:
    """Fewest edits to a reference, and that reference: of equally near ones the longest, whatever their order.

    Examples
    --------
    >>> nearest(["cat", "cart"], "car")
    (1, ['c', 'a', 'r', 't'])
    """
    from weft.metrics.strings import edit_distance

    found = [(edit_distance(list(each), list(guess)), list(each)) for each in references]
    return min(found, key=lambda pair: (pair[0], -len(pair[1])))


class StringKind(Kind):
    """Predictions are pairs of an output and its probability, None where a model has none."""

    one = "pair"
    shown = "string"
    answer_key = "output"
    checked = ("string_error", "symbol_error")
    reported = ("string_accuracy", "symbol_error")
    takes = frozenset({"kbest", "confidence", "coverage"})
    sets: PredictionSets | None = None
    """What answers if a coverage is asked for."""

    @abstractmethod
    def references_of(self, example: Any) -> list[Any]:
        """All outputs that are right."""

    def doubt_first_line(self, file_format: Any) -> None:
        """Say that the first line of a table is learned from, where it may name columns; CSV files mostly begin so."""
        first = self.examples[0].raw
        has_header = self.lines_of.get(0, 1) > 1
        if str(file_format) not in TABLES or self.columns is not None or has_header or not isinstance(first, list):
            return
        if str(file_format) == "csv" or may_be_header(first):
            shown = ", ".join(repr(field[:40]) for field in first)
            warnings.warn(
                f"{name_of(self.file)}, line 1: {shown} is read as an example; if these are names of columns, say "
                "which to take with --columns NAME,NAME, else --columns 1,2.",
                stacklevel=2,
            )

    def as_predicted(self, examples: list[Any]) -> list[Any]:
        """The first output of each, without a probability."""
        return [(self.references_of(example)[0], None) for example in examples]

    def asked(self, examples: list[Any]) -> dict[str, Any]:
        """What `predict_kbest` takes beside the inputs of examples."""
        return {}

    def calibrate(self, file: str, coverage: float) -> None:
        """Answer by sets that have the right output with a stated probability."""
        from weft.estimators.prediction_sets import PredictionSets

        n_outputs = self.kbest if self.kbest > 1 else N_OUTPUTS
        examples = self.read(file, None)
        X, y = self.learned_from(examples)
        asked = self.asked([examples[number] for number in self.entries(examples)])
        self.file = file
        with located(self, [examples[number] for number in self.entries(examples)], list(self.entries(examples))):
            self.sets = PredictionSets(self.estimator, coverage, n_outputs).fit(X, y, **asked)
        self.kbest = n_outputs

    def ranked(self, examples: list[Any]) -> list[list[tuple[Any, float]]]:
        """The k best outputs of each example, or its set, with their probabilities."""
        X, asked = self.inputs(examples), self.asked(examples)
        if self.sets is not None:
            return self.sets.predict_with_probabilities(X, **asked)
        found: list[list[tuple[Any, float]]] = self.estimator.predict_kbest(X, self.kbest, **asked)
        return found

    def ranked_answer(self, ranked: list[tuple[Any, float]]) -> Answer:
        """The best outputs with their probabilities, as JSON has them."""
        answer: Answer = {"output": ranked[0][0], "confidence": round(ranked[0][1], 6)}
        if self.kbest > 1:
            answer["kbest"] = [{"output": output, "probability": round(p, 6)} for output, p in ranked]
        return answer

    def written(self, output: Any) -> str:
        """An output as text."""
        return output if isinstance(output, str) else " ".join(map(str, output))

    def fields(self, answer: Answer) -> tuple[list[str], list[str]]:
        """The best outputs as text, and their probabilities if asked for; of k best every line has as many."""
        ranked = answer.get("kbest", [answer])
        # Sets are as large as they need to be.
        missing = [""] * (self.kbest - len(ranked) if self.sets is None else 0)
        outputs = [self.written(each["output"]) for each in ranked] + missing
        if not self.confidence:
            return outputs, []
        return outputs, [f"{each.get('probability', answer['confidence']):.4f}" for each in ranked] + missing

    def measures(self, examples: list[Any], predicted: list[Any]) -> dict[str, Measure]:
        """Strings that are right, those that are not, and edits per symbol."""
        found = [nearest(self.references_of(x), guess) for x, (guess, _) in zip(examples, predicted, strict=True)]
        errors, lengths = [n for n, _ in found], [len(reference) for _, reference in found]
        if not sum(lengths):
            raise InputError("every reference is empty, so there is no error rate; give at least one symbol.")
        edits = "edits for each symbol of the references"
        return {
            "string_accuracy": share("strings right", [n == 0 for n in errors], "of strings equal a reference"),
            "string_error": share("string error", [n > 0 for n in errors], "of strings equal no reference", True),
            "symbol_error": Measure("symbol error", errors, lengths, edits, is_error=True),
        }

    def counts(self, examples: list[Any], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Strings and symbols."""
        return {"strings": len(examples), "symbols": int(sum(measures["symbol_error"].denominators))}

"""What models share whose outputs are strings: they are scored against the nearest of their references."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from weft.errors import InputError
from weft.kinds.base import Answer, Kind
from weft.kinds.measures import Measure, share


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

    @abstractmethod
    def references_of(self, example: Any) -> list[Any]:
        """All outputs that are right."""

    def as_predicted(self, examples: list[Any]) -> list[Any]:
        """The first output of each, without a probability."""
        return [(self.references_of(example)[0], None) for example in examples]

    def ranked_answer(self, ranked: list[tuple[Any, float]]) -> Answer:
        """The best outputs with their probabilities, as JSON has them."""
        answer: Answer = {"output": ranked[0][0], "confidence": round(ranked[0][1], 6)}
        if self.kbest > 1:
            answer["kbest"] = [{"output": output, "probability": round(p, 6)} for output, p in ranked]
        return answer

    def written(self, output: Any) -> str:
        """An output as text."""
        return output if isinstance(output, str) else " ".join(map(str, output))

    def fields(self, answer: Answer) -> list[str]:
        """The best outputs as text, and the confidence if asked for."""
        fields = [self.written(each["output"]) for each in answer.get("kbest", [answer])]
        return [*fields, f"{answer['confidence']:.4f}"] if self.confidence else fields

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

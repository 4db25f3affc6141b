"""Models that write a string for each input: how they are read, asked and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Answer
from weft.kinds.parted import examples_in_files, head_of
from weft.kinds.strings import StringKind
from weft.kinds.texts import FileFormat, TextKind, iter_fields, renamed_keys
from weft.sequences.formats.jsonl import numbered_objects
from weft.sequences.formats.table import joined_row
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.scale import Examples
    from weft.scale.pieces import Cut

CUTS: Mapping[str, Cut] = {"tsv": "lines", "jsonl": "lines"}
"""Formats that can be read in parts, and where examples end in them."""


@dataclass(frozen=True)
class Pair:
    """One input of a file, its output if it has one, and the fields or the object they stood in."""

    input: Any
    output: Any
    raw: Any


class RegressKind(TextKind, StringKind):
    """A `StringRegressor`."""

    command = "regress"
    input_name, reference_name = "input", "output"
    task = "predicts n-grams of strings by kernel regression and puts them together"
    doing = "reading"
    wanted = "strings need one output for each input"
    takes_parts = True
    batch = 500
    evaluated: ClassVar = {
        "string_accuracy": ("string_accuracy", "strings right"),
        "edit_error": ("symbol_error", "edit errors per symbol"),
    }

    # ---------------------------------------------------------------- reading

    def iter_examples(self, source: Source, file_format: FileFormat, labelled: bool) -> Iterator[Pair]:
        """Inputs, with their outputs."""
        if file_format == FileFormat.FASTTEXT:
            raise InputError(f"fasttext files have labels; {self.wanted}: give tsv, csv or jsonl.")
        if file_format == FileFormat.JSONL:
            yield from self._iter_objects(source, labelled)
            return
        columns = self.columns_of(file_format)
        comma = file_format == FileFormat.CSV
        for fields in iter_fields(source, labelled, "input", "output", empty=False, comma=comma, columns=columns):
            yield Pair(self.split(fields[0]), self.split(fields[1]) if len(fields) == 2 else None, fields)

    def _iter_objects(self, source: Source, labelled: bool) -> Iterator[Pair]:
        import numpy as np

        names = ["input", "output"]
        columns = self.columns_of(FileFormat.JSONL)
        items = numbered_objects(source, names if labelled else names[:1], renamed_keys(names, columns), columns)
        for number, item in items:
            given, output = item["input"], item.get("output")
            where = f"{name_of(source)}, line {number}"
            if isinstance(given, list) and given and isinstance(given[0], list):
                try:
                    given = np.array(given, dtype=np.float64)
                except (TypeError, ValueError, OverflowError):
                    given = None
            elif not (isinstance(given, str) or (isinstance(given, list) and all(isinstance(t, str) for t in given))):
                given = None
            if given is None or len(given) == 0:
                raise InputError(
                    f'{where}: "input" is not a string, a list of strings or a list of lists of numbers; fix it.'
                )
            tokens = isinstance(output, list) and all(isinstance(token, str) for token in output)
            if labelled and (not output or not (isinstance(output, str) or tokens)):
                raise InputError(f'{where}: "output" is {str(output)[:40]!r}; give a string or a list of strings.')
            yield Pair(self.split(given), self.split(output), item)

    def references_of(self, example: Pair) -> list[Any]:
        """The output."""
        return [example.output]

    # --------------------------------------------------------------- learning

    def read(self, path: str, given: Any = None) -> list[Pair]:
        """All pairs of a file; of training data in parts, the first of them."""
        if not self.in_parts or path != self.file:
            return super().read(path, given)
        chosen = self.choose_format(path, given, labelled=True)
        if self.columns is not None and chosen != FileFormat.JSONL:
            raise InputError("--columns names a line of one file; leave it out, or --spill and clusters.")
        head = head_of(path, chosen, CUTS)
        return self.some(list(self.iter_examples(head, chosen, labelled=True)), path, chosen)

    def parts(self) -> Examples:
        """Pieces of files."""
        return examples_in_files(self, self.file, FileFormat(self.facts["format"]), CUTS)

    def scored_on(self, dev: list[Any]) -> dict[str, Any]:
        """Nothing: there are no iterations to stop."""
        return {}

    def predict(self, estimator: Any, examples: list[Pair]) -> list[Any]:
        """The best outputs; their probabilities cost more, and only a report asks for them."""
        return [(output, None) for output in estimator.predict(self.inputs(examples))]

    def fit(self, estimator: Any, examples: list[Any], dev: list[Any] | None = None) -> Any:
        """Train an estimator on examples; there are no iterations to stop."""
        return super().fit(estimator, examples)

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model, and the strength that was chosen."""
        return {
            "pairs": estimator._n_examples if self.in_parts else len(self.examples),
            "symbols": len(estimator.classes_),
            "n_grams": estimator.space_.n_grams,
            "alpha": estimator.regressors_[0].ridge.alpha_,
        }

    # -------------------------------------------------------------- answering

    def check_answers(self) -> None:
        """Only distances become probabilities."""
        if self.confidence or self.kbest > 1:
            self._check_distances()

    def calibrate(self, file: str, coverage: float) -> None:
        """Answer by sets that have the right output with a stated probability."""
        self._check_distances()
        super().calibrate(file, coverage)

    def _check_distances(self) -> None:
        if self.estimator.temperature_ is None:
            raise InputError(
                "--confidence, --kbest and --coverage need distances, which the Euler paths of "
                f"{self.model} lack; train with --preimage nearest."
            )

    def answers(self, examples: list[Pair]) -> list[Answer]:
        """The best outputs; if asked for, their probabilities, and whether the search has shown that they are best."""
        X = self.inputs(examples)
        if self.kbest == 1 and not self.confidence:
            return [{"output": output} for output in self.estimator.predict(X)]
        answers = [self.ranked_answer(each) for each in self.ranked(examples)]
        if not self.confidence:
            for answer in answers:
                del answer["confidence"]
            return answers
        proven = self.estimator.is_proven(X).tolist()
        return [{**answer, "is_proven": each} for answer, each in zip(answers, proven, strict=True)]

    def text_lines(self, example: Pair, answer: Answer, file_format: Any, number: int) -> Iterator[str]:
        """Input, outputs, their probabilities."""
        outputs, probabilities = self.fields(answer)
        yield joined_row([example.raw[0], *outputs, *probabilities], file_format == FileFormat.CSV)

    def json_item(self, example: Pair) -> dict[str, Any]:
        """The object of the file, or the input."""
        item = dict(example.raw) if isinstance(example.raw, dict) else {"input": example.raw[0]}
        if hasattr(example.input, "dtype"):  # nobody reads arrays of numbers again
            del item["input"]
        return item if example.output is None else {**item, "gold": example.output}

    # ---------------------------------------------------------------- scoring

"""Models that put texts into classes: how they are read, asked and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Answer
from weft.kinds.measures import Measure, share
from weft.kinds.parted import examples_in_files, head_of
from weft.kinds.terminal import console_and_table
from weft.kinds.texts import SUFFIXES, TextKind, Units, iter_fields, renamed_keys
from weft.sequences.formats.fasttext import LABEL, numbered_texts
from weft.sequences.formats.jsonl import numbered_objects
from weft.sequences.formats.table import joined_row
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.scale import Examples


ClassFormat = StrEnum("ClassFormat", ["CONLL", "JSONL", "TSV", "CSV", "FASTTEXT", "FASTA"])
"""Formats of texts with classes."""


@dataclass(frozen=True)
class ClassExample:
    """One sequence of a file, its label if it has one, and the fields or the object it stood in."""

    sequence: Any
    label: Any
    raw: Any


class ClassifyKind(TextKind):
    """A `SequenceSVC`."""

    command = "classify"
    takes_parts = True
    input_name, reference_name = "sequence", "label"
    task = "puts texts into classes"
    doing = "classifying"
    one = "text"
    answer_key = "label"
    wanted = "a classifier needs one for each text"
    formats: ClassVar = ClassFormat
    suffixes: ClassVar = {**SUFFIXES, **dict.fromkeys((".fa", ".fasta", ".fna", ".faa", ".fas"), ClassFormat.FASTA)}
    takes = frozenset({"kbest", "confidence", "allow_unknown"})
    batch = 1000
    checked = ("accuracy", "macro_f1")
    evaluated: ClassVar = {"accuracy": ("accuracy", "accuracy")}
    reported = checked
    decisions: Any = None
    """Of the last prediction by a model of two classes: the larger the number of a text, the surer is the second."""

    # ---------------------------------------------------------------- reading

    def iter_examples(self, source: Source, file_format: Any, labelled: bool) -> Iterator[ClassExample]:
        """Texts, with their classes."""
        if file_format == ClassFormat.JSONL:
            yield from self._iter_objects(source, labelled)
            return
        if file_format == ClassFormat.FASTTEXT:
            yield from self._iter_fasttext(source, labelled)
            return
        if file_format == ClassFormat.FASTA:
            yield from self._iter_fasta(source, labelled)
            return
        columns = self.columns_of(file_format)
        comma = file_format == ClassFormat.CSV
        for fields in iter_fields(source, labelled, "text", "label", empty=True, comma=comma, columns=columns):
            yield ClassExample(self.split(fields[0]), fields[1] if len(fields) == 2 else None, fields)

    def _iter_fasttext(self, source: Source, labelled: bool) -> Iterator[ClassExample]:
        for number, (labels, text) in numbered_texts(source):
            if len(labels) > 1 or (labelled and not labels):
                shown = ", ".join(labels) or "none"
                raise InputError(
                    f"{name_of(source)}, line {number}: {len(labels)} labels ({shown[:60]}); {self.wanted}, as "
                    f"{LABEL}name: give one."
                )
            yield ClassExample(self.split(text), labels[0] if labels else None, [text, *labels])

    def _iter_fasta(self, source: Source, labelled: bool) -> Iterator[ClassExample]:
        """The class is the last word of a header; headers of what is to be classified are names as they are.

        Lower case marks repeats in such files, and means the same letter.
        """
        from weft.sequences.formats.fasta import numbered_records

        if (columns := self.columns_of(ClassFormat.FASTA)) is not None:
            raise InputError(f"--columns {','.join(columns)} given, but {name_of(source)} has none; leave it out.")
        for number, record in numbered_records(source):
            words = record.name.split()
            if labelled and not words:
                raise InputError(f"{name_of(source)}, line {number}: a header without a word; write >name class")
            raw = {"name": record.name, "text": record.sequence}
            yield ClassExample(self.split(record.sequence.upper()), words[-1] if labelled else None, raw)

    def _iter_objects(self, source: Source, labelled: bool) -> Iterator[ClassExample]:
        names = ["text", "label"]
        columns = self.columns_of(ClassFormat.JSONL)
        items = numbered_objects(source, names if labelled else names[:1], renamed_keys(names, columns), columns)
        for number, item in items:
            text, label = item["text"], item.get("label")
            where = f"{name_of(source)}, line {number}"
            is_tokens = isinstance(text, list) and all(isinstance(token, str) for token in text)
            if not (isinstance(text, str) or (is_tokens and self.units == Units.WORDS)):
                wanted = "a string" if self.units == Units.CHARACTERS else "a string or a list of strings"
                raise InputError(f'{where}: "text" is {str(text)[:40]!r}; give {wanted}.')
            if labelled and not isinstance(label, str | int):
                raise InputError(f'{where}: "label" is {str(label)[:40]!r}; give a string or a whole number.')
            yield ClassExample(self.split(text), label, item)

    def read(self, path: str, given: Any = None) -> list[ClassExample]:
        """All texts of a file; of training data in parts, the first of them."""
        if not self.in_parts or path != self.file:
            return super().read(path, given)
        chosen = self.choose_format(path, given, labelled=True)
        return self.some(list(self.iter_examples(head_of(path, chosen), chosen, labelled=True)), path, chosen)

    def parts(self) -> Examples:
        """Pieces of files."""
        return examples_in_files(self, self.file, ClassFormat(self.facts["format"]))

    def stratum(self, example: ClassExample) -> Any:
        """Its class."""
        return example.label

    def check_labels(self, examples: list[ClassExample], file: str) -> None:
        """Files hold text, and a model's classes may be numbers."""
        classes = [str(each) for each in self.estimator.classes_]
        for number, label in enumerate(map(str, self.references(examples)), start=1):
            if label not in classes:
                raise InputError(
                    f"{file}, text {number}: label {label!r}, unseen in training; the model knows {len(classes)} "
                    f"classes such as {classes[0]!r}: fix it, or count it wrong with --allow-unknown."
                )

    # --------------------------------------------------------------- learning

    def predict(self, estimator: Any, examples: list[ClassExample]) -> list[Any]:
        """Classes as text."""
        X = self.inputs(examples)
        if len(estimator.classes_) > 2:
            return [str(label) for label in estimator.predict(X).tolist()]
        self.decisions = estimator.decision_function(X)
        return [str(label) for label in estimator._classes_of(self.decisions).tolist()]

    def history(self) -> list[dict[str, Any]]:
        """Passes over the texts; with several classes there is one entry for each of them, which is no course of it."""
        return super().history() if len(self.estimator.classes_) == 2 else []

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model, and the kernel if there was a choice."""
        several = estimator.kernel_scores_ is not None
        return {
            "texts": len(self.examples),
            **({"kernel": estimator._training_summary()["kernel"]} if several else {}),
            "classes": len(estimator.classes_),
            "features": estimator.weights_.shape[1],
            "passes": estimator.n_iter_,
        }

    # -------------------------------------------------------------- answering

    def check_answers(self) -> None:
        """One class; probabilities only from a calibrated model."""
        if self.kbest > 1:
            raise InputError(
                f"--kbest {self.kbest} given, but {self.model} gives one class; --confidence shows all of them."
            )
        if self.confidence and self.estimator.calibration_ is None:
            raise InputError(
                f"--confidence needs probabilities, which {self.model} lacks; train it with --probability."
            )

    def answers(self, examples: list[ClassExample]) -> list[Answer]:
        """The class, and the probabilities of all if asked for."""
        X = self.inputs(examples)
        answers: list[Answer] = [{"label": label} for label in self.estimator.predict(X).tolist()]
        if self.confidence:
            names = [str(name) for name in self.estimator.classes_.tolist()]
            for answer, row in zip(answers, self.estimator.predict_proba(X).tolist(), strict=True):
                chances = {name: round(value, 6) for name, value in zip(names, row, strict=True)}
                answer |= {"confidence": chances[str(answer["label"])], "probabilities": chances}
        return answers

    def text_lines(self, example: ClassExample, answer: Answer, file_format: Any, number: int) -> Iterator[str]:
        """Text, class, confidence."""
        sure = [f"{answer['confidence']:.4f}"] if self.confidence else []
        first = example.raw["name"] if file_format == ClassFormat.FASTA else example.raw[0]
        yield joined_row([first, str(answer["label"]), *sure], file_format == ClassFormat.CSV)

    def json_item(self, example: ClassExample) -> dict[str, Any]:
        """The object of the file, or the text."""
        item = dict(example.raw) if isinstance(example.raw, dict) else {"text": example.raw[0]}
        return item if example.label is None else {**item, "gold": example.label}

    # ---------------------------------------------------------------- scoring

    def measures(self, examples: list[ClassExample], predicted: list[Any]) -> dict[str, Measure]:
        """Accuracy, and the mean F1 of the classes."""
        gold, guesses = list(map(str, self.references(examples))), list(map(str, predicted))
        right = [a == b for a, b in zip(gold, guesses, strict=True)]
        return {
            "accuracy": share("accuracy", right, "of texts are in the right class"),
            "macro_f1": macro_f1(gold, guesses),
        }

    def counts(self, examples: list[ClassExample], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Texts."""
        return {"texts": len(examples)}

    def more_scores(
        self, examples: list[ClassExample], predicted: list[Any], measures: Mapping[str, Measure]
    ) -> dict[str, Any]:
        """Accuracy, macro F1, and precision, recall and F1 of each class."""
        from sklearn.metrics import precision_recall_fscore_support

        truth, classes = list(map(str, self.references(examples))), [str(each) for each in self.estimator.classes_]
        columns = precision_recall_fscore_support(truth, predicted, labels=classes, zero_division=0.0)
        names = ("precision", "recall", "f1", "support")
        rows = zip(*(column.tolist() for column in columns), strict=True)
        macro = measures["macro_f1"]
        area = self._area(truth, classes)
        return {
            **super().more_scores(examples, predicted, measures),
            **({} if area is None else {"roc_auc": area.as_json()}),
            "macro_f1": macro.value,
            "macro_f1_interval": macro.interval,
            "classes": {label: dict(zip(names, row, strict=True)) for label, row in zip(classes, rows, strict=True)},
        }

    def _area(self, truth: list[str], classes: list[str]) -> Measure | None:
        """Area under the ROC curve; None without two classes, or where others have predicted."""
        if self.decisions is None or len(self.decisions) != len(truth) or set(truth) != set(classes):
            return None
        return roc_auc([label == classes[1] for label in truth], self.decisions)

    def print_scores(self, file: str, facts: Mapping[str, Any], measures: Mapping[str, Measure]) -> None:
        """Accuracy, macro F1, and a table of the classes."""
        console, table = console_and_table("class", "precision", "recall", "F1", "support")
        console.print(f"{file}: {facts['texts']:,} texts\n", soft_wrap=True)
        for name in self.checked:
            console.print(f"{measures[name].title}  {measures[name].as_text().strip()}")
        if "roc_auc" in facts:
            low, high = facts["roc_auc"]["interval"]
            value = f"{100 * facts['roc_auc']['value']:.2f}"
            console.print(f"ROC AUC   {value} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})")
        for label, each in facts["classes"].items():
            figures = [f"{100 * each[name]:.2f}" for name in ("precision", "recall", "f1")]
            table.add_row(label, *figures, f"{each['support']:,}")
        console.print(table)


def roc_auc(is_second: list[bool], decisions: Any) -> Measure:
    """How often a text of the second class has a larger decision than one of the first, a tie counting half.

    Examples
    --------
    >>> roc_auc([False, False, True, True], [-1.0, 0.5, 0.5, 2.0]).value
    0.875
    """
    import numpy as np
    from scipy.stats import rankdata

    from weft.metrics.intervals import sample_interval, wilson_interval

    samples = (np.array(is_second, dtype=np.float64), np.asarray(decisions, dtype=np.float64))

    def area(marks: Any, values: Any) -> float:
        second = marks > 0.5
        n, m = int(second.sum()), int((~second).sum())
        if not n or not m:  # a draw of one class says nothing
            return 0.5
        # The sum of the ranks less the least that it can be is the number of pairs in order (Mann and Whitney 1947).
        return float((rankdata(values)[second].sum() - n * (n + 1) / 2) / (n * m))

    value = area(*samples)
    drawn = partial(sample_interval, samples, area, vectorized=False)
    if value in (0.0, 1.0):  # every draw would be the same
        n_rarer = min(sum(is_second), len(is_second) - sum(is_second))
        drawn = partial(wilson_interval, round(value) * n_rarer, n_rarer)
    return Measure("ROC AUC", [], [], "of pairs of texts are in order", fixed=value, drawn=drawn)


def macro_f1(gold: list[str], predicted: list[str]) -> Measure:
    """Mean F1 of the classes of references and predictions, with a bootstrap interval over texts.

    Examples
    --------
    >>> macro_f1(["a", "b", "b"], ["a", "b", "a"]).value
    0.6666666666666666
    """
    import numpy as np

    from weft.metrics.intervals import sample_interval, wilson_interval

    names = sorted({*gold, *predicted})
    places = {name: place for place, name in enumerate(names)}
    samples = tuple(np.array([places[name] for name in side]) for side in (gold, predicted))

    def mean_f1(wanted: Any, found: Any) -> float:
        n_both = np.bincount(wanted, minlength=len(names)) + np.bincount(found, minlength=len(names))
        n_right = np.bincount(wanted[wanted == found], minlength=len(names))
        return float(np.mean(2 * n_right[n_both > 0] / n_both[n_both > 0]))

    drawn = partial(sample_interval, samples, mean_f1, vectorized=False)
    if gold == predicted:  # every draw would be the same
        drawn = partial(wilson_interval, len(gold), len(gold))
    return Measure("macro F1", [], [], "mean F1 of the classes", fixed=mean_f1(*samples), drawn=drawn)

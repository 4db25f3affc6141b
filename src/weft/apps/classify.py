"""`weft predict` and `weft evaluate` for models that put texts into classes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.apps.classification_files import ClassExample, ClassLayout, iter_class_examples, load_classifier
from weft.apps.streaming import write_answers
from weft.apps.tagging_files import FileFormat
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.sequence_svc import SequenceSVC

__all__ = ["evaluate_classes", "predict_classes"]

CHUNK = 1000


def predict_classes(
    model: Path,
    file: str,
    source: Any,
    output: str,
    file_format: FileFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
) -> None:
    """Write the class of each text; `source` calls back before it waits for more input, see `weft.apps.predict`."""
    if kbest > 1:
        raise InputError(f"--kbest {kbest} came, but {model} gives one class; --confidence shows all of them.")
    classifier, units, known = load_classifier(model)
    if confidence and classifier.calibration_ is None:
        raise InputError(f"--confidence needs probabilities, which {model} lacks; train it with --probability.")
    layout = ClassLayout.choose(file, file_format, units, known)
    line = _json_line if as_json or layout.format == FileFormat.JSONL else _pair_line

    def lines(examples: list[ClassExample]) -> Iterator[str]:
        return map(line, examples, _answers(classifier, examples, confidence))

    write_answers(output, lambda flush: iter_class_examples(source(flush), layout, labelled=False), lines, CHUNK)


def _answers(classifier: SequenceSVC, examples: list[ClassExample], confidence: bool) -> Iterator[dict[str, Any]]:
    X = [example.sequence for example in examples]
    labels = classifier.predict(X).tolist()
    if not confidence:
        yield from ({"label": label} for label in labels)
        return
    names = classifier.classes_.tolist()
    for label, row in zip(labels, classifier.predict_proba(X).tolist(), strict=True):
        probabilities = {str(name): round(value, 6) for name, value in zip(names, row, strict=True)}
        yield {"label": label, "confidence": probabilities[str(label)], "probabilities": probabilities}


def _pair_line(example: ClassExample, answer: dict[str, Any]) -> str:
    fields = [example.raw[0], str(answer["label"])]
    if "confidence" in answer:
        fields.append(f"{answer['confidence']:.4f}")
    return "\t".join(fields)


def _json_line(example: ClassExample, answer: dict[str, Any]) -> str:
    item = dict(example.raw) if isinstance(example.raw, dict) else {"text": example.raw[0]}
    if example.label is not None:
        item["gold"] = example.label
    return json.dumps({**item, **answer}, ensure_ascii=False)


def evaluate_classes(model: Path, file: str, file_format: FileFormat | None, allow_unseen: bool, as_json: bool) -> None:
    """Print accuracy, and precision, recall and F1 of each class."""
    from weft.sequences.formats.text import name_of

    classifier, units, known = load_classifier(model)
    layout = ClassLayout.choose(file, file_format, units, known)
    with status(f"classifying {name_of(file)}"):
        examples = list(iter_class_examples(file, layout, labelled=True))
        if not examples:
            raise InputError(f"{name_of(file)} holds no texts; give a file with at least one.")
        # Files hold text, and a model's classes may be numbers.
        truth, classes = [str(example.label) for example in examples], [str(each) for each in classifier.classes_]
        unseen = next((i for i, label in enumerate(truth, start=1) if label not in classes), None)
        if unseen is not None and not allow_unseen:
            raise InputError(
                f"{name_of(file)}, text {unseen}: label {truth[unseen - 1]!r}, unseen in training; the model knows "
                f"{len(classes)} classes such as {classes[0]!r}: mend it, or count it wrong with --allow-unseen."
            )
        predicted = [str(label) for label in classifier.predict([example.sequence for example in examples])]
    scores = {"model": str(model), "file": file, **_scores(truth, predicted, classes)}
    if as_json:
        print_json(scores)
    else:
        _print_scores(scores)


def _scores(truth: list[str], predicted: list[str], classes: list[str]) -> dict[str, Any]:
    from sklearn.metrics import precision_recall_fscore_support

    from weft.metrics import ratio_interval

    right = [int(a == b) for a, b in zip(truth, predicted, strict=True)]
    columns = precision_recall_fscore_support(truth, predicted, labels=classes, zero_division=0.0)
    names = ("precision", "recall", "f1", "support")
    each = {
        label: {
            name: float(column[k]) if name != "support" else int(column[k])
            for name, column in zip(names, columns, strict=True)
        }
        for k, label in enumerate(classes)
    }
    return {
        "texts": len(truth),
        "accuracy": {"value": sum(right) / len(right), "interval": ratio_interval(right, [1] * len(right))},
        "macro_f1": float(np.mean([facts["f1"] for facts in each.values()])),
        "classes": each,
    }


def _print_scores(scores: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    low, high = scores["accuracy"]["interval"]
    console.print(f"{scores['file']}: {scores['texts']:,} texts\n", soft_wrap=True)
    console.print(
        f"accuracy  {100 * scores['accuracy']['value']:.2f} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})"
    )
    console.print(f"macro F1  {100 * scores['macro_f1']:.2f} %")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("class")
    for title in ("precision", "recall", "F1", "support"):
        table.add_column(title, justify="right")
    for label, facts in scores["classes"].items():
        figures = [f"{100 * facts[name]:.2f}" for name in ("precision", "recall", "f1")]
        table.add_row(label, *figures, f"{facts['support']:,}")
    console.print(table)

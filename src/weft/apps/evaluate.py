"""`weft evaluate`: score a model on labelled sequences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.apps.classification_files import model_class
from weft.apps.predict import check_kind
from weft.apps.tagger_files import load_tagger
from weft.apps.tagging_files import Example, FileFormat, Layout, choose_format, iter_examples
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.tagger import Tagger
    from weft.metrics import ChunkScores

__all__ = ["run"]

CHUNK_TAG = re.compile(r"O|[BIES]-.+")


def run(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    file: Annotated[str, typer.Argument(help="Sequences with labels; - for standard input.")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    allow_unseen: Annotated[
        bool, typer.Option("--allow-unseen", help="Count labels unseen in training as errors, and go on.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for machines.")] = False,
) -> None:
    """Score a model on labelled sequences.

    Prints token and sequence accuracy, and precision, recall and F1 of chunks if the labels are like B-NP, I-NP, O.
    Of a model that classifies texts: accuracy, and precision, recall and F1 of each class.
    Of a model that writes strings: strings that are right, and edit errors per symbol.
    The 95 % intervals are by bootstrap over sequences.
    """
    from weft.sequences.formats.text import name_of

    kind = model_class(model)
    if kind == "Rewriter":
        from weft.apps.rewriting import evaluate_rewriter

        evaluate_rewriter(model, file, as_json)
        return
    if kind == "StringRegressor":
        from weft.apps.regress import evaluate_strings

        evaluate_strings(model, file, file_format, as_json)
        return
    if kind == "SequenceSVC":
        from weft.apps.classify import evaluate_classes

        evaluate_classes(model, file, file_format, allow_unseen, as_json)
        return
    tagger, known = load_tagger(model)
    chosen = choose_format(file, file_format, known)
    layout = known or Layout(chosen)
    check_kind(tagger, chosen, model)
    with status(f"labelling {name_of(file)}"):
        examples = list(iter_examples(file, chosen, layout, labelled=True))
        if not examples:
            raise InputError(f"{name_of(file)} holds no sequences; give a file with at least one.")
        if not allow_unseen:
            _check_labels(tagger, examples, name_of(file))
        scores = _scores([example.labels for example in examples], tagger.predict([e.tokens for e in examples]))
    scores = {"model": str(model), "file": file, **scores}
    if as_json:
        print_json(scores)
    else:
        _print_scores(scores)


def _check_labels(tagger: Tagger, examples: list[Example], name: str) -> None:
    known = set(tagger.classes_)
    for number, example in enumerate(examples, start=1):
        for position, label in enumerate(example.labels or [], start=1):
            if label not in known:
                raise InputError(
                    f"{name}, sequence {number}, token {position}: label {label!r}, unseen in training; the model "
                    f"knows {len(known)} labels such as {tagger.classes_[0]!r}: mend it, or count it wrong with "
                    "--allow-unseen."
                )


def _scores(truth: list[Any], predicted: list[Any]) -> dict[str, Any]:
    from weft.metrics import ratio_interval

    lengths = [len(labels) for labels in truth]
    right = [sum(a == b for a, b in zip(x, y, strict=True)) for x, y in zip(truth, predicted, strict=True)]
    whole = [int(n == length) for n, length in zip(right, lengths, strict=True)]
    ones = [1] * len(truth)
    scores: dict[str, Any] = {
        "sequences": len(truth),
        "tokens": sum(lengths),
        "token_accuracy": {"value": sum(right) / sum(lengths), "interval": ratio_interval(right, lengths)},
        "sequence_accuracy": {"value": sum(whole) / len(whole), "interval": ratio_interval(whole, ones)},
    }
    scheme = _chunk_scheme({label for labels in truth for label in labels})
    if scheme is not None:
        scores["chunks"] = _chunks(truth, predicted, scheme)
    return scores


def _chunk_scheme(labels: set[Any]) -> Literal["IOB2", "BIOES"] | None:
    """Name of the scheme if labels look like tags of chunks."""
    if labels == {"O"} or not all(isinstance(label, str) and CHUNK_TAG.fullmatch(label) for label in labels):
        return None
    return "BIOES" if any(label[0] in "ES" for label in labels) else "IOB2"


def _chunks(truth: list[Any], predicted: list[Any], scheme: Literal["IOB2", "BIOES"]) -> dict[str, Any]:
    from weft.metrics import chunk_scores, ratio_interval

    scores = chunk_scores(truth, predicted, scheme)
    # F1 = 2 correct / (wanted + found): a ratio of sums over sequences.
    parts = [chunk_scores([x], [y], scheme) for x, y in zip(truth, predicted, strict=True)]
    interval = ratio_interval([2 * part.correct for part in parts], [part.support + part.predicted for part in parts])
    return {
        **_chunk_facts(scores),
        "interval": interval,
        "types": {kind: _chunk_facts(each) for kind, each in scores.per_type.items()},
    }


def _chunk_facts(scores: ChunkScores) -> dict[str, Any]:
    return {name: getattr(scores, name) for name in ("precision", "recall", "f1", "support", "predicted", "correct")}


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _print_scores(scores: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"{scores['file']}: {scores['sequences']:,} sequences, {scores['tokens']:,} tokens\n", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for title in ("%", "95 % interval"):
        table.add_column(title, justify="right")
    rows = {"token accuracy": scores["token_accuracy"], "sequence accuracy": scores["sequence_accuracy"]}
    if "chunks" in scores:
        rows["chunk F1"] = {"value": scores["chunks"]["f1"], "interval": scores["chunks"]["interval"]}
    for name, score in rows.items():
        low, high = score["interval"]
        table.add_row(name, _percent(score["value"]), f"{_percent(low)} - {_percent(high)}")
    console.print(table)
    if "chunks" not in scores:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("chunks")
    for title in ("precision", "recall", "F1", "support"):
        table.add_column(title, justify="right")
    for kind, each in [*scores["chunks"]["types"].items(), ("all", scores["chunks"])]:
        figures = [_percent(each[name]) for name in ("precision", "recall", "f1")]
        table.add_row(kind, *figures, f"{each['support']:,}", style="bold" if each is scores["chunks"] else None)
    console.print(table)

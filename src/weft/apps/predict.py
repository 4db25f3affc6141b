"""`weft predict`: label the sequences of a file or of a stream."""

from __future__ import annotations

import io
import json
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from weft.apps.classification_files import model_class
from weft.apps.interrupts import check_interrupt
from weft.apps.tagger_files import load_tagger
from weft.apps.tagging_files import Example, FileFormat, Layout, choose_format, iter_examples, join_tokens
from weft.apps.terminal import check_target, line_writer
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.tagger import Tagger

__all__ = ["check_kind", "run"]

CHUNK = 1000
"""Sequences that are read before their labels are predicted together: memory stays bounded."""


def run(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    file: Annotated[str, typer.Argument(help="Sequences to label; - for standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="File to write; - for standard output.")] = "-",
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    kbest: Annotated[int, typer.Option(min=1, help="Give this many labellings, best first.")] = 1,
    confidence: Annotated[bool, typer.Option("--confidence", help="Give probabilities too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON lines, whatever the input is.")] = False,
) -> None:
    """Label sequences, in the format they come in.

    **conll**: the label becomes one more column (K columns with --kbest, then, with --confidence, the probability of
    the label at this token). Labels that are there already stay, and are not looked at.

    **jsonl**: the object gets "labels"; labels that were there move to "gold", tokens that are arrays of numbers are
    left out. With --confidence also "confidence" and "z_score" (of the whole sequence) and "marginals" (of each
    label), with --kbest also "kbest".

    **tsv**: tokens, tab, labels (K times), and the confidence.

    Of a model that classifies texts: **tsv** gives text, tab, class (and its probability with --confidence); **jsonl**
    gets "label", and with --confidence "confidence" and "probabilities".

    Of a model that writes strings: **tsv** gives input, tab, output (K times with --kbest, then the confidence);
    **jsonl** gets "output", "confidence" and "kbest".

    A stream is labelled as it comes: whatever has arrived is answered before waiting for more.
    """
    if output != "-":
        check_target(Path(output))

    def source(before_waiting: Callable[[], None]) -> Any:
        return _source(file, before_waiting)

    kind = model_class(model)
    if kind == "Rewriter":
        from weft.apps.rewriting import predict_rewriter

        predict_rewriter(model, source, output, kbest, confidence, as_json)
        return
    if kind == "StringRegressor":
        from weft.apps.regress import predict_strings

        predict_strings(model, file, source, output, file_format, kbest, confidence, as_json)
        return
    if kind == "SequenceSVC":
        from weft.apps.classify import predict_classes

        if kbest > 1:
            raise InputError(f"--kbest {kbest} came, but {model} gives one class; --confidence shows all of them.")
        predict_classes(model, file, source, output, file_format, confidence, as_json)
        return
    tagger, known = load_tagger(model)
    chosen = choose_format(file, file_format, known)
    layout = known or Layout(chosen)
    check_kind(tagger, chosen, model)
    if confidence and hasattr(tagger.learner_, "needs") and "log_partition_and_mean" not in tagger.learner_.needs:
        print("weft: a perceptron's probabilities are not calibrated; train with --learner crf.", file=sys.stderr)
    formatter = _json_lines if as_json or chosen == FileFormat.JSONL else FORMATTERS[chosen]
    pending: list[Example] = []

    with line_writer(output) as write:

        def flush() -> None:
            if pending:
                answers = _answers(tagger, pending, kbest, confidence)
                write(
                    line
                    for example, answer in zip(pending, answers, strict=True)
                    for line in formatter(example, answer, layout, kbest)
                )
                pending.clear()

        for example in iter_examples(_source(file, flush), chosen, layout, labelled=False):
            pending.append(example)
            if len(pending) == CHUNK:
                flush()
        flush()
        check_interrupt()


def check_kind(tagger: Tagger, file_format: FileFormat, model: Path) -> None:
    """Refuse columns and pairs for a model whose tokens are feature dicts or numbers."""
    kind = tagger.encoder_.kind
    if file_format != FileFormat.JSONL and tagger.features is None and kind in ("dicts", "vectors"):
        raise InputError(
            f"the file is read as {file_format}, but {model} was trained on "
            f"{'feature dicts' if kind == 'dicts' else 'arrays of numbers'}; "
            'give JSON lines whose "tokens" hold them (.jsonl, or --format jsonl).'
        )


# ------------------------------------------------------------------- reading


def _source(file: str, before_waiting: Callable[[], None]) -> Any:
    """The file; a stream calls `before_waiting` each time that no more input is there yet."""
    if file != "-" or not hasattr(sys.stdin, "buffer"):
        return file
    try:
        descriptor = sys.stdin.fileno()
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return file
    except OSError:
        return file
    return io.BufferedReader(_Stream(descriptor, before_waiting))


class _Stream(io.RawIOBase):
    """Standard input, and a call before each wait for it."""

    name = "<stdin>"

    def __init__(self, descriptor: int, before_waiting: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._before_waiting = before_waiting

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        try:
            ready = bool(select.select([self._descriptor], [], [], 0)[0])
        except OSError:  # a system that cannot tell for pipes
            ready = False
        if not ready:
            self._before_waiting()
            check_interrupt()
        view = memoryview(cast(bytearray, buffer))
        chunk = os.read(self._descriptor, len(view))
        view[: len(chunk)] = chunk
        return len(chunk)


# ---------------------------------------------------------------- predicting


def _answers(tagger: Tagger, examples: list[Example], k: int, confidence: bool) -> list[dict[str, Any]]:
    """For each sequence "labels", and with them "kbest", "confidence", "z_score" and "marginals" if asked for."""
    X = tagger.encode([example.tokens for example in examples])
    ranked = tagger.predict_kbest(X, k) if k > 1 else None
    labels = [best[0][0] for best in ranked] if ranked is not None else tagger.predict(X)
    answers: list[dict[str, Any]] = [{"labels": each} for each in labels]
    if ranked is not None:
        for answer, readings in zip(answers, ranked, strict=True):
            answer["kbest"] = [{"labels": each, "probability": round(p, 6)} for each, p in readings]
    if confidence:
        index = {label: number for number, label in enumerate(tagger.classes_)}
        sure = tagger.confidence(X).tolist()
        for answer, whole, marginals in zip(answers, sure, tagger.predict_proba(X), strict=True):
            answer["confidence"] = round(whole, 6)
            answer["marginals"] = [
                round(float(row[index[label]]), 6) for row, label in zip(marginals, answer["labels"], strict=True)
            ]
        for answer, z in zip(answers, _z_scores(tagger, X), strict=False):
            answer["z_score"] = round(z, 4)
    return answers


def _z_scores(tagger: Tagger, X: Any) -> list[float]:
    """Z-scores of the predictions; none if the model has no moments of all labellings."""
    try:
        return [float(z) for z in tagger.z_score(X)]
    except InputError:
        return []


# ------------------------------------------------------------------- writing


def _labellings(answer: dict[str, Any]) -> list[list[str]]:
    """The best labelling, or the k best, as strings."""
    readings = [each["labels"] for each in answer["kbest"]] if "kbest" in answer else [answer["labels"]]
    return [[str(label) for label in reading] for reading in readings]


def _conll_lines(example: Example, answer: dict[str, Any], layout: Layout, k: int) -> Iterator[str]:
    columns: list[Iterable[str]] = [*_labellings(answer)]
    columns += [["_"] * len(example.raw)] * (k - len(columns))  # every row needs as many columns
    if "marginals" in answer:
        columns.append(f"{value:.4f}" for value in answer["marginals"])
    for row, *labels in zip(example.raw, *columns, strict=True):
        yield "\t".join([*row, *labels])
    yield ""


def _pair_lines(example: Example, answer: dict[str, Any], layout: Layout, k: int) -> Iterator[str]:
    fields = [example.raw[0], *(join_tokens(labels, layout.label_split) for labels in _labellings(answer))]
    if "confidence" in answer:
        fields.append(f"{answer['confidence']:.4f}")
    yield "\t".join(fields)


def _json_lines(example: Example, answer: dict[str, Any], layout: Layout, k: int) -> Iterator[str]:
    item = dict(example.raw) if isinstance(example.raw, dict) else {"tokens": example.tokens}
    if hasattr(example.tokens, "dtype"):  # nobody reads arrays of numbers again
        del item["tokens"]
    if example.labels is not None:
        item["gold"] = example.labels
    yield json.dumps({**item, **answer}, ensure_ascii=False)


FORMATTERS = {FileFormat.CONLL: _conll_lines, FileFormat.TSV: _pair_lines}

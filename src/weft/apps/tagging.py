"""`weft predict` and `weft evaluate` for models that label tokens."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from weft.apps.streaming import write_answers
from weft.apps.tagger_files import load_tagger
from weft.apps.tagging_files import Example, FileFormat, Layout, choose_format, iter_examples, join_tokens
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.tagger import Tagger
    from weft.metrics import ChunkScores

__all__ = ["check_kind", "check_labels", "chunk_scheme", "evaluate_labels", "predict_labels"]

CHUNK = 1000
"""Sequences that are read before their labels are predicted together: memory stays bounded."""

CHUNK_TAG = re.compile(r"O|[BIES]-.+")


def predict_labels(
    model: Path,
    file: str,
    source: Callable[[Callable[[], None]], Any],
    output: str,
    file_format: FileFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
) -> None:
    """Write the labels of each sequence; `source` calls back before it waits for more input."""
    tagger, known = load_tagger(model)
    chosen = choose_format(file, file_format, known)
    layout = known or Layout(chosen)
    check_kind(tagger, chosen, model)
    if confidence and hasattr(tagger.learner_, "needs") and "log_partition_and_mean" not in tagger.learner_.needs:
        print("weft: a perceptron's probabilities are not calibrated; train with --learner crf.", file=sys.stderr)
    formatter = _json_lines if as_json or chosen == FileFormat.JSONL else FORMATTERS[chosen]

    def lines(examples: list[Example]) -> Iterator[str]:
        for example, answer in zip(examples, _answers(tagger, examples, kbest, confidence), strict=True):
            yield from formatter(example, answer, layout, kbest)

    write_answers(output, lambda flush: iter_examples(source(flush), chosen, layout, labelled=False), lines, CHUNK)


def check_kind(tagger: Tagger, file_format: FileFormat, model: Path) -> None:
    """Refuse columns and pairs for a model whose tokens are feature dicts or numbers."""
    kind = tagger.encoder_.kind
    if file_format != FileFormat.JSONL and tagger.features is None and kind in ("dicts", "vectors"):
        raise InputError(
            f"the file is read as {file_format}, but {model} was trained on "
            f"{'feature dicts' if kind == 'dicts' else 'arrays of numbers'}; "
            'give JSON lines whose "tokens" hold them (.jsonl, or --format jsonl).'
        )


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


# ---------------------------------------------------------------- evaluating


def evaluate_labels(model: Path, file: str, file_format: FileFormat | None, allow_unseen: bool, as_json: bool) -> None:
    """Print token and sequence accuracy, and scores of chunks."""
    from weft.sequences.formats.text import name_of

    tagger, known = load_tagger(model)
    chosen = choose_format(file, file_format, known)
    layout = known or Layout(chosen)
    check_kind(tagger, chosen, model)
    with status(f"labelling {name_of(file)}"):
        examples = list(iter_examples(file, chosen, layout, labelled=True))
        if not examples:
            raise InputError(f"{name_of(file)} holds no sequences; give a file with at least one.")
        if not allow_unseen:
            check_labels(tagger, examples, name_of(file))
        scores = _scores([example.labels for example in examples], tagger.predict([e.tokens for e in examples]))
    scores = {"model": str(model), "file": file, **scores}
    if as_json:
        print_json(scores)
    else:
        _print_scores(scores)


def check_labels(tagger: Tagger, examples: list[Example], name: str) -> None:
    """Refuse labels that training did not have, and say where they are."""
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
    scheme = chunk_scheme({label for labels in truth for label in labels})
    if scheme is not None:
        scores["chunks"] = _chunks(truth, predicted, scheme)
    return scores


def chunk_scheme(labels: set[Any]) -> Literal["IOB2", "BIOES"] | None:
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

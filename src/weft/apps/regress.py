"""`weft predict` and `weft evaluate` for models that write a string for each input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.apps.regression_files import Pair, PairLayout, iter_pairs, load_regressor
from weft.apps.streaming import write_answers
from weft.apps.tagging_files import FileFormat
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.string_regressor import StringRegressor

__all__ = ["evaluate_strings", "predict_strings"]

CHUNK = 500


def predict_strings(
    model: Path,
    file: str,
    source: Any,
    output: str,
    file_format: FileFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
) -> None:
    """Write the string of each input; `source` calls back before it waits for more input, see `weft.apps.predict`."""
    regressor, units, known = load_regressor(model)
    if (confidence or kbest > 1) and regressor.temperature_ is None:
        raise InputError(
            f"--confidence and --kbest need distances, which the Euler paths of {model} lack; train with "
            "--preimage nearest."
        )
    layout = PairLayout.choose(file, file_format, units, known)
    json_lines = as_json or layout.format == FileFormat.JSONL

    def lines(pairs: list[Pair]) -> Iterator[str]:
        for pair, answer in zip(pairs, _answers(regressor, pairs, kbest, confidence), strict=True):
            yield _json_line(pair, answer) if json_lines else _pair_line(pair, answer, layout)

    write_answers(output, lambda flush: iter_pairs(source(flush), layout, labelled=False), lines, CHUNK)


def _answers(regressor: StringRegressor, pairs: list[Pair], kbest: int, confidence: bool) -> Iterator[dict[str, Any]]:
    X = [pair.input for pair in pairs]
    if kbest == 1 and not confidence:
        yield from ({"output": output} for output in regressor.predict(X))
        return
    for ranked in regressor.predict_kbest(X, kbest):
        answer: dict[str, Any] = {"output": ranked[0][0]}
        if confidence:
            answer["confidence"] = round(ranked[0][1], 6)
        if kbest > 1:
            answer["kbest"] = [{"output": string, "probability": round(p, 6)} for string, p in ranked]
        yield answer


def _pair_line(pair: Pair, answer: dict[str, Any], layout: PairLayout) -> str:
    outputs = [each["output"] for each in answer["kbest"]] if "kbest" in answer else [answer["output"]]
    fields = [pair.raw[0], *map(layout.write, outputs)]
    if "confidence" in answer:
        fields.append(f"{answer['confidence']:.4f}")
    return "\t".join(fields)


def _json_line(pair: Pair, answer: dict[str, Any]) -> str:
    item = dict(pair.raw) if isinstance(pair.raw, dict) else {"input": pair.raw[0]}
    if hasattr(pair.input, "dtype"):  # nobody reads arrays of numbers again
        del item["input"]
    if pair.output is not None:
        item["gold"] = pair.output
    return json.dumps({**item, **answer}, ensure_ascii=False)


def evaluate_strings(model: Path, file: str, file_format: FileFormat | None, as_json: bool) -> None:
    """Print how many strings are right, and how many symbols by edit distance."""
    from weft.metrics import edit_distance, ratio_interval
    from weft.sequences.formats.text import name_of

    regressor, units, known = load_regressor(model)
    layout = PairLayout.choose(file, file_format, units, known)
    with status(f"reading {name_of(file)}"):
        pairs = list(iter_pairs(file, layout, labelled=True))
        if not pairs:
            raise InputError(f"{name_of(file)} holds no pairs; give a file with at least one.")
        guesses = regressor.predict([pair.input for pair in pairs])
    truth = [list(pair.output) for pair in pairs]
    errors = [edit_distance(wanted, list(guess)) for wanted, guess in zip(truth, guesses, strict=True)]
    lengths = [len(wanted) for wanted in truth]
    whole = [int(n == 0) for n in errors]
    scores = {
        "model": str(model),
        "file": file,
        "strings": len(truth),
        "symbols": sum(lengths),
        "string_accuracy": {"value": sum(whole) / len(whole), "interval": ratio_interval(whole, [1] * len(whole))},
        "edit_error": {"value": sum(errors) / sum(lengths), "interval": ratio_interval(errors, lengths)},
    }
    if as_json:
        print_json(scores)
        return
    print(f"{file}: {scores['strings']:,} strings, {scores['symbols']:,} symbols\n")
    for name, title in (("string_accuracy", "strings right"), ("edit_error", "edit errors per symbol")):
        score: Any = scores[name]
        low, high = score["interval"]
        print(f"{title:<23} {100 * score['value']:6.2f} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})")

"""`weft predict` and `weft evaluate` for models that fold RNA."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from weft.apps.fold_files import RNA, FoldFormat, choose_fold_format, iter_rna, load_folder, read_folds
from weft.apps.locations import TRAINING, located
from weft.apps.picture_files import check_picture, save_picture
from weft.apps.ranked_answers import Answer, make_answers, readings
from weft.apps.streaming import write_answers
from weft.apps.summaries import print_ratios, ratio
from weft.apps.terminal import print_json, status

__all__ = ["evaluate_folds", "fold_figure", "predict_folds"]

CHUNK = 50
"""Sequences that are folded together; a sequence may take a second, and a stream waits for all of them."""


def predict_folds(
    model: Path,
    file: str,
    source: Callable[[Callable[[], None]], Any],
    output: str,
    file_format: FoldFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Write the structure of each sequence; `source` calls back before it waits for more input."""
    from weft.sequences.formats.text import name_of

    if plot is not None:
        check_picture(plot)
    folder = load_folder(model)
    chosen = choose_fold_format(file, file_format, labelled=False)
    n_before = 0

    def lines(records: list[RNA]) -> Iterator[str]:
        nonlocal n_before
        with located(name_of(file), "sequence", [record.name for record in records], n_before, TRAINING):
            X = [record.sequence for record in records]
            answers = make_answers(folder, X, "structure", kbest, confidence)
        if plot is not None and n_before == 0:
            save_picture(fold_figure(folder, records[0].sequence, records[0].structure), plot)
        for number, (record, answer) in enumerate(zip(records, answers, strict=True), start=n_before + 1):
            if as_json:
                yield _json_line(record, answer)
            elif chosen == FoldFormat.TSV:
                for structure, facts in readings(answer, "structure"):
                    yield "\t".join([record.sequence, structure, *facts.values()])
            else:
                yield from _dot_bracket(record, answer, number)
        n_before += len(records)

    write_answers(output, lambda flush: iter_rna(source(flush), chosen), lines, CHUNK)


def _dot_bracket(record: RNA, answer: Answer, number: int) -> Iterator[str]:
    """Records of a dot-bracket file; what is known of a structure stands in the header, where readers skip it."""
    for structure, facts in readings(answer, "structure"):
        if record.name or facts:
            yield ">" + " ".join([record.name or str(number), *(f"{key}={value}" for key, value in facts.items())])
        yield record.sequence
        yield structure


def _json_line(record: RNA, answer: Answer) -> str:
    item: dict[str, Any] = {"name": record.name} if record.name else {}
    item["sequence"] = record.sequence
    if record.structure is not None:
        item["gold"] = record.structure
    return json.dumps({**item, **answer}, ensure_ascii=False)


def fold_figure(folder: Any, sequence: str, reference: str | None = None) -> Any:
    """The drawing of a fold, and beside it the probabilities of all pairs."""
    from weft.plotting import BasePairDisplay, RNAStructureDisplay
    from weft.plotting.axes import new_figure

    [structure], [probabilities] = folder.predict([sequence]), folder.predict_marginals([sequence])
    figure = new_figure(11.0, 5.6)
    left, right = figure.subplots(1, 2)
    RNAStructureDisplay(sequence, structure, probabilities).plot(ax=left)
    BasePairDisplay(sequence, probabilities, structure, reference).plot(ax=right)
    return figure


# ---------------------------------------------------------------- evaluating


def evaluate_folds(model: Path, file: str, file_format: FoldFormat | None, as_json: bool) -> None:
    """Print sensitivity, precision and F1 of the base pairs, all of the references counted."""
    from weft.losses import base_pairs
    from weft.sequences.formats.text import name_of

    folder = load_folder(model)
    with status(f"folding {name_of(file)}"):
        records = read_folds(file, choose_fold_format(file, file_format, labelled=True))
        with located(name_of(file), "sequence", [record.name for record in records], command=TRAINING):
            predicted = folder.predict([record.sequence for record in records])
    wanted = [base_pairs(str(record.structure)) for record in records]
    found = [base_pairs(structure) for structure in predicted]
    right = [len(a & b) for a, b in zip(wanted, found, strict=True)]
    whole = [int(a == b) for a, b in zip(wanted, found, strict=True)]
    n_wanted, n_found = ([len(pairs) for pairs in each] for each in (wanted, found))
    scores: dict[str, Any] = {
        "model": str(model),
        "file": file,
        "sequences": len(records),
        "bases": sum(len(record.sequence) for record in records),
        "pairs": sum(n_wanted),
        "sensitivity": ratio(right, n_wanted),
        "precision": ratio(right, n_found),
        # F1 = 2 right / (wanted + found): a ratio of sums over sequences.
        "f1": ratio([2 * n for n in right], [a + b for a, b in zip(n_wanted, n_found, strict=True)]),
        "structure_accuracy": ratio(whole, [1] * len(whole)),
    }
    if as_json:
        print_json(scores)
        return
    print_ratios(
        f"{file}: {len(records):,} sequences, {scores['bases']:,} bases, {scores['pairs']:,} base pairs",
        {
            "pairs found (sensitivity)": scores["sensitivity"],
            "pairs right (precision)": scores["precision"],
            "F1": scores["f1"],
            "structures all right": scores["structure_accuracy"],
        },
    )

"""`weft predict` and `weft evaluate` for models that align two sequences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.apps.alignment_files import (
    AlignmentFormat,
    choose_alignment_format,
    iter_unaligned,
    load_aligner,
    read_alignments,
)
from weft.apps.locations import located
from weft.apps.picture_files import check_picture, save_picture
from weft.apps.ranked_answers import Answer, make_answers, readings
from weft.apps.streaming import write_answers
from weft.apps.summaries import print_ratios, ratio
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.sequences.formats import AlignedPair

__all__ = ["evaluate_alignments", "predict_alignments", "scored_columns"]

Columns = set[tuple[int, int]]


def predict_alignments(
    model: Path,
    file: str,
    source: Callable[[Callable[[], None]], Any],
    output: str,
    file_format: AlignmentFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Write each pair with gaps; `source` calls back before it waits for more input, see `weft.apps.predict`."""
    from weft.sequences.formats.text import name_of

    if plot is not None:
        check_picture(plot)
    aligner, known = load_aligner(model)
    chosen = choose_alignment_format(file, file_format, known)
    form = _json_lines if as_json else _tsv_lines if chosen == AlignmentFormat.TSV else _fasta_lines
    n_before = 0

    def lines(pairs: list[AlignedPair]) -> Iterator[str]:
        nonlocal n_before
        with located(name_of(file), "pair", [" ".join(pair.names).strip() for pair in pairs], n_before):
            answers = make_answers(aligner, [pair.rows for pair in pairs], "alignment", kbest, confidence)
        if plot is not None and n_before == 0:
            from weft.plotting import AlignmentDisplay

            save_picture(AlignmentDisplay.from_estimator(aligner, pairs[0].rows).figure_, plot)
        n_before += len(pairs)
        return (line for pair, answer in zip(pairs, answers, strict=True) for line in form(pair, answer))

    write_answers(output, lambda flush: iter_unaligned(source(flush), chosen), lines)


def _fasta_lines(pair: AlignedPair, answer: Answer) -> Iterator[str]:
    for rows, facts in readings(answer, "alignment"):
        for name, row in zip(pair.names, rows, strict=True):
            yield ">" + " ".join([name, *(f"{key}={value}" for key, value in facts.items())]).strip()
            yield row


def _tsv_lines(pair: AlignedPair, answer: Answer) -> Iterator[str]:
    for rows, facts in readings(answer, "alignment"):
        yield "\t".join([*pair.names, *rows, *facts.values()])


def _json_lines(pair: AlignedPair, answer: Answer) -> Iterator[str]:
    yield json.dumps({"names": pair.names, "sequences": pair.rows, **answer}, ensure_ascii=False)


# ---------------------------------------------------------------- evaluating


def evaluate_alignments(model: Path, file: str, file_format: AlignmentFormat | None, as_json: bool) -> None:
    """Print the share of the scored reference columns that are found, and of the alignments that have them all."""
    from weft.sequences.formats.text import name_of

    aligner, known = load_aligner(model)
    with status(f"aligning {name_of(file)}"):
        references = read_alignments(file, choose_alignment_format(file, file_format, known))
        with located(name_of(file), "pair", [" ".join(pair.names).strip() for pair in references]):
            predicted = aligner.predict([pair.sequences for pair in references])
    wanted = [scored_columns(pair.rows, aligner.reliable == "upper") for pair in references]
    right = [len(columns & scored_columns(rows)) for columns, rows in zip(wanted, predicted, strict=True)]
    totals = [len(columns) for columns in wanted]
    if not sum(totals):
        raise InputError(f"{name_of(file)} has no column to score; give references with columns without gaps.")
    whole = [int(n == total) for n, total in zip(right, totals, strict=True)]
    scores: dict[str, Any] = {
        "model": str(model),
        "file": file,
        "pairs": len(references),
        "columns": sum(totals),
        "column_accuracy": ratio(right, totals),
        "pair_accuracy": ratio(whole, [1] * len(whole)),
    }
    if as_json:
        print_json(scores)
        return
    head = f"{file}: {len(references):,} pairs, {sum(totals):,} scored columns"
    print_ratios(head, {"columns right": scores["column_accuracy"], "pairs all right": scores["pair_accuracy"]})


def scored_columns(rows: tuple[str, str], reliable: bool = False) -> Columns:
    """Positions of the sequences that share a column; with `reliable` only where both letters are upper-case."""
    columns, i, j = set(), 0, 0
    for a, b in zip(*rows, strict=True):
        if a != "-" and b != "-" and not (reliable and (a != a.upper() or b != b.upper())):
            columns.add((i, j))
        i += a != "-"
        j += b != "-"
    return columns

"""Models that align two sequences: how they are read, asked and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from weft.errors import InputError
from weft.kinds.align.files import SUFFIXES, AlignmentFormat, iter_unaligned, read_alignments
from weft.kinds.base import Answer, Kind, learned_facts
from weft.kinds.measures import Measure, share
from weft.sequences.formats.alignments import AlignedPair
from weft.sequences.formats.text import Source, name_of

Columns = set[tuple[int, int]]

SCALE = 10
"""Weights are written as whole numbers of so many parts, since other aligners want whole numbers."""


class AlignKind(Kind):
    """An `Aligner`."""

    command = "align"
    takes_parts = True
    input_name, reference_name = "sequences", "rows"
    task = "aligns two sequences"
    doing = "aligning"
    one = "pair"
    answer_key = "alignment"
    formats = AlignmentFormat
    suffixes = SUFFIXES
    takes = frozenset({"kbest", "confidence", "plot"})
    advice: ClassVar = {"give an alphabet with this symbol": "train with --alphabet protein, dna, rna or all letters"}
    checked = ("column_accuracy",)
    evaluated: ClassVar = {
        "column_accuracy": ("column_accuracy", "columns right"),
        "pair_accuracy": ("pair_accuracy", "pairs all right"),
    }
    reported = ("column_accuracy", "pair_accuracy")
    titles: ClassVar = {"columns": "scored columns"}
    unaligned = False
    """Whether training looks at pairs without their alignments."""
    matrix: Path | None = None
    plot: Path | None = None

    # ---------------------------------------------------------------- reading

    def usual_format(self, labelled: bool) -> AlignmentFormat:
        """Records, two for each pair."""
        return AlignmentFormat.FASTA

    def iter_examples(self, source: Source, file_format: AlignmentFormat, labelled: bool) -> Iterator[AlignedPair]:
        """Alignments, or pairs without their gaps."""
        return iter(read_alignments(source, file_format)) if labelled else iter_unaligned(source, file_format)

    def name_of_example(self, example: AlignedPair) -> str:
        """Both names."""
        return " ".join(example.names).strip()

    # --------------------------------------------------------------- learning

    def fit(self, estimator: Any, examples: list[AlignedPair], dev: list[AlignedPair] | None = None) -> Any:
        """Train, and stop on other data where there are some."""
        X_dev, y_dev = (None, None) if dev is None else (self.inputs(dev), self.references(dev))
        y = None if self.unaligned else self.references(examples)
        return estimator.fit(self.inputs(examples), y, X_dev=X_dev, y_dev=y_dev)

    def scores(self, estimator: Any, examples: list[AlignedPair]) -> dict[str, float]:
        """Refused where there are no alignments to score on."""
        if self.unaligned and any(examples[0] is pair for pair in self.examples):
            raise InputError(
                "--learner em reads pairs without alignments, so --cv and --tune have none to score; give --dev alone."
            )
        return super().scores(estimator, examples)

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model, and what a gap costs."""
        structure = estimator.structure_
        gap_open, gap_extend = estimator.weights_[structure.gap_features]
        ends = getattr(structure, "end_gap_features", None)
        of_ends = (
            {} if ends is None else dict(zip(("end_gap_open", "end_gap_extend"), estimator.weights_[ends], strict=True))
        )
        return {
            "pairs": len(self.examples),
            "symbols": sum(len(row) for pair in self.examples for row in pair.sequences),
            **learned_facts(estimator),
            "prior": estimator.prior_ or "none",
            "gap_open": round(float(gap_open), 4),
            "gap_extend": round(float(gap_extend), 4),
            **{name: round(float(weight), 4) for name, weight in of_ends.items()},
        }

    def write_more(self, estimator: Any) -> None:
        """The scores as other programs read them, and their picture."""
        if self.matrix is not None:
            from weft.kinds.terminal import line_writer

            learned = estimator.substitution_matrix_.scaled(SCALE)
            with line_writer(str(self.matrix)) as write:
                write(learned.to_lines())
        if self.plot is not None:
            from weft.kinds.picture_files import save_picture
            from weft.plotting import SubstitutionMatrixDisplay

            save_picture(SubstitutionMatrixDisplay.from_estimator(estimator).figure_, self.plot)

    # -------------------------------------------------------------- answering

    def text_lines(
        self, example: AlignedPair, answer: Answer, file_format: AlignmentFormat, number: int
    ) -> Iterator[str]:
        """Rows with gaps: four columns, or two records."""
        for rows, facts in self.hypotheses(answer):
            if file_format == AlignmentFormat.TSV:
                yield "\t".join([*example.names, *rows, *facts.values()])
                continue
            for name, row in zip(example.names, rows, strict=True):
                yield ">" + " ".join([name, *(f"{key}={value}" for key, value in facts.items())]).strip()
                yield row

    def json_item(self, example: AlignedPair) -> dict[str, Any]:
        """Names and sequences."""
        return {"names": example.names, "sequences": example.rows}

    def figure(self, example: AlignedPair) -> Any:
        """The alignment on the table of all pairs of positions."""
        from weft.plotting import AlignmentDisplay

        return AlignmentDisplay.from_estimator(self.estimator, example.rows).figure_

    # ---------------------------------------------------------------- scoring

    def measures(self, examples: list[AlignedPair], predicted: list[Any]) -> dict[str, Measure]:
        """Scored reference columns that are found, and pairs that have them all."""
        upper = getattr(self.estimator, "reliable", None) == "upper"  # without a model every column counts
        wanted = [scored_columns(pair.rows, upper) for pair in examples]
        right = [len(columns & scored_columns(rows)) for columns, rows in zip(wanted, predicted, strict=True)]
        totals = [len(columns) for columns in wanted]
        if not sum(totals):
            raise InputError(f"{name_of(self.file)} has no column to score; give references with columns without gaps.")
        whole = [n == total for n, total in zip(right, totals, strict=True)]
        meaning = "of reference columns without a gap are found"
        return {
            "column_accuracy": Measure("columns right", right, totals, meaning),
            "pair_accuracy": share("pairs all right", whole, "of pairs have all reference columns"),
        }

    def counts(self, examples: list[AlignedPair], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Pairs and columns."""
        return {"pairs": len(examples), "columns": int(sum(measures["column_accuracy"].denominators))}


def scored_columns(rows: tuple[str, str], reliable: bool = False) -> Columns:
    """Positions of the sequences that share a column; with `reliable` only where both letters are upper-case."""
    columns, i, j = set(), 0, 0
    for a, b in zip(*rows, strict=True):
        if a != "-" and b != "-" and not (reliable and (a != a.upper() or b != b.upper())):
            columns.add((i, j))
        i += a != "-"
        j += b != "-"
    return columns

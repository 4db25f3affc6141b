"""Models that fold RNA: how they are read, asked and scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Answer, Kind, learned_facts
from weft.kinds.fold.files import RNA, SUFFIXES, FoldFormat, iter_rna
from weft.kinds.measures import Measure, f1_measures
from weft.sequences.formats.table import joined_row
from weft.sequences.formats.text import Source, name_of

Pairs = set[tuple[int, int]]


class FoldKind(Kind):
    """A `Folder`."""

    command = "fold"
    takes_parts = True
    input_name, reference_name = "sequence", "structure"
    task = "folds RNA"
    doing = "folding"
    answer_key = "structure"
    formats = FoldFormat
    suffixes = SUFFIXES
    keeps_format = False
    unlabelled = (FoldFormat.FASTA, FoldFormat.FASTQ, FoldFormat.LINES)
    has_columns = True
    give_instead = (
        "{} files have no structures; give dot-bracket (name, sequence and structure on lines of their own; "
        "--format dotbracket) or sequence, tab, structure (--format tsv)."
    )
    takes = frozenset({"kbest", "confidence", "plot"})
    batch = 50  # a sequence may take a second
    checked = ("f1", "sensitivity", "precision")
    evaluated: ClassVar = {
        "sensitivity": ("sensitivity", "pairs found (sensitivity)"),
        "precision": ("precision", "pairs right (precision)"),
        "f1": ("f1", "F1"),
        "structure_accuracy": ("accuracy", "structures all right"),
    }
    reported = (*checked, "accuracy")
    titles: ClassVar = {"pairs": "base pairs"}

    # ---------------------------------------------------------------- reading

    def usual_format(self, labelled: bool) -> FoldFormat:
        """Dot-bracket with structures, and lines without."""
        return FoldFormat.DOTBRACKET if labelled else FoldFormat.LINES

    def iter_examples(self, source: Source, file_format: FoldFormat, labelled: bool) -> Iterator[RNA]:
        """Sequences, with their structures."""
        for number, record in enumerate(iter_rna(source, file_format, self.columns_of(file_format)), start=1):
            if labelled and record.structure is None:
                raise InputError(f"{name_of(source)}, sequence {number}: no structure beside it; add one.")
            yield record

    def name_of_example(self, example: RNA) -> str:
        """As in the file."""
        return example.name

    # --------------------------------------------------------------- learning

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model, and what references lost."""
        return {
            "sequences": len(self.examples),
            "bases": sum(len(record.sequence) for record in self.examples),
            "base_pairs": sum(len(pairs_of(record.structure)) for record in self.examples),
            "projected_references": estimator.n_projected_,
            "dropped_pairs": dict(sorted(Counter(reason for *_, reason in estimator.dropped_pairs_).items())),
            **learned_facts(estimator),
        }

    # -------------------------------------------------------------- answering

    def text_lines(self, example: RNA, answer: Answer, file_format: FoldFormat, number: int) -> Iterator[str]:
        """Pairs, or records of a dot-bracket file: what is known stands in the header, where readers skip it."""
        for structure, facts in self.hypotheses(answer):
            if file_format in (FoldFormat.TSV, FoldFormat.CSV):
                yield joined_row([example.sequence, structure, *facts.values()], file_format == FoldFormat.CSV)
                continue
            if example.name or facts:
                yield ">" + " ".join([example.name or str(number), *(f"{key}={value}" for key, value in facts.items())])
            yield example.sequence
            yield structure

    def json_item(self, example: RNA) -> dict[str, Any]:
        """Name, sequence and structure, as far as they are there."""
        item = {"name": example.name, "sequence": example.sequence, "gold": example.structure}
        return {key: value for key, value in item.items() if value or key == "sequence"}

    def figure(self, example: RNA) -> Any:
        """The fold, and the probabilities of all pairs."""
        return fold_figure(self.estimator, example.sequence, example.structure)

    # ---------------------------------------------------------------- scoring

    def measures(self, examples: list[RNA], predicted: list[Any]) -> dict[str, Measure]:
        """F1, sensitivity and precision of base pairs, all of the references counted, and structures all right."""
        wanted, found = (list(map(pairs_of, side)) for side in (self.references(examples), predicted))
        return f1_measures(wanted, found, "base pair", "pairs", "structures", "sensitivity")

    def counts(self, examples: list[RNA], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Sequences, bases and pairs."""
        n_pairs = int(sum(measures["sensitivity"].denominators))
        return {"sequences": len(examples), "bases": sum(map(len, self.inputs(examples))), "pairs": n_pairs}


def pairs_of(structure: str | None) -> Pairs:
    """Base pairs of a structure.

    Examples
    --------
    >>> pairs_of("(...)")
    {(0, 4)}
    """
    from weft.losses import base_pairs

    return set(base_pairs(structure or ""))


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

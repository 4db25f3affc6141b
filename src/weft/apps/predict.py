"""`weft predict`: answer the sequences of a file or of a stream."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from weft.apps.help_pages import MODEL
from weft.errors import InputError
from weft.kinds import AnyFormat, open_kind
from weft.kinds.answering import write_answers
from weft.kinds.interrupts import check_interrupt
from weft.kinds.options import Cluster, Columns, Group, SchedulerFile, Workers
from weft.kinds.parted import Places
from weft.kinds.terminal import check_target, refuse_own_input
from weft.sequences.formats.text import CountedPath, CountedStream

ANSWERS = "Answers"


def run(
    model: Annotated[Path, MODEL],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sequences; - for standard input.")] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help="File to write; - for standard output.")] = "-",
    file_format: Annotated[
        AnyFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    columns: Columns = None,
    group: Group = None,
    kbest: Annotated[
        int,
        typer.Option(
            "--kbest", min=1, metavar="K", help="Give this many answers, best first.", rich_help_panel=ANSWERS
        ),
    ] = 1,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Also give probabilities.", rich_help_panel=ANSWERS)
    ] = False,
    coverage: Annotated[
        float | None,
        typer.Option(
            "--coverage",
            metavar="P",
            help="Give a set of outputs that contains the right one with this probability.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            "--calibration",
            metavar="FILE",
            help="For --coverage: held-out examples with their outputs.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON lines, whatever the input format.", rich_help_panel=ANSWERS)
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="PICTURE",
            help="Draw the first alignment or fold: a .png, .svg or .pdf file.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    scheduler_file: SchedulerFile = None,
) -> None:
    """Predict an output for each sequence, in the format of the input; the model determines the task.

    Example: `weft predict names.weft new.conll --confidence`

    Models that label tokens:

    **conll**: the label is added as a column (K columns with --kbest; with --confidence, as many columns more, the
    probability of each label at this token). Labels that the file already has are kept but not used. In CoNLL-U, the
    column of the label is replaced; comments and lines that are not words are kept.

    **crfsuite**: only the label on each line (K labels with --kbest); with --confidence label:probability, as
    `crfsuite tag` prints it.

    **jsonl**: "labels" is added to the object; labels that it already has move to "gold", and tokens that are arrays
    of numbers are omitted. --confidence adds "confidence" and "z_score" (of the whole sequence) and "marginals" (of
    each label), --kbest adds "kbest", a list of labels and their probability.

    **tsv**: tokens, tab, labels (K times), and the probabilities of all labellings in the same order.

    Models that classify texts: **tsv** gives text, tab, class (and its probability with --confidence); **fasta**
    gives the header instead of the text; **jsonl** adds "label", and with --confidence "confidence" and
    "probabilities".

    Models that write strings: **tsv** gives input, tab, output (K times with --kbest), and with --confidence the
    probabilities of all outputs in the same order; **jsonl** adds "output", "confidence" and "kbest".

    Where **tsv** is named, **csv** gives the same with commas, and with fields in quotes where needed.

    With --coverage 0.9 and --calibration, models that write strings give sets of at most K outputs, most probable
    first, that contain the right one nine times in ten; the surer the model, the smaller the set.

    Models that align: **fasta**, two records for each pair, and **tsv** (name, name, sequence, sequence) give the same
    with gaps; **stockholm** gives FASTA. Gaps in the input are removed first.

    Models that fold: **fasta**, **lines** (one sequence per line) and **dotbracket** give dot-bracket; **tsv** gives
    sequence, tab, structure.

    Models that parse: **lines** of tokens separated by blanks give bracketed trees; **jsonl** adds "tree".

    With --kbest, K alignments, structures or trees are written, best first, each with its probability; --confidence
    adds the z-score of the best: how many standard deviations its score lies above the mean of all outputs.

    Streams are answered as they arrive: everything received so far is answered before waiting for more.

    With --workers, --cluster or --scheduler-file, the workers of a Dask cluster compute the same answers.
    """
    if output == "-":
        refuse_own_input(output, model, file)  # a shell's >>, whose lines would be answered for ever
    else:
        check_target(Path(output), model, file)

    kind = open_kind(model, "predict")
    kind.kbest, kind.confidence = kbest, confidence
    kind.choose_columns(columns)
    kind.choose_group(group)
    if (coverage is None) != (calibration is None):
        raise InputError(
            "one of --coverage and --calibration given; need both: a probability, and examples with outputs that the "
            "model did not learn from."
        )
    if coverage is not None and calibration is not None:
        kind.refuse_useless(coverage=True)
        kind.calibrate(calibration, coverage)
    write_answers(
        kind,
        file,
        lambda flush: _source(file, flush),
        output,
        file_format=file_format,
        as_json=as_json,
        plot=plot,
        places=Places(workers, cluster, scheduler_file),
    )


# ------------------------------------------------------------------- reading


def _source(file: str, before_waiting: Callable[[], None]) -> Any:
    """The file; a stream calls `before_waiting` each time that no more input is there yet."""
    if file != "-" or not hasattr(sys.stdin, "buffer"):
        return CountedPath(file)
    try:
        descriptor = sys.stdin.fileno()
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return file
    except OSError:
        return file
    return CountedStream(_Stream(descriptor, before_waiting))


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

"""`weft fold`: structures of RNA, printed as RNAfold prints them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds import AnyFormat
from weft.kinds.interrupts import check_interrupt
from weft.kinds.options import Decode
from weft.kinds.terminal import check_target, line_writer, printed_warnings, refuse_own_input

ENERGIES = "Energies"
ANSWERS = "Answers"


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="RNA; - for standard input.")] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help="File to write; - for standard output.")] = "-",
    file_format: Annotated[
        AnyFormat | None,
        typer.Option("--format", help="Format of the file; by its suffix or first letter if not given."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="A trained model for folding, file or name, in place of energies alone.",
            rich_help_panel=ENERGIES,
        ),
    ] = None,
    energies: Annotated[
        Path | None,
        typer.Option(
            "--energies",
            "-P",
            help="File of energies in the format of ViennaRNA; published ones if not given.",
            rich_help_panel=ENERGIES,
        ),
    ] = None,
    decode: Annotated[
        Decode | None,
        typer.Option(
            help="Structure of minimum free energy (best), or of the largest expected accuracy; as the model does, "
            "best without one.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="With --decode expected, how many unpaired bases a pair is worth.", rich_help_panel=ANSWERS),
    ] = None,
    beam_width: Annotated[
        int | None,
        typer.Option(
            "--beam-width",
            min=1,
            help="For long RNA: a beam of this many states, such as 100; linear time, but not proven minimal.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    ensemble: Annotated[
        bool,
        typer.Option(
            "--ensemble",
            "-p",
            help="Also the ensemble: its free energy and centroid, and with --json the probabilities of pairs.",
            rich_help_panel=ANSWERS,
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON lines.", rich_help_panel=ANSWERS)] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FOLDER",
            help="Draw each as NAME_ss.svg there, and with -p the probabilities of its pairs as NAME_dp.svg.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
) -> None:
    """Fold RNA by free energies, without training; the output is in the format of RNAfold.

    Example: `weft fold rna.fa -p`

    **fasta**, **lines** (one sequence per line), **dotbracket** and **tsv** (sequence, tab, structure) are read;
    structures in the input are ignored. Codes for several bases, such as N, stay unpaired.

    The output has the name of each sequence, if any, the sequence, and a structure with its free energy in kcal/mol.
    -p adds which bases are paired in the ensemble and its free energy, then the centroid, its energy and its mean
    distance from the other structures, then the frequency of the structure in the ensemble and the mean distance
    between two structures. With --json, -p also gives "pairs": two positions, counted from 1, and the probability that
    they pair.
    """
    if output == "-":
        refuse_own_input(output, file, model, energies)
    else:
        check_target(Path(output), file, model, energies)
    if ensemble and beam_width is not None:
        raise InputError("--ensemble asks for all structures, which --beam-width does not look at; leave one out.")
    folder = _folder(model, energies, decode, gamma, beam_width)
    from weft.kinds.fold.files import FoldFormat
    from weft.kinds.fold.kind import FoldKind
    from weft.kinds.fold.letters import check_letters
    from weft.sequences.formats.text import name_of

    kind = FoldKind()
    kind.estimator, kind.file = folder, file
    data = kind.open(file)
    chosen = kind.choose_format(file, file_format, labelled=False, data=data)
    if file_format is None and chosen == FoldFormat.LINES and data.getvalue().lstrip()[:1] == b">":
        chosen = FoldFormat.FASTA
    if plot is not None:
        plot.mkdir(parents=True, exist_ok=True)
    with line_writer(output) as write:
        pending: list[Any] = []
        told: set[str] = set()
        drawn: set[str] = set()
        n_before = 0

        def answer() -> None:
            with printed_warnings():
                check_letters(pending, n_before, name_of(file), told)
            write(_lines(folder, pending, n_before, ensemble, as_json, plot, drawn))

        for record in kind.iter_examples(data, chosen, labelled=False):
            pending.append(record)
            if len(pending) == kind.batch:
                answer()
                n_before += len(pending)
                pending.clear()
        if pending:
            answer()
        check_interrupt()
        if not n_before + len(pending):
            with printed_warnings():
                warnings.warn(f"{name_of(file)} holds no sequences; there is nothing to fold.", stacklevel=2)


def _folder(
    model: str | None, energies: Path | None, decode: Decode | None, gamma: float | None, beam_width: int | None
) -> Any:
    from weft.estimators.fold.folder import Folder

    if model is None:
        how = "best" if decode is None else str(decode)
        return Folder.from_energies(energies, decode=how, gamma=gamma, beam_width=beam_width, unknown="unpaired")
    if energies is not None:
        raise InputError("--model has energies of its own; leave out --energies or --model.")
    from weft.model_file import load

    folder = load(model)
    if not isinstance(folder, Folder):
        raise InputError(f"{model} holds a {type(folder).__name__}; a Folder is needed: train one by weft train fold.")
    if beam_width is not None:
        folder.set_params(beam_width=beam_width, decode="best", gamma=None)
    how = folder._decoding() if decode is None else str(decode)
    folder.set_params(decode=how, gamma=folder.gamma if gamma is None else gamma, unknown="unpaired")
    folder._check_settings()
    return folder


def _lines(
    folder: Any, records: list[Any], n_before: int, ensemble: bool, as_json: bool, plot: Path | None, drawn: set[str]
) -> list[str]:
    import json

    from weft.kinds.fold.ensemble import folds, printed

    with printed_warnings():
        found = folds(folder, [record.sequence for record in records], ensemble)
    lines: list[str] = []
    for number, (record, fold) in enumerate(zip(records, found, strict=True), start=n_before + 1):
        if plot is not None:
            _draw(record, fold, plot / _file_name(record.name, number, drawn))
        if as_json:
            item = {"name": record.name, "sequence": record.sequence, **fold._asdict()}
            item["ensemble"] = None if fold.ensemble is None else fold.ensemble._asdict()
            lines.append(json.dumps({key: value for key, value in item.items() if value not in (None, "")}))
        else:
            lines += printed(record, fold)
    return lines


def _file_name(name: str, number: int, drawn: set[str]) -> str:
    """A name without what file systems refuse; a number where there is none, and behind one that was drawn before."""
    given = re.sub(r"[^\w.+-]", "_", name.split()[0]) if name.split() else f"sequence_{number:04}"
    own = given if given not in drawn else f"{given}_{number:04}"
    drawn.add(own)
    return own


def _draw(record: Any, fold: Any, path: Path) -> None:
    """Pictures whose names begin with `path`: the structure, and the probabilities of pairs if there are some."""
    import numpy as np

    from weft.kinds.picture_files import save_picture
    from weft.plotting import BasePairDisplay, RNAStructureDisplay

    structure = RNAStructureDisplay(record.sequence, fold.structure)
    save_picture(structure.plot().figure_, path.with_name(f"{path.name}_ss.svg"))
    if fold.ensemble is not None:
        probabilities = np.zeros((len(record.sequence), len(record.sequence)))
        for i, j, probability in fold.ensemble.pairs:
            probabilities[i - 1, j - 1] = probability
        pairs = BasePairDisplay(record.sequence, probabilities, fold.structure)
        save_picture(pairs.plot().figure_, path.with_name(f"{path.name}_dp.svg"))

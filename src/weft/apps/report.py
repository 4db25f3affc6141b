"""`weft report`: one page about a model and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft import __version__
from weft.apps.help_pages import MODEL
from weft.errors import InputError
from weft.kinds import AnyFormat, open_kind
from weft.kinds.terminal import check_target, print_json


def run(
    model: Annotated[Path, MODEL],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Held-out sequences with references.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Page to write; by default report.html, or none with --json."),
    ] = None,
    file_format: Annotated[
        AnyFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Count labels unseen in training as errors, and go on.")
    ] = False,
    learning_curve: Annotated[
        str | None,
        typer.Option(metavar="TRAIN", help="Training data: fit again on an eighth, a quarter, a half and all of it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the numbers as JSON.")] = False,
) -> None:
    """Show what a model has learned and where it makes errors, on one HTML page.

    Example: `weft report names.weft test.conll -o names.html`

    The page needs nothing else: scores with 95 % intervals, confusions, calibration of confidence, how learning went,
    the worst errors, the most telling features, and a picture of the structure. Works with all kinds of models.
    """
    target = output or (None if as_json else Path("report.html"))
    if target is not None:
        check_target(target, model, file, learning_curve)
    if file == "-":
        raise InputError("standard input given, but a report reads its data from a file; give its path.")
    report = open_kind(model, "report").report(file, file_format, allow_unknown, learning_curve)
    from weft.reports import as_json as numbers_of
    from weft.reports import report_page
    from weft.sequences.formats.atomic import atomic_write

    if target is not None:
        page = report_page(report, f"Written by weft {__version__}.").encode("utf-8", "replace")
        with atomic_write(target) as stream:
            stream.write(page)
    if as_json:
        print_json({"model_file": str(model), "file": file, **numbers_of(report)})
    else:
        best = report.scores[0]
        print(f"{best.name}: {100 * best.value:.2f} %  (95 % interval {100 * best.low:.2f} - {100 * best.high:.2f})")
        print(f"open {target} ({target.stat().st_size / 1e3:,.0f} kB)" if target is not None else "")

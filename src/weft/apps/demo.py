"""`weft demo`: a model in a few seconds, without any files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.terminal import check_target, print_json, status
from weft.errors import InputError

__all__ = ["run"]

DEMOS = {"dates": "read handwritten dates, digit by digit and as a whole"}


def run(
    name: Annotated[str, typer.Argument(help="Which demo; see --list.")] = "dates",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Model file to write.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the data.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write the figures as JSON.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the demos and stop.")] = False,
) -> None:
    """Train a model on built-in data, show what it gains, and save it.

    **dates**: handwritten dates from scikit-learn's digit images, read by weft as sequences, and digit by digit.
    """
    if show_list:
        for each, description in DEMOS.items():
            print(f"{each}: {description}")
        return
    if name not in DEMOS:
        raise InputError(f"there is no demo {name!r}; choose one of {', '.join(DEMOS)}, as in: weft demo dates")
    model = output or Path(f"{name}.weft")
    check_target(model)
    with status("loading; the first run also compiles, which takes some seconds"):
        from weft.apps import demo_dates

        data = demo_dates.make_data(seed)
    if not as_json:
        demo_dates.introduce(data)
    with status("reading each digit alone (LogisticRegression)"):
        alone = demo_dates.read_alone(data)
    with status("reading whole dates (weft)"):
        tagger, seconds = demo_dates.train(data)
        readings = demo_dates.read_whole(tagger, data)
    figures = demo_dates.figures(data, alone, readings)
    check_interrupt()
    sample = demo_dates.save(tagger, data, model)
    if as_json:
        print_json({**figures, "training_seconds": round(seconds, 3), "model": str(model), "sample": str(sample)})
        return
    demo_dates.show(data, alone, readings)
    demo_dates.report(figures, seconds)
    model_name, sample_name = shlex.quote(str(model)), shlex.quote(str(sample))
    print(f"Saved {model} (the model) and {sample} ({demo_dates.N_SAMPLE} test dates). Try next:")
    print(f"  weft evaluate {model_name} {sample_name}")
    print(f"  weft predict {model_name} {sample_name} --confidence")

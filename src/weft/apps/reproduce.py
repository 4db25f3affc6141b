"""`weft reproduce`: run a published experiment again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.terminal import check_target, is_watched, print_json
from weft.errors import InputError

__all__ = ["run"]


def run(
    name: Annotated[str | None, typer.Argument(help="Which experiment; see --list.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few, small runs: does it work?")] = False,
    replicates: Annotated[int | None, typer.Option(help="Number of runs; the experiment's own by default.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to write NAME.json and NAME.png to.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the figures as JSON.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
) -> None:
    """Run a published experiment again, and print what comes out beside what was printed.

    Example: `weft reproduce hmm --quick`

    Numbers are means over several runs with their standard deviation; published ones stand in brackets.
    """
    from weft.experiments.registry import EXPERIMENTS, run_experiment

    if show_list and as_json:
        print_json(
            [
                {"name": each, "description": known.description, "data": known.data}
                for each, known in EXPERIMENTS.items()
            ]
        )
        return
    if show_list:
        for each, experiment in EXPERIMENTS.items():
            needs = f" (needs {', '.join(experiment.data)})" if experiment.data else ""
            print(f"{each}: {experiment.description}{needs}")
        return
    if name is None:
        raise InputError(f"which experiment? Choose one of {', '.join(EXPERIMENTS)}, as in: weft reproduce hmm --quick")
    if output is not None:
        for suffix in ("json", "png"):
            check_target(output / f"{name}.{suffix}")
    from rich.console import Console

    messages = Console(stderr=True)
    with messages.status("loading; the first run also compiles, which takes some seconds") as status:
        if not is_watched():
            status.stop()

        def progress(text: str) -> None:
            check_interrupt()
            status.update(text)

        report = run_experiment(name, quick=quick, n_replicates=replicates, seed=seed, progress=progress)
    if as_json:
        print_json(report.to_dict())
    else:
        report.print(Console(highlight=False))
    if output is not None:
        paths = report.write(output)
        if not as_json:
            print(f"Saved {' and '.join(map(str, paths))}.")

"""`weft reproduce`: run a published experiment again, or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.interrupts import check_interrupt
from weft.kinds.terminal import check_target, print_json, progress_line


def _names() -> list[str]:
    from weft.experiments.registry import EXPERIMENTS

    return list(EXPERIMENTS)


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which experiment; see --list.", autocompletion=_names)
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="With accuracy: only the rows of this task, such as tag.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few small runs, to see whether it works.")] = False,
    replicates: Annotated[int | None, typer.Option(help="Number of runs; the experiment's own by default.")] = None,
    random_state: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write NAME.json and NAME.png to; with --all, the page."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the figures as JSON.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    run_every: Annotated[
        bool, typer.Option("--all", help="Run every experiment; write reproduce.html and reproduce.json.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="With --output: repeat experiments whose results the folder already has.")
    ] = False,
) -> None:
    """Repeat a published experiment and print its results beside the published ones.

    Example: `weft reproduce hmm --quick`

    Numbers are means over several runs with their standard deviation; published ones stand in brackets. With --all,
    every table and figure goes on one page. With --output, finished experiments, or finished sets of accuracy, are kept
    in the folder: after an interruption the same command goes on where it stopped.
    """
    from weft.experiments import registry

    if show_list and as_json:
        known = registry.EXPERIMENTS.items()
        print_json([{"name": each, "description": one.description, "data": one.data} for each, one in known])
        return
    if show_list:
        for each, experiment in registry.EXPERIMENTS.items():
            needs = f" (needs {', '.join(experiment.data)})" if experiment.data else ""
            print(f"{each}: {experiment.description}{needs}")
        return
    if run_every:
        if task is not None:
            raise InputError(f"both --task {task} and --all given; leave one out.")
        _run_all(name, output, as_json, quick=quick, n_replicates=replicates, seed=random_state, again=again)
        return
    if again and output is None:
        raise InputError("--again given without --output; nothing is kept without a folder: leave it out.")
    if name is None:
        names = ", ".join(registry.EXPERIMENTS)
        raise InputError(f"which experiment? Choose one of {names}, as in: weft reproduce hmm --quick; or use --all.")
    if task is not None:
        tasks = [each.removeprefix(f"{name}-") for each in registry.EXPERIMENTS if each.startswith(f"{name}-")]
        if name != "accuracy" or task not in tasks:
            cure = f"; choose one of {', '.join(tasks)}" if name == "accuracy" else ", which only accuracy has"
            raise InputError(f"--task {task} given with {name}{cure}.")
        name = f"{name}-{task}"
    if output is not None:
        _check_folder(output, f"{name}.json", f"{name}.png")
    with _progress() as progress:
        report = registry.run_experiment(
            name,
            quick=quick,
            n_replicates=replicates,
            seed=random_state,
            progress=progress,
            folder=output,
            again=again,
        )
    if as_json:
        print_json(report.to_dict())
    else:
        from rich.console import Console

        report.print(Console(highlight=False))
    if output is not None:
        paths = report.write(output)
        if not as_json:
            print(f"Saved {' and '.join(map(str, paths))}.")


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A function that says what runs, and raises an interrupt that came meanwhile."""
    with progress_line(logged=True) as line:
        line("loading; the first run also compiles, which takes some seconds")

        def progress(text: str) -> None:
            check_interrupt()
            line(text)

        yield progress


def _check_folder(folder: Path, *files: str) -> None:
    """Make the folder if it is not there; refuse files that could not be written, before hours of work."""
    if not folder.exists():
        check_target(folder)
        folder.mkdir()
    for file in files:
        check_target(folder / file)


def _run_all(name: str | None, output: Path | None, as_json: bool, **settings: Any) -> None:
    if name is not None:
        raise InputError(f"both {name!r} and --all given; name an experiment, or run all.")
    if output is None:
        raise InputError("--all given without a folder; name one for the page, as in: weft reproduce --all -o results")
    _check_folder(output, "reproduce.html", "reproduce.json")
    from weft.experiments.all_runs import run_all

    with _progress() as progress:
        everything = run_all(output, progress=progress, **settings)
    if as_json:
        print_json(everything)
    else:
        for each in everything["experiments"]:
            reason = f": {each['reason']}" if "reason" in each else ""
            print(f"{each['name']}: {each['status']}{reason}")
        print(f"Saved {output / 'reproduce.html'} and {output / 'reproduce.json'}.")
    if any(each["status"] == "failed" for each in everything["experiments"]):
        raise typer.Exit(1)

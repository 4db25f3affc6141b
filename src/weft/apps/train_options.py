"""The commands of `weft train`: options that all of them share, and those of each kind."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.apps.run_settings import apply_config, given_options, options_of, settings_of
from weft.kinds import kind_of_command
from weft.kinds.options import (
    CHECKING,
    HELD_OUT_OPTIONS,
    LEARNER_OPTIONS,
    OWN,
    PARTS,
    RUNNING,
    Cluster,
    Columns,
    Dev,
    SchedulerFile,
    Workers,
    default_of,
)
from weft.kinds.parted import Places
from weft.kinds.training import Options, Training, Tuning
from weft.kinds.tuning import N_FOLDS, describe_grids
from weft.sequences.formats.text import Paths


def _shared(
    ctx: typer.Context,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Model file to write; needed unless --cv-only.")
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option("--cv", min=2, metavar="K", help="Score by K-fold cross-validation.", rich_help_panel=CHECKING),
    ] = None,
    cv_only: Annotated[
        bool, typer.Option("--cv-only", help="With --cv: write no model.", rich_help_panel=CHECKING)
    ] = False,
    columns: Columns = None,
    dev: Dev = None,
    tune: Annotated[
        Tuning | None,
        typer.Option(
            "--tune",
            help=f"grid: try the values above; auto: many more, within --budget. Scored on --dev or {N_FOLDS} folds.",
            rich_help_panel=CHECKING,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="Time for --tune auto, such as 90s, 10m or 2h; 10m if not given.",
            rich_help_panel=CHECKING,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            is_eager=True,
            callback=apply_config,
            help="Options from a TOML file, or those of a model.",
            rich_help_panel=RUNNING,
        ),
    ] = None,
    save_config: Annotated[
        Path | None,
        typer.Option(
            "--save-config", metavar="FILE", help="Write the options as TOML, for --config.", rich_help_panel=RUNNING
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run.", rich_help_panel=RUNNING)
    ] = False,
    random_state: Annotated[
        int, typer.Option("--random-state", help="Seed of everything random.", rich_help_panel=RUNNING)
    ] = OWN["train --random-state"].value,
    n_jobs: Annotated[
        int, typer.Option("--n-jobs", help="Threads; -1 for all cores.", rich_help_panel=RUNNING)
    ] = default_of("Tagger", "n_jobs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the summary as JSON.", rich_help_panel=RUNNING)
    ] = False,
) -> None:
    """Options that all trainings have: the signature is what counts."""


def _in_parts(
    *,
    workers: Workers = None,
    cluster: Cluster = None,
    scheduler_file: SchedulerFile = None,
    spill: Annotated[
        Path | None,
        typer.Option(
            "--spill", metavar="DIR", help="Keep encoded data on disk, in this folder.", rich_help_panel=PARTS
        ),
    ] = None,
) -> None:
    """Options of trainings on data in parts."""


def _expanded(parameters: list[inspect.Parameter]) -> dict[str, inspect.Parameter]:
    """By name; ``**options`` are those of learners and of held-out data, ``**scored`` the latter alone."""
    found = {}
    for each in parameters:
        if each.kind is not inspect.Parameter.VAR_KEYWORD:
            found[each.name] = _several(each) if each.name == "file" else each
            continue
        options = HELD_OUT_OPTIONS if each.name == "scored" else {**LEARNER_OPTIONS, **HELD_OUT_OPTIONS}
        for name, annotation in options.items():
            new = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            found.setdefault(name, new)
    return found


def _several(file: inspect.Parameter) -> inspect.Parameter:
    """The argument FILE, of which there may be several."""
    argument = file.annotation.__metadata__[0]
    return file.replace(annotation=Annotated[list[str], argument])


def train_command(name: str) -> Callable[..., None]:
    """The command that trains a kind: its own options, and those that all share.

    Parameters
    ----------
    name : str
        One of `COMMANDS`.
    """
    kind = kind_of_command(name)
    prepare = kind.recipe().prepare
    own = _expanded(list(inspect.signature(prepare, eval_str=True).parameters.values())[1:])
    shared = inspect.signature(_shared, eval_str=True).parameters
    places = inspect.signature(_in_parts, eval_str=True).parameters if kind.takes_parts else {}
    parameters = [parameter for key, parameter in own.items() if key not in shared]
    parameters += [*shared.values(), *places.values()]

    @functools.wraps(prepare)
    def command(**arguments: Any) -> None:
        ctx = arguments["ctx"]
        options = Options(
            **{key: arguments[key] for key in shared if key != "ctx"},
            places=Places(**{key: arguments[key] for key in places}),
        )
        files, made = arguments["file"], kind()
        made.choose_columns(arguments["columns"])
        training = Training(made, options, settings_of(ctx), given_options(ctx), options_of(ctx).keys())
        training.run({key: arguments[key] for key in own} | {"file": files[0] if len(files) == 1 else Paths(files)})

    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    command.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = f"{inspect.cleandoc(prepare.__doc__ or '')}\n\n**--tune grid** tries {describe_grids(kind)}."
    return command

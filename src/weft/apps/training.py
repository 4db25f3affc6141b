"""What all `weft train` commands share: options, checking, tuning, going on after an interrupt, saving and telling.

A command reads its data and returns a `Task`; `train_command` gives it the other options and does the rest.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.resampling import Task, cross_validate, fit_quietly
from weft.apps.run_settings import RUN, apply_config, given_options, settings_of, to_toml
from weft.apps.summaries import print_cross_validation, print_summary, print_tuning
from weft.apps.terminal import check_target, is_watched, line_writer, progress_line, status
from weft.apps.tuning import N_FOLDS, describe_grids, tune
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.checkpoint import Journal

__all__ = ["CHECKING", "Options", "train_command"]

CHECKING, RUNNING, RESULTS = "Checking and tuning", "Running", "Results"


@dataclass(frozen=True)
class Options:
    """Options that all trainings have."""

    output: Path | None
    dev: str | None
    cv: int | None
    cv_only: bool
    tune: bool
    config: Path | None
    save_config: Path | None
    resume: bool
    seed: int
    jobs: int
    as_json: bool


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
    dev: Annotated[
        str | None,
        typer.Option("--dev", metavar="FILE", help="Other data, to tune and stop on.", rich_help_panel=CHECKING),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help=f"Try the values above; keep the best on --dev or by {N_FOLDS} folds.",
            rich_help_panel=CHECKING,
        ),
    ] = False,
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
        bool, typer.Option("--resume", help="Go on where an interrupted run stopped.", rich_help_panel=RUNNING)
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything random.", rich_help_panel=RUNNING)] = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="Threads; -1 for all cores.", rich_help_panel=RUNNING)] = -1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the summary as JSON.", rich_help_panel=RUNNING)
    ] = False,
) -> None:
    """Nothing: the signature is what counts."""


def train_command(function: Callable[..., Task]) -> Callable[..., None]:
    """Turn a function that reads data and builds an estimator into a whole command.

    Parameters
    ----------
    function : callable
        Its arguments become options, together with those that all trainings share. It may name `dev` to get that path.
    """
    own = inspect.signature(function, eval_str=True).parameters
    shared = inspect.signature(_shared, eval_str=True).parameters
    parameters = [parameter for name, parameter in own.items() if name not in shared] + list(shared.values())

    @functools.wraps(function)
    def command(**arguments: Any) -> None:
        ctx = arguments["ctx"]
        options = Options(**{name: arguments[name] for name in shared if name != "ctx"})
        _Training(ctx, options).run(lambda: function(**{name: arguments[name] for name in own}))

    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    command.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = (
        f"{inspect.cleandoc(function.__doc__ or '')}\n\n**--tune** tries {describe_grids(function.__name__)}."
    )
    return command


class _Training:
    """One run of a command."""

    def __init__(self, ctx: typer.Context, options: Options) -> None:
        self.command = str(ctx.info_name)
        self.options = options
        self.settings = settings_of(ctx)
        self.given = given_options(ctx)

    def run(self, read: Callable[[], Task]) -> None:
        began = time.perf_counter()
        options = self.options
        self._check()
        task = read()
        task.estimator.set_params(n_jobs=options.jobs, random_state=options.seed)
        journal = self._journal(task)
        try:
            with _journal_kept(journal):
                checked = None if options.cv is None else self._cross_validated(task, options.cv, journal)
                estimator, tuned = self._tuned(task, journal) if options.tune else (task.estimator, None)
                if not options.cv_only:
                    self._fit(task, estimator)
        except KeyboardInterrupt:
            self._say_how_to_go_on(journal)
            raise
        summary = self._written(task, estimator, tuned)
        if journal is not None:
            journal.remove()
        if not options.as_json:
            if checked is not None:
                print_cross_validation(checked)
            if tuned is not None:
                print_tuning(tuned)
        else:
            summary |= {} if checked is None else {"cross_validation": checked}
            summary |= {} if tuned is None else {"tuning": tuned}
        timed = {**summary, "seconds": round(time.perf_counter() - began, 3)}
        if options.output is not None and not options.cv_only:
            timed["model_bytes"] = options.output.stat().st_size
        if options.as_json or not options.cv_only:
            print_summary(timed, options.as_json)

    # ------------------------------------------------------------------ steps

    def _check(self) -> None:
        options = self.options
        if options.cv_only and options.cv is None:
            raise InputError("--cv-only came without --cv; add the number of folds, such as --cv 5.")
        if options.output is None and not options.cv_only:
            raise InputError("-o is missing; give the model file to write, such as -o model.weft, or --cv-only.")
        if options.resume and options.output is None:
            raise InputError("--resume came without -o; give the model file of the run that was interrupted.")
        for path in (options.output, options.save_config):
            if path is not None:
                check_target(path)

    def _journal(self, task: Task) -> Journal | None:
        """Where the run notes how far it came; None where there is no model to put it beside."""
        from weft.checkpoint import Journal

        if self.options.output is None:
            return None
        path = Path(f"{self.options.output}.checkpoint")
        journal = Journal(path, lambda: self._mark(task), resume=self.options.resume, check=check_interrupt)
        if self.options.resume and not journal.resumed:
            print(f"weft: there is no {path} to go on from; starting at the beginning.", file=sys.stderr)
        return journal

    def _mark(self, task: Task) -> str:
        """Marks data and options, so that no run goes on from another one's state."""
        own = {key: value for key, value in self.settings.items() if key not in ("jobs", "output")}
        own |= {"tune": self.options.tune, "cv": self.options.cv, "n": len(task.examples)}
        digest = hashlib.sha256(json.dumps(own, sort_keys=True).encode())
        for key in ("file", "dev", "grammar"):  # a grammar may be a name, a file a pipe that was read already
            if Path(own.get(key, "-")).is_file():
                digest.update(Path(own[key]).read_bytes())
        return digest.hexdigest()

    def _cross_validated(self, task: Task, n_folds: int, journal: Journal | None) -> dict[str, Any]:
        with progress_line() as progress:

            def fit(numbers: Sequence[int], name: str) -> Any:
                estimator = task.estimator
                if self.options.tune:  # inside each fold, which must not see what it is scored on
                    estimator, _ = tune(
                        task, self.command, self.given, self.options.seed, numbers=numbers, name=name, journal=journal
                    )
                return fit_quietly(task, estimator, numbers)

            return cross_validate(task, n_folds, self.options.seed, fit, journal, progress)

    def _tuned(self, task: Task, journal: Journal | None) -> tuple[Any, dict[str, Any] | None]:
        if self.options.cv_only:
            return task.estimator, None
        with progress_line() as progress:
            estimator, report = tune(
                task, self.command, self.given, self.options.seed, journal=journal, progress=progress
            )
        self.settings |= report["chosen"]
        return estimator, report

    def _fit(self, task: Task, estimator: Any) -> None:
        has_bar = "verbose" in estimator.get_params(deep=False)
        if has_bar:
            estimator.set_params(verbose=int(is_watched()))
        line = nullcontext() if has_bar else status(f"learning from {len(task.examples):,} {task.what}s")
        with line, warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", UserWarning)
            task.fit_located(estimator, range(len(task.examples)))
        if has_bar:
            estimator.set_params(verbose=0)
        for note in notes:
            print(f"weft: {note.message}", file=sys.stderr)

    def _written(self, task: Task, estimator: Any, tuned: dict[str, Any] | None) -> dict[str, Any]:
        """Save the model and what belongs to it; what there is to tell."""
        from weft.model_file import save

        options = self.options
        if options.save_config is not None:
            with line_writer(str(options.save_config)) as write:
                write([to_toml(self.settings).removesuffix("\n")])
        if options.output is None or options.cv_only:
            return {}
        settings = {key: value for key, value in self.settings.items() if key != "jobs"}  # changes nothing learned
        notes = {**task.notes, "n_examples": len(task.examples), RUN: settings}
        if tuned is not None:
            notes["tuning"] = tuned
        save(estimator, options.output, notes=notes)
        if task.write is not None:
            task.write(estimator)
        summary = {"model": str(options.output), **task.facts(estimator)}
        if task.dev is not None:
            summary["held_out"] = task.scores(estimator, task.dev)
        return summary

    def _say_how_to_go_on(self, journal: Journal | None) -> None:
        model = self.options.output
        if model is None:
            return
        state = "is as it was" if model.exists() else "is not there yet"
        rest = (
            "nothing to go on from yet"
            if journal is None or journal.is_empty
            else "the same command with --resume goes on"
        )
        print(f"weft: interrupted; {model} {state}; {rest}.", file=sys.stderr)


def _journal_kept(journal: Journal | None) -> Any:
    from weft.checkpoint import journal_kept

    return journal_kept(journal)

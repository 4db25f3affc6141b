"""The command `weft`: one file per sub-command, one place for errors and exit codes.

Numerical modules are imported inside the commands only, so that ``weft --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weft import __version__
from weft.apps import compare, data, demo, evaluate, fold, models, predict, report, reproduce, serve, train, warm
from weft.apps.help_pages import WeftCommand, flags_untyped
from weft.apps.usage import UsageError, in_one_line, is_usage_error
from weft.errors import WeftError
from weft.kinds.interrupts import interrupts_noted, noted_signal

USER_ERROR, INTERRUPTED, TERMINATED, BROKEN_PIPE = 2, 130, 143, 141
"""Exit codes: what the user can fix, and what a shell reports after SIGINT, SIGTERM and SIGPIPE."""

ORDER = (
    *("demo", "train", "predict", "evaluate", "compare", "fold", "report", "serve", "models", "warm", "data"),
    "reproduce",
)


class WeftGroup(TyperGroup):
    """Turns errors that a user can fix into one line; others keep their traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a sub-command."""
        try:
            with interrupts_noted():
                result = super().invoke(ctx)
            sys.stdout.flush()  # a reader that has gone away shows here, not at exit
            return result
        except (KeyboardInterrupt, Exception) as error:
            # What an interrupt breaks inside an import or a compiler comes out as any error.
            code = _exit_code(error) if noted_signal() is None else 128 + (noted_signal() or 0)
            if code is None:
                raise
            raise typer.Exit(code) from error

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options before a sub-command."""
        try:
            return super().make_context(*arguments, **options)
        except UsageError as error:
            code = _exit_code(error)
            if code is None:
                raise
            raise typer.Exit(code) from error

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order in which one meets the commands; groups would come last otherwise."""
        names = list(super().list_commands(ctx))
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, flags without a type."""
        return flags_untyped(super().get_params(ctx))


app = typer.Typer(
    name="weft",
    cls=WeftGroup,
    help="Learn to map sequences to structures: train, predict, evaluate. Start with: `weft demo`",
    no_args_is_help=True,
    epilog=(
        f"Exit codes: 0 success; {USER_ERROR} an error that you can fix, explained in one line; {INTERRUPTED} "
        f"interrupted; {TERMINATED} terminated; {BROKEN_PIPE} the reader of the output went away; 1 a bug in weft, "
        "with a traceback."
    ),
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", cls=WeftCommand)(demo.run)
app.add_typer(train.app, name="train")
app.command("predict", cls=WeftCommand)(predict.run)
app.command("evaluate", cls=WeftCommand)(evaluate.run)
app.command("compare", cls=WeftCommand)(compare.run)
app.command("report", cls=WeftCommand)(report.run)
app.command("serve", cls=WeftCommand)(serve.run)
app.command("warm", cls=WeftCommand)(warm.run)
app.command("fold", cls=WeftCommand)(fold.run)
app.command("models", cls=WeftCommand)(models.run)
app.command("data", cls=WeftCommand)(data.run)
app.command("reproduce", cls=WeftCommand)(reproduce.run)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def _exit_code(error: BaseException) -> int | None:
    """Say in one line what the user can fix; the exit code, None for what is a fault of weft."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, WeftError):
        print("weft:", " ".join(str(error).split()), file=sys.stderr)
        return USER_ERROR
    if is_usage_error(error):
        print("weft:", in_one_line(error), file=sys.stderr)
        return USER_ERROR
    if isinstance(error, MemoryError):
        reason = " ".join(str(error).split()).rstrip(".") or "none is left"
        print(f"weft: not enough memory: {reason}; give shorter sequences, or fewer of them.", file=sys.stderr)
        return USER_ERROR
    if not isinstance(error, OSError):
        return None
    if isinstance(error, BrokenPipeError):
        code = BROKEN_PIPE
    else:
        code = USER_ERROR
        print(f"weft: {_refusal(error)}", file=sys.stderr)
    # What is still buffered has no reader: let it go where nobody complains.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _refusal(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    try:
        Path.cwd()
    except OSError:
        return "the working folder is gone; go to one that exists."
    if error.filename is None:
        return f"cannot write the output: {reason}; send it elsewhere, or make room."
    return f"{os.fsdecode(error.filename)}: {reason}; check the path."


def main() -> None:
    """Run the command line and exit."""
    os.environ.setdefault("WEFT_COMPILE_BAR", "0")  # commands have bars of their own
    # A warning is a line like any other; what raised it is of no use here.
    warnings.formatwarning = lambda message, *_, **__: f"weft: {message}\n"
    try:
        try:
            app()
        finally:
            if noted_signal() is not None:  # what was being made complains when it goes
                sys.unraisablehook = lambda _: None
            sys.stdout.flush()
    except OSError as error:
        sys.exit(_exit_code(error))

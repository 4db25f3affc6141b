"""The command `weft`: one file per sub-command, one place for errors and exit codes.

Numerical modules are imported inside the commands only, so that ``weft --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weft import __version__
from weft.apps import data, demo, evaluate, predict, report, reproduce, train
from weft.apps.interrupts import interrupts_noted
from weft.errors import WeftError

__all__ = ["app", "main"]

USER_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
"""Exit codes: what the user can mend, and what a shell reports after SIGINT and SIGPIPE."""


class WeftGroup(TyperGroup):
    """Turns errors that a user can mend into one line; others keep their traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a sub-command."""
        try:
            with interrupts_noted():
                result = super().invoke(ctx)
            sys.stdout.flush()  # a reader that has gone away shows here, not at exit
            return result
        except WeftError as error:
            print("weft:", " ".join(str(error).split()), file=sys.stderr)
            raise typer.Exit(USER_ERROR) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:
            # What is still buffered has no reader: let it go where nobody complains.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from error


app = typer.Typer(
    name="weft",
    cls=WeftGroup,
    help="Learn to map sequences to structures. Start with: weft demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.run)
app.add_typer(train.app, name="train")
app.command("predict")(predict.run)
app.command("evaluate")(evaluate.run)
app.command("report")(report.run)
app.command("data")(data.run)
app.command("reproduce")(reproduce.run)


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


def main() -> None:
    """Run the command line and exit."""
    app()

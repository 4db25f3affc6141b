"""`weft train`: one sub-command for each kind of structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from weft.apps.help_pages import WeftCommand, flags_untyped
from weft.apps.run_settings import command_of
from weft.apps.train_align import align
from weft.apps.train_classify import classify
from weft.apps.train_fold import fold
from weft.apps.train_parse import parse
from weft.apps.train_regress import regress
from weft.apps.train_rewrite import rewrite
from weft.apps.train_tag import tag

__all__ = ["app"]


class TrainGroup(TyperGroup):
    """Takes the sub-command from the file of --config where the user gives none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the sub-command first."""
        if args and args[0].startswith("-"):
            path = _config_in(args)
            if path is not None:
                args = [command_of(path, self.commands), *args]
        return list(super().parse_args(ctx, args))

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, flags without a type."""
        return flags_untyped(super().get_params(ctx))


def _config_in(args: list[str]) -> Path | None:
    for place, argument in enumerate(args):
        if argument == "--config" and place + 1 < len(args):
            return Path(args[place + 1])
        if argument.startswith("--config="):
            return Path(argument.removeprefix("--config="))
    return None


app = typer.Typer(cls=TrainGroup, no_args_is_help=True, rich_markup_mode="markdown")
for command in (tag, rewrite, align, fold, parse, classify, regress):
    app.command(command.__name__, cls=WeftCommand)(command)


@app.callback()
def _train() -> None:
    """Train a model from a file, as in: `weft train tag train.conll -o names.weft`.

    With `--config run.toml` the file says which of the commands below and which options; `weft train --config
    model.weft` trains a model again with the options that it keeps.
    """

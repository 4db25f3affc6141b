"""`weft train`: one sub-command for each kind of model, which is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from weft.apps.help_pages import WeftCommand, flags_untyped
from weft.kinds import COMMANDS


class _Commands(Mapping[str, Any]):
    """Sub-commands that are made when they are looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        from weft.apps.train_options import train_command

        alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        alone.command(name, cls=WeftCommand)(train_command(name))
        return get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class TrainGroup(TyperGroup):
    """Takes the sub-command from the file of --config where the user gives none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the sub-command first."""
        self.commands = _Commands()  # type: ignore[assignment]
        if args and args[0].startswith("-"):
            path = _config_in(args)
            if path is not None:
                from weft.apps.run_settings import command_of

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


@app.callback()
def _train() -> None:
    """Train a model from a file, as in: `weft train tag train.conll -o names.weft`.

    With `--config run.toml` the file says which of the commands below and which options; `weft train --config
    model.weft` trains a model again with the options that it keeps.
    """

"""How help pages look: flags take no value, so none is shown beside them; a model is a file or a name."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from weft.models import bundled_names

MODEL: Any = typer.Argument(
    metavar="MODEL", help="Model file, or a name listed by `weft models`.", autocompletion=bundled_names
)
"""The argument of every command that takes a model."""


def flags_untyped(parameters: list[Any]) -> list[Any]:
    """The parameters; those that are flags show no type."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


class WeftCommand(TyperCommand):
    """A command whose flags show no type."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of the command."""
        return flags_untyped(super().get_params(ctx))

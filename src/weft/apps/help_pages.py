"""How help pages look: flags take no value, so none is shown beside them."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["WeftCommand", "flags_untyped"]


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

"""What is wrong with a command as it was written, in one line."""

from __future__ import annotations

import re
from typing import Any

import typer

UsageError: Any = typer.BadParameter.__bases__[0]
"""What the parser of the command line raises; it has no public name of its own."""


def is_usage_error(error: BaseException) -> bool:
    """Whether the parser refuses the command; the help that a command without arguments prints is no refusal."""
    return isinstance(error, UsageError) and type(error).__name__ != "NoArgsIsHelpError"


def in_one_line(error: Any) -> str:
    """What came, what was wanted, and where that is said.

    Examples
    --------
    >>> in_one_line(UsageError("No such option: --foo"))
    'no such option: --foo; see weft -h.'
    """
    context, parameter = error.ctx, getattr(error, "param", None)
    command = "weft" if context is None else context.command_path
    message = " ".join(error.message.split())
    if parameter is None or not message:  # an option or command that does not exist, or one that is missing
        said = " ".join(error.format_message().split()).rstrip(".")
        return f"{said[:1].lower()}{said[1:]}{'' if said.endswith('?') else ';'} see {command} -h."
    option = parameter.param_type_name == "option"
    name = parameter.opts[0] if option else (parameter.metavar or parameter.name.upper())
    given = _given(error)
    came = f"{name} given" if given is None else f"{name} {given} given"
    return f"{came}; {_wanted(message)}; see {command} -h."


def _given(error: BaseException) -> str | None:
    """The value that was refused, where the error knows it."""
    cause: Any = error.__cause__ or error.__context__
    if not hasattr(cause, "errors"):
        return None
    return str(cause.errors()[0].get("input"))[:40]


def _wanted(message: str) -> str:
    """What the parser needs.

    Examples
    --------
    >>> _wanted("Value error, 'foo' is not one of 'crf', 'svm'.")
    "needed one of 'crf', 'svm'"
    >>> _wanted("Input should be a valid integer, unable to parse string as an integer")
    'needed a valid integer'
    >>> _wanted("'a' is not a valid integer.")
    "'a' is not a valid integer"
    """
    text = message.removeprefix("Value error, ").rstrip(".")
    if (found := re.fullmatch(r"'.*?' is not (one of .*)", text)) is not None:
        return f"needed {found[1]}"
    if text.startswith("Input should be "):
        return "needed " + text.removeprefix("Input should be ").split(", unable")[0]
    return text

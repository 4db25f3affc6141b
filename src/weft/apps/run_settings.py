"""Settings of a run in a file: TOML with the names of the options, or a model, which keeps its own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from weft.errors import InputError
from weft.sequences.formats.binary import MODEL, START, binary_kind

COMMAND = "command"
"""Key of the sub-command."""
LONGEST = 2**13
"""Bytes of a file of settings: keys with thousands of dots take memory that grows with the square of their length."""
NOT_SETTINGS = {"help", "config", "save-config", "resume"}
"""Options that are about one call, not about the run."""
NOT_STORED = {"json", "cv", "cv-only", "tune", "budget"}
"""Options that do not decide what the model becomes: after tuning, what was chosen stands in their place."""


def read_settings(path: Path) -> dict[str, Any]:
    """Settings in a TOML file or in a model file, keys with dashes.

    Examples
    --------
    >>> read_settings(Path("absent.toml"))
    Traceback (most recent call last):
    ...
    weft.errors.InputError: cannot read absent.toml: No such file or directory; check the path.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; check the path.") from None
    kind = binary_kind(raw[:START])
    if kind == MODEL:
        return _settings_of_model(path)
    if kind is not None:
        raise InputError(f"{path} looks like {kind}, needed TOML or a model; write lines such as: c2 = 0.1")
    if len(raw) > LONGEST:
        raise InputError(f"{path} has {len(raw)} bytes, settings have at most {LONGEST}; write lines such as: c2 = 0.1")
    try:
        found = tomllib.loads(raw.decode())
        repr(found)  # fails where no message could show a value
    except (ValueError, RecursionError) as error:  # ValueError: not UTF-8, not TOML, thousands of digits
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path} is not TOML ({reason}); write lines such as: c2 = 0.1") from None
    return {key.replace("_", "-"): value for key, value in found.items()}


def _settings_of_model(path: Path) -> dict[str, Any]:
    from weft.kinds.training import RUN
    from weft.model_file import read_header

    settings = read_header(path).summary.get(RUN)
    if not isinstance(settings, dict):
        raise InputError(f"{path} keeps no settings, as it was not trained by weft train; give a TOML file.")
    return settings


def command_of(path: Path, commands: Mapping[str, Any]) -> str:
    """The sub-command that a file is for."""
    command = read_settings(path).get(COMMAND)
    if not isinstance(command, str) or command not in commands:
        names = ", ".join(commands)
        raise InputError(f'{path} has {COMMAND} = {command!r}; add a line such as {COMMAND} = "tag", one of {names}.')
    return command


def apply_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """Let the file say what the command line leaves out; a callback of an option that is looked at first.

    Parameters
    ----------
    ctx : typer.Context
    path : Path, optional
    """
    if path is None or ctx.resilient_parsing:
        return path
    settings = read_settings(path)
    command = settings.pop(COMMAND, ctx.info_name)
    if command != ctx.info_name:
        raise InputError(f"{path} is for weft train {command}, not {ctx.info_name}; leave {ctx.info_name} out.")
    known = {name: parameter for name, parameter in options_of(ctx).items() if name not in NOT_SETTINGS}
    unknown = [key for key in settings if key not in known]
    if unknown:
        near = get_close_matches(unknown[0].lower(), known, 3, 0.5)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise InputError(
            f"{path}: {unknown[0]!r} is not an option of weft train {command}{hint}; see weft train {command} --help."
        )
    values = {}
    for key, value in settings.items():
        # As on the command line, where everything is text; flags alone are true or false.
        several = isinstance(value, list)
        plain: Any = [str(each) for each in value] if several else value if isinstance(value, bool) else str(value)
        if (getattr(known[key], "multiple", False) or getattr(known[key], "nargs", 1) == -1) and not several:
            plain = [plain]
        try:
            if isinstance(value, bool) and not getattr(known[key], "is_flag", False):
                raise ValueError("a value is needed, not true or false")
            known[key].process_value(ctx, plain)
        except Exception as error:
            reason = getattr(error, "message", None) or str(error)
            from weft.sequences.checks import shown  # NumPy comes with it

            raise InputError(f"{path}: {key} = {shown(value)}: {' '.join(reason.split())[:200]}; fix it.") from None
        values[known[key].name] = plain
    ctx.default_map = values
    return path


def options_of(ctx: typer.Context) -> dict[str, Any]:
    """Arguments and options of a command by the names that users write, without leading dashes."""
    return {parameter.opts[0].lstrip("-").replace("_", "-"): parameter for parameter in ctx.command.params}


def given_options(ctx: typer.Context) -> set[str]:
    """Names of the options that the user gave, on the command line or in a file."""
    names = set()
    for name, parameter in options_of(ctx).items():
        source = ctx.get_parameter_source(parameter.name)
        if source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT", "DEFAULT_MAP"):
            names.add(name)
    return names


def settings_of(ctx: typer.Context) -> dict[str, Any]:
    """What a model needs to be trained again: the command, and its options as plain values."""
    settings: dict[str, Any] = {COMMAND: ctx.info_name}
    for name, parameter in options_of(ctx).items():
        value = ctx.params.get(parameter.name)
        if name not in NOT_SETTINGS | NOT_STORED and value is not None and value != []:
            alone = getattr(parameter, "nargs", 1) == -1 and len(value) == 1
            settings[name] = _plain(value[0] if alone else value)
    return settings


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, bool | int | float) else str(value)

"""What a server was told: models, address, limits, who may ask."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from weft.errors import InputError
from weft.models import model_path
from weft.serve.limits import Limits

__all__ = ["TOKEN", "Settings", "is_loopback", "model_names", "read_token"]

TOKEN = "WEFT_SERVE_TOKEN"
"""Variable of the environment that holds the token."""

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")

FEWEST = 16
"""Letters of a token that cannot be guessed."""


@dataclass(frozen=True)
class Settings:
    """Settings of a server; they are sent to worker processes.

    Attributes
    ----------
    files : mapping of str to Path
        Model files by name.
    folder : Path
        Where copies of models and numbers of processes live while the server runs.
    host, port
    workers : int
    threads : int
        For each worker: batches that run at once, and threads of each.
    token : str, optional
        What those who ask must show.
    hosts : tuple of str
        Names under which the server may be asked; empty for any.
    origins : tuple of str
        Other sites whose pages may ask.
    reload : float
        Seconds between two looks at the model files; 0 for none.
    log_text : bool
        Whether logs may have what users sent.
    """

    files: Mapping[str, Path]
    folder: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 1
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    reload: float = 1.0
    log_text: bool = False
    limits: Limits = field(default_factory=Limits)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None) -> str | None:
    """The token of a file, or of the environment; None if there is neither."""
    if file is None:
        token, where = os.environ.get(TOKEN), TOKEN
        if token is None:
            return None
    else:
        try:
            token, where = file.read_text(encoding="utf-8").strip(), str(file)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the token in {file}: {error}; check --token-file.") from None
    if len(token) < FEWEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"the token of {where} has {len(token)} characters or blanks; needed at least {FEWEST} letters, digits and "
            "signs, such as those of: python -c 'import secrets; print(secrets.token_urlsafe())'"
        )
    return token


def model_names(paths: Sequence[Path]) -> dict[str, Path]:
    """A name for each file, what stands before its suffix; models that come with weft are found by their names.

    Examples
    --------
    >>> model_names([Path("a/tags.weft"), Path("b/sounds.weft")])
    {'tags': PosixPath('a/tags.weft'), 'sounds': PosixPath('b/sounds.weft')}
    """
    named: dict[str, Path] = {}
    for path in paths:
        name = path.name.removesuffix(".weft")
        if not NAME.fullmatch(name):
            raise InputError(
                f"{path}: a model's name is that of its file, and {name!r} cannot stand in an address; needed letters, "
                "digits, '.', '_' and '-': rename the file."
            )
        if name in named:
            raise InputError(f"{path} and {named[name]} are both called {name!r}; rename one of the files.")
        named[name] = model_path(path)
    return named

"""What decides the numbers of a run: the state of weft, and what was asked for."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from weft import __version__


@cache
def source_digest() -> str:
    """Twelve digits that change with any line of weft, for there are many states between two versions.

    Examples
    --------
    >>> len(source_digest())
    12
    """
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def run_settings(quick: bool, n_replicates: int | None, seed: int) -> dict[str, Any]:
    """Results of other settings must not be taken for those of these.

    Examples
    --------
    >>> sorted(run_settings(True, None, 0))
    ['quick', 'replicates', 'seed', 'source', 'weft']
    """
    return {
        "weft": __version__,
        "source": source_digest(),
        "quick": quick,
        "replicates": n_replicates,
        "seed": seed,
    }


def command_of(name: str, settings: dict[str, Any]) -> str:
    """What to type for the same numbers.

    Examples
    --------
    >>> command_of("hmm", run_settings(True, None, 3))
    'weft reproduce hmm --quick --random-state 3'
    """
    words = ["weft reproduce", name]
    words += ["--quick"] if settings["quick"] else []
    words += [f"--replicates {settings['replicates']}"] if settings["replicates"] is not None else []
    words += [f"--random-state {settings['seed']}"] if settings["seed"] else []
    return " ".join(words)

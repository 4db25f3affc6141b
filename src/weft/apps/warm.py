"""`weft warm`: compile ahead of the first call."""

from __future__ import annotations

import time
import warnings
from enum import StrEnum
from typing import Annotated

import typer

from weft.kinds import COMMANDS

Task = StrEnum("Task", [name.upper() for name in COMMANDS])  # type: ignore[misc]


def run(
    task: Annotated[Task | None, typer.Argument(metavar="TASK", help="Task; all of them if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Compile the code of a task, or of all tasks, ahead of its first call.

    Example: `weft warm tag`

    What was compiled is kept on disk, in NUMBA_CACHE_DIR or beside the package, and a second run compiles nothing: run
    it once when you build an image or set up a machine.
    """
    from weft.core.compiling import ANNOUNCER
    from weft.kinds.terminal import print_json, status
    from weft.kinds.warming import WARM

    facts: dict[str, dict[str, float]] = {}
    for name in [str(task)] if task is not None else list(COMMANDS):
        began, before = time.perf_counter(), ANNOUNCER.n_compiled
        with status(f"compiling {name}"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of models that are too small
            WARM[name]()
        compiled, seconds = ANNOUNCER.n_compiled - before, round(time.perf_counter() - began, 1)
        facts[name] = {"compiled": compiled, "seconds": seconds}
        if not as_json:
            print(f"{name:<9}{compiled:>4} functions compiled in {seconds:.1f} s")
    if as_json:
        print_json(facts)

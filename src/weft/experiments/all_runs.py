"""All experiments in one go: each is kept when it is done, and one that fails does not stop the others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from weft.errors import MissingDataError, WeftError
from weft.experiments import registry
from weft.experiments.all_page import all_page
from weft.experiments.files import write_json, write_text
from weft.experiments.published import DOCUMENTS, ITEMS
from weft.experiments.run_settings import run_settings

RUNS = "runs"


def run_all(
    folder: Path,
    *,
    quick: bool = False,
    n_replicates: int | None = None,
    seed: int = 0,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Run every experiment, and write ``reproduce.html`` and ``reproduce.json``.

    Finished experiments are kept in ``runs/`` and not run again, finished parts of long ones in ``parts/``. Both files
    are written anew after each experiment, so that an interrupted run leaves what it has.

    Parameters
    ----------
    folder : Path
    quick, n_replicates, seed
        As in `run_experiment`; results of other settings, or of another state of weft, are not reused.
    again : bool
        Run finished experiments too.
    progress : callable, optional
        Told what runs now.

    Returns
    -------
    dict
        What ``reproduce.json`` holds: ``experiments``, each with its ``status`` ("done", "no data" or "failed"), and
        ``published``, each table and figure with its experiments or the reason why there is none.
    """
    runs = folder / RUNS
    runs.mkdir(exist_ok=True)
    settings = run_settings(quick, n_replicates, seed)
    names = list(registry.EXPERIMENTS)
    outcomes: dict[str, dict[str, Any]] = {name: _waiting(name) for name in names}
    for name in names:
        kept = None if again else _kept(runs / f"{name}.json", settings)
        if kept is not None:
            outcomes[name] = kept
    everything = _written(folder, settings, outcomes)
    for k, name in enumerate(names, start=1):
        if outcomes[name]["status"] == "done":
            continue

        def tell(text: str, before: str = f"{k} of {len(names)}, {name}: ") -> None:
            if progress is not None:
                progress(before + text)

        outcomes[name] = _outcome(name, runs, settings, tell, again)
        everything = _written(folder, settings, outcomes)
    return everything


def _waiting(name: str) -> dict[str, Any]:
    return {"name": name, "description": registry.EXPERIMENTS[name].description, "status": "not run yet"}


def _kept(path: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """What an earlier run left, if its settings were these."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(found, dict) and found.get("settings") == settings and found.get("status") == "done"
    return dict(found) if whole and path.with_suffix(".png").exists() else None


def _outcome(
    name: str, runs: Path, settings: dict[str, Any], tell: Callable[[str], None], again: bool
) -> dict[str, Any]:
    began = time.perf_counter()
    outcome = {**_waiting(name), "settings": settings}
    tell("begins")
    try:
        report = registry.run_experiment(
            name,
            quick=settings["quick"],
            n_replicates=settings["replicates"],
            seed=settings["seed"],
            progress=tell,
            folder=runs.parent,
            again=again,
        )
        tell("draws")
        report.plot(runs / f"{name}.png")
    except MissingDataError as error:
        return {**outcome, "status": "no data", "reason": str(error)}
    except Exception as error:  # one experiment must not stop the others
        kind = "" if isinstance(error, WeftError) else f"{type(error).__name__}: "
        return {**outcome, "status": "failed", "reason": f"{kind}{error}".replace("\n", " ")}
    outcome.update(status="done", seconds=time.perf_counter() - began, report=report.to_dict())
    write_json(runs / f"{name}.json", outcome)
    return outcome


def _written(folder: Path, settings: dict[str, Any], outcomes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    everything = {
        "settings": settings,
        "documents": DOCUMENTS,
        "published": [{**asdict(item), "experiments": list(item.experiments)} for item in ITEMS],
        "experiments": list(outcomes.values()),
    }
    pictures = {name: folder / RUNS / f"{name}.png" for name, each in outcomes.items() if each["status"] == "done"}
    write_json(folder / "reproduce.json", everything)
    text = all_page(everything, {name: path.read_bytes() for name, path in pictures.items()})
    write_text(folder / "reproduce.html", text)
    return everything

"""Show results: a table with both sides and the ratio of weft to the peer, and the same as JSON."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.table import Table

from benchmarks.harness import Result

PACKAGES = ["weft", "numpy", "scipy", "numba", "scikit-learn", "python-crfsuite"]
MEASURES = [("wall", "wall s"), ("cpu", "CPU s"), ("threads", "busy threads"), ("peak_mb", "peak MB")]


def versions() -> dict[str, str | None]:
    """Versions of Python and of the libraries that take part; None for one that is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def ratio(weft: float | None, peer: float | None) -> float | None:
    """Return weft / peer, or None where one of them is unknown or the peer's is zero."""
    return None if weft is None or peer is None or peer == 0 else weft / peer


def table(result: Result) -> Table:
    """Median over the repeats of each side, and weft / peer."""
    entry = result.entry
    repeats = max(len(result.of(side.name)) for side in entry.sides)
    shown = Table(
        title=f"{entry.name}: {entry.description}",
        caption=(
            f"median of {repeats}; weft compiles in another process before the clock starts; "
            "peak MB is that of the whole process up to the end of the phase, its Python input included"
        ),
        title_justify="left",
        caption_justify="left",
    )
    shown.add_column("phase", overflow="fold")
    shown.add_column("measure", overflow="fold")
    for heading in (entry.peer.name, entry.weft.name, "weft / peer"):
        shown.add_column(heading, justify="right", no_wrap=True)
    peer, weft = (result.prepared_median(side.name) for side in entry.sides)
    shown.add_row("before", "peak MB", _text(peer), _text(weft), _text(ratio(weft, peer)))
    shown.add_section()
    for phase in result.phase_names():
        for row, (measure, label) in enumerate([*MEASURES, ("rate", "tokens/s")]):
            peer = result.phase_median(entry.peer.name, phase, measure)
            weft = result.phase_median(entry.weft.name, phase, measure)
            if peer is None and weft is None:
                continue
            shown.add_row(phase if row == 0 else "", label, _text(peer), _text(weft), _text(ratio(weft, peer)))
        shown.add_section()
    for row, score in enumerate(result.score_names()):
        peer = result.score_median(entry.peer.name, score)
        weft = result.score_median(entry.weft.name, score)
        shown.add_row("score" if row == 0 else "", score, _text(peer), _text(weft), _text(ratio(weft, peer), digits=5))
    return shown


def as_json(results: list[Result], *, repeat: int, quick: bool) -> dict[str, Any]:
    """Everything measured, with medians, ratios and versions."""
    return {
        "versions": versions(),
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()},
        "repeat": repeat,
        "quick": quick,
        "entries": [_entry_json(result) for result in results],
    }


def _entry_json(result: Result) -> dict[str, Any]:
    peer, weft = result.entry.peer.name, result.entry.weft.name
    ratios: dict[str, dict[str, float | None]] = {}
    for phase in result.phase_names():
        ratios[phase] = {
            measure: ratio(result.phase_median(weft, phase, measure), result.phase_median(peer, phase, measure))
            for measure in ("wall", "cpu", "peak_mb", "rate")
        }
    scores = {
        name: {peer: result.score_median(peer, name), weft: result.score_median(weft, name)}
        for name in result.score_names()
    }
    return {
        "name": result.entry.name,
        "description": result.entry.description,
        "peer": peer,
        "ratios": ratios,
        "scores": scores,
        "runs": [asdict(run) for run in result.runs],
    }


def _text(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}" if digits > 3 or abs(value) < 1e5 else f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:.{digits}f}"

"""Run both sides of an entry, each in fresh processes, in turn: peer, weft, peer, weft.

A side gets its own process so that its peak memory is its own; all processes belong to the
process group of the harness, so an interrupt ends them together. The parent stays small on
purpose: Linux hands the peak memory of the parent at the moment of the start to the child.
For the same reason nothing here imports weft: a peer's process loads it only to score.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

# Modules that hold entries in a list called ENTRIES. One line adds a file of entries.
ENTRY_MODULES = [
    "benchmarks.tagging",
    "benchmarks.moments",
    "benchmarks.spectral",
    "benchmarks.ingest",
    "benchmarks.solvers",
    "benchmarks.classification",
    "benchmarks.biology",
    "benchmarks.folding",
    "benchmarks.regression",
    "benchmarks.preimages",
    "benchmarks.rewriting",
    "benchmarks.graphs",
    "benchmarks.single",
    "benchmarks.streams",
    "benchmarks.growth",
]

ROOT = Path(__file__).resolve().parents[1]

Scores = dict[str, float]


class UnknownEntryError(ValueError):
    """A name that no entry has."""


@dataclass(frozen=True)
class Side:
    """One tool: `run(data, meter)` measures its phases and returns its scores.

    `warm_up` runs before the data are read, outside every phase: weft compiles there, in a process of its own, since
    what LLVM needs to compile is no part of what later runs need, and takes a hundred megabytes.
    """

    name: str
    run: Callable[[Any, Any], Scores]
    warm_up: Callable[[], None] | None = None


@dataclass(frozen=True)
class Entry:
    """A comparison of a peer with weft on the data that ``prepare(quick)`` returns."""

    name: str
    description: str
    prepare: Callable[[bool], Any]
    peer: Side
    weft: Side
    only_named: bool = False
    """Left out unless it is asked for."""

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.peer, self.weft


@dataclass
class Run:
    """One measured run of one side; `error` is the last line of a failed one."""

    side: str
    phases: dict[str, dict[str, Any]] = field(default_factory=dict)
    scores: Scores = field(default_factory=dict)
    prepared_mb: float | None = None
    error: str | None = None


@dataclass
class Result:
    """All runs of an entry."""

    entry: Entry
    runs: list[Run]

    def of(self, side: str) -> list[Run]:
        return [run for run in self.runs if run.side == side and run.error is None]

    def errors(self) -> list[Run]:
        return [run for run in self.runs if run.error is not None]

    def phase_names(self) -> list[str]:
        """Phases of both sides, in the order in which they were first measured."""
        return list(dict.fromkeys(name for run in self.runs for name in run.phases))

    def score_names(self) -> list[str]:
        return list(dict.fromkeys(name for run in self.runs for name in run.scores))

    def phase_median(self, side: str, phase: str, measure: str) -> float | None:
        """Median of a measure (wall, cpu, peak_mb, threads, rate) over the repeats of a side."""
        values = []
        for run in self.of(side):
            values_of_phase = run.phases.get(phase)
            if values_of_phase is None:
                continue
            if measure == "rate":
                tokens = values_of_phase["tokens"]
                if tokens is not None:
                    values.append(tokens / max(values_of_phase["wall"], 1e-9))
            else:
                values.append(values_of_phase[measure])
        return float(median(values)) if values else None

    def prepared_median(self, side: str) -> float | None:
        """Median of the peak MB before any phase: libraries and input."""
        values = [run.prepared_mb for run in self.of(side) if run.prepared_mb is not None]
        return float(median(values)) if values else None

    def score_median(self, side: str, score: str) -> float | None:
        values = [run.scores[score] for run in self.of(side) if score in run.scores]
        return float(median(values)) if values else None


def all_entries() -> dict[str, Entry]:
    """Every entry by name, in the order of the modules."""
    entries: dict[str, Entry] = {}
    for module in ENTRY_MODULES:
        for entry in importlib.import_module(module).ENTRIES:
            entries[entry.name] = entry
    return entries


def choose_entries(entries: dict[str, Entry], names: list[str]) -> list[Entry]:
    """Entries of these names; the first part of a name (``conll2000``) chooses all that begin with it."""
    if not names:
        return [entry for entry in entries.values() if not entry.only_named]
    chosen: dict[str, Entry] = {}
    for name in names:
        found = {key: entry for key, entry in entries.items() if key == name or key.startswith(f"{name}-")}
        if not found:
            raise UnknownEntryError(f"no benchmark is called {name!r}; needed one of {', '.join(entries)}.")
        chosen.update(found)
    return list(chosen.values())


def run_entry(entry: Entry, *, repeat: int, quick: bool, on_start: Callable[[Side, int], None] | None = None) -> Result:
    """Run peer and weft in turn, `repeat` times each."""
    runs = []
    for number in range(repeat):
        for side in entry.sides:
            if on_start is not None:
                on_start(side, number)
            runs.append(run_side_in_process(entry, side, quick=quick))
    return Result(entry, runs)


def run_side_in_process(entry: Entry, side: Side, *, quick: bool) -> Run:
    """Measure one side in a fresh interpreter, which writes its answer to a file."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        command = [sys.executable, "-m", "benchmarks.worker", entry.name, side.name, str(answer)]
        if quick:
            command.append("--quick")
        search_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        finished = subprocess.run(
            command,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": search_path},
        )
        if not answer.is_file():
            lines = finished.stdout.strip().splitlines() or [f"ended with code {finished.returncode}"]
            return Run(side=side.name, error=lines[-1])
        values = json.loads(answer.read_text(encoding="utf-8"))
    return Run(**values)


def run_side_here(entry: Entry, side: Side, *, quick: bool) -> Run:
    """Warm up, prepare, measure: the work of the child process."""
    from benchmarks.measure import Meter, peak_memory_mb

    if side.warm_up is not None:
        first = multiprocessing.get_context("fork").Process(target=side.warm_up)
        first.start()
        first.join()
        side.warm_up()  # with what is compiled by now
    data = entry.prepare(quick)
    prepared_mb = peak_memory_mb()
    meter = Meter()
    try:
        scores = side.run(data, meter)
    finally:
        meter.close()
    return Run(side=side.name, phases=meter.as_json(), scores=scores, prepared_mb=prepared_mb)


def iterate_results(
    entries: list[Entry],
    *,
    repeat: int,
    quick: bool,
    on_start: Callable[[Entry, Side, int], None] | None = None,
) -> Iterator[Result]:
    """Results one by one, so that each table is printed as soon as it is known."""
    for entry in entries:

        def announce(side: Side, number: int, entry: Entry = entry) -> None:
            if on_start is not None:
                on_start(entry, side, number)

        yield run_entry(entry, repeat=repeat, quick=quick, on_start=announce)

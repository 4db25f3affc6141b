"""Accuracy on public sets beside a peer in the same run and the best published value: `weft reproduce accuracy`.

Each kind of task has a module with ``rows(quick, seed, progress)``, named in `TASKS`; a new one adds a line there and a
name ``accuracy-TASK`` in the registry. All of it takes hours, so modules measure their sets by `kept_rows`, which a
folder keeps.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from weft.experiments.dot_report import SetReport
from weft.experiments.kept_parts import kept
from weft.experiments.report import Measurement, Report

TASKS = {each: f"weft.experiments.accuracy.{each}" for each in ("tag", "classify", "rewrite", "align", "fold")}
"""Module of each task."""

CALIBRATION = "expected calibration error"
HONEST = "calibration error if every confidence were true"
CPU = "CPU seconds to fit and predict"
LAST = (CALIBRATION, HONEST, CPU)
"""Tables after those of scores."""


@dataclass(frozen=True)
class Row:
    """One set: what was measured of weft and of a peer, and where the settings come from.

    Attributes
    ----------
    data : str
        The set and what is predicted, in a few words.
    measure : str
        Such as ``"F1 in %"``; rows of one measure share a table.
    score, seconds : float
        Of weft; seconds are those of one processor.
    settings, origin : str
        What was fitted, and on which data that was chosen.
    peer : str
        The peer's name; empty if it is not installed, or if there is none.
    peer_score, peer_seconds : float, optional
        Of the peer, in the same run.
    published : float, optional
        The best value of a comparable system in print.
    source : str
        Who printed it.
    calibration : float, optional
        Mean distance between confidence and share that is right.
    honest : float, optional
        What that would be on average if every confidence were true.
    method : str
        What of weft was measured, where there are several.
    """

    data: str
    measure: str
    score: float
    seconds: float
    settings: str
    origin: str
    peer: str = ""
    peer_score: float | None = None
    peer_seconds: float | None = None
    published: float | None = None
    source: str = ""
    calibration: float | None = None
    honest: float | None = None
    method: str = "weft"

    def measurements(self) -> list[Measurement]:
        """Scores and seconds of both sides; the published value stands beside ours."""
        found = [
            Measurement(self.data, self.method, (self.score,), self.published, self.measure),
            Measurement(self.data, self.method, (self.seconds,), quantity=CPU),
        ]
        if self.calibration is not None:
            found.append(Measurement(self.data, self.method, (self.calibration,), quantity=CALIBRATION))
        if self.honest is not None:
            found.append(Measurement(self.data, self.method, (self.honest,), quantity=HONEST))
        if self.peer_score is not None:
            found.append(Measurement(self.data, self.peer, (self.peer_score,), quantity=self.measure))
        if self.peer_seconds is not None:
            found.append(Measurement(self.data, self.peer, (self.peer_seconds,), quantity=CPU))
        return found

    def note(self) -> str:
        """Settings, their origin and the source of the published value, in one line."""
        printed = f" Published: {self.published:g}, {self.source}." if self.published is not None else ""
        who = "" if self.method == "weft" else f", {self.method}"
        return f"{self.data}{who}: {self.settings}; {self.origin}.{printed}"


def kept_rows(name: str, make: Callable[..., Iterable[Row]], *arguments: Any) -> list[Row]:
    """Rows of a part of the run: what ``make(*arguments)`` measures, or what an earlier run has kept.

    Examples
    --------
    >>> kept_rows("toys", lambda score: [Row("toy", "F1 in %", score, 1.5, "c2 = 1", "defaults")], 90.0)[0].score
    90.0
    """
    return [Row(**each) for each in kept(f"accuracy, {name}", lambda: [asdict(row) for row in make(*arguments)])]


def kept_row(name: str, make: Callable[..., Row], *arguments: Any) -> Row:
    """The same for a part of one row."""
    return kept_rows(name, lambda: [make(*arguments)])[0]


def report_of(name: str, rows: Iterable[Row], seed: int) -> Report:
    """Tables of all rows, and a note on each.

    Examples
    --------
    >>> row = Row("toy", "F1 in %", 90.0, 1.5, "c2 = 1", "chosen on its training part", "CRFsuite", 89.0, 3.0)
    >>> report = report_of("accuracy", [row], seed=0)
    >>> [(m.method, m.quantity, m.mean) for m in report.measurements][1]
    ('CRFsuite', 'F1 in %', 89.0)
    >>> report.notes
    ['toy: c2 = 1; chosen on its training part.']
    """
    rows = list(rows)
    measurements = sorted(
        (m for row in rows for m in row.measurements()),
        key=lambda m: LAST.index(m.quantity) if m.quantity in LAST else -1,
    )
    return SetReport(
        name,
        "Accuracy on public sets",
        "%",
        measurements,
        notes=[row.note() for row in rows],
        facts={"seed": seed, "n_rows": len(rows)},
    )


def run(
    *,
    quick: bool = False,
    n_replicates: int | None = None,
    seed: int = 0,
    progress: Callable[[str], None],
    tasks: Iterable[str] = tuple(TASKS),
    name: str = "accuracy",
) -> Report:
    """All rows of some tasks; each is one run, as the sets have fixed test parts."""
    rows: list[Row] = []
    for task in tasks:
        rows += importlib.import_module(TASKS[task]).rows(quick, seed, progress)
    return report_of(name, rows, seed)


run_tag = partial(run, tasks=("tag",), name="accuracy-tag")
run_classify = partial(run, tasks=("classify",), name="accuracy-classify")
run_rewrite = partial(run, tasks=("rewrite",), name="accuracy-rewrite")
run_align = partial(run, tasks=("align",), name="accuracy-align")
run_fold = partial(run, tasks=("fold",), name="accuracy-fold")

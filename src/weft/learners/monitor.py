"""What a learner reports while it runs: history, held-out score, progress bar, early stopping."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.checkpoint import FitState, Journal, current_journal
from weft.core.compiling import ANNOUNCER, LOG, in_notebook
from weft.core.ties import is_better
from weft.core.unused_memory import give_back_unused
from weft.errors import convergence_warning

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


FIRST_STATE = "the first run compiles"
"""Stands in the bar before the first iteration, which may wait for the compiler for many seconds."""
MANY_WEIGHTS = 2**16
"""From so many weights on, memory is worth a look."""


def _bar() -> Progress:
    """A progress bar; rich is imported by whoever wants to see one."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(24),  # leaves room for the rest in 80 columns
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        console=Console() if in_notebook() else Console(stderr=True),
        transient=False,
    )


class Monitor:
    """Records each iteration of a fit.

    Parameters
    ----------
    verbose : bool or int
        Show a progress bar on standard error.
    held_out : callable, optional
        Score of a weight vector on held-out data; higher is better.
    patience : int, optional
        Stop after this many iterations without a better held-out score, and keep the best weights.
    warns : bool
        Whether users hear of a fit that `max_iter` ended; not of one within another, which is rough on purpose.
    gives_back : bool
        Whether many weights are a reason to give unused memory back; not in the many short fits of a stream.

    Attributes
    ----------
    history : list of dict
        ``iteration``, ``objective``, ``seconds`` and, with held-out data, ``score``.
    best_weights : ndarray or None
        Weights of the best held-out score, if `patience` is set.
    n_before : int
        Iterations that an interrupted run had done; `record` counts on from there.

    Examples
    --------
    >>> with Monitor() as monitor:
    ...     stop = monitor.record(1, 10.5, np.zeros(2))
    >>> stop, monitor.history[0]["objective"]
    (False, 10.5)
    """

    def __init__(
        self,
        verbose: bool | int = False,
        held_out: Callable[[Floats], float] | None = None,
        patience: int | None = None,
        warns: bool = True,
        gives_back: bool = True,
    ) -> None:
        self.warns = warns
        self.gives_back = gives_back
        self.history: list[dict[str, Any]] = []
        self.best_weights: Floats | None = None
        self._best_score = -np.inf
        self._best_iteration = 0
        self._held_out = held_out
        self._patience = patience
        self.n_before = 0
        self._journal: Journal | None = None
        self._number = 0
        self._is_first = True
        self._description = ""
        self._progress: Progress | None = _bar() if verbose else None
        self._task: TaskID | None = None
        self._state = FIRST_STATE

    def __enter__(self) -> Monitor:
        self._began = time.perf_counter()
        self._journal = current_journal()
        if self._journal is not None:
            self._number = self._journal.open_fit()
        if self._progress is not None:
            ANNOUNCER.is_muted = True  # this bar says that the first run compiles
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            if self._task is not None and not self.history:
                self._progress.update(self._task, state="")
            self._progress.stop()
            ANNOUNCER.is_muted = False

    def start(self, description: str, total: int) -> None:
        """Name what is running and say how many iterations it takes at most."""
        self._description = description
        LOG.debug("%s begins, at most %d iterations", description, total)
        if self._progress is not None:
            self._task = self._progress.add_task(description, total=total, state=FIRST_STATE)

    @property
    def is_scored(self) -> bool:
        """Whether `record` scores the weights; else it asks for nothing but how many there are."""
        return self._held_out is not None

    def record(self, iteration: int, objective: float, weights: Floats) -> bool:
        """Note one iteration; True asks the learner to stop."""
        iteration += self.n_before
        entry: dict[str, Any] = {"iteration": iteration, "objective": float(objective)}
        stop = False
        if self._held_out is not None:
            score = self._held_out(weights)
            entry["score"] = score
            if is_better(score, self._best_score):
                self._best_score = score
                self._best_iteration = iteration
                if self._patience is not None:
                    self.best_weights = weights.copy()
            stop = self._patience is not None and iteration - self._best_iteration >= self._patience
        if self._is_first:
            self._give_back(weights.size)
            self._is_first = False
        entry["seconds"] = time.perf_counter() - self._began
        self.history.append(entry)
        LOG.debug("%s, iteration %d: objective %g%s", self._description, iteration, objective, held_out_text(entry))
        if self._progress is not None and self._task is not None:
            state = f"objective {objective:,.1f}"
            if "score" in entry:
                state += f", held out {entry['score']:.4f}"
            self._progress.update(self._task, completed=iteration, state=state)
            self._state = state
        return stop

    def _give_back(self, n_weights: int) -> None:
        """Give back what reading the data and loading loops left, before vectors of all weights are taken."""
        if self.gives_back and n_weights >= MANY_WEIGHTS:
            give_back_unused()

    @property
    def kept_score(self) -> float | None:
        """Held-out score of the weights that are kept: the best ones with `patience`, else the last."""
        if not self.history or self.best_weights is None:
            return self.history[-1].get("score") if self.history else None
        return self._best_score

    def resumed(self) -> FitState | None:
        """What an interrupted run of this fit left behind, if there is one; the history goes on from there."""
        state = None if self._journal is None else self._journal.fit_state(self._number)
        if state is not None:
            self.restore(state.facts["monitor"], state.arrays.get("monitor.best"))
            self.n_before = self.history[-1]["iteration"] if self.history else 0
            self._restore_hints(state.arrays.get("monitor.hints"))
        return state

    def learn_from(self, batch: Any) -> None:
        """Keep the hints of this batch with the states of the fit, and of those inside it; show its parts."""
        if self._journal is not None:
            self._journal.batch = batch
        self._give_back(batch.n_features)
        watch = getattr(batch, "watch", None)
        if self._progress is not None and watch is not None:
            watch(self._show_parts)

    def _show_parts(self, text: str) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, state=f"{self._state}, {text}")

    def _hints(self) -> dict[bool, list[float | None]]:
        """Numbers that passes over the data scale by: without them a fit that goes on adds up other last digits."""
        assert self._journal is not None
        return getattr(self._journal.batch, "hints", None) or {}

    def _restore_hints(self, kept: NDArray[Any] | None) -> None:
        hints = self._hints()
        if kept is not None and hints and kept.shape == (len(hints), len(hints[False])):
            for own, values in zip((False, True), kept.tolist(), strict=True):
                hints[own][:] = [None if np.isnan(value) else value for value in values]
            assert self._journal is not None
            self._journal.batch.hints = hints  # a batch in parts gives copies

    def keep(self, arrays: dict[str, NDArray[Any]], done: bool = False, copy: bool = False, **facts: Any) -> None:
        """Note what this fit needs to go on, for a run that may be interrupted.

        Parameters
        ----------
        arrays : dict of str to ndarray
            They must not change any more, unless copied.
        done : bool
            Whether the fit is complete, so that the arrays are its result.
        copy : bool
        **facts : plain values
        """
        if self._journal is None:
            return
        if copy:
            arrays = {name: array.copy() for name, array in arrays.items()}
        state, best = self.state()
        if best is not None:
            arrays = {**arrays, "monitor.best": best}
        hints = self._hints()
        if hints:
            kept = np.array([hints[False], hints[True]], dtype=np.float64)  # None becomes NaN
            arrays = {**arrays, "monitor.hints": kept}
        state["history"] = list(self.history)
        self._journal.keep(self._number, arrays, {"monitor": state, **facts}, done)

    def state(self) -> tuple[dict[str, Any], Floats | None]:
        """What a checkpoint keeps: plain values, and the best weights."""
        best_score = self._best_score if np.isfinite(self._best_score) else None
        state = {"history": self.history, "best_score": best_score, "best_iteration": self._best_iteration}
        return state, self.best_weights

    def restore(self, state: dict[str, Any], best_weights: Floats | None) -> None:
        """Go on from a `state`."""
        self.history = list(state["history"])
        self.best_weights = best_weights
        self._best_score = -np.inf if state["best_score"] is None else state["best_score"]
        self._best_iteration = state["best_iteration"]
        if self.history:
            self._began -= self.history[-1]["seconds"]

    def unfinished(self, learner: Any, detail: str = "", limit: str = "max_iter", goal: str = "") -> None:
        """Warn that a limit of a learner ended the fit before its goal was reached, by default its `tol`."""
        if not self.warns:
            return
        warnings.warn(
            f"{type(learner).__name__} stopped after {limit}={getattr(learner, limit)}, before "
            f"{goal or f'tol={learner.tol:g} was reached'}{detail}; raise {limit}{'' if goal else ' or tol'}.",
            convergence_warning(),
            stacklevel=4,
        )

    def finish(self, iterations: int) -> None:
        """Close the bar at the number of iterations that were needed."""
        last = self.history[-1] if self.history else {}
        LOG.info(
            "%s ended after %d iterations, objective %g%s",
            self._description,
            iterations,
            last.get("objective", float("nan")),
            held_out_text(last),
        )
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=iterations, total=iterations)


def held_out_text(entry: dict[str, Any]) -> str:
    """The held-out score of an iteration for the log.

    Examples
    --------
    >>> held_out_text({"score": 0.5}), held_out_text({})
    (', held out 0.5000', '')
    """
    return f", held out {entry['score']:.4f}" if "score" in entry else ""


def untimed(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A history without durations, as model files keep it: the same for every run.

    Examples
    --------
    >>> untimed([{"iteration": 1, "objective": 0.5, "seconds": 0.01}])
    [{'iteration': 1, 'objective': 0.5}]
    """
    return [{key: value for key, value in entry.items() if key != "seconds"} for entry in history]

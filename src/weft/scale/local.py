"""Parts on this machine: opened when they are asked, in threads, and closed again where room is short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.shards import sum_over_shards
from weft.core.threads import effective_jobs, in_threads
from weft.scale.questions import answer, finished, merged, own_arguments

__all__ = ["LocalKeeper"]

KEPT_BYTES = 2**30
"""Room for parts that stay open from question to question."""


class LocalKeeper:
    """Asks parts one after the other, as many at once as there are threads, so that no more of them are in memory.

    Parameters
    ----------
    openers : list of callables
        Each makes the batch of a part; called anew for each question, unless there is room to keep what it made.
    n_sequences : list of int
    facts : dict
        What is the same for all parts.
    n_jobs : int or None
    n_bytes : list of int, optional
        What each part takes while it is open. The first of them stay open, as many as `KEPT_BYTES` have room for: data
        are asked for in a circle, so that keeping the last ones would never serve.
    """

    def __init__(
        self,
        openers: Sequence[Callable[[], Any]],
        n_sequences: list[int],
        facts: dict[str, Any],
        n_jobs: int | None,
        n_bytes: Sequence[int] | None = None,
    ) -> None:
        self._openers = openers
        self._hints: list[Any] = [None] * len(openers)
        self._open: dict[int, Any] = {}
        self._stay_open = 0 if n_bytes is None else int(np.searchsorted(np.cumsum(n_bytes), KEPT_BYTES, side="right"))
        self.n_sequences, self.facts, self.n_jobs = n_sequences, facts, n_jobs

    def ask(self, question: str, arguments: Sequence[Any], sample_weight: list[Floats] | None) -> Any:
        """The answer of all parts together."""

        def work(part: int) -> Any:
            own = None if sample_weight is None else sample_weight[part]
            return self._with(part, lambda batch: answer(batch, question, own_arguments(arguments, part), own))

        parts = range(len(self._openers))
        found = sum_over_shards(work, parts, self.n_jobs, add=lambda left, right: merged(question, left, right))
        return finished(question, found)

    def step(self, work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """What ``work(batch, *arguments)`` gives for the first parts, one for each tuple of arguments."""
        return in_threads(
            lambda part: self._with(part, lambda batch: work(batch, *arguments[part])),
            range(len(arguments)),
            effective_jobs(self.n_jobs),
        )

    def _with(self, part: int, work: Callable[[Any], Any]) -> Any:
        batch = self._open.get(part)
        if batch is None:
            batch = self._openers[part]()
            if part < self._stay_open:
                self._open[part] = batch
        if self._hints[part] is not None:
            batch.hints = self._hints[part]
        found = work(batch)
        self._hints[part] = batch.hints
        return found

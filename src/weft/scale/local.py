"""Parts on this machine: opened when they are first asked, in threads, and let go again after each question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from weft.arrays import Floats
from weft.core.shards import sum_over_shards
from weft.core.threads import effective_jobs, in_threads
from weft.scale.questions import answer, finished, merged, own_arguments

__all__ = ["LocalKeeper"]


class LocalKeeper:
    """Asks parts one after the other, as many at once as there are threads, so that no more of them are in memory.

    Parameters
    ----------
    openers : list of callables
        Each makes the batch of a part, when it is first asked.
    n_sequences : list of int
    facts : dict
        What is the same for all parts.
    n_jobs : int or None
    let_go : callable, optional
        Gets the number of a part that has answered, to take what is mapped of it out of memory.
    """

    def __init__(
        self,
        openers: Sequence[Callable[[], Any]],
        n_sequences: list[int],
        facts: dict[str, Any],
        n_jobs: int | None,
        let_go: Callable[[int], None] | None = None,
    ) -> None:
        self._openers = openers
        self.hints: list[Any] = [None] * len(openers)
        self._open: dict[int, Any] = {}
        self._let_go = let_go
        self.watcher: Callable[[str], None] | None = None
        self.n_sequences, self.facts, self.n_jobs = n_sequences, facts, n_jobs

    def ask(self, question: str, arguments: Sequence[Any], sample_weight: list[Floats] | None) -> Any:
        """The answer of all parts together."""
        done = count(1)
        parts = range(len(self._openers))

        def work(part: int) -> Any:
            own = None if sample_weight is None else sample_weight[part]
            found = self._with(part, lambda batch: answer(batch, question, own_arguments(arguments, part), own))
            if self.watcher is not None:
                self.watcher(f"{next(done)} of {len(parts)} shards")
            return found

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
            batch = self._open[part] = self._openers[part]()
        if self.hints[part] is not None:
            batch.hints = self.hints[part]
        found = work(batch)
        self.hints[part] = batch.hints
        if self._let_go is not None:
            self._let_go(part)
        return found

"""Micro-batches: what has arrived while a batch was computed is the next batch.

A request that finds its model idle starts at once, alone; nobody waits for others to come. While a batch runs, requests
queue, first come first served, and the next batch takes as many of them as its bounds allow. So the wait for others is
at most the time of one batch, which is bounded by its estimated cost, and batches grow with the load.
"""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from weft.errors import WeftError
from weft.serve.limits import Cost, Limits, Refusal
from weft.serve.models import Model
from weft.serve.types import Options

__all__ = ["Batcher", "Question", "Reply", "collected_warnings", "install_warnings"]


@dataclass(frozen=True)
class Question:
    """What a request asks a model: sequences, or one whose answer is to be explained."""

    model: Model
    inputs: list[Any]
    tags: list[Any] | None
    options: Options
    cost: Cost
    alone: Callable[[], Any] | None = None
    """Asked instead of answers, by itself."""
    warns: bool = False

    @property
    def key(self) -> Any:
        """Questions of equal keys can be asked together."""
        if self.alone is not None or self.warns or not self.model.task.joins:
            return id(self)
        return id(self.model), self.options, self.tags is None

    def ask(self) -> Reply:
        """The answers, and what was warned of if that was asked for."""
        with collected_warnings() as warned:
            if self.alone is not None:
                return Reply(self.alone(), warned)
            return Reply(self.model.task.answers(self.inputs, self.tags, self.options), warned)


@dataclass(frozen=True)
class Reply:
    """Answers to a question, and what the model warned of."""

    answers: Any
    warnings: list[str]


@dataclass(eq=False)
class _Pending:
    question: Question
    future: asyncio.Future[Reply]
    given_up: bool = False
    since: float = field(default_factory=time.monotonic)


class Batcher:
    """The queue of one model.

    Parameters
    ----------
    limits : Limits
    executor : Executor
        Where compiled loops run, off the event loop.
    observe : callable
        Told how many requests and sequences each batch had.
    """

    def __init__(self, limits: Limits, executor: Executor, observe: Callable[[int, int], None]) -> None:
        self._limits, self._executor, self._observe = limits, executor, observe
        self._waiting: deque[_Pending] = deque()
        self._running = False
        self._busy = 0.0

    def __len__(self) -> int:
        """Requests that wait."""
        return len(self._waiting)

    @property
    def seconds(self) -> float:
        """Estimated seconds of work that waits or runs."""
        return self._busy + sum(each.question.cost.seconds for each in self._waiting)

    async def ask(self, question: Question) -> Reply:
        """Queue a question and wait for its answer; too long a queue or a wait is a `Refusal`."""
        limits, ahead = self._limits, self.seconds
        if len(self._waiting) >= limits.queue or ahead + question.cost.seconds > limits.queue_seconds + limits.seconds:
            raise Refusal(
                503, "busy", f"{len(self._waiting)} requests wait for this model; try again in a moment.", ahead
            )
        pending = _Pending(question, asyncio.get_running_loop().create_future())
        self._waiting.append(pending)
        if not self._running:
            self._start()
        done, _ = await asyncio.wait([pending.future], timeout=limits.timeout)
        if not done:
            pending.given_up = True
            raise Refusal(
                503,
                "timeout",
                f"no answer within {limits.timeout:g} s; the server is busy: try again, or send less.",
                max(1.0, self.seconds),
            )
        return pending.future.result()

    def _next(self) -> list[_Pending]:
        """The next batch: from the head of the queue as many as the bounds allow, at least one."""
        batch: list[_Pending] = []
        n_sequences, cost, limits = 0, Cost(), self._limits
        while self._waiting:
            first = self._waiting[0]
            if first.given_up:
                self._waiting.popleft()
                continue
            n_sequences += len(first.question.inputs)
            cost = cost + first.question.cost
            if batch and (
                n_sequences > limits.batch or cost.seconds > limits.batch_seconds or cost.memory > limits.memory
            ):
                break
            batch.append(self._waiting.popleft())
        return batch

    def _start(self) -> None:
        batch = self._next()
        self._running = bool(batch)
        if not batch:
            self._busy = 0.0
            return
        self._busy = sum(each.question.cost.seconds for each in batch)
        self._observe(len(batch), sum(len(each.question.inputs) for each in batch))
        loop = asyncio.get_running_loop()
        work = self._executor.submit(answer_together, [each.question for each in batch])
        work.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finish, batch, done.result()))

    def _finish(self, batch: list[_Pending], results: list[Reply | Exception]) -> None:
        self._start()  # the next batch first: the processor has work while answers are written
        for pending, result in zip(batch, results, strict=True):
            if pending.future.done():
                continue
            if isinstance(result, Exception):
                pending.future.set_exception(result)
                if pending.given_up:
                    pending.future.exception()  # nobody is left to look at it
            else:
                pending.future.set_result(result)


def answer_together(questions: list[Question]) -> list[Reply | Exception]:
    """Answer questions of one batch: those that ask the same, together.

    If one of them is at fault, each is asked by itself, so that no one pays for another's fault, and errors say what
    they would say in process.
    """
    groups: dict[Any, list[int]] = {}
    for place, question in enumerate(questions):
        groups.setdefault(question.key, []).append(place)
    results: list[Any] = [None] * len(questions)
    for places in groups.values():
        members = [questions[place] for place in places]
        if len(members) > 1:
            joint = _joint(members)
            if joint is not None:
                for place, answers in zip(places, joint, strict=True):
                    results[place] = Reply(answers, [])
                continue
        for place in places:
            try:
                results[place] = questions[place].ask()
            except Exception as error:
                results[place] = error
    return results


def _joint(questions: list[Question]) -> list[Any] | None:
    """Answers to questions that are asked as one; None if that fails."""
    first = questions[0]
    tags = None if first.tags is None else [each for question in questions for each in question.tags or []]
    try:
        with collected_warnings():
            inputs = first.model.task.joined([question.inputs for question in questions])
            found = first.model.task.answers(inputs, tags, first.options)
    except (WeftError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError):
        return None
    parts, begin = [], 0
    for question in questions:
        parts.append(found[begin : begin + len(question.inputs)])
        begin += len(question.inputs)
    return parts


# ------------------------------------------------------------------ warnings

_COLLECTED = threading.local()
MOST_WARNINGS = 20


class collected_warnings:
    """Warnings of this thread as lines; `warnings.catch_warnings` would take those of all threads.

    Examples
    --------
    >>> install_warnings()
    >>> with collected_warnings() as lines:
    ...     warnings.warn("an unknown symbol")
    >>> lines
    ['an unknown symbol']
    """

    def __enter__(self) -> list[str]:
        self._before = getattr(_COLLECTED, "lines", None)
        _COLLECTED.lines = []
        return _COLLECTED.lines  # type: ignore[no-any-return]

    def __exit__(self, *error: object) -> None:
        _COLLECTED.lines = self._before


def install_warnings() -> None:
    """Send warnings of this process to `collected_warnings`, and nowhere else."""
    warnings.simplefilter("always")
    warnings.showwarning = _collect


def _collect(message: Any, *facts: Any, **more: Any) -> None:
    lines = getattr(_COLLECTED, "lines", None)
    if lines is not None and len(lines) < MOST_WARNINGS:
        lines.append(" ".join(str(message).split()))

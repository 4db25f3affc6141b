"""Parts on the workers of a Dask cluster.

Every answer is a pure function of a part and of what is asked, and every part one of what was read. If a worker is
lost, Dask makes its parts again elsewhere and asks again. What is asked reaches the workers as one broadcast, answers
are merged on the workers in the order of a binary tree over the parts, and one of them reaches the client.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import partial
from importlib.metadata import version
from operator import itemgetter
from typing import Any

from weft.arrays import Floats
from weft.core.shards import sum_over_shards
from weft.core.threads import core_share
from weft.errors import InputError
from weft.scale.questions import answer, finished, merged, own_arguments

__all__ = ["ClusterKeeper", "check_workers", "gathered", "n_workers", "persistent", "submitted", "worker_addresses"]

TRIES = 5
"""How often a question is asked anew whose answer was lost with a worker."""
POLL_SECONDS = 2.0
SCHEDULER_SECONDS = 20.0
"""How long a scheduler that was lost may take to come back."""
SCATTER_SECONDS, SLOWEST_BYTES = 10.0, 1e7
"""How long weights may take to all workers, and with how many bytes per second beyond that."""
PATIENCE_SECONDS = 60.0
"""How long a cluster may have no worker before a fit gives up."""


def _version() -> str:
    import weft.scale  # noqa: F401 - what a worker must be able to import

    return version("weft")


def check_workers(client: Any) -> None:
    """Raise unless there are workers and each of them has this version of weft."""
    wanted = version("weft")
    try:
        client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        for _ in range(TRIES):
            found = client.run(_version, on_error="return")
            if not any(isinstance(its, OSError) for its in found.values()):
                break
            time.sleep(1.0)  # one of them was lost just now
    except (TimeoutError, OSError) as error:
        raise InputError(f"the cluster has no worker ({error}); start some, with weft installed.") from None
    for worker, its in found.items():
        if isinstance(its, OSError):
            raise InputError(f"worker {worker} does not answer ({its!s:.100}); look at its log, or end it.")
        if isinstance(its, BaseException):
            raise InputError(f"worker {worker} cannot import weft ({its}); install weft {wanted} there.")
        if its != wanted:
            raise InputError(f"worker {worker} has weft {its}, this process {wanted}; install one version everywhere.")


def submitted(client: Any, work: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
    """A future of a call on some worker, rather `at` this one; its arguments travel with it, to make it again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        return client.submit(work, *arguments, pure=False, workers=at, allow_other_workers=at is not None)


def gathered(client: Any, futures: list[Any]) -> list[Any]:
    """Results of futures; one clear line instead of waiting for ever if the cluster goes away."""
    from distributed import wait

    found: list[Any] = []
    idle_since = None
    while len(found) < len(futures):
        future = futures[len(found)]
        try:
            wait([future], POLL_SECONDS)
            found.append(future.result(timeout=PATIENCE_SECONDS))  # it travels once
        except TimeoutError:
            _check_scheduler(client)
            if client.status == "running" and n_workers(client):
                idle_since = None
            elif idle_since is None:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > PATIENCE_SECONDS:
                raise InputError(
                    f"the cluster has had no worker for {PATIENCE_SECONDS:.0f} seconds; start some and go on with "
                    "--resume."
                ) from None
    return found


def n_workers(client: Any) -> int:
    """Number of the workers that a cluster has now."""
    return len(worker_addresses(client))


def worker_addresses(client: Any) -> list[str]:
    """Addresses of the workers that a cluster has now, sorted."""
    return sorted(client.scheduler_info(n_workers=-1)["workers"])


def _check_scheduler(client: Any) -> None:
    """Raise if the scheduler is gone; one that has just been lost may come back."""
    until = time.monotonic() + SCHEDULER_SECONDS
    while client.status == "connecting" and time.monotonic() < until:
        time.sleep(0.1)
    if client.status != "running":
        raise InputError("the scheduler is gone; start one, and go on with --resume.")


class ClusterKeeper:
    """Asks batches that live on the workers of a cluster.

    Parameters
    ----------
    client : dask.distributed.Client
    parts : list of futures
        Of batches.
    n_sequences : list of int
    facts : dict
        What is the same for all parts.
    """

    def __init__(self, client: Any, parts: list[Any], n_sequences: list[int], facts: dict[str, Any]) -> None:
        self._client, self._parts = client, parts
        self.hints: list[Any] = [None] * len(parts)
        self._n_workers, self._found = -1, set[tuple[int, int]]()
        self._broadcasts = True
        self.watcher: Callable[[str], None] | None = None
        self.n_sequences, self.facts = n_sequences, facts

    def ask(self, question: str, arguments: Sequence[Any], sample_weight: list[Floats] | None) -> Any:
        """The answer of all parts together, merged on the workers."""
        own = [own_arguments(arguments, part) for part in range(len(self._parts))]
        shared = [i for i in range(len(arguments)) if all(each[i] is arguments[i] for each in own)]

        def asked() -> tuple[Any, list[Any]]:
            values = [arguments[i] for i in shared]
            common = self._scattered(values) if values else []
            mixed = [
                [common[shared.index(i)] if i in shared else value for i, value in enumerate(each)] for each in own
            ]
            groups, n_done = self._groups(), 0

            def done(n_parts: int, _: Any) -> None:  # Dask calls these one by one
                nonlocal n_done
                n_done += n_parts
                if self.watcher is not None:
                    self.watcher(f"{n_done} of {len(own)} parts, {self._n_workers} workers")

            def node(level: int, number: int) -> Any:
                begin, end = number << level, min((number + 1) << level, len(own))
                if (begin, end) in groups:
                    here = slice(begin, end)
                    weights = [None] * (end - begin) if sample_weight is None else sample_weight[here]
                    given = self._parts[here], self.hints[here], weights, mixed[here]
                    asked_parts = submitted(self._client, _leaves, question, *given)
                    if self.watcher is not None:
                        asked_parts.add_done_callback(partial(done, end - begin))
                    return asked_parts
                left = node(level - 1, 2 * number)
                if (2 * number + 1) << (level - 1) >= end:  # the last one of an odd number goes up alone
                    return left
                return submitted(self._client, _node, question, left, node(level - 1, 2 * number + 1))

            found: tuple[Any, list[Any]] = gathered(self._client, [node((len(own) - 1).bit_length(), 0)])[0]
            return found

        found, self.hints = persistent(self._client, asked)
        return finished(question, found)

    def _scattered(self, values: list[Any]) -> list[Any]:
        """Futures of values on all workers; on one, from which the others fetch them, once that took too long.

        Dask waits for ever if a worker is lost while it broadcasts, or looks for one that it has just forgotten.
        """
        seconds = SCATTER_SECONDS + sum(getattr(value, "nbytes", 0) for value in values) / SLOWEST_BYTES
        broadcast, self._broadcasts = self._broadcasts, False
        try:
            found: list[Any] = self._client.sync(
                lambda: self._client.scatter(values, broadcast=broadcast, hash=False, asynchronous=True),
                callback_timeout=seconds if broadcast else None,
            )
        except KeyError as address:
            raise OSError(f"worker {address} was lost") from address
        self._broadcasts = broadcast
        return found

    def _groups(self) -> set[tuple[int, int]]:
        """Runs of parts that one task asks: nodes of the tree whose parts lie together, and no more than a share.

        A task costs the scheduler and a worker milliseconds, and a sum that travels more than that.
        """
        there = n_workers(self._client)
        if there != self._n_workers:
            places = self._client.who_has(self._parts)
            workers = [set(places.get(part.key, ())) for part in self._parts]
            most = max(1, len(workers) // max(there, 1))
            self._found, self._n_workers = set(), there
            nodes = [((len(workers) - 1).bit_length(), 0)]
            while nodes:
                level, number = nodes.pop()
                begin, end = number << level, min((number + 1) << level, len(workers))
                if begin >= end:
                    continue
                if end - begin == 1 or (end - begin <= most and set.intersection(*workers[begin:end])):
                    self._found.add((begin, end))
                else:
                    nodes += [(level - 1, 2 * number), (level - 1, 2 * number + 1)]
        return self._found

    def step(self, work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """What ``work(batch, *arguments)`` gives for the first parts, one for each tuple of arguments."""

        def asked() -> list[Any]:
            pairs = zip(self._parts, self.hints, arguments, strict=False)
            futures = [submitted(self._client, _step, work, *each) for each in pairs]
            return gathered(self._client, futures)

        found = persistent(self._client, asked)
        self.hints[: len(found)] = [hints for _, hints in found]
        return [value for value, _ in found]


def persistent(client: Any, asked: Callable[[], Any]) -> Any:
    """The result of `asked`, tried anew if what it needs was lost with a worker."""
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    for attempt in range(TRIES):
        try:
            return asked()
        except (KilledWorker, CancelledError, FutureCancelledError, OSError) as error:
            _check_scheduler(client)
            if attempt == TRIES - 1:
                raise InputError(
                    f"the cluster lost workers {attempt + 1} times in one question ({type(error).__name__}); look at "
                    "their logs (often it is memory) and go on with --resume."
                ) from error
    raise AssertionError("unreachable")


def _leaves(
    question: str, batches: list[Any], hints: list[Any], sample_weight: list[Any], arguments: list[list[Any]]
) -> tuple[Any, list[Any]]:
    """The answer of neighbouring parts, added in the order of the tree; and their hints."""
    later: list[Any] = [None] * len(batches)

    def work(part: int) -> Any:
        found, later[part] = _with(
            batches[part], hints[part], lambda own: answer(own, question, arguments[part], sample_weight[part])
        )
        return found

    parts = range(len(batches))
    return sum_over_shards(work, parts, 1, add=lambda left, right: merged(question, left, right)), later


def _step(work: Callable[..., Any], batch: Any, hints: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    return _with(batch, hints, lambda own: work(own, *arguments))


def _with(batch: Any, hints: Any, work: Callable[[Any], Any]) -> tuple[Any, Any]:
    """What `work` gives, and what passes learned: kept by the client, so that a worker can be replaced."""
    own = copy.copy(batch)  # two questions may be asked at once
    own.hints = copy.deepcopy(own.hints if hints is None else hints)
    with core_share(1):
        found = work(own)
    return found, own.hints


def _node(question: str, left: tuple[Any, list[Any]], right: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
    # Arrays that came from another worker may be read only, and those of this one belong to a result that may be
    # asked for again.
    return merged(question, copy.deepcopy(left[0]), right[0]), left[1] + right[1]


first, second = itemgetter(0), itemgetter(1)

"""Measure phases of a running side: wall time, CPU time, peak memory, busy threads."""

from __future__ import annotations

import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import psutil

SAMPLE_SECONDS = 0.1


@dataclass
class Phase:
    """What one phase of a side took."""

    wall: float
    cpu: float
    peak_mb: float
    threads: int
    tokens: int | None = None

    @property
    def tokens_per_second(self) -> float | None:
        return None if self.tokens is None else self.tokens / max(self.wall, 1e-9)


def peak_memory_mb() -> float:
    """Highest resident memory of this process so far, in MB; macOS counts bytes, Linux kilobytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def cpu_seconds() -> float:
    """User and system time of this process, of all its threads and of its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Meter:
    """Named phases, which may be nested; a sampling thread counts the threads that get work done.

    Threads that only wait (an idle BLAS pool) are not counted: a thread is busy when its own
    CPU time grew since the last sample.
    """

    def __init__(self) -> None:
        self.phases: dict[str, Phase] = {}
        self._process = psutil.Process()
        self._last: dict[int, float] = self._thread_times()
        self._samples: list[tuple[float, int]] = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._sampler = threading.Thread(target=self._run, daemon=True)
        self._sampler.start()

    def close(self) -> None:
        """Stop the sampling thread."""
        self._stop.set()
        self._sampler.join()

    @contextmanager
    def phase(self, name: str, tokens: int | None = None) -> Iterator[None]:
        """Measure the body; `tokens` is the amount of work, for a rate."""
        self._sample()
        start, cpu_start = time.perf_counter(), cpu_seconds()
        yield
        end, cpu_end = time.perf_counter(), cpu_seconds()
        self._sample()
        busy = [count for moment, count in self._samples if moment >= start]
        self.phases[name] = Phase(
            wall=end - start,
            cpu=cpu_end - cpu_start,
            peak_mb=peak_memory_mb(),
            threads=max([1, *busy]),
            tokens=tokens,
        )

    def as_json(self) -> dict[str, dict[str, float | int | None]]:
        return {name: asdict(phase) for name, phase in self.phases.items()}

    def _thread_times(self) -> dict[int, float]:
        return {thread.id: thread.user_time + thread.system_time for thread in self._process.threads()}

    def _sample(self) -> None:
        with self._lock:
            times = self._thread_times()
            own = getattr(self, "_sampler", None)
            busy = sum(
                1
                for identity, seconds in times.items()
                if seconds > self._last.get(identity, 0.0) and (own is None or identity != own.native_id)
            )
            self._last = times
            self._samples.append((time.perf_counter(), busy))

    def _run(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self._sample()

"""What Prometheus can ask: requests, errors, times, batches, queues, memory; of all worker processes together.

Each process writes numbers of its own to files of the run's folder, and whichever process is asked adds them up.
"""

from __future__ import annotations

import os
from typing import Any

__all__ = ["Metrics"]

TIMES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The library reads this variable when it is imported."""


class Metrics:
    """Counters of this process, and the sum over all."""

    def __init__(self) -> None:
        import prometheus_client as prometheus

        registry = prometheus.CollectorRegistry()
        known: dict[str, Any] = {"registry": registry}
        self.requests = prometheus.Counter(
            "weft_requests_total", "Requests by route, model and status.", ("route", "model", "status"), **known
        )
        self.seconds = prometheus.Histogram(
            "weft_request_seconds",
            "Time from the first byte to the answer.",
            ("route", "model"),
            buckets=TIMES,
            **known,
        )
        self.errors = prometheus.Counter("weft_errors_total", "Refusals and errors by their code.", ("code",), **known)
        self.batches = prometheus.Histogram(
            "weft_batch_sequences", "Sequences that were answered together.", ("model",), buckets=SIZES, **known
        )
        self.joined = prometheus.Histogram(
            "weft_batch_requests", "Requests that were answered together.", ("model",), buckets=SIZES, **known
        )
        self.queue = prometheus.Gauge(
            "weft_queue_requests", "Requests that wait.", ("model",), multiprocess_mode="livesum", **known
        )
        self.memory = prometheus.Gauge(
            "weft_resident_memory_bytes", "Memory of each process.", multiprocess_mode="liveall", **known
        )
        self.loads = prometheus.Counter(
            "weft_model_loads_total", "Model files that were read again.", ("model", "outcome"), **known
        )
        self._registry = registry

    def exposition(self) -> bytes:
        """All numbers as text."""
        import prometheus_client as prometheus
        from prometheus_client.multiprocess import MultiProcessCollector

        self.memory.set(resident_memory())
        registry = self._registry
        if FOLDER in os.environ:
            registry = prometheus.CollectorRegistry()
            MultiProcessCollector(registry)
        return bytes(prometheus.generate_latest(registry))


def resident_memory() -> float:
    """Bytes of this process that are in memory; 0 where the system does not tell.

    Examples
    --------
    >>> resident_memory() >= 0.0
    True
    """
    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123 - no path, a question to the system
            pages = int(file.read().split()[1])
    except OSError:
        return 0.0
    return float(pages * os.sysconf("SC_PAGE_SIZE"))

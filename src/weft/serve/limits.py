"""Limits: what a request may weigh, cost and wait for, and how what is past them is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Cost", "Limits", "Refusal", "check_request"]


class Refusal(Exception):
    """A request that is not answered, and why.

    Parameters
    ----------
    status : int
        Of HTTP.
    code : str
        A word for programs.
    message : str
        A line for people.
    retry_after : float, optional
        Seconds after which it may work.

    Examples
    --------
    >>> Refusal(503, "busy", "the queue is full; try again.", 0.2).headers
    {'retry-after': '1'}
    """

    def __init__(self, status: int, code: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        if self.retry_after is None:
            return {}
        return {"retry-after": str(max(1, math.ceil(self.retry_after)))}


@dataclass(frozen=True)
class Cost:
    """What an answer takes: seconds of a core of some years ago, and bytes at its peak.

    They follow from lengths and sizes alone, by constants that are estimates, so that the same request is refused
    on every machine.

    Examples
    --------
    >>> Cost(1.0, 5.0) + Cost(0.5, 2.0)
    Cost(seconds=1.5, memory=7.0)
    """

    seconds: float = 0.0
    memory: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, self.memory + other.memory)


@dataclass(frozen=True)
class Limits:
    """Limits of a worker process.

    Attributes
    ----------
    body : int
        Bytes of a request.
    sequences, length : int
        Sequences of a request, and symbols of each.
    seconds, memory : float
        Estimated cost of a request (`Cost`).
    timeout : float
        Seconds until an answer; a request that waits longer gets 503.
    queue, queue_seconds
        Requests that wait for a model, and their estimated seconds.
    batch, batch_seconds
        Sequences that are answered together, and their estimated seconds: how long those wait that come meanwhile.
    connections : int
        Open at once.
    header, header_seconds, body_seconds
        Bytes of the head of a request, and seconds that its head and its body may take to arrive.
    """

    body: int = 4_000_000
    sequences: int = 1000
    length: int = 20_000
    seconds: float = 20.0
    memory: float = 1e9
    timeout: float = 30.0
    queue: int = 256
    queue_seconds: float = 60.0
    batch: int = 2000
    batch_seconds: float = 0.25
    connections: int = 1024
    header: int = 16_384
    header_seconds: float = 10.0
    body_seconds: float = 10.0

    def shown(self) -> dict[str, float]:
        """Limits that those who ask should know."""
        names = ("body", "sequences", "length", "seconds", "timeout")
        return {name: getattr(self, name) for name in names}


def check_request(limits: Limits, lengths: list[int], cost: Cost) -> None:
    """Refuse what would take too long before anything starts.

    Examples
    --------
    >>> check_request(Limits(length=3), [2, 5], Cost())
    Traceback (most recent call last):
    ...
    weft.serve.limits.Refusal: inputs[1] has 5 symbols; at most 3 are taken: send a shorter one, or cut it.
    """
    if len(lengths) > limits.sequences:
        raise Refusal(
            413,
            "too_many",
            f"{len(lengths)} sequences given; at most {limits.sequences} are taken at once: send them in parts.",
        )
    for place, length in enumerate(lengths):
        if length > limits.length:
            raise Refusal(
                413,
                "too_long",
                f"inputs[{place}] has {length} symbols; at most {limits.length} are taken: send a shorter one, "
                "or cut it.",
            )
    if cost.seconds > limits.seconds:
        raise Refusal(
            413,
            "too_costly",
            f"the answer would take about {cost.seconds:.0f} s of computing; at most {limits.seconds:.0f} s are spent "
            "on a request: send fewer or shorter sequences, or ask for less.",
        )
    if cost.memory > limits.memory:
        raise Refusal(
            413,
            "too_costly",
            f"the answer would take about {cost.memory / 1e6:.0f} MB of memory; at most {limits.memory / 1e6:.0f} MB "
            "are spent on a request: send fewer or shorter sequences, or ask for less.",
        )

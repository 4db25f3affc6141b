"""Bounds on connections: how many there are, and how large and how late the head of a request may be.

Uvicorn bounds neither the size of a head nor the time it takes to arrive; this protocol adds both, and answers what is
no HTTP with JSON as everything else.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from weft.serve.limits import Limits, Refusal
from weft.serve.sharing import Share
from weft.serve.types import ErrorFacts, ErrorReply

__all__ = ["bounded_protocol"]

PHRASES = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    limits = Limits()
    share: Share | None = None
    _head_size = 0
    _head_timer: asyncio.TimerHandle | None = None
    _in_head = True
    _fault: Refusal | None = None

    def connection_made(self, transport: Any) -> None:
        """Refuse what is too much, and wait for a head no longer than is allowed."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(Refusal(503, "busy", "too many connections are open; try again in a moment.", 1.0))
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._forget_timer()
        if self.share is not None:
            self.share.add(-1)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of a head."""
        if self.transport.is_closing():
            return
        if self._in_head:
            self._expect_head()
            self._head_size += len(data)
        super().data_received(data)
        if self._in_head and self._head_size > self.limits.header and not self.transport.is_closing():
            self._refuse(self._too_large())

    def on_message_begin(self) -> None:
        """A new head."""
        super().on_message_begin()
        self._in_head, self._fault = True, None
        self._own_size = 0

    def on_url(self, url: bytes) -> None:
        """Part of a head."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Part of a head."""
        self._count(name, value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head, self._head_size = False, 0
        self._forget_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """What comes next is another head."""
        super().on_message_complete()
        self._in_head = True

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP, or too much of it."""
        self._refuse(self._fault or Refusal(400, "bad_request", "this is no HTTP request; check what was sent."))

    # ------------------------------------------------------------------ own

    _own_size = 0

    def _count(self, *parts: bytes) -> None:
        self._own_size += sum(map(len, parts))
        if self._own_size > self.limits.header:
            self._fault = self._too_large()
            raise ValueError("the head is too large")  # ends the parser, which then answers

    def _too_large(self) -> Refusal:
        return Refusal(
            431, "too_large", f"the head of the request has more than {self.limits.header} bytes; send fewer headers."
        )

    def _expect_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.header_seconds, self._late)

    def _forget_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _late(self) -> None:
        self._head_timer = None
        if self._in_head and not self.transport.is_closing():
            waited = f"no whole request head within {self.limits.header_seconds:g} s; send it at once."
            self._refuse(Refusal(408, "too_slow", waited))

    def _refuse(self, fault: Refusal) -> None:
        body = msgspec.json.encode(ErrorReply(ErrorFacts(fault.code, fault.message)))
        lines = [f"HTTP/1.1 {fault.status} {PHRASES[fault.status]}", "content-type: application/json"]
        lines += [f"content-length: {len(body)}", "connection: close", "x-content-type-options: nosniff"]
        lines += [f"{name}: {value}" for name, value in fault.headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self.transport.close()


def bounded_protocol(limits: Limits, share: Share | None = None) -> type[BoundedProtocol]:
    """The protocol with these limits, counted in a worker's share.

    Examples
    --------
    >>> bounded_protocol(Limits(header=100)).limits.header
    100
    """
    return type("LimitedProtocol", (BoundedProtocol,), {"limits": limits, "share": share})

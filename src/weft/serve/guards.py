"""Before and after every request: who may ask, what an answer's headers say, what logs and metrics keep.

Logs have no text of users unless that is asked for: routes and names of models, never paths, queries or bodies.
"""

from __future__ import annotations

import hmac
import logging
import re
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import token_hex
from typing import Any

from weft.errors import WeftError
from weft.serve.limits import Refusal
from weft.serve.metrics import Metrics
from weft.serve.settings import Settings
from weft.serve.types import ENCODER, ErrorFacts, ErrorReply

__all__ = ["Guard", "State", "refusal_of"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOG = logging.getLogger("weft.serve")

OPEN = ("/", "/healthz", "/readyz")
"""Addresses that need no token: the page asks for it itself."""

LOCAL = ("localhost", "127.0.0.1", "[::1]")

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; "
        b"img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
]
"""Style attributes are those of drawings, whose text is escaped."""

REQUEST_ID = re.compile(rb"[A-Za-z0-9_-]{1,64}")


class State:
    """What all requests of a process share."""

    def __init__(self) -> None:
        self.draining = False
        self.in_flight = 0


def refusal_of(error: Exception) -> Refusal | None:
    """How an error is answered: the library's own lines as they are; None for a fault of weft.

    Examples
    --------
    >>> from weft.errors import InputError
    >>> refusal_of(InputError("k is 0; at least 1 is wanted.")).status
    422
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, WeftError):
        return Refusal(422, "invalid_input", " ".join(str(error).split()))
    if isinstance(error, MemoryError):
        return Refusal(503, "busy", "there is not enough memory for this now; try again, or send less.", 5.0)
    return None


class Guard:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    metrics : Metrics
    state : State
    """

    def __init__(self, app: Any, settings: Settings, metrics: Metrics, state: State) -> None:
        self.app, self.settings, self.metrics, self.state = app, settings, metrics, state
        self._token = None if settings.token is None else settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        began = time.perf_counter()
        given: dict[bytes, bytes] = dict(scope["headers"])
        sent = given.get(b"x-request-id", b"")
        identity = sent if REQUEST_ID.fullmatch(sent) else token_hex(8).encode()
        facts = scope["weft"] = {"route": "other", "model": "", "body_read": False, "status": 0, "code": ""}
        started = False

        async def reply(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                facts["status"] = message["status"]
                known = {name for name, _ in message["headers"]}
                more = [pair for pair in HEADERS if pair[0] not in known]
                if b"cache-control" not in known:
                    more.append((b"cache-control", b"no-store"))
                unread = scope["method"] in ("POST", "PUT", "PATCH") and not facts["body_read"]
                if self.state.draining or unread:
                    more.append((b"connection", b"close"))
                message["headers"] = [*message["headers"], *more, (b"x-request-id", identity)]
            await send(message)

        self.state.in_flight += 1
        try:
            self._check(scope, given)
            await self.app(scope, receive, reply)
        except Exception as error:
            fault = refusal_of(error)
            if fault is None:
                fault = Refusal(500, "internal", f"a fault of weft; it is in the log as {identity.decode()}.")
                self._log_fault(error, identity.decode())
            facts["code"] = fault.code
            if not started:
                await send_refusal(fault, reply)
        finally:
            self.state.in_flight -= 1
            self._record(scope, facts, time.perf_counter() - began, identity.decode())

    # ------------------------------------------------------------- who may ask

    def _check(self, scope: Scope, given: dict[bytes, bytes]) -> None:
        host = given.get(b"host", b"").decode("latin-1")
        if self.settings.hosts and _without_port(host) not in self.settings.hosts:
            raise Refusal(
                403, "forbidden_host", "the server does not answer under this name; see --allow-host of weft serve."
            )
        origin = given.get(b"origin")
        if origin is not None and origin.decode("latin-1") not in self.settings.origins:
            is_own = origin.decode("latin-1").partition("://")[2] == host
            if not is_own:
                raise Refusal(403, "foreign_origin", "pages of other sites may not ask; see --allow-origin.")
        if given.get(b"sec-fetch-site") == b"cross-site" and origin is None and scope["method"] != "GET":
            raise Refusal(403, "foreign_origin", "pages of other sites may not ask; see --allow-origin.")
        path = scope["path"]
        if self._token is None or path in OPEN or path.startswith("/page/"):
            return
        kind, _, shown = given.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(shown.strip(), self._token):
            raise Refusal(401, "no_token", "a token is needed: send the header 'Authorization: Bearer TOKEN'.")

    # -------------------------------------------------------- what is remembered

    def _log_fault(self, error: Exception, identity: str) -> None:
        """Where an error came from; its text may have that of a user."""
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(
            f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames[::-1]
        )
        text = f": {error}" if self.settings.log_text else ""
        LOG.error("fault %s %s%s at %s", identity, type(error).__name__, text, where)

    def _record(self, scope: Scope, facts: dict[str, Any], seconds: float, identity: str) -> None:
        route, model, status = facts["route"], facts["model"], facts["status"]
        self.metrics.requests.labels(route, model, str(status)).inc()
        self.metrics.seconds.labels(route, model).observe(seconds)
        if facts["code"]:
            self.metrics.errors.labels(facts["code"]).inc()
        if LOG.isEnabledFor(logging.INFO):
            shown = f" {facts['text']!r}" if self.settings.log_text and "text" in facts else ""
            LOG.info(
                "%s %s %s %s %.1f ms %s%s%s", scope["method"], route, model or "-", status, 1000 * seconds, identity,
                f" {facts['code']}" if facts["code"] else "", shown,
            )  # fmt: skip


def _without_port(host: str) -> str:
    """The name in a Host header.

    Examples
    --------
    >>> _without_port("localhost:8000"), _without_port("[::1]:80"), _without_port("example.org")
    ('localhost', '[::1]', 'example.org')
    """
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdigit() else host.lower()


async def send_refusal(fault: Refusal, send: Send) -> None:
    """Answer with an error as JSON."""
    body = ENCODER.encode(ErrorReply(ErrorFacts(fault.code, fault.message)))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in fault.headers.items()]
    if fault.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": fault.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""Bodies of requests: read within bounds of size and time, and decoded by type."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from weft.serve.limits import Limits, Refusal
from weft.serve.types import ExplainRequest, PredictRequest

__all__ = ["decoded", "read_body"]

Asked = TypeVar("Asked")

OVERSHOOT = 8
"""Times the limit that is read and thrown away, so that who sends too much still sees the answer."""


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body; too much, too slow, or another type than JSON is a `Refusal`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        announced = int(request.headers.get("content-length", "0"))
    except ValueError:
        announced = 0
    if announced > OVERSHOOT * limits.body:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            body = await _all_of(request, limits)
    except TimeoutError:
        raise Refusal(
            408, "too_slow", f"the body did not arrive within {limits.body_seconds:g} s; send it at once."
        ) from None
    request.scope["weft"]["body_read"] = True
    if kind != "application/json":
        raise Refusal(415, "wrong_type", "the body is not declared as JSON; send 'Content-Type: application/json'.")
    return body


async def _all_of(request: Request, limits: Limits) -> bytes:
    parts, size = [], 0
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "gone", "the connection closed before the body was whole.")
        part = message.get("body", b"")
        size += len(part)
        if size <= limits.body:
            parts.append(part)
        elif size > OVERSHOOT * limits.body:
            raise _too_large(limits)
        if not message.get("more_body"):
            break
    if size > limits.body:
        request.scope["weft"]["body_read"] = True
        raise _too_large(limits)
    return b"".join(parts)


def _too_large(limits: Limits) -> Refusal:
    return Refusal(
        413, "too_large", f"the body has more than {limits.body} bytes; send fewer or shorter sequences at once."
    )


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {
    wanted: msgspec.json.Decoder(wanted) for wanted in (PredictRequest, ExplainRequest)
}


def decoded(body: bytes, wanted: type[Asked]) -> Asked:
    """A body as a value of its type.

    Examples
    --------
    >>> from weft.serve.types import PredictRequest
    >>> decoded(b'{"inputs": ["abc"]}', PredictRequest).inputs
    ['abc']
    >>> decoded(b'{"inputs": ["abc"]', PredictRequest)
    Traceback (most recent call last):
    ...
    weft.serve.limits.Refusal: the body is not JSON: Input data was truncated; fix it.
    """
    try:
        found: Asked = _DECODERS[wanted].decode(body)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid_request", f"the request is not valid: {error}; see /openapi.json.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refusal(400, "no_json", f"the body is not JSON: {reason}; fix it.") from None
    return found

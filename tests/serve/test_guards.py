"""Who may ask, and what answers say, with an application of one line behind the guard."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.middleware.cors import CORSMiddleware

from weft.serve.guards import Guard, State
from weft.serve.settings import Settings


class Counter:
    """Stands for counters of Prometheus."""

    def labels(self, *names):
        return self

    def inc(self):
        pass

    def observe(self, value):
        pass


async def hello(scope, receive, send):
    if scope["path"] == "/fault":
        raise RuntimeError("with a secret of a user")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def answer(path="/v1/models", method="GET", state=None, origins=(), **headers):
    """Status, headers and body of one request."""
    settings = Settings({}, Path(), token="a-token-of-24-characters", hosts=("localhost",), origins=origins)
    metrics = SimpleNamespace(requests=Counter(), seconds=Counter(), errors=Counter())
    app = Guard(hello, settings, metrics, state or State())
    if origins:
        app = CORSMiddleware(app, allow_origins=list(origins))
    given = {"host": "localhost:8000", "authorization": "Bearer a-token-of-24-characters", **headers}
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items() if value is not None]
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": path, "method": method, "headers": pairs, "query_string": b""}
    asyncio.run(app(scope, None, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"authorization": None}, 401),
        ({"authorization": "Bearer another-token-of-24-le"}, 401),
        ({"authorization": "Basic a-token-of-24-characters"}, 401),
        ({"authorization": "bearer a-token-of-24-characters"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "LOCALHOST"}, 200),
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "http://localhost:9000"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 200),
    ],
)
def test_who_may_ask(headers, status):
    assert answer(**headers)[0] == status


def test_other_sites_may_not_post():
    assert answer(method="POST", sec_fetch_site="cross-site")[0] == 403
    status, headers, _ = answer(origin="https://example.org", origins=("https://example.org",))
    assert (status, headers["access-control-allow-origin"]) == (200, "https://example.org")
    assert answer(origin="https://other.org", origins=("https://example.org",))[0] == 403


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/healthz", "/readyz"])
def test_the_page_and_the_watch_need_no_token(path):
    assert answer(path, authorization=None)[0] == 200


def test_headers_are_those_that_browsers_heed():
    _, headers, _ = answer(x_request_id="mine-1")
    assert headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-request-id"] == "mine-1"
    assert answer(x_request_id="a\nb")[1]["x-request-id"] != "a\nb"
    assert "server" not in headers


def test_a_fault_shows_nothing_of_itself(caplog):
    status, _, body = answer("/fault")
    assert status == 500
    assert json.loads(body)["error"]["code"] == "internal"
    assert b"secret" not in body
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_who_drains_asks_clients_to_leave():
    state = State()
    state.draining = True
    assert answer(state=state)[1]["connection"] == "close"

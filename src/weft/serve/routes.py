"""Routes: what each address answers."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from weft.automata import Automaton
from weft.errors import InputError
from weft.serve.batching import Batcher, Question
from weft.serve.bodies import decoded, read_body
from weft.serve.guards import Guard
from weft.serve.guards import State as Shared
from weft.serve.limits import Cost, Refusal, check_request
from weft.serve.metrics import Metrics
from weft.serve.models import Model, Models
from weft.serve.openapi import openapi_document
from weft.serve.settings import Settings
from weft.serve.types import (
    ENCODER,
    UNSET,
    Answers,
    ExplainRequest,
    Explanation,
    ModelList,
    Options,
    PredictRequest,
    State,
)

__all__ = ["Routes", "application"]

LARGE = 100_000
"""Bytes of a body that is decoded off the event loop, since others would wait for it."""

PAGE = {
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "main.js": "text/javascript; charset=utf-8",
    "views.js": "text/javascript; charset=utf-8",
    "elements.js": "text/javascript; charset=utf-8",
    "lines.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""Files of the page and their types: no path of a request is one of the disk."""

Endpoint = Callable[[Request], Awaitable[Response]]


@cache
def _page_file(name: str) -> tuple[bytes, str]:
    content = files("weft.serve").joinpath("page", name).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def as_json(value: Any, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(ENCODER.encode(value), status, media_type="application/json")


class Routes:
    """The endpoints of one process.

    Parameters
    ----------
    models : Models
    settings : Settings
    metrics : Metrics
    state : State
    """

    def __init__(self, models: Models, settings: Settings, metrics: Metrics, state: Shared) -> None:
        self.models, self.settings, self.metrics, self.state = models, settings, metrics, state
        self.limits = settings.limits
        self.executor = ThreadPoolExecutor(max(2, len(models.files)), thread_name_prefix="weft")
        self._batchers = {name: self._batcher(name) for name in models.files}
        self._document = b""

    def _batcher(self, name: str) -> Batcher:
        requests, sequences = self.metrics.joined.labels(name), self.metrics.batches.labels(name)

        def observe(n_requests: int, n_sequences: int) -> None:
            requests.observe(n_requests)
            sequences.observe(n_sequences)

        batcher = Batcher(self.limits, self.executor, observe)
        return batcher

    def router(self) -> Router:
        """All routes."""

        async def missing(scope: Any, receive: Any, send: Any) -> None:
            raise Refusal(404, "no_route", "there is nothing at this address; see /openapi.json.")

        return Router(
            [
                Route("/", self._named("page", self.page)),
                Route("/page/{name}", self._named("page", self.page)),
                Route("/healthz", self._named("health", self.health)),
                Route("/readyz", self._named("ready", self.ready)),
                Route("/metrics", self._named("metrics", self.numbers)),
                Route("/openapi.json", self._named("openapi", self.openapi)),
                Route("/v1/models", self._named("models", self.list_models)),
                Route("/v1/models/{model}", self._named("model", self.describe)),
                Route("/v1/models/{model}/predict", self._named("predict", self.predict), methods=["POST"]),
                Route("/v1/models/{model}/explain", self._named("explain", self.explain), methods=["POST"]),
            ],
            redirect_slashes=False,
            default=missing,
        )

    def _named(self, name: str, endpoint: Endpoint) -> Endpoint:
        async def answer(request: Request) -> Response:
            request.scope["weft"]["route"] = name
            return await endpoint(request)

        return answer

    # ------------------------------------------------------------------ facts

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        name = request.path_params.get("name", "index.html")
        if name not in PAGE:
            raise Refusal(404, "no_route", "the page has no such file.")
        content, tag = _page_file(name)
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=PAGE[name])

    async def health(self, request: Request) -> Response:
        """The process is there."""
        return as_json(State("ok"))

    async def ready(self, request: Request) -> Response:
        """Models are warm before the first connection is taken, so only a server that ends is not ready."""
        if self.state.draining:
            raise Refusal(503, "draining", "the server is ending; ask another one.", 1.0)
        return as_json(State("ready"))

    async def numbers(self, request: Request) -> Response:
        """Metrics for Prometheus."""
        for name, batcher in self._batchers.items():
            self.metrics.queue.labels(name).set(len(batcher))
        text = await asyncio.to_thread(self.metrics.exposition)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """The document."""
        if not self._document:
            self._document = ENCODER.encode(openapi_document())
        return Response(self._document, media_type="application/json")

    async def list_models(self, request: Request) -> Response:
        """All models."""
        return as_json(ModelList([model.facts(self.limits, model.name in self.models.stale) for model in self.models]))

    async def describe(self, request: Request) -> Response:
        """One model."""
        model = self._model(request)
        return as_json(model.facts(self.limits, model.name in self.models.stale))

    def _model(self, request: Request) -> Model:
        name = request.path_params["model"]
        model = self.models.get(name)
        if model is None:
            known = ", ".join(self.models.files)
            raise Refusal(404, "no_model", f"there is no model of this name; there are {known}.")
        request.scope["weft"]["model"] = name
        return model

    # ---------------------------------------------------------------- answers

    async def predict(self, request: Request) -> Response:
        """Answer sequences, together with others that came at the same time."""
        model = self._model(request)
        body = await read_body(request, self.limits)
        if self.settings.log_text:
            request.scope["weft"]["text"] = body.decode("utf-8", "replace")
        if len(body) > LARGE:
            asked, question = await asyncio.to_thread(self._question, model, body)
        else:
            asked, question = self._question(model, body)
        reply = await self._batchers[model.name].ask(question)
        found = Answers(model.id, reply.answers)
        if asked.text is not UNSET:
            found.inputs = [_shown(value) for value in question.inputs]
        if asked.warnings:
            found.warnings = reply.warnings
        if len(body) > LARGE:
            return Response(await asyncio.to_thread(ENCODER.encode, found), media_type="application/json")
        return as_json(found)

    def _question(self, model: Model, body: bytes) -> tuple[PredictRequest, Question]:
        asked = decoded(body, PredictRequest)
        task, tags = model.task, None if asked.tags is UNSET else asked.tags
        if (asked.inputs is UNSET) == (asked.text is UNSET):
            raise InputError(
                "needed either 'inputs', a list of sequences, or 'text', one as it is typed: send one of them."
            )
        if asked.inputs is UNSET:
            values = [task.from_text(asked.text)]  # type: ignore[arg-type]
            tags = tags if tags is not None else self._typed_tags(model, asked.text)
        else:
            if not asked.inputs:
                raise InputError("inputs is empty; at least one sequence is needed.")
            if len(asked.inputs) > self.limits.sequences:
                check_request(self.limits, [0] * len(asked.inputs), Cost())
            values = [task.from_json(value) for value in asked.inputs]
        if tags is not None and len(tags) != len(values):
            raise InputError(f"{len(values)} sequences given with tags of {len(tags)}; give each its own.")
        options = asked.options
        cost = sum((task.cost(value, options) for value in values), Cost())
        check_request(self.limits, [task.length(value) for value in values], cost)
        return asked, Question(model, values, tags, options, cost, warns=asked.warnings)

    def _typed_tags(self, model: Model, text: Any) -> list[Any] | None:
        """Tags after a tab, where a model has some."""
        if not getattr(model.task.estimator, "has_tags_", False):
            return None
        _, tab, tags = str(text).partition("\t")
        if not tab or not tags.strip():
            raise InputError("this model needs tags; type them after a tab, with ';' between them.")
        return [tags.strip()]

    async def explain(self, request: Request) -> Response:
        """The evidence for an answer, and a picture of it."""
        model = self._model(request)
        body = await read_body(request, self.limits)
        if self.settings.log_text:
            request.scope["weft"]["text"] = body.decode("utf-8", "replace")
        asked = decoded(body, ExplainRequest)
        task, tags = model.task, None if asked.tags is UNSET else asked.tags
        if (asked.input is UNSET) == (asked.text is UNSET):
            raise InputError("needed either 'input', a sequence, or 'text', one as it is typed: send one of them.")
        if asked.input is UNSET:
            value = task.from_text(asked.text)  # type: ignore[arg-type]
            typed = self._typed_tags(model, asked.text) if tags is None else None
            tags = tags if typed is None else typed[0]
        else:
            value = task.from_json(asked.input)
        options = Options(kbest=10 if "kbest" in task.questions else 1, marginals="marginals" in task.questions)
        cost = task.cost(value, options)
        check_request(self.limits, [task.length(value)], cost)

        def alone() -> Any:
            answer, told = task.explain(value, tags, asked.top)
            return answer, told, task.drawing(value, answer) if asked.drawing else None

        question = Question(model, [value], None, options, cost, alone=alone)
        answer, told, drawing = (await self._batchers[model.name].ask(question)).answers
        found = Explanation(model.id, _shown(value), answer, told)
        if drawing is not None:
            found.drawing = drawing
        return as_json(found)


def _shown(value: Any) -> Any:
    """A sequence as a request would have it."""
    if isinstance(value, Automaton):
        arcs = [{"source": a.source, "target": a.target, "label": a.label, "weight": a.weight} for a in value.arcs()]
        final = {str(state): weight for state, weight in enumerate(value.final.tolist()) if weight}
        return {"arcs": arcs, "final": final, "start": value.start}
    return value


class _Plain:
    """The router, whose own errors become refusals."""

    def __init__(self, router: Router) -> None:
        self.router = router

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["app"] = self
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:
            if error.status_code == 405:
                raise Refusal(405, "wrong_method", "this address takes another method; see /openapi.json.") from None
            raise Refusal(error.status_code, "refused", str(error.detail)) from None


def application(routes: Routes) -> Any:
    """The whole application: routes, and around them who may ask."""
    app: Any = Guard(_Plain(routes.router()), routes.settings, routes.metrics, routes.state)
    if routes.settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(routes.settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["content-type", "authorization"],
        )
    return app

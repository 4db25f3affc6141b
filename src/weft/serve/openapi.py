"""The OpenAPI document, made of the types that validate requests."""

from __future__ import annotations

from typing import Any

import msgspec

from weft import __version__
from weft.serve.types import (
    Answers,
    ErrorReply,
    ExplainRequest,
    Explanation,
    ModelFacts,
    ModelList,
    PredictRequest,
    State,
)

__all__ = ["PATHS", "openapi_document"]

PATHS: dict[str, tuple[str, str, Any, Any]] = {
    "/v1/models": ("get", "All models, and what each can be asked.", None, ModelList),
    "/v1/models/{model}": ("get", "One model.", None, ModelFacts),
    "/v1/models/{model}/predict": ("post", "Answer one or many sequences.", PredictRequest, Answers),
    "/v1/models/{model}/explain": ("post", "The evidence for the answer to one sequence.", ExplainRequest, Explanation),
    "/healthz": ("get", "Whether the process is there.", None, State),
    "/readyz": ("get", "Whether it takes requests: 503 while it drains.", None, State),
}
"""Routes: method, what they do, what they take, what they give."""

REFUSALS = {
    "400": "no JSON, or no HTTP",
    "401": "no token, or a wrong one",
    "403": "a page of another site, or another name of the server",
    "404": "no such model",
    "408": "the request arrived too slowly",
    "413": "too much, too long or too costly",
    "415": "the body is not declared as JSON",
    "422": "the request is JSON, and not what the model takes",
    "503": "busy: try again after Retry-After seconds",
}


def openapi_document() -> dict[str, Any]:
    """The document as plain values.

    Examples
    --------
    >>> openapi_document()["paths"]["/v1/models/{model}/predict"]["post"]["requestBody"]["content"]
    {'application/json': {'schema': {'$ref': '#/components/schemas/PredictRequest'}}}
    """
    kinds = [kind for _, _, *both in PATHS.values() for kind in both if kind is not None]
    schemas, components = msgspec.json.schema_components(
        [*kinds, ErrorReply], ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip([*kinds, ErrorReply], schemas, strict=True))

    def content(kind: Any) -> dict[str, Any]:
        return {"application/json": {"schema": schema_of[kind]}}

    paths: dict[str, Any] = {}
    for path, (method, text, asked, given) in PATHS.items():
        codes = (
            REFUSALS if asked is not None else {k: v for k, v in REFUSALS.items() if k in ("401", "403", "404", "503")}
        )
        operation: dict[str, Any] = {
            "summary": text,
            "operationId": f"{method}{path.replace('/v1', '').replace('/', '_').replace('{', '').replace('}', '')}",
            "responses": {
                "200": {"description": "The answer.", "content": content(given)},
                **{code: {"description": why, "content": content(ErrorReply)} for code, why in codes.items()},
            },
        }
        if "{model}" in path:
            named = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
            operation["parameters"] = [named]
        if asked is not None:
            operation["requestBody"] = {"required": True, "content": content(asked)}
        paths[path] = {method: operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "weft serve", "version": __version__, "description": "Models of sequences behind HTTP."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }

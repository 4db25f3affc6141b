"""The document fits the routes and the types."""

import json
import re
import shlex
from pathlib import Path

from weft.apps.cli import app
from weft.serve.openapi import PATHS, openapi_document
from weft.serve.routes import Routes

ROOT = Path(__file__).parents[2]
UNLISTED = {"/", "/page/{name}", "/metrics", "/openapi.json"}
"""What people and Prometheus read."""


def test_every_route_is_in_the_document_and_every_reference_leads_somewhere():
    async def endpoint(request):
        raise NotImplementedError

    class Stand:
        def __getattr__(self, name):
            return endpoint if name != "_named" else lambda name, each: each

    routes = Routes.router(Stand()).routes
    assert {route.path for route in routes} - UNLISTED == set(PATHS)
    document = openapi_document()
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document))) <= known
    for route in routes:
        if route.path in PATHS:
            assert PATHS[route.path][0].upper() in route.methods


def test_files_for_deployment_name_options_that_exist():
    import typer

    command = typer.main.get_command(app).commands["serve"]
    known = {option for each in command.params for option in each.opts}
    texts = [path.read_text() for path in (ROOT / "deploy").iterdir()]
    texts += [(ROOT / "docs" / "how-to" / name).read_text() for name in ("deploy.md", "serve-a-model.md")]
    named = [option for text in texts for line in text.splitlines() if "weft serve" in line or "| `--" in line
             for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)]  # fmt: skip
    assert len(named) > 8
    assert set(named) <= known
    service = (ROOT / "deploy" / "weft-serve.service").read_text()
    assert shlex.split(re.search("ExecStart=(.*)", service).group(1))[:2] == ["/bin/sh", "-c"]

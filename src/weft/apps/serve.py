"""`weft serve`: models behind HTTP, and a page that shows what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.errors import InputError

ASKING, LIMITS = "Who may ask", "Limits"

EXTRA = "weft serve needs packages that are not installed; install them with: pip install 'weft[serve]'"


def run(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL", help="Model files, or names listed by weft models.")],
    host: Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 for any free port.")] = 8000,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Processes; they share the models.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, help="Threads of each process; its share of the cores if not given."),
    ] = None,
    reload: Annotated[
        float, typer.Option("--reload", min=0.0, help="Seconds between checks for new model files; 0 for none.")
    ] = 1.0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help="File with a token that requests must send; else that of the variable WEFT_SERVE_TOKEN, if set.",
            rich_help_panel=ASKING,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            help="Host name that requests may use, such as that of a proxy; may be repeated.",
            rich_help_panel=ASKING,
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="Another site whose pages may send requests, such as https://example.org; may be repeated.",
            rich_help_panel=ASKING,
        ),
    ] = None,
    log_text: Annotated[
        bool, typer.Option("--log-text", help="Log the texts that users send.", rich_help_panel=ASKING)
    ] = False,
    max_body: Annotated[
        int, typer.Option("--max-body", min=1000, help="Maximum bytes of a request.", rich_help_panel=LIMITS)
    ] = 4_000_000,
    max_sequences: Annotated[
        int, typer.Option("--max-sequences", min=1, help="Maximum sequences per request.", rich_help_panel=LIMITS)
    ] = 1000,
    max_length: Annotated[
        int, typer.Option("--max-length", min=1, help="Maximum symbols per sequence.", rich_help_panel=LIMITS)
    ] = 20_000,
    max_cost: Annotated[
        float,
        typer.Option(
            "--max-cost",
            min=0.001,
            help="Maximum seconds of computing per request, as estimated before it starts.",
            rich_help_panel=LIMITS,
        ),
    ] = 20.0,
    timeout: Annotated[
        float,
        typer.Option("--timeout", min=0.1, help="Seconds until a request fails with 503.", rich_help_panel=LIMITS),
    ] = 30.0,
    receive_timeout: Annotated[
        float,
        typer.Option(
            "--receive-timeout",
            min=0.1,
            help="Maximum seconds for the headers of a request to arrive, and for its body.",
            rich_help_panel=LIMITS,
        ),
    ] = 10.0,
    queue: Annotated[
        int, typer.Option("--queue", min=1, help="Requests that may wait for a model.", rich_help_panel=LIMITS)
    ] = 256,
    max_batch: Annotated[
        int,
        typer.Option(
            "--max-batch",
            min=1,
            help="Maximum sequences of several requests answered together; 1 for each request by itself.",
            rich_help_panel=LIMITS,
        ),
    ] = 2000,
) -> None:
    """Serve models over HTTP: JSON for programs, a page at / for people.

    Example: `weft serve names.weft`, then open http://127.0.0.1:8000/

    **POST /v1/models/NAME/predict** with {"inputs": [...]} answers sequences; "kbest", "confidence", "marginals" and
    "z_score" ask for the same as in Python. **/explain** shows the evidence for an answer. **GET /v1/models** lists the
    models, **/openapi.json** describes the interface, **/metrics** is for Prometheus, **/healthz** and **/readyz** are
    for health checks.

    A model file that is replaced is reloaded while the server runs; if it cannot be loaded, the old model stays.
    SIGTERM ends the server after it has answered the requests that it has accepted.
    """
    try:
        import httptools  # noqa: F401
        import msgspec  # noqa: F401
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError(EXTRA) from None
    import tempfile

    from weft.core.threads import available_cores
    from weft.serve.guards import LOCAL
    from weft.serve.limits import Limits
    from weft.serve.settings import Settings, is_loopback, model_names, read_token
    from weft.serve.supervisor import serve

    token = read_token(token_file)
    hosts = tuple(each.lower() for each in allow_host or ())
    if is_loopback(host):
        # Pages of other sites reach this machine by names of their own (DNS rebinding); these are not answered.
        hosts = (*LOCAL, f"[{host}]" if ":" in host else host, *hosts)
    elif token is None:
        typer.echo(
            f"weft: whoever reaches {host} may ask these models; --token-file or WEFT_SERVE_TOKEN asks for a token.",
            err=True,
        )
    settings = Settings(
        model_names(models),
        Path(tempfile.gettempdir()),
        host,
        port,
        workers,
        threads or max(1, available_cores() // workers),
        token,
        hosts,
        tuple(allow_origin or ()),
        reload,
        log_text,
        Limits(
            body=max_body,
            sequences=max_sequences,
            length=max_length,
            seconds=max_cost,
            timeout=timeout,
            queue=queue,
            batch=max_batch,
            header_seconds=receive_timeout,
            body_seconds=receive_timeout,
        ),
    )
    serve(settings)

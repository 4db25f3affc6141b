"""100,000 requests of mixed kinds, one in ten of them bad; every answer is compared with the model in process."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.serving.models import expected, small_models
from benchmarks.serving.process import Client, Server, request


def questions(models: dict[str, Any], draw: random.Random) -> list[tuple[bytes, Any]]:
    """Requests, and the answers that the models give in process."""
    found = []
    for name, (model, _, inputs) in models.items():
        for _ in range(30):
            chosen = [draw.choice(inputs) for _ in range(draw.choice([1, 1, 1, 2, 5]))]
            asked: dict[str, Any] = {}
            if name not in ("classify",) and draw.random() < 0.5:
                asked = {"kbest": 3, "confidence": True}
            body = json.dumps({"inputs": chosen, **asked}).encode()
            found.append((request(f"/v1/models/{name}/predict", body), expected(name, model, chosen, asked)))
    return found


BAD = {
    400: request("/v1/models/tag/predict", b'{"inputs": ["a"'),
    413: request("/v1/models/tag/predict", json.dumps({"inputs": ["a" * 30_000]}).encode()),
    422: request("/v1/models/align/predict", b'{"inputs": ["no pair"]}'),
    404: request("/v1/models/none/predict", b'{"inputs": ["a"]}'),
}
SLOW = request("/v1/models/tag/predict", b'{"inputs": [["the"]]}')[:-5]


async def send_all(port: int, known: list[tuple[bytes, Any]], n: int, n_clients: int, watch: Any) -> dict[str, Any]:
    draw, decode = random.Random(1), msgspec.json.decode
    times: list[float] = []
    counts: Counter[str] = Counter()
    left = n
    slow: set[asyncio.Task[None]] = set()
    gate = asyncio.Semaphore(64)

    async def slow_sender() -> None:
        async with gate:
            client = Client(port)
            await client.connect()
            client.writer.write(SLOW)
            status, _ = await client.reply()
            client.close()
            counts["slow refused" if status == 408 else f"slow got {status}"] += 1

    async def work() -> None:
        nonlocal left
        client = Client(port)
        while left > 0:
            left -= 1
            kind = draw.random()
            if kind < 0.02:
                task = asyncio.create_task(slow_sender())
                slow.add(task)
                task.add_done_callback(slow.discard)
                if len(slow) > 500:
                    await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
            elif kind < 0.1:
                wanted = draw.choice(list(BAD))
                status, body = await client.ask(BAD[wanted])
                is_right = status == wanted and "error" in decode(body) and b"Traceback" not in body
                counts["bad refused" if is_right else "WRONG refusal"] += 1
            else:
                data, wanted = draw.choice(known)
                began = time.perf_counter()
                status, body = await client.ask(data)
                times.append(time.perf_counter() - began)
                if status == 503:
                    counts["busy"] += 1
                else:
                    counts["right" if status == 200 and decode(body)["answers"] == wanted else "WRONG"] += 1
            if left % 10_000 == 0:
                watch(n - left)
        client.close()

    await asyncio.gather(*(work() for _ in range(n_clients)))
    if slow:
        await asyncio.gather(*slow)
    return {"times": times, "counts": counts}


def load(n: int, n_clients: int, n_workers: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    models = small_models(folder)
    known = questions(models, random.Random(0))
    server = Server(*(path for _, path, _ in models.values()), "--workers", n_workers, "--receive-timeout", 1)
    try:
        while len(server.workers()) < n_workers:
            time.sleep(0.2)
        asyncio.run(send_all(server.port, known, min(n, 5000), n_clients, lambda done: None))  # caches fill
        marks = [server.memory()]

        def watch(done: int) -> None:
            marks.append(server.memory())
            print(f"{done:>8,} requests, {marks[-1] / 1e6:.0f} MB", file=sys.stderr, flush=True)

        began, cpu = time.perf_counter(), server.cpu()
        found = asyncio.run(send_all(server.port, known, n, n_clients, watch))
        seconds, cpu = time.perf_counter() - began, server.cpu() - cpu
        marks.append(server.memory())
    finally:
        server.end()
        shutil.rmtree(folder)
    times = sorted(found["times"])
    growth = max(marks) / marks[0] - 1
    print(f"{n:,} requests in {seconds:.0f} s ({n / seconds:.0f} a second), {cpu:.0f} s of the workers' CPU")
    print("  ".join(f"{name}: {count:,}" for name, count in sorted(found["counts"].items())))
    print(f"p50 {1000 * statistics.median(times):.1f} ms, p99 {1000 * times[int(0.99 * len(times))]:.1f} ms")
    print(f"memory {marks[0] / 1e6:.0f} MB at first, {max(marks) / 1e6:.0f} MB at most: {100 * growth:+.1f} %")
    answered = sum(found["counts"].values())
    bad = [name for name in found["counts"] if "WRONG" in name or "got" in name]
    ok = not bad and answered == n and growth < 0.1
    print("ok" if ok else f"NOT OK: {bad}, {answered} of {n} answered")
    return 0 if ok else 1

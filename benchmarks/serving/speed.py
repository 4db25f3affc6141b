"""What a request costs beyond `predict`, and what batches gain."""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.serving.models import expected, larger_models
from benchmarks.serving.process import Client, Server, request

N_TOGETHER = 32


def speed(repeat: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    models = larger_models(folder)
    server = Server(*(path for _, path, _ in models.values()))
    alone = Server(*(path for _, path, _ in models.values()), "--max-batch", 1)
    ok = True
    try:
        for name, (model, _, inputs) in models.items():
            parts = [inputs[k : k + 100] for k in range(0, 500, 100)]
            data = [request(f"/v1/models/{name}/predict", json.dumps({"inputs": part}).encode()) for part in parts]
            outputs = [[next(iter(each.values())) for each in expected(_kind(name), model, p, {})] for p in parts]
            inside, outside, cpu_inside, cpu_outside = [], [], [], []

            async def send(data: list[bytes] = data, outputs: list[Any] = outputs) -> None:
                async def work(k: int) -> None:
                    client = Client(server.port)
                    for j in range(8):
                        status, body = await client.ask(data[(j + k) % len(data)])
                        found = [next(iter(each.values())) for each in msgspec.json.decode(body)["answers"]]
                        assert (status, found) == (200, outputs[(j + k) % len(data)])
                    client.close()

                await asyncio.gather(*(work(k) for k in range(4)))

            asyncio.run(send())
            for _ in range(repeat):
                began, cpu = time.perf_counter(), time.process_time()
                for j in range(32):
                    model.predict(parts[j % len(parts)])
                inside.append(time.perf_counter() - began)
                cpu_inside.append(time.process_time() - cpu)
                began, cpu = time.perf_counter(), server.cpu()
                asyncio.run(send())
                outside.append(time.perf_counter() - began)
                cpu_outside.append(server.cpu() - cpu)
            share = statistics.median(inside) / statistics.median(outside)
            by_cpu = min(cpu_inside) / max(min(cpu_outside), 1e-9)
            print(
                f"{name}, 100 sequences a request: {3200 / min(outside):,.0f} a second by HTTP, "
                f"{3200 / min(inside):,.0f} in process: {share:.2f} (median of wall times), {by_cpu:.2f} by CPU time"
            )
            ok = ok and max(share, by_cpu) >= 0.5
            ok = _latency(server.port, name, model, inputs[0], repeat) and ok
            ok = _gain(server, alone, name, inputs, repeat) and ok
    finally:
        server.end()
        alone.end()
        shutil.rmtree(folder)
    print("ok" if ok else "NOT OK")
    return 0 if ok else 1


def _kind(name: str) -> str:
    return {"tagging": "tag", "rewriting": "rewrite"}[name]


def _latency(port: int, name: str, model: Any, value: Any, repeat: int) -> bool:
    """One request at a time; in turn by HTTP and in process."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"inputs": [value]}).encode()
    inside, outside = [], []
    for _ in range(100 * repeat):
        began = time.perf_counter()
        connection.request("POST", f"/v1/models/{name}/predict", body, {"Content-Type": "application/json"})
        connection.getresponse().read()
        outside.append(time.perf_counter() - began)
        began = time.perf_counter()
        model.predict([value])
        inside.append(time.perf_counter() - began)
    connection.close()
    picks = (statistics.median, lambda times: statistics.quantiles(times)[0], min)
    more = [1000 * (pick(outside) - pick(inside)) for pick in picks]
    print(
        f"{name}, one sequence: {1000 * statistics.median(outside):.2f} ms by HTTP, "
        f"{1000 * statistics.median(inside):.2f} ms in process; beyond it {more[0]:.2f} ms (median), "
        f"{more[1]:.2f} ms (lower quartile), {more[2]:.2f} ms (least)"
    )
    return more[1] <= 2.0


def _gain(server: Server, alone: Server, name: str, inputs: list[Any], repeat: int) -> bool:
    """32 clients that send one sequence a request, to a server with batches and to one without, in turn."""
    data = [request(f"/v1/models/{name}/predict", json.dumps({"inputs": [value]}).encode()) for value in inputs[:400]]
    times: list[float] = []

    async def send(port: int) -> None:
        left = iter(data * 3)

        async def work() -> None:
            client = Client(port)
            for each in left:
                began = time.perf_counter()
                status, _ = await client.ask(each)
                assert status == 200
                times.append(time.perf_counter() - began)
            client.close()

        await asyncio.gather(*(work() for _ in range(N_TOGETHER)))

    found: dict[str, list[tuple[float, float, float, float]]] = {"with": [], "without": []}
    for _ in range(max(2, repeat // 2)):
        for how, each in (("with", server), ("without", alone)):
            times.clear()
            cpu, began = each.cpu(), time.perf_counter()
            asyncio.run(send(each.port))
            seconds, cpu = time.perf_counter() - began, each.cpu() - cpu
            late = sorted(times)[int(0.99 * len(times))]
            found[how].append((len(times) / seconds, 1000 * statistics.median(times), 1000 * late, cpu / len(times)))
    best = {
        how: [max(each[0] for each in rows), *(min(column) for column in list(zip(*rows, strict=True))[1:])]
        for how, rows in found.items()
    }
    for how, (rate, middle, late, cpu) in best.items():
        print(
            f"{name}, {N_TOGETHER} clients, one sequence a request, {how} batches: {rate:,.0f} a second, "
            f"p50 {middle:.1f} ms, p99 {late:.1f} ms, {1000 * cpu:.2f} ms of the server's CPU each"
        )
    gain = best["with"][0] / best["without"][0]
    print(f"{name}: batches gain a factor of {gain:.2f}, {best['without'][3] / best['with'][3]:.2f} by CPU time")
    return gain > 1.0

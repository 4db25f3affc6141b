"""A server under load, on the loopback: `python -m benchmarks.serving load | speed | life`.

``load`` sends 100,000 requests of mixed kinds, one in ten of them bad, and compares every answer with the model called
in process; ``speed`` measures what a request costs beyond `predict`; ``life`` replaces the model 100 times and kills
workers meanwhile. Everything is bounded, and nothing leaves this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

LETTERS = "abcdefghijklmnopqrstuvwxyz"


# ------------------------------------------------------------------------ models


def small_models(folder: Path) -> dict[str, tuple[Any, Path, list[Any]]]:
    """A small model of every kind, its file, and inputs for it."""
    import weft

    words = ["phone", "graph", "photo", "note", "hero", "tango", "gnome", "ghost", "thing", "ship"]
    sounds = ["fon", "graf", "foto", "not", "hero", "tango", "nom", "gost", "θiŋ", "ʃip"]
    X = [["the", "old", "man", "runs"], ["a", "dog", "sees", "the", "man"], ["dogs", "run"], ["the", "dog"]]
    y = [["D", "A", "N", "V"], ["D", "N", "V", "D", "N"], ["N", "V"], ["D", "N"]]
    pairs = [("V-LSPADK", "VHLTPEEK"), ("MLSPADKT", "V-LTAEEK"), ("AC-D", "ACED")]
    rna = ["GGGAAACCC", "GGCAAAGCCA", "ACGUUUCGU", "GGGGAAAACCCC"]
    brackets = ["(((...)))", "(((...))).", "(((...)))", "((((....))))"]
    texts = ["the cat sat", "the dog sat", "le chat dort", "le chien dort", "the hat", "le chat", "a cat", "un chien"]
    grammar = "S -> NP VP\nNP -> D N\nNP -> n\nVP -> v\nVP -> V NP\nD -> d\nN -> n\nV -> v"
    trees = ["(S (NP (D d) (N n)) (VP v))", "(S (NP n) (VP (V v) (NP (D d) (N n))))", "(S (NP n) (VP v))"]
    crf = weft.CRF(max_iter=5)
    models = {
        "tag": (weft.Tagger(crf), X, y),
        "rewrite": (weft.Rewriter(random_state=0, context=2), words, sounds),
        "align": (weft.Aligner(learner=crf), [tuple(row.replace("-", "") for row in p) for p in pairs], pairs),
        "fold": (weft.Folder(learner=crf), rna, brackets),
        "parse": (weft.Parser(grammar, crf), ["dnv", "nvdn", "nv"], trees),
        "classify": (weft.SequenceSVC(weft.NGramKernel(3), C=1.0, random_state=0), texts, ["en", "en", "fr", "fr"] * 2),
        "regress": (weft.StringRegressor(), ["uno", "dos", "tres", "uno dos"], ["one", "two", "three", "one two"]),
    }
    models["classify"] = (models["classify"][0], texts, ["en", "en", "fr", "fr", "en", "fr", "en", "fr"])
    found = {}
    for name, (model, inputs, outputs) in models.items():
        path = folder / f"{name}.weft"
        weft.save(model.fit(inputs, outputs), path)
        found[name] = (weft.load(path), path, list(inputs))
    return found


def expected(name: str, model: Any, inputs: list[Any], asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What a server must answer, from the model itself."""
    keys = {"tag": "labels", "align": "alignment", "fold": "structure", "parse": "tree", "classify": "label"}
    key = keys.get(name, "output")
    answers = [{key: output} for output in model.predict(inputs)]
    if "kbest" in asked:
        for answer, ranked in zip(answers, model.predict_kbest(inputs, asked["kbest"]), strict=True):
            answer["kbest"] = [{key: output, "probability": p} for output, p in ranked]
    if asked.get("confidence"):
        for answer, sure in zip(answers, model.confidence(inputs).tolist(), strict=True):
            answer["confidence"] = sure
    return json.loads(json.dumps(answers, default=lambda each: each.tolist()))


# ------------------------------------------------------------------------ server


class Server:
    """`weft serve` as a process."""

    def __init__(self, *arguments: Any) -> None:
        command = [sys.executable, "-m", "weft", "serve", *map(str, arguments), "--port", "0"]
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - as long as the process
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        found = re.search(r":(\d+)/", line)
        if found is None:
            self.log.seek(0)
            raise RuntimeError(f"no server: {line} {self.log.read()}")
        self.port = int(found.group(1))

    def workers(self) -> list[int]:
        shown = subprocess.run(
            ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        ).stdout
        return [int(line.split()[0]) for line in shown.splitlines() if "spawn_main" in line]

    def memory(self) -> float:
        """Bytes of all workers that are in memory."""
        return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096.0 for pid in self.workers())

    def cpu(self) -> float:
        """Seconds that workers have computed."""
        ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.workers()]
        return sum(int(each[11]) + int(each[12]) for each in ticks) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)
        self.log.close()


class Client:
    """A connection that stays open, over the streams of asyncio."""

    def __init__(self, port: int) -> None:
        self.port, self.reader, self.writer = port, None, None

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(data)
        return await self.reply()

    async def reply(self) -> tuple[int, bytes]:
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head).group(1))
        body = await self.reader.readexactly(length)
        if b"connection: close" in head:
            self.close()
        return int(head[9:12]), body

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


# -------------------------------------------------------------------------- load


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
            client.reader, client.writer = await asyncio.open_connection("127.0.0.1", port)
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


# ------------------------------------------------------------------------- speed


def larger_models(folder: Path) -> dict[str, tuple[Any, Path, list[Any]]]:
    """A tagger with window features and a rewriter of usual sizes, on made-up words."""
    import weft

    draw = random.Random(0)
    words = ["".join(draw.choice(LETTERS) for _ in range(draw.randint(2, 10))) for _ in range(4000)]
    labels = {word: f"L{len(word)}" for word in words}
    X = [[draw.choice(words) for _ in range(24)] for _ in range(600)]
    y = [[labels[word] for word in sentence] for sentence in X]
    spelled = {letter: letter.upper() for letter in LETTERS} | {"c": "K", "q": "KW", "x": "KS"}
    tagger = weft.Tagger(weft.CRF(max_iter=8), weft.WindowFeatures(1, 1)).fit(X, y)
    sounds = ["".join(map(spelled.__getitem__, word)) for word in words[:1500]]
    rewriter = weft.Rewriter(random_state=0).fit(words[:1500], sounds)
    found = {}
    for name, model, inputs in (("tagging", tagger, X), ("rewriting", rewriter, words)):
        path = folder / f"{name}.weft"
        weft.save(model, path)
        found[name] = (weft.load(path), path, inputs)
    return found


def speed(repeat: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    models = larger_models(folder)
    server = Server(*(path for _, path, _ in models.values()))
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
            ok = _gain(server, name, inputs) and ok
    finally:
        server.end()
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


def _gain(server: Server, name: str, inputs: list[Any]) -> bool:
    """What a request of one sequence costs the server when requests come one by one, and when they come together."""
    data = [request(f"/v1/models/{name}/predict", json.dumps({"inputs": [value]}).encode()) for value in inputs[:400]]

    async def send(n_clients: int) -> None:
        left = iter(data * 4)

        async def work() -> None:
            client = Client(server.port)
            for each in left:
                status, _ = await client.ask(each)
                assert status == 200
            client.close()

        await asyncio.gather(*(work() for _ in range(n_clients)))

    costs = {}
    for n_clients in (1, 32):
        cpu = server.cpu()
        asyncio.run(send(n_clients))
        costs[n_clients] = 1000 * (server.cpu() - cpu) / (4 * len(data))
    print(
        f"{name}, one sequence a request: {costs[1]:.2f} ms of the server's CPU if they come one by one, "
        f"{costs[32]:.2f} ms if 32 come together: batches gain a factor of {costs[1] / costs[32]:.1f}"
    )
    return costs[32] < costs[1]


# -------------------------------------------------------------------------- life


def life(n_swaps: int, n_kills: int) -> int:
    import weft

    folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    X = [["the", "old", "man", "runs"], ["a", "dog", "sees", "the", "man"]]
    versions = {}
    for number, labels in enumerate(([list("DANV"), list("DNVDN")], [list("danv"), list("dnvdn")])):
        weft.save(weft.Tagger(weft.CRF(max_iter=3)).fit(X, labels), folder / f"{number}")
        digest = hashlib.sha256((folder / f"{number}").read_bytes()).hexdigest()[:12]
        versions[digest] = [{"labels": row} for row in labels]
    file = folder / "tags.weft"
    shutil.copy(folder / "0", file)
    server = Server(file, "--workers", 2, "--reload", 0.05)
    data = request("/v1/models/tags/predict", json.dumps({"inputs": X}).encode())
    counts: Counter[str] = Counter()
    seen: set[str] = set()

    async def ask_for_ever(over: asyncio.Event) -> None:
        client = Client(server.port)
        while not over.is_set():
            try:
                status, body = await client.ask(data)
            except (OSError, asyncio.IncompleteReadError):
                counts["closed"] += 1
                client.close()
                continue
            found = msgspec.json.decode(body)
            if status != 200:
                counts[f"status {status}"] += 1
                continue
            seen.add(found["model"]["version"])
            counts["right" if versions.get(found["model"]["version"]) == found["answers"] else "WRONG"] += 1
        client.close()

    async def version() -> str:
        client = Client(server.port)
        _, body = await client.ask(b"GET /v1/models/tags HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.close()
        return str(msgspec.json.decode(body)["version"])

    async def run() -> None:
        over = asyncio.Event()
        asking = [asyncio.create_task(ask_for_ever(over)) for _ in range(8)]
        for number in range(n_swaps):
            wanted = list(versions)[(number + 1) % 2]
            shutil.copy(folder / str((number + 1) % 2), folder / "new")
            (folder / "new").replace(file)
            while await version() != wanted:
                await asyncio.sleep(0.02)
            counts["swapped"] += 1
            if n_kills and number % max(1, n_swaps // n_kills) == 0:
                before, killed = counts["closed"], server.workers()
                os.kill(killed[0], signal.SIGKILL)
                counts["killed"] += 1
                await asyncio.sleep(0.3)
                counts["closed beyond a worker's connections"] += max(0, counts["closed"] - before - 8)
                while len(server.workers()) < 2:
                    await asyncio.sleep(0.1)
            if number in (n_swaps // 2, n_swaps - 1):
                marks.append(server.memory() / max(1, len(server.workers())))
        over.set()
        await asyncio.gather(*asking)

    marks: list[float] = []
    try:
        asyncio.run(run())
    finally:
        server.end()
        shutil.rmtree(folder)
    print("  ".join(f"{name}: {count:,}" for name, count in sorted(counts.items())))
    print(f"memory of a worker: {marks[0] / 1e6:.0f} MB after half of the swaps, {marks[-1] / 1e6:.0f} MB at the end")
    bad = counts["WRONG"] + counts["closed beyond a worker's connections"] + sum(
        count for name, count in counts.items() if name.startswith("status")
    )  # fmt: skip
    ok = not bad and len(seen) == 2 and counts["swapped"] == n_swaps
    print("ok" if ok else "NOT OK")
    return 0 if ok else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=__doc__)
    parser.add_argument("what", choices=["load", "speed", "life"])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--swaps", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "load":
        return load(options.requests, options.clients, options.workers)
    return speed(options.repeat) if options.what == "speed" else life(options.swaps, options.kills)


if __name__ == "__main__":
    sys.exit(main())

"""A model that is replaced 100 times, and workers that are killed meanwhile.

The system's tables of sockets say which worker holds which connection. A worker is stopped before it is killed, so that
its connections are known exactly: they must close, and no other may.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.serving.process import Client, Server, request

X = [["the", "old", "man", "runs"], ["a", "dog", "sees", "the", "man"]]
LABELS = ([list("DANV"), list("DNVDN")], [list("danv"), list("dnvdn")])
N_CLIENTS, N_WORKERS = 12, 2
FAIR = N_CLIENTS // N_WORKERS - 2
"""Connections that each worker has before one is killed."""
PATIENCE = 30.0
"""Seconds after which a request counts as unanswered."""
MOST_REQUESTS = 40
"""Requests on one connection, at the most: new ones come all the time."""


class Life:
    """Clients that ask all the time, and what became of their requests."""

    def __init__(self, server: Server, versions: dict[str, Any]) -> None:
        self.server, self.versions = server, versions
        self.data = request("/v1/models/tags/predict", json.dumps({"inputs": X}).encode())
        self.counts: Counter[str] = Counter()
        self.workers: dict[int, Counter[str]] = {}
        self.clients: list[Client] = []
        self.seen: set[str] = set()
        self.lost: set[int] = set()  # ports of connections that killed workers held
        self.over = asyncio.Event()
        self.draw = random.Random(0)
        self.longest = 0.0

    async def ask_for_ever(self, client: Client) -> None:
        """Requests one after the other, on a new connection now and then."""
        while not self.over.is_set():
            answers, owner = 0, None
            try:
                for _ in range(self.draw.randint(1, MOST_REQUESTS)):
                    if self.over.is_set():
                        break
                    await self.ask_once(client)
                    answers += 1
                    owner = owner or self.server.owner(client.local_port)
            except (OSError, asyncio.IncompleteReadError):
                known = client.local_port in self.lost
                self.counts["closed with their worker" if known else "CLOSED WITHOUT CAUSE"] += 1
            except TimeoutError:
                self.counts["UNANSWERED"] += 1
            if owner is not None:
                of_worker = self.workers.setdefault(owner, Counter())
                of_worker["connections"] += 1
                of_worker["answers"] += answers
            client.close()

    async def ask_once(self, client: Client) -> None:
        began = time.perf_counter()
        client.is_open = True
        status, body = await asyncio.wait_for(client.ask(self.data), PATIENCE)
        client.is_open = False
        self.longest = max(self.longest, time.perf_counter() - began)
        found = msgspec.json.decode(body)
        if status != 200:
            self.counts[f"STATUS {status}"] += 1
            return
        version = found["model"]["version"]
        self.seen.add(version)
        self.counts["right" if self.versions.get(version) == found["answers"] else "WRONG"] += 1

    async def swap(self, number: int, new: Path, file: Path) -> None:
        """Replace the file, and wait until the server says so."""
        shutil.copy(new, file.parent / "new")
        (file.parent / "new").replace(file)
        wanted = list(self.versions)[number]
        while await self.version() != wanted:
            await asyncio.sleep(0.02)
        self.counts["swapped"] += 1

    async def version(self) -> str:
        client = Client(self.server.port)
        _, body = await client.ask(b"GET /v1/models/tags HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.close()
        return str(msgspec.json.decode(body)["version"])

    async def kill(self) -> None:
        """Kill a worker when all have a fair part of the connections, and wait until another one takes its place."""
        while True:
            await asyncio.sleep(0.02)
            held = {pid: self.server.ports(pid) for pid in self.server.workers()}
            if len(held) == N_WORKERS and all(len(ports) >= FAIR for ports in held.values()):
                break
        victim = self.draw.choice(sorted(held))
        os.kill(victim, signal.SIGSTOP)
        while self.server.state(victim) != "T":
            await asyncio.sleep(0)
        ports = self.server.ports(victim)
        self.lost |= ports
        of_victim = self.workers.setdefault(victim, Counter())
        of_victim["killed with connections"] = len(ports)
        for client in self.clients:
            if client.is_open and client.writer is not None:
                mine = client.local_port in ports
                of_victim["their open requests" if mine else "open requests of the others"] += 1
        before = self.counts["right"]
        os.kill(victim, signal.SIGKILL)
        await asyncio.sleep(0.3)
        of_victim["answers of the others within 0.3 s"] = self.counts["right"] - before
        self.counts["killed"] += 1
        while len(self.server.workers()) < N_WORKERS:
            await asyncio.sleep(0.05)
        self.counts["started again"] += 1

    async def run(self, folder: Path, file: Path, n_swaps: int, n_kills: int) -> list[float]:
        """All of it; memory of a worker at half time and at the end."""
        self.clients = [Client(self.server.port) for _ in range(N_CLIENTS)]
        asking = [asyncio.create_task(self.ask_for_ever(client)) for client in self.clients]
        marks = []
        for number in range(n_swaps):
            await self.swap((number + 1) % 2, folder / str((number + 1) % 2), file)
            if n_kills and number % max(1, n_swaps // n_kills) == 0:
                await self.kill()
            if number in (n_swaps // 2, n_swaps - 1):
                marks.append(self.server.memory() / max(1, len(self.server.workers())))
        self.over.set()
        await asyncio.gather(*asking)
        return marks


def life(n_swaps: int, n_kills: int) -> int:
    """Print what became of all requests; 0 if all is well."""
    import weft

    folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    versions = {}
    for number, labels in enumerate(LABELS):
        weft.save(weft.Tagger(weft.CRF(max_iter=3)).fit(X, labels), folder / f"{number}")
        digest = hashlib.sha256((folder / f"{number}").read_bytes()).hexdigest()[:12]
        versions[digest] = [{"labels": row} for row in labels]
    file = folder / "tags.weft"
    shutil.copy(folder / "0", file)
    server = Server(file, "--workers", N_WORKERS, "--reload", 0.05)

    async def inside() -> tuple[Life, list[float]]:
        found = Life(server, versions)
        return found, await found.run(folder, file, n_swaps, n_kills)

    try:
        found, marks = asyncio.run(inside())
    finally:
        server.end()
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    for number, (_, of_worker) in enumerate(sorted(found.workers.items()), start=1):
        print(f"worker {number}: " + ", ".join(f"{count:,} {name}" for name, count in of_worker.items()))
    print("  ".join(f"{name}: {count:,}" for name, count in sorted(found.counts.items())))
    print(f"longest wait for an answer: {found.longest:.2f} s")
    print(f"memory of a worker: {marks[0] / 1e6:.0f} MB after half of the swaps, {marks[-1] / 1e6:.0f} MB at the end")
    killed = [each for each in found.workers.values() if "killed with connections" in each]
    checks = {
        "an answer that is wrong, missing or refused": not any(name.isupper() for name in map(_word, found.counts)),
        "a swap": found.counts["swapped"] == n_swaps and len(found.seen) == 2,
        "a worker without connections": all(each["connections"] for each in found.workers.values()),
        "a kill that met only one worker's requests": sum(each["their open requests"] for each in killed) >= n_kills
        and all(each["answers of the others within 0.3 s"] for each in killed),
        "a worker that did not come back": found.counts["started again"] == n_kills,
    }
    bad = [name for name, is_well in checks.items() if not is_well]
    print("NOT OK: " + "; ".join(bad) if bad else "ok")
    return 1 if bad else 0


def _word(name: str) -> str:
    return name.split()[0]

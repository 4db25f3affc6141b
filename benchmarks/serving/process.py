"""`weft serve` as a process, and a client of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ESTABLISHED = "01"


def client_ports(pid: int, server_port: int) -> set[int]:
    """Ports of the clients whose connections a process holds, from the system's tables."""
    held = set()
    with contextlib.suppress(OSError):  # it may end meanwhile
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                held.add(str(entry.readlink()))
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, ours, theirs, state, _, _, _, _, _, inode = line.split()[:10]
        is_ours = int(ours.rpartition(":")[2], 16) == server_port and state == ESTABLISHED
        if is_ours and f"socket:[{inode}]" in held:
            found.add(int(theirs.rpartition(":")[2], 16))
    return found


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
        """Processes that have models."""
        found = []
        for pid in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            with contextlib.suppress(OSError):  # it may end meanwhile
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(int(pid))
        return found

    def memory(self) -> float:
        """Bytes of all workers that are in memory."""
        return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096.0 for pid in self.workers())

    def cpu(self) -> float:
        """Seconds that workers have computed."""
        ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.workers()]
        return sum(int(each[11]) + int(each[12]) for each in ticks) / os.sysconf("SC_CLK_TCK")

    def state(self, pid: int) -> str:
        """A letter for what a process does, such as T for stopped."""
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

    def ports(self, pid: int) -> set[int]:
        """Ports of the clients whose connections a worker holds."""
        return client_ports(pid, self.port)

    def owner(self, port: int) -> int | None:
        """The worker that holds the connection of a client's port."""
        return next((pid for pid in self.workers() if port in self.ports(pid)), None)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)
        self.log.close()


class Client:
    """A connection that stays open, over the streams of asyncio."""

    def __init__(self, port: int) -> None:
        self.port, self.reader, self.writer = port, None, None
        self.local_port, self.is_open = 0, False

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        if self.writer is None:
            await self.connect()
        self.writer.write(data)
        return await self.reply()

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.local_port = self.writer.get_extra_info("sockname")[1]

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

"""Real servers for tests: `weft serve` as a process of its own on the loopback, and a client of a few lines."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

PATIENCE = 300.0
"""Seconds that a server may take to start: where nothing is compiled yet, that is long."""


class Server:
    """A running server."""

    def __init__(self, *arguments, env=None):
        command = [sys.executable, "-m", "weft", "serve", *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
        )
        self.log = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        line = self.process.stdout.readline()
        found = re.search(r"http://(?:127\.0\.0\.1|\[::1\]):(\d+)/", line)
        if found is None:
            self.process.wait(PATIENCE)
            self._reader.join(10)
            raise RuntimeError(f"no server: {line!r} {''.join(self.log)}")
        self.port = int(found.group(1))
        self.address = f"http://127.0.0.1:{self.port}/"

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)

    def connection(self, timeout=120):
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout))

    def ask(self, path, body=None, headers=None, method=None):
        """Status, headers and what came, JSON decoded."""
        with self.connection() as connection:
            return ask(connection, path, body, headers, method)

    def predict(self, model, **question):
        status, _, found = self.ask(f"/v1/models/{model}/predict", question)
        assert status == 200, found
        return found["answers"]

    def workers(self):
        """Processes of the server that have models; the oldest first."""
        children = subprocess.run(
            ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        ).stdout
        return [int(line.split()[0]) for line in children.splitlines() if "spawn_main" in line]

    def end(self, number=signal.SIGTERM):
        """End it, and the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(10)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end()


def ask(connection, path, body=None, headers=None, method=None):
    """One request on a connection that stays open."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    known = {"Content-Type": "application/json"} if data is not None else {}
    connection.request(method or ("GET" if data is None else "POST"), path, data, {**known, **(headers or {})})
    reply = connection.getresponse()
    content = reply.read()
    kind = reply.headers.get("content-type", "")
    return reply.status, reply.headers, json.loads(content) if kind == "application/json" else content


def wait_until(condition, seconds=PATIENCE):
    """Wait until something holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.05)

"""Life of worker processes: models that are replaced, workers that are killed, an end in good order."""

import concurrent.futures
import hashlib
import http.client
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from benchmarks.serving.process import client_ports

import weft
from serving import Server, ask, wait_until

X = [["the", "cat", "sleeps"], ["a", "cat"], ["the", "dog", "sleeps"]]
LABELS = [[["D", "N", "V"], ["D", "N"], ["D", "N", "V"]], [["d", "n", "v"], ["d", "n"], ["d", "n", "v"]]]


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Two models whose answers differ."""
    folder = tmp_path_factory.mktemp("versions")
    paths = []
    for number, y in enumerate(LABELS):
        paths.append(folder / f"{number}.weft")
        weft.save(weft.Tagger(weft.CRF(max_iter=3), n_jobs=1).fit(X, y), paths[-1])
    return paths


def replace(source, target):
    """As careful programs do."""
    shutil.copy(source, f"{target}.new")
    Path(f"{target}.new").replace(target)


def version(server):
    return server.ask("/v1/models/tags")[2]["version"]


@pytest.fixture(scope="module")
def server(versions, tmp_path_factory):
    file = tmp_path_factory.mktemp("served") / "tags.weft"
    replace(versions[0], file)
    with Server(file, "--workers", "2", "--reload", "0.05") as running:
        running.file = file
        wait_until(lambda: len(running.workers()) == 2)
        yield running


class Load:
    """Threads that ask all the time, and what became of their questions."""

    def __init__(self, server, n_threads=4):
        self.answers, self.refused, self.closed = [], [], []
        self._server, self._over = server, threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work) for _ in range(n_threads)]

    def _work(self):
        while not self._over.is_set():
            port = None
            try:
                with self._server.connection() as connection:
                    for _ in range(50):
                        if self._over.is_set():
                            break
                        status, headers, found = ask(connection, "/v1/models/tags/predict", {"inputs": X})
                        port = port or connection.sock.getsockname()[1]
                        with self._lock:
                            (self.answers if status == 200 else self.refused).append(found)
                        if headers.get("connection") == "close":
                            break
            except (http.client.HTTPException, OSError):
                with self._lock:
                    self.closed.append(port)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        for thread in self._threads:
            thread.join()


def wrong(load, versions):
    """Answers that are not those of the version that they name."""
    known = {}
    for path, y in zip(versions, LABELS, strict=True):
        known[hashlib.sha256(path.read_bytes()).hexdigest()[:12]] = [{"labels": labels} for labels in y]
    return [found for found in load.answers if known.get(found["model"]["version"]) != found["answers"]]


def test_workers_share_the_pages_of_a_model(server):
    def inodes(pid):
        return {line.split()[4] for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if ".weft" in line}

    wait_until(lambda: all(map(inodes, server.workers())))
    found = [inodes(pid) for pid in server.workers()]
    assert len(found) == 2
    assert found[0] == found[1]
    assert len(found[0]) == 1


def kill_one(server, which):
    """Kill a worker while each has connections; those that it held, exactly, since it stands still before it dies."""
    wait_until(lambda: min(len(client_ports(pid, server.port)) for pid in [*server.workers(), 0][:2]) > 0)
    killed = server.workers()[which]
    os.kill(killed, signal.SIGSTOP)
    wait_until(lambda: Path(f"/proc/{killed}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    held = client_ports(killed, server.port)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: killed not in server.workers() and len(server.workers()) == 2)
    return held


def test_models_are_swapped_and_workers_killed_under_load(server, versions):
    lost = set()
    with Load(server) as load:
        for number in range(12):
            before = version(server)
            replace(versions[(number + 1) % 2], server.file)
            wait_until(lambda before=before: version(server) != before)
            if number % 4 == 3:
                lost |= kill_one(server, number % 2)
        n_answers = len(load.answers)
        wait_until(lambda: len(load.answers) > n_answers + 20)
    assert wrong(load, versions) == []
    assert set(load.closed) - {None} <= lost  # connections of killed workers, and no others
    assert load.closed.count(None) <= 3  # taken by a worker that was killed before its first answer
    assert load.refused == []
    assert {found["model"]["version"] for found in load.answers} != {load.answers[0]["model"]["version"]}


def test_a_file_that_cannot_be_loaded_leaves_the_old_model(server, versions):
    replace(versions[0], server.file)
    wait_until(lambda: server.predict("tags", inputs=X)[0]["labels"] == LABELS[0][0])
    before = version(server)
    server.file.write_bytes(server.file.read_bytes()[:1000])  # in place, as cp would
    wait_until(lambda: server.ask("/v1/models/tags")[2]["stale"])
    assert version(server) == before
    for pid in server.workers():  # workers that start now find no good file either
        os.kill(pid, signal.SIGKILL)
    assert server.predict("tags", inputs=X) == [{"labels": labels} for labels in LABELS[0]]
    assert any("could not be loaded" in line for line in server.log)
    replace(versions[1], server.file)
    wait_until(lambda: version(server) != before and not server.ask("/v1/models/tags")[2]["stale"])


def test_the_end_comes_after_the_last_answer(versions):
    server = Server(versions[0])
    question = {"inputs": X * 300, "kbest": 5, "confidence": True}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        begun = [pool.submit(server.ask, "/v1/models/0/predict", question) for _ in range(6)]
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        assert [each.result()[0] for each in begun] == [200] * 6
    assert server.end() == 0
    assert not any("Traceback" in line for line in server.log)

"""Schedulers and workers that are real processes: those that lack weft, and those that go away."""

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from weft.errors import InputError
from weft.scale import Examples, connected
from weft.scale.cluster import check_workers

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

SECONDS = 90


class Cluster:
    """A scheduler, and workers that tests start and end."""

    def __init__(self, folder):
        self.file, self.processes = folder / "scheduler.json", []

    def start(self, module, *options, **environment):
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *options]
        process = subprocess.Popen(
            [*command, "--scheduler-file", str(self.file)],
            env={**os.environ, **environment},
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def scheduler(self):
        self.file.unlink(missing_ok=True)
        started = self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        until = time.monotonic() + SECONDS
        while not self.file.exists() and time.monotonic() < until:
            time.sleep(0.1)
        return started

    def worker(self, **environment):
        return self.start("dask_worker", "--nthreads", "1", **environment)


@pytest.fixture
def cluster(tmp_path):
    found = Cluster(tmp_path)
    yield found
    for process in found.processes:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_workers_without_weft_or_with_another_are_named(cluster, tmp_path):
    without, other = tmp_path / "without", tmp_path / "other"
    (without / "weft").mkdir(parents=True)
    (without / "weft" / "__init__.py").write_text("raise ModuleNotFoundError('No module named weft')")
    (other / "weft-0.0.7.dist-info").mkdir(parents=True)
    (other / "weft-0.0.7.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: weft\nVersion: 0.0.7\n")
    cluster.scheduler()
    with connected(scheduler_file=cluster.file) as client:
        for path, said in ((without, "cannot import weft"), (other, "has weft 0.0.7, this process")):
            worker = cluster.worker(PYTHONPATH=str(path))
            client.wait_for_workers(1, timeout=SECONDS)
            with pytest.raises(InputError, match=said) as raised:
                check_workers(client)
            assert len(str(raised.value).splitlines()) == 1
            worker.kill()
            worker.wait()
            until = time.monotonic() + SECONDS
            while client.scheduler_info()["workers"] and time.monotonic() < until:
                time.sleep(0.2)


def test_a_run_goes_on_when_the_scheduler_is_back(cluster, tmp_path):
    sentences = ["".join(f"w{(i * k) % 97} {'ABC'[(i * k) % 3]}\n" for k in range(1, 9)) for i in range(1, 400)]
    (tmp_path / "train.conll").write_text("\n".join(sentences))

    def command(model, *options):
        given = ["train", "tag", "train.conll", "-o", model, "--c2", "1e-9", "--max-iter", "600"]
        return [sys.executable, "-m", "weft", *given, *options]

    subprocess.run(command("m.weft"), cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "m.weft").rename(tmp_path / "wanted.weft")  # a model says what its file was to be
    scheduler = cluster.scheduler()
    cluster.worker()
    where = ["--scheduler-file", str(cluster.file)]
    run = subprocess.Popen(command("m.weft", *where), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert "worker" in run.stderr.readline()
    time.sleep(4.0)  # it takes longer: a question to a cluster takes milliseconds
    scheduler.kill()
    _, said = run.communicate(timeout=SECONDS + 60)
    assert run.returncode == 2, said
    assert "the scheduler is gone; start one, and go on with --resume." in said.splitlines()[-1]
    assert not (tmp_path / "m.weft").exists()
    cluster.scheduler()
    cluster.worker()
    again = subprocess.run(
        command("m.weft", "--resume", *where), cwd=tmp_path, check=False, stderr=subprocess.PIPE, text=True
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "m.weft").read_bytes() == (tmp_path / "wanted.weft").read_bytes()


@pytest.mark.needs_data("conll2000")
def test_workers_that_are_killed_in_ten_fits_change_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))
    assert importlib.import_module("benchmarks.scale_more").kills(10, 2_000) == 0


def test_partitions_of_a_bag(tmp_path):
    """Empty ones, ones with other columns, and labels of one alone."""
    import dask.bag

    import weft

    with connected(workers=2) as client:
        rows = [(["a", "b"], ["x", "y"]), (["b"], ["z"])]
        found = weft.Tagger(weft.CRF(max_iter=3)).fit(dask.bag.from_sequence(rows, npartitions=2), client=client)
        assert list(found.classes_) == ["x", "y", "z"]
        empty = dask.bag.from_sequence(rows, npartitions=2).filter(lambda row: len(row[0]) > 1)
        with pytest.raises(InputError, match="partition 1 has no example; leave it out"):
            weft.Tagger().fit(empty, client=client)
        other = dask.bag.from_sequence([*rows, ([{"word": "a"}], ["x"])], npartitions=3)
        with pytest.raises(InputError, match="partition 2 holds dicts but partition 0 holds symbols"):
            weft.Tagger().fit(other, client=client)
        with pytest.raises(InputError, match=r"a bag of \(input, output\) pairs is needed"):
            weft.Tagger().fit(dask.bag.from_sequence(["ab"]), client=client)
        with pytest.raises(InputError, match=r"part 1: X\[0\] has 2 tokens"):
            weft.Tagger().fit(Examples.from_lists([["a"], ["b", "c"]], [["x"], ["y"]], 2), client=client)

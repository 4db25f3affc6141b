"""Fits on a real cluster of processes: the model of one machine, byte for byte, whatever happens to the workers."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import version

import numpy as np
import pytest

import weft
from weft.core.shards import sum_over_shards
from weft.errors import InputError
from weft.estimators import parted_fit
from weft.scale import Examples
from weft.scale.cluster import ClusterKeeper, check_workers
from weft.scale.connect import connected

distributed = pytest.importorskip("distributed")

RANDOM = np.random.default_rng(5)
WORDS = [[f"w{j}" for j in RANDOM.integers(40, size=RANDOM.integers(3, 9))] for _ in range(300)]
LABELS = [[("A", "B", "C")[int(word[1:]) % 3] for word in words] for words in WORDS]
DICTS = [[{"word": word, "bias": 0.5} for word in words] for words in WORDS]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Several shards of little data."""
    monkeypatch.setattr("weft.core.shards.LEAST_COST", 256)


def saved(estimator, folder, name):
    weft.save(estimator, folder / name)
    return (folder / name).read_bytes()


ESTIMATORS = {
    "crf": (lambda: weft.Tagger(weft.CRF(c2=0.1, max_iter=8)), DICTS, LABELS),
    "crf of order 2, frequent words": (
        lambda: weft.Tagger(weft.CRF(c2=0.1, max_iter=5), order=2, boundary=True, min_count=3, pairs="observed"),
        WORDS,
        LABELS,
    ),
    "z-score": (lambda: weft.Tagger(weft.ZScore(alpha=0.1)), WORDS, LABELS),
    "generative": (lambda: weft.Tagger(weft.Generative()), WORDS, LABELS),
    "em": (lambda: weft.Tagger(weft.EM(max_iter=3)), WORDS, LABELS),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_model_is_that_of_one_machine(name, client, tmp_path):
    make, X, y = ESTIMATORS[name]
    alone = make().fit(X, y)
    parted = make().fit(Examples.from_lists(X, y, 5), client=client)
    assert saved(parted, tmp_path, "a") == saved(alone, tmp_path, "b")


@pytest.mark.filterwarnings("ignore")
def test_shards_that_share_a_part_change_nothing(client, tmp_path, monkeypatch):
    make, X, y = ESTIMATORS["crf"]
    wanted = saved(make().fit(X, y), tmp_path, "wanted")
    asked = []
    made = parted_fit.PartedBatch
    monkeypatch.setattr(parted_fit, "PartedBatch", lambda keeper, weight: asked.append(keeper) or made(keeper, weight))
    for most in (1, 3, 256):
        monkeypatch.setattr(parted_fit, "MOST_PARTS", most)
        found = make().fit(Examples.from_lists(X, y, 5), client=client)
        assert saved(found, tmp_path, "found") == wanted
    sizes = [len(keeper.n_sequences) for keeper in asked]
    assert sizes[0] == 1 < sizes[1] <= 3 < sizes[2]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["crf", "crf of order 2, frequent words"])
def test_the_model_of_files_is_that_of_memory(name, tmp_path):
    make, X, y = ESTIMATORS[name]
    alone = saved(make().fit(X, y), tmp_path, "alone")
    for _ in range(2):  # built once, found again
        parted = make().fit(Examples.from_lists(X, y, 4), spill=tmp_path / "spill")
        assert saved(parted, tmp_path, "parted") == alone


class Places:
    """A client that knows which parts lie where, and nothing else."""

    def __init__(self, places, n_workers):
        self.places, self.there = places, n_workers

    def who_has(self, parts):
        return {part.key: self.places[part.number] for part in parts}

    def scheduler_info(self, n_workers):
        return {"workers": dict.fromkeys(range(self.there))}


class Part:
    hints = None

    def __init__(self, number):
        self.number, self.key = number, f"part-{number}"


@pytest.mark.parametrize(
    ("places", "n_workers", "groups"),
    [
        ("aaaabbbb", 2, {(0, 4), (4, 8)}),
        ("aaaabbbb", 3, {(0, 2), (2, 4), (4, 6), (6, 8)}),
        ("abababab", 2, {(i, i + 1) for i in range(8)}),
        ("aaab", 2, {(0, 2), (2, 3), (3, 4)}),
        ("aaaaab", 1, {(0, 4), (4, 5), (5, 6)}),
        ("aaaaa", 1, {(0, 5)}),
        ("abbbbb", 2, {(0, 1), (1, 2), (2, 4), (4, 6)}),
        ("a", 1, {(0, 1)}),
    ],
)
def test_parts_that_lie_together_are_one_task(places, n_workers, groups):
    """They are nodes of the tree in which sums are added, or there would be another order."""
    parts = [Part(number) for number in range(len(places))]
    keeper = ClusterKeeper(Places([(each,) for each in places], n_workers), parts, [1] * len(parts), {})
    assert keeper._groups() == groups


@pytest.mark.parametrize("places", ["aaab", "abcaab", "aaaaaab", "abababab", "aaaaabbbbb", "aab"])
def test_sums_are_added_in_the_order_of_one_machine(places, monkeypatch):
    """Wherever parts lie: each adds its number in brackets."""
    monkeypatch.setattr("weft.scale.cluster.submitted", lambda client, work, *given: work(*given))
    monkeypatch.setattr("weft.scale.cluster.gathered", lambda client, futures: futures)
    monkeypatch.setattr("weft.scale.cluster.answer", lambda part, *given: str(part.number))
    monkeypatch.setattr("weft.scale.cluster.merged", lambda question, left, right: f"({left} {right})")
    monkeypatch.setattr("weft.scale.cluster.finished", lambda question, found: found)
    parts = [Part(number) for number in range(len(places))]
    keeper = ClusterKeeper(Places([(each,) for each in places], 2), parts, [1] * len(parts), {})
    wanted = sum_over_shards(str, range(len(parts)), 1, add=lambda left, right: f"({left} {right})")
    assert keeper.ask("log_partitions", [], None) == wanted


ALIGNED = [("GATTC", "GATC"), ("ATTC", "ATC"), ("GAT", "GAT"), ("CATTA", "CTTA")] * 3
ALIGNMENTS = [("GATTC", "GA-TC"), ("ATTC", "A-TC"), ("GAT", "GAT"), ("CATTA", "C-TTA")] * 3
FOLDED = ["GGGAAACCC", "GCGAAAGC", "GGAAAACC", "AGGGAAACCCA"] * 2
FOLDS = ["(((...)))", "((....))", "((....))", ".(((...)))."] * 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "X", "y"),
    [
        (lambda: weft.Aligner("match", learner=weft.CRF(c2=0.1, max_iter=4)), ALIGNED, ALIGNMENTS),
        (lambda: weft.Folder("g6", weft.CRF(c2=0.1, max_iter=3)), FOLDED, FOLDS),
    ],
    ids=["aligner", "folder"],
)
def test_other_structures_give_the_model_of_one_machine(make, X, y, client, tmp_path):
    alone = make().fit(X, y)
    parted = make().fit(Examples.from_lists(X, y, 2), client=client)
    assert saved(parted, tmp_path, "a") == saved(alone, tmp_path, "b")


def test_steps_on_a_cluster_come_close_to_those_of_one_machine(client):
    examples = Examples.from_lists(WORDS, LABELS, 4)
    mixed = weft.Tagger(weft.Perceptron(max_iter=10), random_state=0).fit(examples, client=client)
    alone = weft.Tagger(weft.Perceptron(max_iter=10), random_state=0).fit(WORDS, LABELS)
    assert abs(mixed.score(WORDS, LABELS) - alone.score(WORDS, LABELS)) <= 0.01
    alone = weft.Tagger(weft.StructuredSVM(C=0.01, max_iter=200, tol=0.01)).fit(WORDS, LABELS)
    planes = weft.Tagger(weft.StructuredSVM(C=0.01, max_iter=200, tol=0.01)).fit(examples, client=client)
    objectives = [hinge_objective(each, 0.01) for each in (alone, planes)]
    # Both have a duality gap of at most 1 %.
    assert abs(objectives[0] - objectives[1]) <= 0.011 * max(objectives)


def hinge_objective(tagger, C):
    batch = tagger.bind(WORDS, LABELS)
    hinges = batch.argmax(tagger.weights_, loss=1.0)[1] - batch.scores(tagger.weights_, batch.reference())
    return 0.5 * tagger.weights_ @ tagger.weights_ + C * hinges.sum()


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_nothing(client, tmp_path):
    make, X, y = ESTIMATORS["crf"]
    wanted = saved(make().fit(X, y), tmp_path, "wanted")
    victim = next(iter(client.run(os.getpid).values()))
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    try:
        found = make().fit(Examples.from_lists(X, y, 5), client=client)
    finally:
        killer.join()
    assert saved(found, tmp_path, "found") == wanted


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_joins_late_changes_nothing(tmp_path):
    make, X, y = ESTIMATORS["crf"]
    wanted = saved(make().fit(X, y), tmp_path, "wanted")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        timer = threading.Timer(0.5, cluster.scale, (2,))
        timer.start()
        try:
            found = make().fit(Examples.from_lists(X, y, 5), client=client)
        finally:
            timer.join()
        client.wait_for_workers(2, timeout=60)
        again = make().fit(Examples.from_lists(X, y, 5), client=client)
    assert saved(found, tmp_path, "found") == saved(again, tmp_path, "again") == wanted


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_goes_away_is_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.scale.cluster.SCHEDULER_SECONDS", 2.0)
    address = tmp_path / "scheduler.json"
    commands = [
        ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        ["distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard"],
    ]
    run = [sys.executable, "-m"]
    there = [subprocess.Popen([*run, *own, "--scheduler-file", str(address)]) for own in commands[:1]]
    try:
        until = time.monotonic() + 60
        while not address.exists() and time.monotonic() < until:
            time.sleep(0.1)
        there += [subprocess.Popen([*run, *commands[1], "--scheduler-file", str(address)])]
        with connected(scheduler_file=address) as client:
            client.wait_for_workers(1, timeout=60)
            examples = Examples.from_lists(WORDS, LABELS, 5)
            weft.Tagger(weft.CRF(max_iter=2)).fit(examples, client=client)
            killer = threading.Timer(1.0, there[0].kill)
            killer.start()
            began = time.monotonic()
            with pytest.raises(InputError, match="the scheduler is gone"):
                weft.Tagger(weft.CRF(c2=1e-9, tol=0.0, max_iter=100_000)).fit(examples, client=client)
            assert time.monotonic() - began < 90
    finally:
        for process in there:
            process.kill()
            process.wait()


async def never():
    """As broadcasts of Dask end that a worker is lost in."""
    await asyncio.sleep(3600)


async def forgotten():
    """As they end that a worker was lost just before."""
    raise KeyError("tcp://127.0.0.1:37503")


class Stuck:
    """A client whose broadcasts end in some other way than they should."""

    status = "running"

    def __init__(self, client, end):
        self._client, self._end, self.n_broadcasts = client, end, 0

    def __getattr__(self, name):
        return getattr(self._client, name)

    def scatter(self, values, broadcast, **others):
        self.n_broadcasts += broadcast
        return self._end() if broadcast else self._client.scatter(values, **others)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("end", [never, forgotten])
def test_a_broadcast_that_fails_is_given_up(end, client, tmp_path, monkeypatch):
    monkeypatch.setattr("weft.scale.cluster.SCATTER_SECONDS", 2.0)
    make, X, y = ESTIMATORS["crf"]
    stuck = Stuck(client, end)
    found = make().set_params(learner__max_iter=2).fit(Examples.from_lists(X, y, 5), client=stuck)
    alone = make().set_params(learner__max_iter=2).fit(X, y)
    assert saved(found, tmp_path, "found") == saved(alone, tmp_path, "alone")
    assert stuck.n_broadcasts == 1


class Strangers:
    """A client of workers that have no weft, or another one."""

    def __init__(self, found):
        self.found = found

    def wait_for_workers(self, n, timeout):
        pass

    def run(self, work, on_error):
        return {"tcp://10.0.0.7:1": self.found.pop() if isinstance(self.found, list) else self.found}


def test_workers_need_this_weft():
    with pytest.raises(InputError, match=r"worker tcp://10.0.0.7:1 cannot import weft \(No module"):
        check_workers(Strangers(ModuleNotFoundError("No module named 'weft'")))
    with pytest.raises(InputError, match=r"has weft 0\.0\.7, this process"):
        check_workers(Strangers("0.0.7"))


def test_a_worker_that_was_lost_just_now_is_asked_again(monkeypatch):
    monkeypatch.setattr("weft.scale.cluster.time.sleep", lambda seconds: None)
    check_workers(Strangers([version("weft"), OSError("Stream is closed")]))
    with pytest.raises(InputError, match="does not answer"):
        check_workers(Strangers(OSError("Stream is closed")))


def no_examples():
    return [], []


def test_what_cannot_be_meant_is_refused(client, tmp_path):
    parts = Examples.from_lists(WORDS, LABELS, 3)
    with pytest.raises(InputError, match="client and spill need examples in parts"):
        weft.Tagger().fit(WORDS, LABELS, client=client)
    with pytest.raises(InputError, match="pass one of them"):
        weft.Tagger().fit(parts, client=client, spill=tmp_path / "s")
    with pytest.raises(InputError, match="part 1 has no example"):
        weft.Tagger().fit(Examples([parts.readers[0], no_examples], ["part 0", "part 1"], []), spill=tmp_path / "e")
    mixed = Examples.from_lists([["a"], [["b"]]], [["x"], ["y"]], 2)
    with pytest.raises(InputError, match="part 1 holds attributes but part 0 holds symbols"):
        weft.Tagger().fit(mixed, client=client)


def test_a_folder_of_other_data_is_refused(tmp_path):
    weft.Tagger(weft.Generative()).fit(Examples.from_lists(WORDS, LABELS, 3), spill=tmp_path / "s")
    with pytest.raises(InputError, match="belongs to other data or settings"):
        weft.Tagger(weft.Generative(), order=2).fit(Examples.from_lists(WORDS, LABELS, 3), spill=tmp_path / "s")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="holds other files"):
        weft.Tagger().fit(Examples.from_lists(WORDS, LABELS, 3), spill=tmp_path / "t")

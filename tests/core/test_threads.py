import os
import threading
from unittest import mock

import joblib
import pytest

from weft.core import threads
from weft.core.threads import available_cores, core_share, effective_jobs, in_threads


@pytest.fixture
def eight_cores():
    with mock.patch.object(threads, "_cpu_count", return_value=8):
        yield


def test_minus_one_means_all_cores_and_minus_two_all_but_one(eight_cores):
    assert [effective_jobs(n) for n in (None, 1, 3, 20, -1, -2, -8, -20)] == [1, 1, 3, 20, 8, 7, 1, 1]


def test_threads_inside_threads_add_up(eight_cores):
    inside = in_threads(lambda _: effective_jobs(-1), range(4))
    assert inside == [2] * 4
    deeper = in_threads(lambda _: in_threads(lambda _: effective_jobs(-1), range(2)), range(4), 4)
    assert deeper == [[1, 1]] * 4
    assert in_threads(lambda _: effective_jobs(-1), range(20)) == [1] * 20
    assert in_threads(lambda _: effective_jobs(-1), range(3), 1) == [8] * 3  # one after the other
    assert effective_jobs(-1) == 8  # as before


def test_a_share_ends_where_its_block_ends(eight_cores):
    with core_share(3):
        assert (available_cores(), effective_jobs(-1), effective_jobs(5)) == (3, 3, 5)
        with core_share(0):
            assert available_cores() == 1
        assert available_cores() == 3
    assert available_cores() == 8


def test_no_more_threads_run_than_asked_for():
    running, most, lock = 0, 0, threading.Lock()
    barrier = threading.Barrier(3)

    def work(task):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        barrier.wait(timeout=20)
        with lock:
            running -= 1
        return task

    assert in_threads(work, range(9), 3) == list(range(9))
    assert most == 3


def _inside(_):
    return effective_jobs(-1)


def test_processes_of_joblib_have_their_share_and_its_threads_one_core_each():
    share = max(1, joblib.cpu_count() // 2)
    with joblib.parallel_config("loky"):
        assert joblib.Parallel(2)(joblib.delayed(_inside)(i) for i in range(2)) == [share, share]
    with joblib.parallel_config("threading"):
        assert joblib.Parallel(2)(joblib.delayed(_inside)(i) for i in range(2)) == [1, 1]
    assert joblib.Parallel(1)(joblib.delayed(_inside)(i) for i in range(2)) == [joblib.cpu_count()] * 2


def test_a_search_of_scikit_learn_gives_each_fit_its_share(monkeypatch):
    from sklearn.base import BaseEstimator
    from sklearn.model_selection import cross_validate

    class Counts(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def score(self, X, y=None):
            return float(effective_jobs(-1))

    with joblib.parallel_config("threading"):
        assert cross_validate(Counts(), [[0]] * 6, cv=2, n_jobs=2)["test_score"].tolist() == [1.0, 1.0]
    alone = cross_validate(Counts(), [[0]] * 6, cv=2, n_jobs=1)["test_score"]
    assert alone.tolist() == [float(joblib.cpu_count())] * 2


def test_cores_are_counted_as_joblib_counts_them(monkeypatch):
    from weft.core.threads import _cpu_count

    assert _cpu_count.__wrapped__() == joblib.cpu_count()
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    assert _cpu_count.__wrapped__() == joblib.cpu_count() == 1


@pytest.mark.parametrize(
    ("quota", "count"), [("max 100000", 4), ("150000 100000", 2), ("10000 100000", 1), ("-1 100000", 4), ("", 4)]
)
def test_a_container_has_the_cores_of_its_quota(quota, count, tmp_path, monkeypatch):
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(threads, "CGROUPS", ((str(tmp_path / "cpu.max"),), (str(tmp_path / "not there"),)))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads._cpu_count.__wrapped__() == count

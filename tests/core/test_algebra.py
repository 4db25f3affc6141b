"""Last digits do not hang on the number of threads of the library of linear algebra."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import ThreadpoolController, threadpool_limits

import thread_digests
from weft.core.algebra import one_algebra_thread

SCRIPT = Path(thread_digests.__file__)


def counts():
    """Threads of each library."""
    return [each.num_threads for each in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.fixture
def three_threads():
    np.ones((2, 2)) @ scipy.linalg.inv(np.eye(2))
    with threadpool_limits(3, "blas"):
        if set(counts()) != {3}:
            pytest.skip("no library of linear algebra whose threads can be set")
        yield


def test_blocks_nest_and_the_number_is_put_back(three_threads):
    with one_algebra_thread():
        with one_algebra_thread(scipy=True):
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert set(counts()) == {3}


def test_the_number_is_put_back_after_an_error(three_threads):
    with pytest.raises(ZeroDivisionError), one_algebra_thread():
        raise ZeroDivisionError
    assert set(counts()) == {3}


def test_blocks_that_overlap_in_two_threads_leave_what_was_before(three_threads):
    inside, go_on = threading.Event(), threading.Event()
    seen = []

    @one_algebra_thread()
    def other():
        inside.set()
        go_on.wait(60)
        seen.append(set(counts()))

    thread = threading.Thread(target=other)
    with one_algebra_thread():
        thread.start()
        assert inside.wait(60)
    assert set(counts()) == {1}  # the other one began later and is still there
    go_on.set()
    thread.join()
    assert seen == [{1}]
    assert set(counts()) == {3}


def test_a_thread_is_held_to_one_while_another_one_has_a_limit_of_its_own(three_threads):
    seen = []

    def other():
        with one_algebra_thread():
            seen.append(set(counts()))
        seen.append(set(counts()))

    with threadpool_limits(2, "blas"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [{1}, {2}]
    assert set(counts()) == {3}


def printed(n_threads, *arguments):
    """What a process prints whose libraries of linear algebra have so many threads."""
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(n_threads))}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


LATE = """
import sys
import numpy
from weft.core.algebra import one_algebra_thread
from threadpoolctl import ThreadpoolController
assert "scipy.linalg" not in sys.modules
with one_algebra_thread():
    with one_algebra_thread(scipy=True):
        print({each.num_threads for each in ThreadpoolController().select(user_api="blas").lib_controllers})
"""


def test_a_library_that_is_loaded_late_has_one_thread_as_well():
    assert printed(2, "-c", LATE) == ["{1}"]


def test_what_dense_algebra_finds_is_the_same_for_any_number_of_its_threads():
    one, two = (printed(n_threads, SCRIPT, 1, *thread_digests.HUNG) for n_threads in (1, 2))
    assert len(one) == len(thread_digests.HUNG)
    assert one == two


@pytest.mark.slow
def test_all_estimators_are_the_same_for_any_number_of_threads():
    one, two = (printed(n_threads, SCRIPT, n_threads) for n_threads in (1, 2))
    assert len(one) == len(thread_digests.HUNG + thread_digests.REST)
    assert one == two

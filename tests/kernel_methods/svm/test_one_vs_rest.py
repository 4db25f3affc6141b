"""Problems of several classes are solved in threads."""

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from weft.kernel_methods.svm.one_vs_rest import Settings, Task, solve_features


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("storage", ["array", "naive"])
def test_once_one_problem_has_failed_no_other_begins(storage):
    matrix, solved = csr_array([[1.0, 0.0], [0.0, 2.0]]), []

    def stop(_):
        raise StoppedError

    def note(_):
        solved.append(1)
        time.sleep(0.2)

    task = Task(np.array([1.0, -1.0]), np.ones(2), seed=0, done=note)
    with pytest.raises(StoppedError):
        solve_features(matrix, [replace(task, done=stop)] + 19 * [task], Settings(n_jobs=2), storage, ["a", "b"])
    assert len(solved) < 10  # of each of two threads that keep their half of the problems, one would end it

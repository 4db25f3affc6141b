"""What compiled code does with lanes is what NumPy does with arrays, whichever registers there are."""

import numba
import numpy as np
import pytest

from weft.structures.alignment.loops import lanes
from weft.structures.alignment.loops.lanes import (
    LANES,
    larger,
    last_everywhere,
    load,
    mark,
    moved_up,
    plus,
    running_larger,
    spread,
    store,
)


@numba.njit
def _all(a, b, marks, out, narrow):
    x, y = load(a, 3), load(b, 1)
    store(out[0], 0, plus(x, y))
    store(out[1], 5, larger(x, y))
    store(out[2], 0, mark(mark(load(marks, 0), x, y, 4), y, x, 16))
    store(out[3], 0, moved_up(x, y))
    store(out[4], 0, running_larger(x))
    store(out[5], 0, last_everywhere(x))
    store(out[6], 0, spread(a, 7))
    store(narrow, 2, x)


@pytest.mark.nojit
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_lanes_are_arrays(dtype):
    random, limits = np.random.default_rng(0), np.iinfo(dtype)
    a, b = random.integers(limits.min, limits.max, size=(2, LANES + 3), dtype=dtype, endpoint=True)
    b[1:5] = a[3:7]
    marks = random.integers(0, 4, size=LANES, dtype=dtype)
    out, narrow = np.zeros((7, LANES + 5), dtype=dtype), np.zeros(LANES + 2, dtype=np.uint8)
    _all(a, b, marks, out, narrow)
    x, y = a[3:], b[1:-2]
    wanted = [
        x + y,
        np.where(x > y, x, y),
        marks + 4 * (x > y) + 16 * (y > x),
        [y[0], *x[:-1]],
        [x[: i + 1].max() for i in range(LANES)],
        [x[-1]] * LANES,
        [7] * LANES,
    ]
    for i, row in enumerate(wanted):
        begin = 5 if i == 1 else 0
        np.testing.assert_array_equal(out[i, begin : begin + LANES], row, err_msg=lanes.__all__[i])
        assert not out[i, :begin].any()
        assert not out[i, begin + LANES :].any()
    np.testing.assert_array_equal(narrow, [0, 0, *(x.astype(np.int64) % 256)])

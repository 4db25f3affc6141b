"""Tests of `weft.kernels.positive`."""

import numpy as np
import pytest

from weft import InputError
from weft.kernels.positive import check_positive_semidefinite


def test_positive_semidefinite_wants_a_square():
    with pytest.raises(InputError, match=r"shape \(1, 2\)"):
        check_positive_semidefinite([[1.0, 2.0]])
    assert check_positive_semidefinite(np.empty((0, 0))) == 0
    assert check_positive_semidefinite([[1.0, 1.0], [1.0, 1.0]]) == pytest.approx(0, abs=1e-12)

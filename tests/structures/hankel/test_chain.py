"""Tests of `weft.structures.hankel.chain`."""

import numpy as np
import pytest

from hankel_problems import make
from weft.errors import InputError
from weft.structures.hankel.chain import HankelChain


def test_strings_of_a_constrained_matrix_share_cells():
    _, chain, _, _ = make(order=3, constrained=True)
    cells, size = chain.string_cells, chain.base_size
    _, repeats = np.unique(cells, return_counts=True)
    # Strings of length 0 and 3 occur once, those of length 1 and 2 twice.
    assert np.count_nonzero(repeats == 2) == size + size**2
    assert np.count_nonzero(repeats == 1) == 1 + size**3
    assert cells[chain.row_begins[2] + 4, -1] == cells[0, 4]
    assert cells[chain.row_begins[3] + 4 * size + 2, -1] == cells[chain.row_begins[2] + 4, 2]


def test_too_many_windows_and_a_second_order_are_refused():
    _, chain, _, _ = make()
    with pytest.raises(InputError, match="too many windows"):
        HankelChain(chain.base, chain.pairs, order=60)

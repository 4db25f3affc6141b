"""LoopModel: which weights a structure has, and what learners ask of a batch of them."""

import numpy as np
import pytest

from weft.errors import InputError
from weft.structures import LoopModel

MODEL = LoopModel()


def test_moments_count_structures():
    moments = MODEL.moments("gggaaac")
    assert np.exp(moments.log_count) == pytest.approx(4.0)
    pairs = MODEL.feature_names.index("pair_cg")
    assert moments.mean[pairs] == pytest.approx(3 / 4)
    assert moments.covariance[pairs, pairs] == pytest.approx(3 / 16)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="min_hairpin is -1"):
        LoopModel(-1)
    with pytest.raises(InputError, match="'n' at position 1"):
        MODEL.encode("gnc")
    with pytest.raises(InputError, match="empty"):
        MODEL.encode("")

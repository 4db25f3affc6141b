"""Tests of `weft.checkpoint.fit_state`."""

from __future__ import annotations

import numpy as np
import pytest

from weft import checkpoint
from weft.checkpoint import Checkpoint
from weft.errors import ModelFileError


def test_checkpoint_round_trip(tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    assert fit.load() is None
    fit.save(1, {"weights": np.zeros(2)}, {"objective": 3.5})
    fit.save(2, {"weights": np.ones(2)}, {"objective": 2.5})
    state = fit.load()
    assert (state.step, state.meta) == (2, {"objective": 2.5})
    np.testing.assert_array_equal(state.arrays["weights"], [1.0, 1.0])
    state.arrays["weights"][0] = 5.0  # a fit goes on from them, so they can be written to
    fit.remove()
    assert fit.load() is None
    fit.remove()


def test_checkpoint_refuses_other_files(tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    checkpoint.write_array_file(fit.path, {"format": "weft", "format_version": 1}, {})
    with pytest.raises(ModelFileError, match="needed 'weft checkpoint' version 2"):
        fit.load()
    checkpoint.write_array_file(fit.path, {"format": "weft checkpoint", "format_version": 2}, {})
    with pytest.raises(ModelFileError, match="it has no step"):
        fit.load()
    fit.path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="cut short, damaged or not a weft file"):
        fit.load()

"""Crafted model files are refused, or answer as the same estimator in memory; see `fuzzing/model_files.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from weft.model_file.classes import CLASSES, class_of

sys.path.insert(0, str(Path(__file__).parent / "fuzzing"))
from model_files import look_at
from model_zoo import ZOO

N_FILES = 25
"""Of each model; `make fuzz-models` makes 20,000 in all."""


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="a crash can only be watched in a forked process")
@pytest.mark.parametrize("name", ZOO)
def test_crafted_files_neither_crash_nor_surprise(name):
    counts, wrong = look_at(name, N_FILES)
    assert not wrong
    assert counts["refused"] >= N_FILES // 5  # else nothing was altered
    assert sum(counts.values()) == N_FILES


def test_the_zoo_has_every_class_that_a_file_may_hold():
    """So that no estimator, and none of its forms, is left out of the fuzzing.

    But for the one whose structure is the code of whoever loads it: weft cannot answer for that.
    """
    savable = {name for name in CLASSES if hasattr(class_of(name), "_to_state")}
    assert {type(animal.make()).__name__ for animal in ZOO.values()} == savable - {"StructuredEstimator"}

"""A process that compiles gives the answers of one that finds all compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from weft.core.jit import jit, jit_fast

SCRIPT = Path(__file__).parents[1] / "cold_answers.py"
COMPILES = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def answers(folder, names):
    """What the script prints in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, str(SCRIPT), *names]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


@COMPILES
def test_a_callee_is_private_to_its_caller():
    @jit_fast
    def total(values):
        result = 0.0
        for value in values:
            result += value * value
        return result

    @jit
    def caller(values):
        return total(values) + total(values[1:])

    assert caller(np.arange(5.0)) == 60.0
    (code,) = caller.overloads.values()
    shared = [f.name for f in code.library._final_module.functions if f.linkage.name == "linkonce_odr"]
    assert [name for name in shared if name.startswith("_ZN")] == []


@COMPILES
def test_first_and_second_process_agree(tmp_path):
    first = answers(tmp_path, ["tag"])
    assert first[0].startswith("tag ")
    assert any(tmp_path.rglob("*.nbc"))
    assert answers(tmp_path, ["tag"]) == first


@COMPILES
@pytest.mark.slow
def test_first_and_second_process_agree_on_everything(tmp_path):
    names = ["classify", "regress", "align", "spectral", "fold", "tag"]
    first = answers(tmp_path, names)
    assert [line.split()[0] for line in first] == names
    assert answers(tmp_path, names) == first
    # Whatever was loaded before, and in whatever order.
    for name in names:
        assert answers(tmp_path, [name]) == [line for line in first if line.startswith(f"{name} ")]

"""The first compilation says so, and no other."""

import os
import subprocess
import sys

from weft.core import compiling
from weft.core.compiling import Announcer, is_watched


class Bar:
    def __init__(self):
        self.calls = []

    def update(self, task, done):
        self.calls.append(done)

    def stop(self):
        self.calls.append("stop")


def test_functions_within_others_are_one_compilation(monkeypatch):
    announcer, bar = Announcer(lambda: True), Bar()
    monkeypatch.setattr(announcer, "_show", lambda: setattr(announcer, "_bar", bar))
    monkeypatch.setattr(compiling, "PAUSE", 0.01)
    announcer.begin("outer")
    announcer.begin("inner")
    announcer.end()
    announcer.end()
    assert announcer.n_compiled == 2
    announcer._timer.join()
    assert bar.calls == [1, 2, "stop"]


def test_a_muted_one_counts_and_shows_nothing(monkeypatch):
    announcer = Announcer(lambda: True)
    announcer.is_muted = True
    monkeypatch.setattr(announcer, "_show", lambda: 1 / 0)
    announcer.begin("f")
    announcer.end()
    assert announcer.n_compiled == 1


def test_nobody_looks_at_a_pipe(monkeypatch):
    assert not is_watched()
    monkeypatch.setattr(sys, "stderr", type("Terminal", (), {"isatty": lambda self: True})())
    assert is_watched()
    monkeypatch.setenv("WEFT_COMPILE_BAR", "0")
    assert not is_watched()


def test_a_bar_is_shown_while_numba_compiles_and_not_when_it_finds_the_code(tmp_path):
    code = (
        "import sys; from weft.core import compiling; compiling.ANNOUNCER._watched = lambda: True;"
        "from weft.core.vectors import _dot; import numpy as np; _dot(np.ones(2), np.ones(2));"
        "print(compiling.ANNOUNCER.n_compiled)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0", "FORCE_COLOR": "1"}
    runs = [subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True) for _ in "12"]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    assert int(runs[0].stdout) > 0
    assert compiling.MESSAGE in runs[0].stderr
    assert (int(runs[1].stdout), runs[1].stderr) == (0, "")

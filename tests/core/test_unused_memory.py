import subprocess
import sys

import pytest

from weft.core import unused_memory
from weft.core.unused_memory import COMPILER, give_back_unused, unwritten_mappings

SMAPS = """\
1000-3000 r--p 00000000 08:01 7                            /a b/x/libllvmlite.so
Rss:                   8 kB
Anonymous:             0 kB
VmFlags: rd mr mw me
3000-5000 r-xp 00002000 08:01 7                            /x/libllvmlite.so
Rss:                   8 kB
Anonymous:             0 kB
5000-6000 r--p 00004000 08:01 7                            /x/libllvmlite.so
Anonymous:             4 kB
6000-7000 rw-p 00005000 08:01 7                            /x/libllvmlite.so
Anonymous:             0 kB
7000-8000 r--s 00005000 08:01 7                            /x/libllvmlite.so
Anonymous:             0 kB
8000-9000 r-xp 00000000 08:01 9                            /x/libother.so
Anonymous:             0 kB
9000-a000 rw-p 00000000 00:00 0
Anonymous:             0 kB
"""

RESIDENT = """
import sys
import numpy as np
from pathlib import Path
from weft.core.unused_memory import COMPILER, give_back_unused
from weft.core.vectors import _dot, _dot_in_order

def resident():
    found, is_compiler = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            is_compiler = COMPILER in words[-1]
        elif words[0] == "Rss:" and is_compiler:
            found += int(words[1])
    return found

vector = np.arange(5.0)
first, before = _dot(vector, vector), resident()
give_back_unused()
print(before, resident(), _dot(vector, vector) == first == 30.0 == _dot_in_order(vector, vector))
"""


def test_only_mappings_without_pages_of_the_process_are_given_back():
    assert list(unwritten_mappings(SMAPS, COMPILER)) == [(0x1000, 0x3000), (0x3000, 0x5000)]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone says which pages are the process's own")
def test_pages_of_the_compiler_leave_and_loops_go_on():
    answer = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True)
    before, after, is_right = answer.stdout.split()
    assert int(after) < int(before) / 4
    assert is_right == "True"


def test_nothing_happens_where_a_system_hides_its_mappings(monkeypatch, tmp_path):
    monkeypatch.setattr(unused_memory, "MAPPINGS", tmp_path / "none")
    give_back_unused()


@pytest.mark.parametrize(("platform", "asked"), [("win32", None), ("darwin", None), ("linux", "0")])
def test_nothing_happens_elsewhere_or_against_a_users_will(monkeypatch, platform, asked):
    def fail(*_):
        raise AssertionError("the system was asked")

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(unused_memory.ctypes, "CDLL", fail)
    if asked is not None:
        monkeypatch.setenv("WEFT_GIVE_BACK", asked)
    give_back_unused()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WEFT_GIVE_BACK", raising=False)
    with pytest.raises(AssertionError, match="was asked"):
        give_back_unused()

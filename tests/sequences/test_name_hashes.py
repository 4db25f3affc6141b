"""Hashes of names: those of the definition, in any process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.name_hashes import name_hashes

NAMES = st.lists(st.text() | st.integers() | st.sampled_from(["é", "\ud800", "\0", "日本"]))
BITS = 2**64 - 1


def plain_hash(data):
    """FNV-1a and the mixing of MurmurHash3 as they are published."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & BITS
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & BITS
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & BITS
    return value ^ value >> 33


@settings(deadline=None)  # the first call compiles
@given(NAMES)
def test_hashes_are_those_of_the_definition(names):
    data = [name.encode("utf-8", "surrogatepass") if isinstance(name, str) else b"\xff%d" % name for name in names]
    assert name_hashes(names).tolist() == list(map(plain_hash, data))


def test_every_process_finds_the_same():
    code = "from weft.sequences.name_hashes import name_hashes; print(name_hashes(['ab', 'é', 7]).tolist())"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {f"{name_hashes(['ab', 'é', np.int64(7)]).tolist()}\n"}


def test_other_types_are_refused():
    with pytest.raises(InputError, match="has the type float"):
        name_hashes(["a", 1.5])

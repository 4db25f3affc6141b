"""Where compiled code is kept: read-only systems, damaged files, full disks."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import weft
from weft.core.jit import jit, jit_fast

ROUNDER = 1.5 * 2.0**52
DOT = "import numpy as np; from weft.core.vectors import _dot; print(_dot(np.arange(3.0), np.ones(3)))"


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package that takes no compiled code, for root too: a file stands in the place of each cache.

    Returns a function that runs Python on it, without a home folder, and gives what it printed and said.
    """
    package = tmp_path / "lib" / "weft"
    shutil.copytree(Path(weft.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    (tmp_path / "tmp").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_", "PYTHONPATH"))}
    places = {"PYTHONPATH": str(package.parent), "HOME": "/proc/none", "TMPDIR": str(tmp_path / "tmp")}

    def run(*arguments, **more):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=kept | places | more,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


def test_a_read_only_package_and_home_keep_code_in_a_temporary_folder(read_only, tmp_path):
    folder = tmp_path / "tmp" / f"weft-numba-{os.getuid()}"
    for _ in range(2):
        printed, said = read_only("-c", "import weft.estimators.tag.tagger;" + DOT)
        assert printed == "3.0\n"
        assert said.count("UserWarning") == 1
        assert f"it is kept in {folder}: set NUMBA_CACHE_DIR to a folder that you may write to." in said
        assert len(list(folder.rglob("*dot*.nbc"))) == 1
        assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("obstacle", ["a file", "a folder of everybody"])
def test_without_any_folder_each_run_compiles(read_only, tmp_path, obstacle):
    folder = tmp_path / "tmp" / f"weft-numba-{os.getuid()}"
    if obstacle == "a file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    printed, said = read_only("-c", DOT)
    assert printed == "3.0\n"
    assert said.count("UserWarning") == 1
    assert "so that each run compiles anew" in said
    assert list(tmp_path.rglob("*.nb[ci]")) == []


def test_a_model_is_loaded_on_a_read_only_system(read_only, tmp_path):
    weft.save(weft.Tagger(weft.Generative()).fit(["ab"], ["xy"]), tmp_path / "model.weft")
    printed, said = read_only("-c", f"import weft; print(weft.load({str(tmp_path / 'model.weft')!r}).classes_)")
    assert printed == "['x' 'y']\n"
    assert said.count("UserWarning") == 1


def damaged(file, how):
    data = bytearray(file.read_bytes())
    if how == "cut":
        del data[len(data) // 2 :]
    elif how == "empty":
        data.clear()
    else:
        data[len(data) // 2] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("how", ["cut", "empty", "one bit"])
def test_damaged_files_are_compiled_anew(tmp_path, suffix, how):
    def run():
        places = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        return subprocess.run([sys.executable, "-c", DOT], env=places, capture_output=True, text=True, check=True)

    run()
    (file,) = tmp_path.rglob(f"vectors._dot-*.{suffix}")
    before = file.read_bytes()
    damaged(file, how)
    done = run()
    assert (done.stdout, done.stderr) == ("3.0\n", "")
    if suffix == "nbi":
        assert file.read_bytes() == before
    pickle.loads(file.read_bytes())  # whole again


def test_a_full_disk_is_no_error(tmp_path):
    """A limit on the size of files stands for a disk without room."""
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "import numpy, numba; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n" + DOT
    )
    places = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=places, capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"
    assert done.stderr.count("UserWarning") == 1
    assert f"compiled code cannot be kept in {tmp_path}" in done.stderr
    assert "File too large" in done.stderr


def test_rules_do_not_come_from_the_caller():
    """Numba hands the rules of a caller on to what it calls, unless told otherwise: sums would be reordered."""

    @jit
    def rounded(value):
        return (value + ROUNDER) - ROUNDER

    @jit_fast
    def caller(value):
        return rounded(value)  # and nothing else: a product that may be reordered would spread to what it multiplies

    assert caller(2.6) == 3.0
    assert rounded(2.6) == 3.0


LOOPS = """
import sys
import numpy as np
from weft.core.jit import jit

@jit
def room(size):
    if size > 9:
        raise ValueError("too much room")
    return np.empty(size)

@jit
def first(size):
    return len(room(size))

@jit
def second(size):
    return len(room(size)) + 1

if __name__ == "__main__":
    function = globals()[sys.argv[1]]
    print(function(2), "numba.np.arrayobj" in sys.modules)
    for size in (10, -1):
        try:
            function(size)
        except ValueError as error:
            print(error)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_code_from_disk_needs_no_module_and_has_its_messages(tmp_path):
    """Also as part of what is compiled with it, and kept in turn."""
    (tmp_path / "loops.py").write_text(LOOPS, encoding="utf-8")

    def run(name):
        places = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, str(tmp_path / "loops.py"), name]
        done = subprocess.run(command, env=places, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    said = ["too much room", "negative dimensions not allowed"]
    assert run("first") == ["2 True", *said]
    assert run("first") == ["2 False", *said]
    assert run("second") == ["3 True", *said]
    assert run("second") == ["3 False", *said]

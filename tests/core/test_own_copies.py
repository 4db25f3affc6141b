"""A process that compiles gives the answers of one that finds all compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from weft.core.jit import jit, jit_fast, jit_rows

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
@pytest.mark.parametrize("first", ["python", "compiled"])
def test_a_function_is_called_by_python_and_by_others_in_any_order(first):
    @jit
    def inner(values, place):
        if place >= len(values):
            raise IndexError("no such place")
        return values[place]

    @jit
    def outer(values, place):
        return inner(values, place) + inner(values, 0)

    values = np.arange(1.0, 4.0)
    calls = [lambda: inner(values, 2) == 3.0, lambda: outer(values, 2) == 4.0]
    for call in calls if first == "python" else reversed(calls):
        assert call()
    for function in (inner, outer):
        with pytest.raises(IndexError, match="no such place"):
            function(values, 3)


@COMPILES
def test_what_only_compiled_functions_call_has_no_machine_code():
    @jit
    def inner(value):
        return value + 1

    @jit
    def middle(value):
        return 2 * inner(value)

    @jit
    def outer(value):
        return middle(value) - inner(value)

    assert outer(3) == 4
    assert (len(outer.overloads), len(middle.overloads), len(inner.overloads)) == (1, 0, 0)
    assert middle(3) == 8
    assert (len(middle.overloads), len(inner.overloads)) == (1, 0)


@COMPILES
def test_what_numba_compiled_for_us_serves_others():
    def fill(size, shape):
        return np.empty(size).reshape(shape).size + max(size, 1)

    ours, theirs = jit(fill), numba.njit(fill)
    for function in (ours, theirs):
        assert function(6, (2, 3)) == 12
        with pytest.raises(ValueError, match="negative dimensions"):
            function(-1, (2, 3))
        with pytest.raises(ValueError, match="total size of new array"):
            function(5, (2, 3))


@COMPILES
def test_rows_give_the_sums_of_other_loops():
    def add(rows, totals):
        for t in range(len(rows)):
            for z in range(rows.shape[1]):
                totals[z] += rows[t, z]

    rows = np.random.default_rng(0).normal(size=(50, 24))
    totals = {compiler.__name__: np.zeros(24) for compiler in (jit, jit_rows)}
    jit(add)(rows, totals["jit"])
    jit_rows(add)(rows, totals["jit_rows"])
    assert np.array_equal(totals["jit"], totals["jit_rows"])
    codegen = numba.core.registry.cpu_target.target_context.codegen()
    assert not {"_pass_builder", "_library_class"} & set(vars(codegen))  # all is as Numba left it


@COMPILES
def test_functions_may_have_closures():
    @jit
    def squares(values):
        def square(value):
            return value * value

        return sum([square(value) for value in values])

    assert squares(np.arange(4.0)) == 14.0


MODULE = """
from weft.core.jit import jit

@jit
def inner(value):
    if value < 0:
        raise ValueError("negative", value)
    return value + 1

@jit
def outer(value):
    return inner(value)

@jit
def other(value):
    return 10 * inner(value)
"""


@COMPILES
def test_parts_come_back_from_disk_with_what_they_need_of_python(tmp_path):
    (tmp_path / "kept_parts.py").write_text(MODULE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def run(code):
        command = [sys.executable, "-c", f"from kept_parts import inner, outer, other\n{code}"]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    caught = "try:\n    {0}(-2)\nexcept ValueError as error:\n    print(error.args)"
    assert run("print(outer(1))") == "2\n"
    assert run(caught.format("outer")) == "('negative', -2)\n"
    assert run(f"print(other(1))\n{caught.format('other')}") == "20\n('negative', -2)\n"
    assert run(f"{caught.format('other')}\n{caught.format('outer')}") == "('negative', -2)\n('negative', -2)\n"
    assert run(f"print(inner(1))\n{caught.format('inner')}") == "2\n('negative', -2)\n"


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


FIRST_IN_A_PROCESS = """
import numpy as np
from weft.core.jit import jit, jit_fast

@jit_fast
def fast(values):
    result = values[0]
    for value in values[1:]:
        result += value * value
    return result

@jit
def strict(values):
    result = values[0]
    for value in values[1:]:
        result += value * value
    return result

for function in ({order}):
    function(np.ones(3, dtype=np.complex128))
for function in (fast, strict):
    (code,) = function.overloads.values()
    print("fmul reassoc" in str(code.library._final_module))
"""


@COMPILES
@pytest.mark.parametrize("order", ["fast, strict", "strict, fast"])
def test_what_is_compiled_first_does_not_say_how_products_of_complex_numbers_round(order, tmp_path):
    script = tmp_path / "first.py"
    script.write_text(FIRST_IN_A_PROCESS.format(order=order))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    out = subprocess.run([sys.executable, str(script)], env=environment, check=True, capture_output=True, text=True)
    assert out.stdout.split() == ["True", "False"]

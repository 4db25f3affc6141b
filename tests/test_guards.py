"""Every compiled function that Python calls has a check that guards its indices: `guards.toml` names it."""

import importlib
import tomllib
from pathlib import Path

import pytest

import weft
from compiled_entries import read_package, scan

HERE = Path(__file__).parent
TABLE = {
    f"{module}:{name}": entry
    for module, entries in tomllib.loads((HERE / "guards.toml").read_text(encoding="utf-8")).items()
    for name, entry in entries.items()
}
FOUND = scan(read_package(Path(weft.__file__).parent))


def resolved(name):
    """The function or method that ``module:qualified.name`` stands for."""
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def test_every_entry_point_names_its_guard():
    missing = {name: sorted(users) for name, users in FOUND.entry_points.items() if name not in TABLE}
    assert not missing, "Python calls these compiled functions; tests/guards.toml does not say what guards them"


def test_the_table_names_only_what_python_calls():
    assert not sorted(TABLE.keys() - FOUND.entry_points.keys())


@pytest.mark.parametrize("guard", sorted({guard for entry in TABLE.values() for guard in entry["by"]}))
def test_the_guard_is_there(guard):
    assert callable(resolved(guard))


def test_every_entry_has_a_guard_and_nothing_else():
    for name, entry in TABLE.items():
        assert entry["by"], name
        assert entry.keys() <= {"by", "why"}, name


def test_most_compiled_functions_are_called_by_compiled_ones_only():
    assert FOUND.entry_points.keys() <= FOUND.functions
    assert len(FOUND.functions) > 300


# -------------------------------------------------------------------------------------------- the scanner

TINY = {
    "tiny": "",
    "tiny.loops": """
from typing import overload
import numba
from numba.extending import overload as compiled_overload
from weft.core.jit import jit, jit_fast as fast

@jit
def called(x):
    return inner(x)

@fast
def inner(x):
    return x

@numba.njit(cache=True)
def handed_on(x):
    return x

@jit
def never(x):
    return called(x)

def plain(x):
    return x

late = jit(plain)
other_name = called

@overload
def typed(x): ...

@compiled_overload(plain)
def of_plain(x):
    return lambda x: never(x)
""",
    "tiny.again": "from tiny.loops import inner as renamed\n__all__ = ['renamed']\n",
    "tiny.user": """
import tiny.loops
import tiny.loops as loops
from tiny import again, loops as more
from tiny.loops import late, other_name, typed

def by_name():
    return other_name(1)

class Box:
    def by_module(self):
        return [more.called, map(loops.handed_on, [1])]

    def by_package(self):
        def deep():
            return tiny.loops.late(again.renamed(typed(1)))
        return deep
""",
}


def test_the_scanner_finds_what_is_compiled():
    found = {name.partition(":")[2] for name in scan(TINY).functions}
    assert found == {"called", "inner", "handed_on", "never", "late", "of_plain"}


def test_the_scanner_follows_names_to_compiled_functions():
    entry_points = scan(TINY).entry_points
    assert entry_points == {
        "tiny.loops:called": {"tiny.loops:", "tiny.user:by_name", "tiny.user:Box.by_module"},
        "tiny.loops:handed_on": {"tiny.user:Box.by_module"},
        "tiny.loops:inner": {"tiny.again:__all__", "tiny.user:Box.by_package.deep"},
        "tiny.loops:late": {"tiny.user:Box.by_package.deep"},
    }


def test_the_scanner_refuses_imports_that_it_cannot_follow():
    with pytest.raises(AssertionError, match="relative import"):
        scan({"tiny.user": "from . import loops"})

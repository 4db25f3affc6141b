"""Tests mirror the source: whoever changes a file finds its tests by its name."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "weft"
FILES = [path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py"))]
# About the repository as a whole.
WHOLE = {
    "benchmarks",
    "docs",
    "examples",
    "fuzzing",
    "guards",
    "mirror",
    "model_file_fuzz",
    "public_surface",
    "readme",
    "release",
    "unguarded_arrays",
}


def names_for(folder):
    """What the tests of a folder may be about: its files, or all of it."""
    here = SOURCE / folder
    return {path.stem for path in here.iterdir()} | {folder.name} if here.is_dir() else set()


# Commands are tested as users type them; they find their files with the folders of tasks.
@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0] != "apps"], ids=str)
def test_a_test_is_named_after_what_it_tests(path):
    words = path.stem.removeprefix("test_").split("_")
    wanted = names_for(path.parent) | (WHOLE if path.parent == Path() else set())
    begins = {"_".join(words[:n]) for n in range(1, len(words) + 1)}
    assert begins & wanted, f"nothing in {SOURCE / path.parent} has a name with which {path.stem} begins"
